"""Positions in text from fields: an object with a key for each, with words and seats.

Rows of seats that are not at the table are left out; they hold no card, and else 0 or what is
nearest to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shakespeare_env.checks import position_entries as reading
from shakespeare_env.core.game import UNKNOWN, Record
from shakespeare_env.core.records import StateField
from shakespeare_env.errors import PositionError


@dataclass(frozen=True)
class Notation:
    """The notation of a game's positions.

    Attributes:
        name: The game's name.
        seats: Its seat counts.
        fields: The fields of the record, without those that text lacks.
    """

    name: str
    seats: range
    fields: Sequence[StateField]

    def to_dict(self, record: Record) -> dict[str, Any]:
        """See `Game.to_dict`."""
        players = int(record["players"])
        found: dict[str, Any] = {"game": self.name}
        for field in self.fields:
            numbers = np.asarray(record[field.name])
            numbers = numbers[:players] if field.by_seat else numbers
            found[field.name] = _said(field, numbers.tolist())
        over = record["to_move"] < 0
        found["winners"] = np.flatnonzero(record["winners"]).tolist() if over else None
        return found

    def from_dict(self, position: Mapping[str, Any], record: Record) -> None:
        """See `Game.from_dict`."""
        names = [field.name for field in self.fields]
        keys = dict.fromkeys(["game", *names, "winners"])
        reading.table(position, "position", list(keys))
        players = reading.integer(position["players"], "players", self.seats[0], self.seats[-1])
        for field in self.fields:
            if field.name == "winners":
                continue
            whole = np.full(field.shape, _least(field), field.kind)
            shape = (players, *whole.shape[1:]) if field.by_seat else whole.shape
            found = np.reshape(_numbers(field, position[field.name], field.name, shape), shape)
            if field.by_seat:
                whole[:players] = found
            else:
                whole[...] = found
            record[field.name] = whole
        record["winners"][:] = 0
        over = record["to_move"] < 0
        if (position["winners"] is None) == over:
            wanted = "the winning seats" if over else "null"
            reading.refuse("winners", "does not fit `to_move`", f"write {wanted}")
        if over:
            record["winners"][reading.seats(position["winners"], "winners", players)] = 1

    def from_seen(self, position: Mapping[str, Any], record: Record) -> None:
        """`from_dict` for a position as a seat sees it; unknown values become any."""
        known = dict(position)
        for field in self.fields:
            rows = known.get(field.name)
            if field.by_seat and isinstance(rows, list):
                shape = np.empty(field.shape).shape[1:]
                known[field.name] = [_any(field, shape) if r == UNKNOWN else r for r in rows]
            elif rows == UNKNOWN:
                known[field.name] = _any(field, np.empty(field.shape).shape)
        self.from_dict(known, record)


def _least(field: StateField) -> int:
    """What rows of absent seats hold."""
    return field.low if field.pool else min(max(0, field.low), field.high)


def _any(field: StateField, shape: Sequence[int]) -> Any:
    return _said(field, np.full(shape, _least(field)).tolist())


def _said(field: StateField, value: Any) -> Any:
    if isinstance(value, list):
        return [_said(field, one) for one in value]
    if field.seats:
        return None if value < 0 else value
    return field.words[value - field.low] if field.words else value


def _numbers(field: StateField, value: Any, where: str, shape: Sequence[int]) -> Any:
    if shape:
        entries = reading.items(value, where, shape[0])
        if len(entries) != shape[0]:
            raise PositionError(f"{where}: {len(entries)} entries; write {shape[0]}")
        return [_numbers(field, one, f"{where}[{i}]", shape[1:]) for i, one in enumerate(entries)]
    if field.seats and value is None:
        return -1
    if field.words:
        return field.low + reading.choice(value, where, field.words)
    low = max(field.low, 0) if field.seats else field.low
    return reading.integer(value, where, low, field.high)
