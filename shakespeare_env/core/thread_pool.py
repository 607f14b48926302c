"""A pool of a few threads that share the steps of a batch."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from queue import SimpleQueue
from threading import Thread

Work = Callable[[int, int], None]
"""A function (first, last) that does the items of work from `first` to `last` - 1."""
MOST_THREADS = 1024


class ThreadPool:
    """Threads that each take a share of n items of work.

    An interrupt (Ctrl-C) is raised in the calling thread, between any two instructions. The locks
    of Python's own pools can then stay taken for ever. Here the caller only hands out the shares,
    all of them in one call into C, and waits. Interrupted work is either completed or not begun.
    """

    _begun: list[None]  # an item for each share that was handed out
    _ended: list[BaseException | None]  # an item for each finished share: its exception, if any

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._process = -1  # the id of the process that has the threads; none yet
        self._start(0)  # the first call of `share` starts the threads

    def share(self, n: int, work: Work) -> None:
        """Call `work(first, last)` in each thread, for its share of n items, and wait for all."""
        shares = min(n, self.threads)
        if shares <= 1:
            work(0, n)
            return
        if self._process != os.getpid():  # a forked process lacks the threads
            self._start(self.threads)
            self._process = os.getpid()
        begun: list[None] = []
        ended: list[BaseException | None] = []
        self._begun = begun
        self._ended = ended
        bounds = [n * share // shares for share in range(shares + 1)]
        jobs = [
            partial(_run_share, work, first, last, ended, self._wake_ups)
            for first, last in pairwise(bounds)
        ]
        try:
            begun.extend(map(self._shares.put, jobs))  # each `put` returns None, which is appended
        finally:
            self.settle()
        for fault in ended:
            if fault is not None:
                raise fault

    def settle(self) -> None:
        """Wait for all threads, even those that an interrupted caller has left at work."""
        try:
            self._wait()
        finally:
            self._wait()  # an interrupt of the first wait is raised only after all work has ended

    def _wait(self) -> None:
        # Items of `_wake_ups` only wake this thread. They are not counted, since an interrupt can
        # lose an item that `get` has taken.
        while len(self._ended) < len(self._begun):
            self._wake_ups.get()

    def _start(self, threads: int) -> None:
        self._shares: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._wake_ups: SimpleQueue[None] = SimpleQueue()  # an item wakes the caller
        self._begun = []
        self._ended = []
        for _ in range(threads):
            Thread(target=_serve, args=(self._shares,), daemon=True).start()

    def __del__(self) -> None:
        for _ in range(self.threads):
            self._shares.put(None)  # ends one thread


def _run_share(
    work: Work,
    first: int,
    last: int,
    ended: list[BaseException | None],
    wake_ups: SimpleQueue[None],
) -> None:
    """Run one thread's share of the work. No interrupt reaches this thread."""
    fault = None
    try:
        work(first, last)
    except BaseException as raised:
        fault = raised
    ended.append(fault)
    wake_ups.put(None)


def _serve(shares: SimpleQueue[Callable[[], None] | None]) -> None:
    """Run the jobs of a queue in this thread until it holds None."""
    while (job := shares.get()) is not None:
        job()
        del job  # otherwise it would keep the caller's arrays alive
