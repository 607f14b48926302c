"""Identical agents are seldom taken for different, and different ones are found.

`python -m tests.arena.tournament.identical` plays enough for a figure.
"""

from typing import Any

import numpy as np

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena.tournament import Ending
from shakespeare_env.core import registry
from tests.arena.tournament.identical import Share, arenas, differing, play_arena, twins


class Better(RandomAgent):
    """Wins about 60 % against `random` at two seats of Shakespeare."""

    def __init__(self):
        self.heuristic: Any = make("heuristic", registry.game("shakespeare"))

    def act(self, observations, masks, rng):
        drawn = super().act(observations, masks, rng)
        chosen = self.heuristic.act(observations, masks, rng)
        return np.where(rng.random() < 0.1, chosen, drawn)


def test_identical_agents_are_seldom_taken_for_different():
    endings, stronger = zip(*arenas("shakespeare", 12, games=200, equal_within=150.0), strict=True)
    assert not Share(sum(stronger), len(stronger)).too_large
    assert Ending.settled in endings
    assert not differing("figaro", 3, 30, range(40)).too_large


def test_a_better_agent_is_found_and_the_arena_stops():
    found = play_arena("shakespeare", (2,), 0, [Better(), *twins(1)])
    assert found == (Ending.settled, True)
