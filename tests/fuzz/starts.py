"""Positions to start from, of every game, seat count and variant; the same in every process."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import cache
from typing import Any

from shakespeare_env import Position
from tests.contract.random_games import TABLES, sampled

_EVERY = 9
_GAMES = 3


@dataclass(frozen=True)
class Start:
    """A position, and its notation as JSON, which is copied fastest by reading it."""

    position: Position
    text: str

    def notation(self) -> dict[str, Any]:
        """The notation, anew."""
        notation: dict[str, Any] = json.loads(self.text)
        return notation


@cache
def starts() -> tuple[Start, ...]:
    """Positions from random games, those of every phase among them."""
    return tuple(
        Start(position, json.dumps(position.to_dict()))
        for table in TABLES
        for seed in range(_GAMES)
        for position in sampled(table, seed, _EVERY)
    )


def start(case: random.Random) -> Start:
    """One of them."""
    return case.choice(starts())
