"""A copied batch, in this process or another, goes on with the same games and the same chance.

And the threads that share a batch: all games are worked on, faults come out, no thread is left.
"""

import copy
import gc
import multiprocessing
import pickle
import sys
import threading
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import numpy as np
import pytest

from shakespeare_env import Batch, Position
from shakespeare_env.core import registry
from shakespeare_env.core.thread_pool import ThreadPool
from tests.contract.batches import (
    MANY,
    assert_same,
    assert_unchanged,
    batch_in_play,
    batch_of_all_seat_counts,
    games,
    sizes,
    snapshot,
)
from tests.contract.each_table import full_tables
from tests.contract.random_games import actions_by_rule

COPIES: dict[str, Callable[[Batch], Batch]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda batch: pickle.loads(pickle.dumps(batch)),
}


@games
@sizes
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_goes_on_alike_and_independently(name, n, threads, way):
    batch = batch_of_all_seat_counts(name, n, threads=threads, reward="margin", autoreset=n == MANY)
    for _ in range(70):
        batch.step(batch.random_actions())
    twin = COPIES[way](batch)
    third = COPIES[way](batch)
    assert twin.game is batch.game
    before = snapshot(third)
    for _ in range(250 if n < MANY else 30):
        assert_same(twin, batch)
        actions = batch.random_actions()
        np.testing.assert_array_equal(twin.random_actions(), actions)
        batch.step(actions)
        twin.step(actions)
    for both in (batch, twin):
        both.restart([0])
        both.reset(69)
    assert_same(twin, batch)
    np.testing.assert_array_equal(twin.random_actions(), batch.random_actions())
    assert_unchanged(third, before)


@games
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_has_the_same_variants(name, way):
    for option, seats in registry.game(name).options.items():
        on: dict[str, Any] = {option: True}
        twin = COPIES[way](Batch(name, 1, players=seats[-1], **on))
        for players in set(registry.seats(name)) - set(seats):
            record = Position.new(name, players=players).record()
            with pytest.raises(ValueError, match=option):
                twin.load([0], np.array([record], twin.game.state))


def _play_on(batch, pipe):
    for step in range(5):
        batch.step(actions_by_rule(batch.mask, step))
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
    batch = batch_in_play(table, MANY, threads=2, steps=5)  # its helper is at work already
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
        child.kill()
    for step in range(5):  # and the parent plays on as before
        batch.step(actions_by_rule(batch.mask, step))
    assert obs == batch.obs.tobytes()
    assert chance == batch.save(slice(None))["random"].tobytes()


@pytest.mark.parametrize("share", [0, 1, 2])
def test_a_fault_in_any_share_is_raised_and_all_others_are_done(share):
    done = []

    def work(first, last):
        assert first != share, "a fault"
        done.append(first)

    with pytest.raises(AssertionError, match="a fault"):
        ThreadPool(3).share(3, work)
    assert sorted(done) == sorted({0, 1, 2} - {share})


def interrupted(call, instruction):
    """Whether a call gets as far as an instruction, at which it is interrupted."""
    left = count(-instruction)
    before = sys.gettrace()

    def trace(frame, event, _):
        frame.f_trace_opcodes = True
        if event == "opcode" and next(left) == 0:
            raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return next(left) > 0  # Python drops what is raised in a finaliser


def test_an_interrupt_at_any_instruction_leaves_games_whole_or_says_so():
    """And no thread waits for ever, as in Python's own pools, whose locks may stay taken."""
    batch = Batch("figaro", MANY, players=3, threads=2)
    others = Batch("figaro", MANY, players=3, seed=1).save(slice(MANY))
    put = partial(batch._put, np.arange(MANY), others)
    found: list[str | None] = []

    def state():
        try:
            return batch.save(slice(None)).tobytes() + batch.obs.tobytes()
        except RuntimeError as fault:
            return str(fault)[:12]

    def try_all():
        for change in (partial(batch.step, batch.random_actions()), put):
            change()
            known = {state(): "after", "an interrupt": "said"}
            batch.reset(0)
            known[state()] = "before"
            for instruction in count():
                if not interrupted(change, instruction):
                    break
                found.append(known.get(state()))
                batch.reset(0)

    trying = threading.Thread(target=try_all, daemon=True)
    trying.start()
    trying.join(60)
    assert not trying.is_alive(), "a thread waits for ever"
    assert set(found) == {"before", "after", "said"}


@full_tables
def test_the_threads_of_a_batch_end_with_it(table):
    """And its arrays are given back: training makes many batches in one process."""
    before = set(threading.enumerate())
    batch_in_play(table)
    assert set(threading.enumerate()) <= before, "one thread needs no others"
    batch = table.batch(8, seed=80, threads=3)
    batch.step(actions_by_rule(batch.mask, 0))
    started = set(threading.enumerate()) - before
    assert started
    del batch
    gc.collect()
    for thread in started:
        thread.join(5)
        assert not thread.is_alive()
