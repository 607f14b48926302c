"""A notation that is derived from a record's fields: an object with a key for each field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shakespeare_env.checks import position_entries as reading
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core.game import UNKNOWN, PositionFault, Record
from shakespeare_env.core.records import StateField
from shakespeare_env.derived.rules import Check
from shakespeare_env.play.tracing import interpreted

TURN = "turn"
"""The phase of a game under way."""
OVER = "over"
"""The phase of a finished game."""


@dataclass(frozen=True)
class OwnNotation:
    """A game's own functions that write and read positions, as `Game` describes them."""

    to_dict: Callable[[Record], dict[str, Any]]
    from_dict: Callable[[Mapping[str, Any], Record], None]
    phase: Callable[[Record], str]
    seen_by: Callable[[Mapping[str, Any], int], dict[str, Any]]


@dataclass(frozen=True)
class Notation:
    """The derived functions that write and read a game's positions, as `Game` describes them.

    The notation leaves out the rows of absent seats. In a record, these rows are filled with the
    number that stands for "nothing" in the field (see `_empty_value`).

    Attributes:
        fields: The fields of the record.
        keys: The fields that appear in the notation, by their keys, in order.
        checks: The conditions that every position meets.
    """

    name: str
    seats: range
    state: np.dtype[np.void]
    fields: Sequence[StateField]
    keys: Mapping[str, StateField]
    checks: Sequence[Check]

    def to_dict(self, record: Record) -> dict[str, Any]:
        """Return a position in the notation, as a dict."""
        players = int(record["players"])
        position: dict[str, Any] = {"game": self.name}
        for key, field in self.keys.items():
            numbers = record[field.name][:players] if field.by_seat else record[field.name]
            position[key] = _in_notation(field, np.asarray(numbers).tolist())
        over = record["to_move"] < 0
        position["winners"] = np.flatnonzero(record["winners"]).tolist() if over else None
        return position

    def from_dict(self, position: Mapping[str, Any], record: Record) -> None:
        """Write a position into a record. Raises PositionError if it cannot be read."""
        reading.object_with_keys(position, "position", ["game", *self.keys, "winners"])
        players = reading.integer(position["players"], "players", self.seats[0], self.seats[-1])
        for field in self.fields:
            record[field.name] = _empty_value(field)
        for key, field in self.keys.items():
            shape = record[field.name].shape
            if field.by_seat:
                rows = _numbers(field, position[key], key, (players, *shape[1:]))
                record[field.name][:players] = rows
            else:
                record[field.name] = _numbers(field, position[key], key, shape)
        over = record["to_move"] < 0
        if (position["winners"] is None) == over:
            remedy = "write the winning seats" if over else "write null"
            reading.refuse("winners", "does not fit `to_move`", remedy)
        if over:
            record["winners"][reading.seats(position["winners"], "winners", players)] = 1
        for field in self.fields:
            if field.follows is not None:
                follows = interpreted(field.follows)  # runs in Python, uncompiled
                # In an impossible position a number may exceed the range of its type.
                maximum = np.iinfo(field.kind).max
                numbers = [follows(record, row) for row in range(field.rows)]
                record[field.name] = [min(number, maximum) for number in numbers]

    def from_seen(self, position: Mapping[str, Any], record: Record) -> None:
        """Write into a record what a seat sees of a position. Hidden values become empty ones."""
        filled = dict(position)
        for key, field in self.keys.items():
            value = position[key]
            empty = np.full(field.shape, _empty_value(field)).tolist()
            if field.by_seat:
                empty_row = _in_notation(field, empty[0])
                filled[key] = [empty_row if _is_hidden(row) else row for row in value]
            elif _is_hidden(value):
                filled[key] = _in_notation(field, empty)
        self.from_dict(filled, record)

    def seen_by(self, position: Mapping[str, Any], seat: int) -> dict[str, Any]:
        """Return a position as a seat sees it.

        Hidden rows are `UNKNOWN`. Hidden counts are {`UNKNOWN`: their sum}.
        """
        seen = dict(position)
        record: Any = None
        for key, field in self.keys.items():
            if field.visible == "all":
                continue
            if callable(field.visible) and record is None:
                record = np.zeros(1, self.state)[0]
                self.from_dict(position, record)
            rows = position[key] if field.by_seat else [position[key]]
            shown_rows = [
                row if _sees(field, record, seat, owner) else _hide(row)
                for owner, row in enumerate(rows)
            ]
            seen[key] = shown_rows if field.by_seat else shown_rows[0]
        return seen

    def phase(self, record: Record) -> str:
        """Return the phase's name: `TURN` or `OVER`."""
        return OVER if record["to_move"] < 0 else TURN

    def explain(self, record: Record, number: int) -> PositionFault:
        """Return the fault that a check has found. Checks are numbered from 1."""
        check = self.checks[number - 1]
        values = self.to_dict(record)
        for field in self.fields:
            values.setdefault(field.name, np.asarray(record[field.name]).tolist())
        return PositionFault(check.name, check.place, values[check.place], check.says)


