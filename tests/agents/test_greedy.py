"""The greedy player: the best score at once, found without looking at what is secret."""

from __future__ import annotations

import inspect
import random
from functools import partial

import numpy as np
import pytest

import shakespeare_agents
from shakespeare_agents import GreedyAgent, RandomAgent, InformationSets, decide
from shakespeare_env import Batch, registry
from tests.contract import knowledge
from tests.contract.random_games import FULL_TABLES, TABLES, chosen, scrambled, stacked
from tests.contract.test_secrecy import positions
from shakespeare_agents.arena.evaluate import Seated, evaluate

tables = pytest.mark.parametrize("table", TABLES, ids=str)
full_tables = pytest.mark.parametrize("table", FULL_TABLES, ids=str)


def by_sight(observations):
    """A worth that nobody could guess: a hash of all that is seen."""
    weights = scrambled(np.arange(1, observations.shape[1] + 1, dtype=np.uint64))
    words = (observations.astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64)
    return (scrambled(words) >> np.uint64(40)).astype(float)


def greedy(samples=1):
    return GreedyAgent(by_sight, samples)


@full_tables
def test_of_equally_good_moves_chance_picks_one(table):
    batch = table.batch(200, seed=1)
    draws = [
        decide(GreedyAgent(lambda o: np.zeros(len(o))), batch, np.arange(200), rng)
        for rng in map(np.random.default_rng, range(8))
    ]
    assert (np.ptp(np.array(draws), axis=0) > 0).mean() > 0.9


@full_tables
def test_the_same_views_and_generator_give_the_same_moves(table):
    one, two = (
        decide(greedy(2), table.batch(50, seed=1), np.arange(50), np.random.default_rng(4))
        for _ in range(2)
    )
    assert (one == two).all()


@tables
def test_what_a_seat_may_not_know_changes_nothing(table):
    """The same generator draws the same possible games, whatever the true one is."""
    hidden, rng = knowledge.of(table.game, "hidden"), random.Random(8)
    seen = [p.record() for p, seat in positions(table, every=9) if p.to_move == seat]
    changed = [hidden.change_in_record(r, int(r["to_move"]), rng) for r in seen]
    rows = np.arange(len(seen))
    answers = []
    for records in (seen, changed):
        batch = table.batch(len(seen), seed=0)
        batch.load(slice(None), stacked(records))
        answers.append(decide(greedy(), batch, rows, np.random.default_rng(1)))
    assert (answers[0] == answers[1]).all()


@full_tables
def test_possible_games_look_the_same_to_the_seat(table):
    batch = table.batch(20, seed=3)
    for step in range(30):
        batch.step(chosen(batch.mask, step))
    views = InformationSets(batch, np.arange(20))
    places = np.repeat(np.arange(20), 3)
    games = views.possible(places, np.random.default_rng(0))
    assert games.n == 60
    assert (games.obs == views.observations[places]).all()
    assert (games.mask == views.masks[places]).all()
    before = batch.save(slice(None)).tobytes()
    games.step(views.masks[places].argmax(axis=1))
    assert batch.save(slice(None)).tobytes() == before


@full_tables
def test_views_hold_no_way_to_the_games(table):
    batch = table.batch(2, seed=0)
    public = {name for name, _ in inspect.getmembers(InformationSets(batch, np.arange(2))) if name[0] != "_"}
    assert public == {"masks", "observations", "possible", "seats"}


@pytest.mark.parametrize("name", registry.names())
def test_with_the_heuristics_evaluation_it_beats_random_players(name):
    least = knowledge.of(name, "strength").GREEDY_OVER_RANDOM
    agent = shakespeare_agents.make("greedy", registry.game(name))
    for players, wins in least.wins.items():
        table = [Seated("greedy", agent)] + [Seated("random", RandomAgent())] * (players - 1)
        found = evaluate(table, partial(Batch, name), games=60, seed=1)
        assert (found["greedy"].win_rate or 0) > wins
        assert found["greedy"].mean_score > found["random"].mean_score + least.lead


def test_samples_must_be_some():
    with pytest.raises(ValueError, match="samples=0"):
        greedy(samples=0)
