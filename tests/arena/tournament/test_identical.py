"""Identical agents are seldom taken for different.

`python -m tests.arena.tournament.identical` plays enough for a figure.
"""

from shakespeare_agents.arena.tournament import Ending
from tests.arena.tournament.identical import Share, arenas, differing


def test_identical_agents_are_seldom_taken_for_different():
    endings, stronger = zip(*arenas("shakespeare", 12, games=200, equal_within=150.0), strict=True)
    assert not Share(sum(stronger), len(stronger)).too_large
    assert Ending.settled in endings
    assert not differing("figaro", 3, 30, range(40)).too_large
