"""A few threads that share every step of a batch."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise

Work = Callable[[int, int], None]
MOST_THREADS = 1024


class ThreadPool:
    """Does work on items 0 to n-1; each of `threads`, the calling one included, takes a share."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._process = -1

    def share(self, n: int, work: Work) -> None:
        """Call `work(first, last)` on each thread's run of n items and wait for all."""
        shares = min(n, self.threads)
        if shares <= 1:
            work(0, n)
            return
        if self._process != os.getpid():  # a forked process lacks the threads
            self._others = ThreadPoolExecutor(self.threads - 1, "shakespeare-env-batch")
            self._process = os.getpid()
        own, *others = pairwise(n * share // shares for share in range(shares + 1))
        parts = [self._others.submit(work, *part) for part in others]
        try:
            work(*own)
        finally:
            try:
                wait(parts)
            except KeyboardInterrupt:
                wait(parts)  # nobody else may write while they do
                raise
        for part in parts:
            part.result()
