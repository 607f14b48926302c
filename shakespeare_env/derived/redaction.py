"""Positions as a seat sees them, from the visibility of fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core.game import UNKNOWN, Record
from shakespeare_env.core.records import StateField
from shakespeare_env.derived.cells import in_turn, shown_of


def seeing(
    name: str,
    state: np.dtype[np.void],
    fields: Sequence[StateField],
    from_dict: Callable[[Mapping[str, Any], Record], None],
) -> Callable[[Mapping[str, Any], int], dict[str, Any]]:
    """`Game.seen_by`: a hidden row is `UNKNOWN`.

    Args:
        name: The game's name.
        state: The record's dtype.
        fields: The fields of the record.
        from_dict: As of `Game`.
    """
    hidden = [field for field in fields if field.visible != "all"]
    most = max((field.rows for field in hidden), default=1)

    @cache
    def compiled() -> Callable[[Any, int, Any], None]:
        return _kernel(name, hidden)

    def seen_by(position: Mapping[str, Any], seat: int) -> dict[str, Any]:
        seen = dict(position)
        if not hidden:
            return seen
        record = np.zeros(1, state)
        from_dict(position, record[0])
        shown = np.zeros((len(hidden), most), np.bool_)
        compiled()(record, seat, shown)
        for field, rows in zip(hidden, shown, strict=True):
            if field.by_seat:
                held = position[field.name]
                seen[field.name] = [one if rows[i] else UNKNOWN for i, one in enumerate(held)]
            elif not rows[0]:
                seen[field.name] = UNKNOWN
        return seen

    return seen_by


def _kernel(name: str, hidden: Sequence[StateField]) -> Callable[[Any, int, Any], None]:
    everything = in_turn([_row_of(number, field) for number, field in enumerate(hidden)])

    @kernel(name, everything, purpose=f"{name.capitalize()}'s rules (what is shown)")
    def write_shown(games: Any, seat: int, out: Any) -> None:
        everything(games[0], seat, out)

    return write_shown


def _row_of(number: int, field: StateField) -> Callable[[Record, int, Any], None]:
    shown, rows, by_seat = shown_of(field), field.rows, field.by_seat

    @rule
    def write(game: Record, seat: int, out: Any) -> None:
        for row in range(min(rows, game["players"]) if by_seat else 1):
            out[number, row] = shown(game, seat, row)

    return write
