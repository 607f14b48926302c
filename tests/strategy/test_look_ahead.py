"""A search's thoughts of one position as a table."""

from __future__ import annotations

import pytest

from shakespeare_agents.strategy.look_ahead import candidates
from shakespeare_env import Position

SEARCH = "search,rollouts=random,simulations=16"


@pytest.fixture
def position():
    return Position.new("figaro", players=3, seed=1)


def test_what_it_tries_is_told_and_what_it_plays_comes_first(position):
    found = candidates(position, SEARCH, seed=3)
    assert len(found) > 1
    assert set(found["move"]) <= set(position.moves())
    assert found["played"].to_list() == [True] + [False] * (len(found) - 1)
    assert (found["playouts"] > 0).all()
    assert found["value"].null_count() == 0
    assert found.equals(candidates(position, SEARCH, seed=3))


def test_what_is_not_searched_has_a_prior_alone(position):
    found = candidates(position, SEARCH + ",near_certain=0")
    assert found.select("playouts", "value", "played").rows() == [(0, None, True)]


def test_who_does_not_search_and_what_is_over_is_refused(position):
    with pytest.raises(ValueError, match="heuristic does not search; give `search`"):
        candidates(position, "heuristic")
    while position.to_move is not None:
        position.push(position.moves()[0])
    with pytest.raises(ValueError, match="the game is over"):
        candidates(position, SEARCH)
