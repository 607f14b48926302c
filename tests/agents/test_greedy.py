"""The greedy agent: the best score at once, found without looking at what is secret."""

from __future__ import annotations

import random

import numpy as np
import pytest

from shakespeare_agents import GreedyAgent, RandomAgent, make
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_env import registry
from shakespeare_env.agent import decide
from tests.contract import knowledge
from tests.contract.each_table import full_tables
from tests.contract.random_games import TABLES, scrambled, stacked
from tests.contract.test_secrecy import positions
from tests.generators import generators

tables = pytest.mark.parametrize("table", TABLES, ids=str)


def by_sight(observations):
    """A worth that nobody could guess: a hash of all that is seen."""
    weights = scrambled(np.arange(1, observations.shape[1] + 1, dtype=np.uint64))
    words = (observations.astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64)
    return (scrambled(words) >> np.uint64(40)).astype(float)


def greedy(samples=1):
    return GreedyAgent(by_sight, samples)


@full_tables
def test_chance_picks_one_of_equally_good_moves(table):
    batch = table.batch(200, seed=1)
    agent, rows = GreedyAgent(lambda observations: np.zeros(len(observations))), np.arange(200)
    draws = [decide(agent, batch, rows, generators(200, seed)) for seed in range(8)]
    assert (np.ptp(np.array(draws), axis=0) > 0).mean() > 0.9


@full_tables
def test_the_same_observations_and_generators_give_the_same_moves(table):
    agent = GreedyAgent(lambda observations: by_sight(observations) % 2, samples=2)
    one, two, other = (
        decide(agent, table.batch(50, seed=1), np.arange(50), generators(50, seed))
        for seed in (4, 4, 5)
    )
    assert (one == two).all()
    assert (one != other).any()


@tables
def test_what_a_seat_may_not_know_changes_nothing(table):
    """The same generators draw the same possible games, whatever the true one is."""
    hidden, rng = knowledge.of(table.game, "hidden"), random.Random(8)
    seen = [p.record() for p, seat in positions(table, every=9) if p.to_move == seat]
    changed = [hidden.change_in_record(r, int(r["to_move"]), rng) for r in seen]
    rows = np.arange(len(seen))
    answers = []
    for records in (seen, changed):
        batch = table.batch(len(seen), seed=0)
        batch.load(slice(None), stacked(records))
        answers.append(decide(greedy(), batch, rows, generators(len(seen), 1)))
    assert (answers[0] == answers[1]).all()


@pytest.mark.parametrize("name", registry.names())
def test_with_the_heuristics_evaluation_it_beats_random_agents(name):
    least = knowledge.of(name, "strength").GREEDY_OVER_RANDOM
    greedy = Entrant("greedy", make("greedy", registry.game(name)))
    for players, wins in least.wins.items():
        entrants = [greedy] + [Entrant("random", RandomAgent())] * (players - 1)
        found = evaluate(entrants, name, games=60, seed=1)
        assert (found["greedy"].win_rate or 0) > wins
        assert found["greedy"].mean_score > found["random"].mean_score + least.lead


def test_samples_must_be_some():
    with pytest.raises(ValueError, match="samples=0"):
        greedy(samples=0)
