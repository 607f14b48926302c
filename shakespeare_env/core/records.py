"""The fields of a record and their ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from shakespeare_env.checks.values import did_you_mean, is_whole, short_repr

Visible: TypeAlias = Literal["all", "owner", "nobody"] | Callable[[Any, int, int], bool]
"""Who sees a field: everybody, only the seat whose row it is, or nobody; or a rule (game,
seat, owner) -> whether the seat, -1 for a spectator, sees the owner's row, 0 without rows."""

_VISIBLE = ("all", "owner", "nobody")
_FORMS = ("numbers", "row", "counts", "list")


@dataclass(frozen=True)
class StateField:
    """A field of a record: numbers from `low` to `high`.

    Attributes:
        shape: Of its array: a size, or a tuple of the sizes of several axes; () is one number.
        kind: The type of its numbers, by default for -128 to 127.
        by_seat: Whether the first axis has a row for every seat.
        seats: Whether the numbers are seats, -1 for nobody.
        words: The names of the numbers, from `low` on; whole numbers where text counts otherwise.
        form: How the last axis stands in text: as `numbers`; as a `row` that ends at the first
            `low`; as `counts`, an object, or as a `list`, sorted, of the names in `places`, as
            often as the numbers say.
        places: The names of the places of the last axis, for `counts` and `list`.
        follows: A rule (game, seat) -> the number of a seat, where it follows from other fields.
        visible: Who sees it.
        pool: Hidden numbers of fields with one pool were dealt from the same cards, so those that a
            seat does not see may be in any order; negative ones stand for no card. Hidden numbers
            without a pool may each be anything in their range, of counts with the sum they have.
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
                f"{self.name}: kind={short_repr(self.kind)} is no integer type of NumPy; "
                "several axes "
                "are one shape, such as shape=(4, 13)"
            )
        sizes = self.shape if isinstance(self.shape, tuple) else (self.shape,)
        if not all(is_whole(size) and size > 0 for size in sizes):
            raise ValueError(
                f"{self.name}: shape={short_repr(self.shape)}; give a size from 1, or a tuple "
                "of them"
            )
        least, most = np.iinfo(self.kind).min, np.iinfo(self.kind).max
        if not least <= self.low <= self.high <= most:
            raise ValueError(
                f"{self.name}: {self.low} to {self.high} is no range within {least} to {most} of "
                f"{self.kind.__name__}; give the lowest number first, and a kind that holds both"
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
        """The count of its rows: one for each seat, or one."""
        shape = (self.shape,) if isinstance(self.shape, int) else self.shape
        return shape[0] if self.by_seat else 1

    @property
    def shows_sum(self) -> bool:
        """Whether the sum of a row is shown to those who do not see the row itself."""
        return self.form == "counts" and self.size == self.rows * len(self.places)


def _unknown(field: str, name: str, given: object, known: tuple[str, ...]) -> str:
    question = did_you_mean(str(given), known)
    return f"{field}: {name}={short_repr(given)}{question}; choose one of {', '.join(known)}"


def state_type(fields: Iterable[StateField]) -> np.dtype[np.void]:
    """The record's dtype; every game's begins with its generator."""
    entries = [("random", np.uint64, ()), *((f.name, f.kind, f.shape) for f in fields)]
    return np.dtype(entries, align=True)
