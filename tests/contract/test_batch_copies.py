"""A copied batch, in this process or another, goes on with the same games and the same chance."""

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shakespeare_env import Batch, Position, registry
from tests.contract.batch_games import (
    MANY,
    advanced,
    assert_same,
    full_tables,
    games,
    mixed_in_mid_game,
    sizes,
    threads,
)
from tests.contract.batches import assert_unchanged, played, snapshot
from tests.contract.random_games import chosen, differing_fields

# ---- copies --------------------------------------------------------------------------------------


VARIANTS = [
    (name, variant) for name in registry.names() for variant in (None, *registry.game(name).options)
]
COPIES: dict[str, Callable[[Batch], Batch]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda batch: pickle.loads(pickle.dumps(batch)),
}


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
@sizes
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_goes_on_with_the_same_games_and_the_same_chance(name, variant, n, threads, way):
    batch = mixed_in_mid_game(name, n, threads, variant, reward="margin")
    twin = COPIES[way](batch)
    assert twin.game is batch.game
    assert twin.actions is batch.actions
    assert_same(twin, batch)
    for _ in range(250 if n < MANY else 30):
        actions = batch.random_actions()
        np.testing.assert_array_equal(twin.random_actions(), actions)
        batch.step(actions)
        twin.step(actions)
        assert_same(twin, batch)
    for both in (batch, twin):
        both.restart([0])
        both.reset(69)
    assert_same(twin, batch)
    np.testing.assert_array_equal(twin.random_actions(), batch.random_actions())


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
@threads
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_and_its_original_are_independent(name, variant, threads, way):
    batch = mixed_in_mid_game(name, 5, threads, variant)
    twin = COPIES[way](batch)
    before, upcoming = snapshot(twin), COPIES[way](twin)
    for _ in range(10):
        batch.step(batch.random_actions())
    batch.reset(1)
    assert_unchanged(twin, before)
    original = snapshot(batch)
    for _ in range(10):
        actions = upcoming.random_actions()
        np.testing.assert_array_equal(twin.random_actions(), actions)
        twin.step(actions)
        upcoming.step(actions)
    assert_unchanged(batch, original)


@games
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_keeps_waiting_games_waiting(name, way):
    batch = Batch(name, 2, players=registry.game(name).max_seats, seed=70, autoreset=False)
    while (batch.to_move >= 0).any():
        batch.step(batch.random_actions())
    twin = COPIES[way](batch)
    for both in (batch, twin):
        both.step([-1, -1])
        both.restart([1])
    assert twin.to_move[0] == -1 < twin.to_move[1]
    assert_same(twin, batch)


@games
def test_a_copy_refuses_what_its_original_refuses(name):
    """It has the same variants: a table that they are not for cannot be loaded."""
    game = registry.game(name)
    for option, seats in game.options.items():
        on: dict[str, Any] = {option: True}
        twin = copy.deepcopy(Batch(name, 1, players=seats[-1], **on))
        for players in {game.min_seats, game.max_seats} - set(seats):
            record = Position.new(name, players=players).record()
            with pytest.raises(ValueError, match=option):
                twin.load([0], np.array([record], game.state))


# ---- processes -----------------------------------------------------------------------------------


def _play_on(batch, pipe):
    for step in range(5):
        batch.step(chosen(batch.mask, step))
    pipe.send((batch.obs.tobytes(), batch.save(slice(None))["random"].tobytes()))
    pipe.close()


# From Python 3.12 on, a fork beside threads warns: that it may go wrong is what is tried here.
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
@full_tables
@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this system cannot fork"
)
def test_a_batch_with_threads_is_played_on_in_a_process_forked_off(table):
    """The threads stay behind in the parent; the child must not wait for them."""
    context = multiprocessing.get_context("fork")
    batch = advanced(table, MANY, 5, threads=2)  # its helper is at work already
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_play_on, args=(batch, theirs), daemon=True)
    child.start()
    theirs.close()
    try:
        assert ours.poll(30), "the child hangs"
        obs, chance = ours.recv()
        child.join(30)
        assert child.exitcode == 0
    finally:
        if child.is_alive():
            child.kill()
            child.join()
    for step in range(5):  # and the parent plays on as before
        batch.step(chosen(batch.mask, step))
    assert obs == batch.obs.tobytes()
    assert chance == batch.save(slice(None))["random"].tobytes()


@full_tables
def test_copies_of_some_games_go_on_like_them_and_leave_them_alone(table):
    batch = played(table, n=6)
    before = snapshot(batch)
    rows = np.array([4, 0, 4, 5])
    twins = batch.copies(rows)
    assert twins.n == 4
    assert not twins.autoreset
    assert differing_fields(twins.save(slice(None)), batch.save(rows)) == []
    for name in ("obs", "mask", "to_move", "players"):
        np.testing.assert_array_equal(getattr(twins, name), getattr(batch, name)[rows])
    twins.step(chosen(twins.mask, 3))
    assert_unchanged(batch, before)
    same = batch.copies(rows)
    same.step(chosen(same.mask, 3))
    assert differing_fields(same.save(slice(None)), twins.save(slice(None))) == []


@pytest.mark.parametrize("rows", [[0.5], [True, False], [-1], [6], [[0, 1]]])
@full_tables
def test_only_games_of_the_batch_can_be_copied(table, rows):
    with pytest.raises((TypeError, ValueError), match="rows"):
        played(table, n=6).copies(rows)
