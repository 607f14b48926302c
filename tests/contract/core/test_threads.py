"""The threads that share a batch: all games are worked on, faults come out, no thread is left."""

import gc
import threading
import time

import numpy as np
import pytest

from shakespeare_env.core.thread_pool import ThreadPool
from tests.contract.batches import played
from tests.contract.each_table import full_tables
from tests.contract.random_games import chosen


@pytest.mark.parametrize(("n", "threads"), [(1, 4), (7, 3), (100, 4)])
def test_every_item_is_worked_on_exactly_once(n, threads):
    pool = ThreadPool(threads)
    for _ in range(20):
        touched = np.zeros(n, int)
        workers: set[int] = set()

        def work(first, last, touched=touched, workers=workers):
            assert first < last
            touched[first:last] += 1
            workers.add(threading.get_ident())

        pool.share(n, work)
        assert (touched == 1).all()
        assert len(workers) == min(n, threads)


@pytest.mark.parametrize("share", [0, 1, 2])
def test_a_fault_in_any_share_is_raised_once_and_the_others_are_done(share):
    pool = ThreadPool(3)
    touched = np.zeros(3, int)

    def work(first, last):
        if first == share:
            raise RuntimeError(f"share {share}")
        touched[first:last] += 1

    with pytest.raises(RuntimeError, match=f"share {share}"):
        pool.share(3, work)
    assert touched.sum() == 2
    pool.share(3, lambda first, last: None)


def test_threads_work_at_the_same_time():
    """Each waits until the other has come."""
    barrier = threading.Barrier(2, timeout=30)

    def work(first, last):
        barrier.wait()

    ThreadPool(2).share(2, work)
    assert not barrier.broken


def ends_within(thread, seconds):
    """Whether a thread ends soon."""
    gc.collect()
    for _ in range(int(seconds * 100)):
        if not thread.is_alive():
            return True
        time.sleep(0.01)
    return False


@full_tables
def test_the_threads_of_a_batch_end_with_it(table):
    """And its arrays are given back: training makes many batches in one process."""
    before = set(threading.enumerate())
    played(table)
    assert set(threading.enumerate()) <= before, "one thread needs no others"
    batch = table.batch(8, seed=80, threads=3)
    batch.step(chosen(batch.mask, 0))
    started = set(threading.enumerate()) - before
    assert len(started) == 2
    del batch
    assert all(ends_within(thread, 5) for thread in started)
