"""The heuristic agent of Shakespeare follows the rule book's advice."""

from __future__ import annotations

import pytest

from shakespeare_agents import make
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_env import registry


@pytest.mark.parametrize(("players", "least"), [(1, 18), (2, 20), (3, 19), (4, 19)])
def test_its_winning_scores_are_near_those_of_the_rule_book(players, least):
    """The book's good players reach 30, 26, 24 and 22; random ones stay below 10."""
    heuristic = Entrant("heuristic", make("heuristic", registry.game("shakespeare")))
    found = evaluate([heuristic] * players, "shakespeare", games=120, players=players, seed=2)
    # The only score of a game for one is its best.
    winning = found["heuristic"].mean_score if players == 1 else found.mean_winning_score
    assert (winning or 0) > least
