"""A game depends on its seed and its number in the batch alone, here and on every machine."""

import hashlib
import json
import pickle
import random

import numpy as np
import pytest

from shakespeare_env import Batch, Position, registry
from shakespeare_env.rng import streams
from tests.contract import knowledge
from tests.contract.random_games import (
    FULL_TABLES,
    PLAIN_FULL_TABLES,
    TABLES,
    chosen,
    differing_fields,
    game_from,
    move_by_rule,
    record_of,
    stacked,
)

STEPS = 300
VIEWS = ("to_move", "mask", "obs", "rewards", "done", "final_scores", "final_winners")

tables = pytest.mark.parametrize("table", TABLES, ids=str)
full_tables = pytest.mark.parametrize("table", PLAIN_FULL_TABLES, ids=str)
games = pytest.mark.parametrize("name", registry.names())


def differing_views(one, other, games, views):
    """Names of the arrays in which the first games of two batches differ."""
    return [
        v for v in views if not np.array_equal(getattr(one, v)[:games], getattr(other, v)[:games])
    ]


def differences(one, other, games):
    """Names of arrays and of record fields in which the first games of two batches differ."""
    rows = slice(games)
    fields = differing_fields(one.save(rows), other.save(rows))
    return differing_views(one, other, games, VIEWS) + fields


def step_by_rule(batch, step, salt=0):
    return batch.step(chosen(batch.mask, step, salt))


def assert_same_games(one, other):
    """Two batches go the same way for 300 steps, as far as the smaller one reaches."""
    games = min(one.n, other.n)
    over = 0
    for step in range(STEPS):
        assert differences(one, other, games) == [], step
        step_by_rule(one, step)
        step_by_rule(other, step)
        over += int(one.done[:games].sum())
    assert over >= games  # so games after the first of a row are compared, too


@tables
def test_a_game_does_not_depend_on_the_size_of_the_batch(table):
    assert_same_games(table.batch(1, seed=21), table.batch(7, seed=21))


@full_tables
def test_a_game_does_not_depend_on_the_size_of_a_large_batch(table):
    assert_same_games(table.batch(7, seed=22), table.batch(4096, seed=22))


@tables
def test_a_game_does_not_depend_on_the_number_of_threads(table):
    assert_same_games(table.batch(7, seed=23), table.batch(7, seed=23, threads=2))


@games
def test_a_large_batch_does_not_depend_on_the_number_of_threads(name):
    """1000 games of every seat count at once; random actions are the same, too."""
    players = np.resize(registry.seats(name), 1000)
    one = Batch(name, 1000, players=players, seed=24, reward="score")
    other = Batch(name, 1000, players=players, seed=24, threads=2, reward="score")
    for step in range(100):
        actions = one.random_actions()
        np.testing.assert_array_equal(actions, other.random_actions())
        one.step(actions)
        other.step(actions)
        assert differences(one, other, 1000) == [], step


@full_tables
def test_a_game_does_not_depend_on_its_neighbours(table):
    """Game 5 is the same whatever the other games do."""
    one, other = table.batch(8, seed=25), table.batch(8, seed=25)
    for step in range(STEPS):
        actions = chosen(other.mask, step, salt=1)
        actions[5] = chosen(one.mask, step)[5]
        step_by_rule(one, step)
        other.step(actions)
        assert differing_fields(record_of(one, 5), record_of(other, 5)) == []
        np.testing.assert_array_equal(one.obs[5], other.obs[5])


@tables
def test_a_position_is_game_0_of_a_batch(table):
    """Step by step: moves, observation and record."""
    batch = table.batch(3, seed=26, autoreset=False)
    position = table.position(seed=26)
    for step in range(STEPS):
        assert differing_fields(record_of(batch, 0), position.record()) == []
        np.testing.assert_array_equal(batch.mask[0], position.action_mask())
        if position.to_move is None:
            break
        np.testing.assert_array_equal(batch.obs[0], position.observation(position.to_move))
        position.push(move_by_rule(position, step))
        step_by_rule(batch, step)
    assert position.winners == np.flatnonzero(batch.final_winners[0]).tolist()


@tables
def test_seeds_and_games_of_a_batch_differ(table):
    """200 games from neighbouring seeds and numbers begin in 200 ways."""
    records = [
        record for seed in range(10) for record in table.batch(20, seed=seed).save(slice(None))
    ]
    assert len({int(record["random"]) for record in records}) == 200
    to_dict = table.batch(1, seed=0).game.to_dict
    assert len({json.dumps(to_dict(record)) for record in records}) == 200


