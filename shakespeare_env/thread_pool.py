"""A few threads that share every step of a batch.

A step of thousands of games takes one or two milliseconds, so handing work over must cost little.
Bare locks take some 60 microseconds for a round trip; the queues and conditions of
`concurrent.futures` take twice that and tempt the scheduler into moving the main thread.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from itertools import pairwise
from typing import Any

Work = Callable[[int, int], None]


class _Helper:
    """One thread that waits for its share of some work."""

    def __init__(self) -> None:
        self._first = self._last = 0
        self._go = threading.Lock()
        self._done = threading.Lock()
        self._go.acquire()
        self._done.acquire()
        self._work: Work | None = None
        self._fault: BaseException | None = None
        threading.Thread(target=self._run, name="shakespeare-env-batch", daemon=True).start()

    def _run(self) -> None:
        while True:
            self._go.acquire()
            if self._work is None:
                return
            try:
                self._work(self._first, self._last)
            except BaseException as fault:
                self._fault = fault  # raised again where the result is waited for
            self._work = None  # it holds the batch, which must be free to go
            self._done.release()

    def start(self, work: Work, first: int, last: int) -> None:
        self._work, self._first, self._last = work, first, last
        self._go.release()

    def wait(self) -> BaseException | None:
        self._done.acquire()
        fault, self._fault = self._fault, None
        return fault

    def dismiss(self) -> None:
        self._work = None
        self._go.release()


def _dismiss(helpers: list[_Helper]) -> None:
    for helper in helpers:
        helper.dismiss()


def _patiently(helper: _Helper) -> list[BaseException | None]:
    """Wait for a helper whatever happens: one that is left alone would be out of step for good."""
    interrupt: BaseException | None = None
    while True:
        try:
            return [helper.wait(), interrupt]
        except KeyboardInterrupt as stop:
            interrupt = stop


class Crew:
    """Does work on the items 0 .. n-1, every thread on a run of neighbours.

    The helpers are hired when there is first something to share, and anew in a process that was
    forked off: threads do not come along into one.

    Args:
        threads: Number of threads, the calling one included.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._helpers: list[_Helper] = []
        self._hired_by = -1

    def share(self, n: int, work: Work) -> None:
        """Call `work(first, last)` on every thread's run of n items and wait for all of them."""
        shares = min(n, self._threads)
        if shares <= 1:
            work(0, n)
            return
        if self._hired_by != os.getpid():
            self._hire()
        borders = [n * share // shares for share in range(shares + 1)]
        own, *others = pairwise(borders)
        helpers = self._helpers[: shares - 1]
        for helper, (first, last) in zip(helpers, others, strict=True):
            helper.start(work, first, last)
        faults: list[BaseException | None] = []
        try:
            work(*own)
        finally:
            for helper in helpers:
                faults += _patiently(helper)
        for fault in faults:
            if fault is not None:
                raise fault

    def _hire(self) -> None:
        self._helpers = [_Helper() for _ in range(self._threads - 1)]
        self._hired_by = os.getpid()
        weakref.finalize(self, _dismiss, self._helpers)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, or a crew in another process, hires helpers of its own."""
        return Crew, (self._threads,)
