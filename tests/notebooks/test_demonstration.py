"""A demonstration is a game, step by step, by any agent."""

from __future__ import annotations

from itertools import pairwise

import pytest

from demonstration import demonstration, find
from shakespeare_env import Position, registry


@pytest.mark.parametrize("game", registry.names())
@pytest.mark.parametrize("player", ["heuristic", "greedy"])
def test_a_demonstration_is_a_game(game, player):
    steps = demonstration(game, players=3, seed=1, player=player)
    assert steps[0].position == Position.new(game, players=3, seed=1)
    assert steps[-1].after.to_move is None
    for step, following in pairwise(steps):
        assert step.after == following.position
        played = step.position.copy()
        played.push(step.move)
        assert played == step.after


def test_steps_are_found_by_their_moves():
    steps = demonstration("figaro", players=3, seed=1, player="random")
    assert find(steps, steps[5].move, after=5) == steps[5]
    assert find(steps, "", count=3) == steps[2]
    with pytest.raises(ValueError, match="0 moves begin with 'luck'; none is number 1"):
        find(steps, "luck")