@tables
def test_the_largest_seed_is_a_seed(table):
    assert table.position(2**64 - 1) != table.position(0)


@tables
def test_the_same_seed_begins_the_same_batch_again(table):
    batch = table.batch(5, seed=27)
    for step in range(50):
        step_by_rule(batch, step)
    batch.reset(27)
    fresh = table.batch(5, seed=27)
    assert differing_views(batch, fresh, 5, ("to_move", "mask", "obs")) == []
    assert differing_fields(batch.save(slice(None)), fresh.save(slice(None))) == []
    np.testing.assert_array_equal(batch.random_actions(), fresh.random_actions())


@tables
def test_games_that_begin_anew_differ_and_can_be_repeated(table):
    """With autoreset the next game of a row is another one, and the same one every time."""
    begun = []
    for _ in range(2):
        batch = table.batch(3, seed=28)
        starts = [record_of(batch, 0)]
        for step in range(STEPS * 3):
            step_by_rule(batch, step)
            if batch.done[0]:
                starts.append(record_of(batch, 0))
        assert len(starts) > 3
        begun.append(stacked(starts))
    assert differing_fields(begun[0], begun[1]) == []
    chance = begun[0]["random"].tolist()
    assert len(set(chance)) == len(chance)


@tables
def test_saved_games_go_on_identically_in_another_batch(table):
    batch = table.batch(6, seed=29)
    for step in range(60):
        step_by_rule(batch, step)
    other = table.batch(6, seed=0)
    other.load(slice(None), batch.save(slice(None)))
    for step in range(60, 60 + STEPS):
        step_by_rule(batch, step)
        step_by_rule(other, step)
        assert differing_views(batch, other, 6, VIEWS[:5]) == [], step
        assert differing_fields(batch.save(slice(None)), other.save(slice(None))) == []


def global_states():
    """What Python's and NumPy's global generators would go on from."""
    return random.getstate(), pickle.dumps(np.random.get_state())


def test_nothing_touches_the_global_generators():
    before = global_states()
    for table in FULL_TABLES:
        batch = table.batch(4, seed=30, threads=2)
        for _ in range(50):
            batch.step(batch.random_actions())
        batch.determinize([0, 1], [0, 1], [3, 4])
        batch.load([2], batch.save([0]))
        batch.reset(31)
        position = table.position(seed=30)
        for step in range(100):
            position.push(move_by_rule(position, step))
        position.determinize(0, seed=5).copy().reseed(6)
        Position.from_dict(position.to_dict(), seed=7)
    assert global_states() == before


# ---- pinned: equal on every machine, with every compiler and every version -----------------------

STREAMS = {
    0: [0x48218226FF3CD4BF, 0x397AB29740681D9, 0xC0737B7CF89E44AB],
    1: [0xDCE423FC82C0D5B8, 0xDDC1ED05282D1D64, 0x7ADDA25FCF93EE03],
    2**64 - 1: [0x445018E305810B78, 0x42D30092DCD06D20, 0x5942FFBAB1C31C75],
}
"""Seed -> the states that its first three games begin with."""


def mixed(word):
    """The finaliser of SplitMix64, written with Python's integers."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
    return word ^ word >> 31


@pytest.mark.parametrize("seed", STREAMS)
def test_the_streams_of_a_seed_are_pinned(seed):
    golden = 0x9E3779B97F4A7C15
    by_hand = [
        mixed(mixed((seed + golden) % 2**64) ^ number * golden % 2**64) for number in range(3)
    ]
    assert by_hand == STREAMS[seed]
    assert streams(seed, np.arange(3)).tolist() == STREAMS[seed]


@games
def test_random_actions_are_pinned(name):
    batch = Batch(name, 5, players=registry.game(name).max_seats, seed=2024)
    actions = []
    for _ in range(2):
        actions.append(batch.random_actions().tolist())
        batch.step(np.array(actions[-1]))
    assert actions == knowledge.of(name, "pinned").RANDOM_ACTIONS


@games
def test_a_whole_game_is_pinned(name):
    """Its chance and its course, through every position in text."""
    start = Position.new(name, players=registry.game(name).max_seats, seed=2024)
    digest = hashlib.sha256()
    for position in game_from(start):
        digest.update(json.dumps(position.to_dict(), sort_keys=True).encode())
    pinned = knowledge.of(name, "pinned")
    found = int(position.record()["random"]), digest.hexdigest()
    assert found == (pinned.CHANCE, pinned.COURSE)
