"""Answers that were never played, with a truth that is known."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from shakespeare_env.checks.box_files import facts_digest
from shakespeare_env.core import registry

ERROR = 0.1
Truth = Callable[[str, Any], float]
"""From a player and a box's facts to the true value."""


def answers(
    truths: Mapping[tuple[str, str], Truth],
    boxes: Mapping[str, Any],
    players: Iterable[str] = ("heuristic", "network"),
    seed: int = 0,
) -> pl.DataFrame:
    """Answers at four seats in some boxes, by question and item."""
    rng = np.random.default_rng(seed)
    own = facts_digest(registry.folder("shakespeare"), registry.own_box("shakespeare"))
    return pl.DataFrame(
        [
            {
                "game": "shakespeare",
                "play": "x",
                "question": question,
                "item": item,
                "players": 4,
                "player": player,
                "agent": player,
                "trained_for": own if player == "network" else "",
                "games": 1,
                "seed": 0,
                "box": box,
                "box_digest": box,
                "estimate": truth(player, facts) + rng.normal(0, ERROR),
                "error": ERROR,
                "n": 100,
            }
            for (question, item), truth in truths.items()
            for box, facts in boxes.items()
            for player in players
        ]
    )
