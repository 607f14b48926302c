"""The fields of a record: their ranges, their form in text, and who sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from shakespeare_env.checks.values import did_you_mean, is_integer, short_repr

Visible: TypeAlias = Literal["all", "owner", "nobody"] | Callable[[Any, int, int], bool]
"""The viewers of a field: everybody, only the seat that owns the row, or nobody.

Or a rule (game, seat, owner) -> bool that returns whether a seat, -1 for a spectator, sees the
owner's row. The owner is 0 if the field has no rows.
"""

_VISIBLE = ("all", "owner", "nobody")
_FORMS = ("numbers", "row", "counts", "list")


@dataclass(frozen=True)
class StateField:
    """A field of a record: one number or an array of numbers from `low` to `high`.

    Attributes:
        name: The field's name in the record.
        low: The least value of its numbers.
        high: The greatest value of its numbers.
        shape: The shape of its array: a size, or a tuple of sizes for several axes. () means a
            single number.
        kind: The type of its numbers; int8, by default, holds -128 to 127.
        by_seat: Whether the first axis has a row for every seat.
        seats: Whether the numbers are seats, -1 for nobody.
        words: What text shows instead of the numbers: names, or other integers. `words[0]` stands
            for `low`, `words[1]` for `low + 1`, and so on.
        form: The form of the last axis in text. `numbers` shows all numbers. `row` shows those
            before the first one that equals `low`, which marks the end of the row. `counts` is an
            object from the names in `places` to their numbers. `list` is a sorted list in which
            each name in `places` is repeated as often as its number says.
        places: The names of the places of the last axis, for `counts` and `list`.
        follows: A rule (game, seat) -> int that computes the field's number in the seat's row, if
            the field is derived from other fields.
        visible: The viewers who see the field.
        pool: The name of the pool of cards that the field's numbers were dealt from. Negative
            numbers stand for no card. The pool decides how a determinization redraws what a seat
            does not see. It shuffles the hidden cards of a pool among all fields of the pool. A
            hidden number of a field without a pool is drawn from the field's range, and hidden
            `counts` keep their sum.
    """

    name: str
    low: int
    high: int
    shape: int | tuple[int, ...] = ()
    kind: type[np.integer[Any]] = np.int8
    by_seat: bool = False
    seats: bool = False
    words: tuple[str | int, ...] = ()
    form: Literal["numbers", "row", "counts", "list"] = "numbers"
    places: tuple[str, ...] = ()
    follows: Callable[[Any, int], int] | None = None
    visible: Visible = "all"
    pool: str = ""

    def __post_init__(self) -> None:
        if not (isinstance(self.kind, type) and issubclass(self.kind, np.integer)):
            raise TypeError(
                f"{self.name}: kind={short_repr(self.kind)} is not an integer type of NumPy; give "
                "the sizes of several axes as one shape, such as shape=(4, 13)"
            )
        sizes = self.shape if isinstance(self.shape, tuple) else (self.shape,)
        if not all(is_integer(size) and size > 0 for size in sizes):
            raise ValueError(
                f"{self.name}: shape={short_repr(self.shape)}; give a size of 1 or more, or a "
                "tuple of sizes"
            )
        least = np.iinfo(self.kind).min
        most = np.iinfo(self.kind).max
        if not least <= self.low <= self.high <= most:
            raise ValueError(
                f"{self.name}: {self.low} to {self.high} is not a range of {self.kind.__name__} "
                f"({least} to {most}); give the lowest number first, and a kind that holds both"
            )
        if not callable(self.visible) and self.visible not in _VISIBLE:
            raise ValueError(_unknown(self.name, "visible", self.visible, _VISIBLE))
        if self.form not in _FORMS:
            raise ValueError(_unknown(self.name, "form", self.form, _FORMS))
        if self.form in ("counts", "list") and (not sizes or len(self.places) != sizes[-1]):
            raise ValueError(
                f"{self.name}: {len(self.places)} places; form={self.form!r} needs a name for each "
                f"number of the last axis of shape={short_repr(self.shape)}"
            )

    @property
    def size(self) -> int:
        """The count of its numbers."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def rows(self) -> int:
        """The number of its rows: one for each seat, or a single one."""
        if not self.by_seat:
            return 1
        return self.shape if isinstance(self.shape, int) else self.shape[0]

    @property
    def shows_sum(self) -> bool:
        """Whether seats that do not see a row still see its sum.

        They do if the row is a single object of counts. A row of several axes is hidden altogether.
        """
        return self.form == "counts" and self.size == self.rows * len(self.places)


def _unknown(field: str, name: str, given: object, known: tuple[str, ...]) -> str:
    question = did_you_mean(str(given), known)
    return f"{field}: {name}={short_repr(given)}{question}; choose one of {', '.join(known)}"


def state_type(fields: Iterable[StateField]) -> np.dtype[np.void]:
    """Return the dtype of records that have the generator's state, `random`, and these fields."""
    entries: list[tuple[str, Any, Any]] = [("random", np.uint64, ())]
    entries += [(field.name, field.kind, field.shape) for field in fields]
    return np.dtype(entries, align=True)
