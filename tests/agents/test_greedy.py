"""The greedy player: the best score at once, found without looking at what is secret."""

from __future__ import annotations

import inspect
import random
from functools import partial

import numpy as np
import pytest

import agents
from agents import GreedyAgent, RandomAgent, Views, decide
from shakespeare_env import Batch, observation_layout, registry
from tests.contract.random_games import FULL_TABLES, TABLES, chosen, stacked
from tests.contract.test_secrecy import HIDDEN, positions
from training.evaluate import Seated, evaluate

tables = pytest.mark.parametrize("table", TABLES, ids=str)
full_tables = pytest.mark.parametrize("table", FULL_TABLES, ids=str)


def prestige(observations):
    return observations[:, observation_layout()["seat0.prestige"].start].astype(float)


def greedy(samples=1):
    return GreedyAgent(prestige, samples)


@tables
def test_no_other_move_is_better_at_once(table):
    """By the true game: chance matters to the prestige right after a move in few decisions only."""
    better = tried = 0
    batch = table.batch(24, seed=2)
    for step in range(60):
        actions = decide(greedy(), batch, np.arange(24), np.random.default_rng(step))
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


def test_of_equally_good_moves_chance_picks_one():
    batch = Batch(n=200, players=4, seed=1)
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
    hidden, rng = HIDDEN[table.game], random.Random(8)
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
    views = Views(batch, np.arange(20))
    places = np.repeat(np.arange(20), 3)
    games = views.possible(places, np.random.default_rng(0))
    assert games.n == 60
    assert (games.obs == views.observations[places]).all()
    assert (games.mask == views.masks[places]).all()
    before = batch.save(slice(None)).tobytes()
    games.step(views.masks[places].argmax(axis=1))
    assert batch.save(slice(None)).tobytes() == before


def test_views_hold_no_way_to_the_games():
    batch = Batch(n=2, players=2)
    public = {name for name, _ in inspect.getmembers(Views(batch, np.arange(2))) if name[0] != "_"}
    assert public == {"masks", "observations", "possible", "seats"}


@pytest.mark.parametrize("players", [2, 4])
def test_with_the_heuristics_evaluation_it_beats_random_players(players):
    agent = agents.make("greedy", registry.game("shakespeare"))
    table = [Seated("greedy", agent)] + [Seated("random", RandomAgent())] * (players - 1)
    found = evaluate(table, partial(Batch, "shakespeare"), games=60, seed=1)
    assert (found["greedy"].win_rate or 0) > 0.9
    assert found["greedy"].mean_score > found["random"].mean_score + 8


def test_samples_must_be_some():
    with pytest.raises(ValueError, match="samples=0"):
        greedy(samples=0)
