"""Heuristic players: legal, repeatable, far better than chance, and following the book's advice."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import agents
from agents import RandomAgent
from shakespeare_env import Batch, registry
from tests.contract.random_games import TABLES
from training.evaluate import Seated, evaluate

GAMES = [name for name in registry.names() if name == "shakespeare"]
tables = pytest.mark.parametrize("table", TABLES, ids=str)


def heuristic(name):
    return agents.make("heuristic", registry.game(name))


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


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("name", GAMES)
def test_it_beats_random_players(name, players):
    table = [Seated("heuristic", heuristic(name))]
    table += [Seated("random", RandomAgent())] * (players - 1)
    found = evaluate(table, partial(Batch, name), games=200, seed=1)
    assert (found["heuristic"].win_rate or 0) > 0.95
    assert found["heuristic"].mean_score > found["random"].mean_score + 10


@pytest.mark.parametrize(("players", "least"), [(1, 18), (2, 20), (3, 19), (4, 19)])
def test_its_winning_scores_are_near_those_of_the_rule_book(players, least):
    """The book's good players reach 30, 26, 24 and 22; random ones stay below 10."""
    table = [Seated("heuristic", heuristic("shakespeare"))] * players
    found = evaluate(table, partial(Batch, "shakespeare"), games=120, seed=2)
    # The only score of a game for one is its best.
    winning = found["heuristic"].mean_score if players == 1 else found.mean_winning_score
    assert (winning or 0) > least


def test_of_equally_good_actions_chance_picks_one():
    batch, agent = Batch(n=400, players=4, seed=0), heuristic("shakespeare")
    draws = np.array(
        [agent.act(batch.obs, batch.mask, np.random.default_rng(seed)) for seed in range(12)]
    )
    assert 0 < (np.ptp(draws, axis=0) > 0).mean() < 1


def test_an_unknown_game_has_no_heuristic_player():
    class Chess:
        name = "chess"

    with pytest.raises(ValueError, match=r"no heuristic player of chess; write agents/heuris"):
        agents.make("heuristic", Chess())  # type: ignore[arg-type]
