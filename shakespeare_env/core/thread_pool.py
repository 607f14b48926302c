"""A few threads that share every step of a batch."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from queue import SimpleQueue
from threading import Thread

Work = Callable[[int, int], None]
MOST_THREADS = 1024


class ThreadPool:
    """Does work on items 0 to n-1, of which each of `threads` takes a share.

    An interrupt (Ctrl-C) is raised in the calling thread, between any two instructions; locks of
    Python's own pools can then stay taken for ever.  So the caller only hands out shares, all in
    one call into C, and waits: work that is interrupted is done as a whole or not begun.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._process = -1
        self._shares: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._last = _Call()

    def share(self, n: int, work: Work) -> None:
        """Call `work(first, last)` on each thread's run of n items and wait for all."""
        shares = min(n, self.threads)
        if shares <= 1:
            work(0, n)
            return
        if self._process != os.getpid():  # a forked process lacks the threads
            self._start()
        call = self._last = _Call()
        parts = pairwise(n * share // shares for share in range(shares + 1))
        jobs = [call.job(work, *part) for part in parts]
        try:
            call.begun.extend(map(self._shares.put, jobs))
        finally:
            call.wait()
        for fault in call.ended:
            if fault is not None:
                raise fault

    def settle(self) -> None:
        """Wait for the threads that a caller, interrupted twice, has left at work."""
        if len(self._last.ended) < len(self._last.begun):
            self._last.wait()

    def _start(self) -> None:
        self._shares, self._last = SimpleQueue(), _Call()
        for _ in range(self.threads):
            Thread(
                target=_serve, args=(self._shares,), name="shakespeare-env-batch", daemon=True
            ).start()
        self._process = os.getpid()

    def __del__(self) -> None:
        for _ in range(self.threads):
            self._shares.put(None)


class _Call:
    """The shares of one call that are begun, and how those that are done have ended."""

    def __init__(self) -> None:
        self.begun: list[None] = []
        self.ended: list[BaseException | None] = []
        self._one_more: SimpleQueue[None] = SimpleQueue()

    def job(self, work: Work, first: int, last: int) -> Callable[[], None]:
        """A share, to be done by a thread that no interrupt reaches."""

        def do() -> None:
            fault = None
            try:
                work(first, last)
            except BaseException as raised:
                fault = raised
            self.ended.append(fault)
            self._one_more.put(None)

        return do

    def wait(self) -> None:
        """Wait until no share is at work, an interrupt or not, which is raised then."""
        try:
            self._wait()
        finally:
            self._wait()

    def _wait(self) -> None:
        # What an interrupt takes from the queue is not missed: an end is noted before it is told.
        while len(self.ended) < len(self.begun):
            self._one_more.get()


def _serve(shares: SimpleQueue[Callable[[], None] | None]) -> None:
    while (job := shares.get()) is not None:
        job()
        del job  # it holds the caller's arrays
