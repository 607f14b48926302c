"""Positions as JSON objects, read back without loss by `notation_reader.py`.

Text omits only the random state (future chance).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shakespeare_env.core.game import Record
from shakespeare_env.figaro import state as s
from shakespeare_env.figaro.box import tables as t

NAME = "figaro"
PHASES = ("turn", "over")
"""Figaro has no phases; these say whether anyone moves."""
_SORTED_KINDS = sorted(range(t.N_KINDS), key=lambda kind: t.KIND_IDS[kind])


def phase_of(game: Record) -> str:
    """The phase's name."""
    return PHASES[int(game["to_move"] == s.NOBODY)]


def to_dict(game: Record) -> dict[str, Any]:
    """A record as the notation's JSON object, of plain Python values."""
    seats = range(int(game["players"]))
    over = game["to_move"] == s.NOBODY
    return {
        "game": NAME,
        "players": len(seats),
        "round": int(game["round"]) + 1,
        "to_move": None if over else int(game["to_move"]),
        "king": int(game["king"]),
        "hands": [_counted(game["hand"][seat]) for seat in seats],
        "front": [
            [t.KIND_IDS[kind] for kind in game["front"][seat, : game["front_len"][seat]]]
            for seat in seats
        ],
        "taken": [_listed(game["taken"][seat]) for seat in seats],
        "pieces": [_lengths(pieces) for pieces in game["pieces"]],
        "roads": [_lengths(game["road"][seat]) for seat in seats],
        "winners": np.flatnonzero(game["winners"]).tolist() if over else None,
    }


def _counted(copies: Any) -> dict[str, int]:
    return {t.KIND_IDS[kind]: int(copies[kind]) for kind in _SORTED_KINDS if copies[kind]}


def _listed(copies: Any) -> list[str]:
    return [t.KIND_IDS[kind] for kind in _SORTED_KINDS for _ in range(copies[kind])]


def _lengths(pieces: Any) -> list[int]:
    return [length for length in pieces.tolist() if length]
