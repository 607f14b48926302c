"""Heuristic players: legal, repeatable, and far better than chance."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import shakespeare_agents
from shakespeare_agents import RandomAgent
from shakespeare_env import Batch, registry
from tests.contract import knowledge
from tests.contract.random_games import PLAIN_FULL_TABLES, TABLES
from shakespeare_agents.arena.evaluate import Seated, evaluate

tables = pytest.mark.parametrize("table", TABLES, ids=str)


def heuristic(name):
    return shakespeare_agents.make("heuristic", registry.game(name))


@tables
def test_it_plays_legally_to_the_end_of_every_game(table):
    batch, rng = table.batch(32, seed=3, autoreset=False), np.random.default_rng(0)
    agent = heuristic(table.game)
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        batch.step(agent.act(batch.obs[rows], batch.mask[rows], rng), rows)


@tables
def test_the_same_views_and_generator_give_the_same_actions(table):
    batch = table.batch(64, seed=5)
    agent, other = heuristic(table.game), heuristic(table.game)
    for step in range(60):
        one = agent.act(batch.obs, batch.mask, np.random.default_rng(step))
        two = other.act(batch.obs[::-1], batch.mask[::-1], np.random.default_rng(step))
        three = other.act(batch.obs.copy(), batch.mask.copy(), np.random.default_rng(step))
        assert (one == three).all()
        assert batch.mask[::-1][np.arange(64), two].all()
        batch.step(one)


@pytest.mark.parametrize("name", registry.names())
def test_it_beats_random_players(name):
    least = knowledge.of(name, "strength").HEURISTIC_OVER_RANDOM
    for players, wins in least.wins.items():
        table = [Seated("heuristic", heuristic(name))]
        table += [Seated("random", RandomAgent())] * (players - 1)
        found = evaluate(table, partial(Batch, name), games=240, seed=1)
        assert (found["heuristic"].win_rate or 0) > wins
        assert found["heuristic"].mean_score > found["random"].mean_score + least.lead


@pytest.mark.parametrize("table", PLAIN_FULL_TABLES, ids=str)
def test_of_equally_good_actions_chance_picks_one(table):
    batch, agent = table.batch(400, seed=0), heuristic(table.game)
    draws = np.array(
        [agent.act(batch.obs, batch.mask, np.random.default_rng(seed)) for seed in range(12)]
    )
    assert (np.ptp(draws, axis=0) > 0).any()


def test_an_unknown_game_has_no_heuristic_player():
    class Chess:
        name = "chess"

    with pytest.raises(ValueError, match=r"no heuristic player of chess; write agents/heuris"):
        shakespeare_agents.make("heuristic", Chess())  # type: ignore[arg-type]