def _sees(field: StateField, record: Record, seat: int, owner: int) -> bool:
    if callable(field.visible):
        return bool(interpreted(field.visible)(record, seat, owner))
    return field.visible == "owner" and seat == owner


def _hide(row: Any) -> Any:
    if isinstance(row, Mapping):
        return {UNKNOWN: sum(row.values())} if row else {}
    return UNKNOWN


def _is_hidden(row: Any) -> bool:
    return row == UNKNOWN or (isinstance(row, Mapping) and UNKNOWN in row)


def _empty_value(field: StateField) -> int:
    """Return the number that stands for "nothing" in a field.

    It is the lowest number if the field has a pool of cards or the form `row`. Otherwise it is 0,
    or the number nearest to 0 that is in the field's range.
    """
    lowest_is_nothing = field.pool or field.form == "row"
    return field.low if lowest_is_nothing else min(max(0, field.low), field.high)


def _in_notation(field: StateField, value: Any) -> Any:
    """Return a field's numbers, nested as in the record, in the form that the notation uses."""
    if not isinstance(value, list):
        return _number_in_notation(field, value)
    if value and isinstance(value[0], list):
        return [_in_notation(field, row) for row in value]
    if field.form in ("counts", "list"):
        counts = sorted(zip(field.places, value, strict=True))
        if field.form == "counts":
            return {name: count for name, count in counts if count}
        return [name for name, count in counts for _ in range(count)]
    if field.form == "row" and field.low in value:
        value = value[: value.index(field.low)]
    return [_number_in_notation(field, number) for number in value]


def _number_in_notation(field: StateField, number: int) -> Any:
    if field.seats:
        return None if number < 0 else number
    return field.words[number - field.low] if field.words else number


def _numbers(field: StateField, value: Any, where: str, shape: Sequence[int]) -> Any:
    """Read numbers from a value of the notation. They are nested as in the record."""
    if not shape:
        return _number(field, value, where)
    if len(shape) == 1 and field.form != "numbers":
        return _last_axis(field, value, where, shape[0])
    entries = reading.items(value, where, shape[0])
    if len(entries) != shape[0]:
        reading.refuse(where, f"{len(entries)} entries", f"write {shape[0]}")
    return [_numbers(field, entry, f"{where}[{i}]", shape[1:]) for i, entry in enumerate(entries)]


def _last_axis(field: StateField, value: Any, where: str, size: int) -> list[int]:
    """Read the `size` numbers of one row that has the form `counts`, `list` or `row`."""
    if field.form == "counts":
        if not isinstance(value, Mapping):
            reading.refuse(where, f"{short_repr(value)} is not an object", "write name -> count")
        for name in value:
            reading.choice(name, where, field.places)
        return [
            reading.integer(value[name], f"{where}.{name}", 1, field.high) if name in value else 0
            for name in field.places
        ]
    if field.form == "list":
        names = reading.choices(value, where, field.places, size * field.high)
        counts = [names.count(place) for place in range(size)]
        if max(counts) > field.high:
            reading.refuse(where, f"{max(counts)} of one name", f"write {field.high} at most")
        return counts
    entries = reading.items(value, where, size)
    numbers = [_number(field, entry, f"{where}[{i}]") for i, entry in enumerate(entries)]
    if field.low in numbers:
        reading.refuse(where, f"{short_repr(value)} has a gap", "leave the empty entry out")
    return numbers + [field.low] * (size - len(numbers))


def _number(field: StateField, value: Any, where: str) -> int:
    if field.seats and value is None:
        return -1
    if field.words:
        for number, word in enumerate(field.words, field.low):
            if type(value) is type(word) and value == word:
                return number
        choices = ", ".join(map(str, field.words))
        reading.refuse(where, f"{short_repr(value)} is not known here", f"use one of {choices}")
    low = max(field.low, 0) if field.seats else field.low
    return reading.integer(value, where, low, field.high)
