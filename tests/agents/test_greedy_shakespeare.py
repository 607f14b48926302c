"""The greedy agent at Shakespeare: the prestige that a move brings at once."""

from __future__ import annotations

import numpy as np
import pytest

from shakespeare_agents import GreedyAgent
from shakespeare_env import observation_layout
from shakespeare_env.agent import decide
from tests.contract.random_games import TABLES, chosen
from tests.generators import generators

TABLES_HERE = [table for table in TABLES if table.game == "shakespeare"]


def prestige(observations):
    place = observation_layout("shakespeare")["seat0.prestige"].start
    return observations[:, place].astype(float)


@pytest.mark.parametrize("table", TABLES_HERE, ids=str)
def test_no_other_move_is_better_at_once(table):
    """By the true game: chance matters to the prestige right after a move in few decisions only."""
    better = tried = 0
    batch, agent = table.batch(24, seed=2), GreedyAgent(prestige)
    for step in range(60):
        actions = decide(agent, batch, np.arange(24), generators(24, step))
        assert batch.mask[np.arange(24), actions].all()
        if step % 5 == 0:
            for row in range(24):
                seat, legal = int(batch.to_move[row]), np.flatnonzero(batch.mask[row])
                games = batch.copies([row] * len(legal))
                games.step(legal)
                worth = prestige(games.observe([seat] * len(legal)))
                tried += 1
                better += worth.max() > worth[legal.tolist().index(actions[row])]
        batch.step(chosen(batch.mask, step))
    assert better < tried / 20
