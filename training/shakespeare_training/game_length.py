"""The length of games."""

from __future__ import annotations

from functools import cache

import numpy as np

from shakespeare_env.batch import Batch

_MEASURED = 16
"""Random games that are played to measure it."""


@cache
def random_decisions(game: str, players: int) -> float:
    """Decisions of all seats in a random game; games of skilled players are about as long."""
    batch = Batch(game, n=_MEASURED, players=players, autoreset=False)
    made = 0
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        made += rows.size
        batch.step(batch.random_actions()[rows], rows)
    return made / _MEASURED
