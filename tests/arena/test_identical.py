"""Identical agents are seldom taken for different, and different ones are found.

`python -m tests.arena.identical` plays enough for a figure.
"""

from typing import Any

import numpy as np

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena.standings import verdicts
from shakespeare_agents.arena.tournament import Ending
from shakespeare_env import registry
from tests.arena.identical import Share, arenas, differing, play_arena, twins


class Better(RandomAgent):
    """Wins about 60 % against `random` at two seats of Shakespeare."""

    def __init__(self):
        self.heuristic: Any = make("heuristic", registry.game("shakespeare"))

    def act(self, observations, masks, rng):
        drawn = super().act(observations, masks, rng)
        chosen = self.heuristic.act(observations, masks, rng)
        return np.where(rng.random() < 0.1, chosen, drawn)


def test_identical_agents_are_seldom_taken_for_different():
    played = arenas("shakespeare", 6, games=200, equal_within=150.0)
    assert not Share(sum(one.stronger for one in played), len(played)).too_large
    assert any(one.ending is Ending.settled for one in played)
    assert not differing("figaro", 3, 30, range(20)).too_large


def test_a_better_agent_is_found_and_the_arena_stops():
    found = play_arena("shakespeare", [2], 0, [Better(), *twins(1)])
    assert found == (Ending.settled, True)


def test_verdicts_that_are_too_easy_are_found_out(monkeypatch):
    monkeypatch.setattr(verdicts, "LEVEL", 0.9)
    played = [play_arena("shakespeare", [2], seed, twins(2), games=60) for seed in range(3)]
    assert Share(sum(one.stronger for one in played), len(played)).too_large
