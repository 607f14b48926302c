"""A few threads that share every step of a batch.

A step of thousands of games takes one or two milliseconds, so handing work over must cost little.
Bare locks take some 60 microseconds for a round trip; the queues and conditions of
`concurrent.futures` take twice that and tempt the scheduler into moving the main thread.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from itertools import pairwise

Work = Callable[[int, int], None]


class _Helper:
    """One thread that waits for a share of the work."""

    def __init__(self, first: int, last: int) -> None:
        self._first = first
        self._last = last
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

    def start(self, work: Work) -> None:
        self._work = work
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

    Args:
        n: Number of items.
        threads: Number of threads, the calling one included.
    """

    def __init__(self, n: int, threads: int) -> None:
        shares = min(n, threads)
        borders = [n * share // shares for share in range(shares + 1)]
        self._own, *others = pairwise(borders)
        self._helpers = [_Helper(*share) for share in others]
        weakref.finalize(self, _dismiss, self._helpers)

    def share(self, work: Work) -> None:
        """Call `work(first, last)` on every thread's run of items and wait for all of them."""
        for helper in self._helpers:
            helper.start(work)
        faults: list[BaseException | None] = []
        try:
            work(*self._own)
        finally:
            for helper in self._helpers:
                faults += _patiently(helper)
        for fault in faults:
            if fault is not None:
                raise fault
