"""A few threads that share every step of a batch.

A step takes one or two milliseconds; a round trip over bare locks takes some 60 microseconds, over
`concurrent.futures` twice that, and the scheduler tends to move the main thread.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from itertools import pairwise

Work = Callable[[int, int], None]
MOST_THREADS = 1024


class _Worker:
    def __init__(self) -> None:
        self._first = self._last = 0
        self._start = threading.Lock()
        self._done = threading.Lock()
        self._start.acquire()
        self._done.acquire()
        self._work: Work | None = None
        self._fault: BaseException | None = None
        threading.Thread(target=self._run, name="shakespeare-env-batch", daemon=True).start()

    def _run(self) -> None:
        while True:
            self._start.acquire()
            if self._work is None:
                return
            try:
                self._work(self._first, self._last)
            except BaseException as fault:
                self._fault = fault  # raised again where the result is waited for
            self._work = None  # a reference would keep the batch alive
            self._done.release()

    def start(self, work: Work, first: int, last: int) -> None:
        self._work, self._first, self._last = work, first, last
        self._start.release()

    def wait(self) -> list[BaseException | None]:
        """Wait even when interrupted, or the worker would be out of step."""
        interrupt: BaseException | None = None
        while True:
            try:
                self._done.acquire()
                fault, self._fault = self._fault, None
                return [fault, interrupt]
            except KeyboardInterrupt as stop:
                interrupt = stop

    def stop(self) -> None:
        self._work = None
        self._start.release()


def _stop(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.stop()


class ThreadPool:
    """Does work on items 0 to n-1; each of `threads`, the calling one included, takes a share.

    Workers start when first needed, and again in a forked process, which lacks them.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._workers: list[_Worker] = []
        self._process = -1

    def share(self, n: int, work: Work) -> None:
        """Call `work(first, last)` on each thread's run of n items and wait for all."""
        shares = min(n, self.threads)
        if shares <= 1:
            work(0, n)
            return
        if self._process != os.getpid():
            self._start_workers()
        borders = [n * share // shares for share in range(shares + 1)]
        own, *others = pairwise(borders)
        workers = self._workers[: shares - 1]
        for worker, (first, last) in zip(workers, others, strict=True):
            worker.start(work, first, last)
        faults: list[BaseException | None] = []
        try:
            work(*own)
        finally:
            for worker in workers:
                faults += worker.wait()
        for fault in faults:
            if fault is not None:
                raise fault

    def _start_workers(self) -> None:
        self._workers = [_Worker() for _ in range(self.threads - 1)]
        self._process = os.getpid()
        weakref.finalize(self, _stop, self._workers)
