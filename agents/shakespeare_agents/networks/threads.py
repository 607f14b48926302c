"""The numbers of threads of PyTorch and NumPy.

Agents and rollouts take small steps, for which one thread is best. PyTorch keeps its number
separately for each thread of the process. A thread that has not used PyTorch yet takes over the
number that any other thread has set last. NumPy's number belongs to the whole process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_changing_threads = threading.Lock()


def fix_thread_count() -> int:
    """Return PyTorch's number of threads, and fix it for this thread of the process.

    PyTorch must have been imported. The call waits while `one_thread` changes the number.
    """
    torch = sys.modules["torch"]
    with _changing_threads:
        threads: int = torch.get_num_threads()  # asking fixes the number
        return threads


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit NumPy's matrix products, and PyTorch if it has been imported, to one thread.

    In steps as small as those of these networks, one thread is done before a second would wake up.
    If other programs use the cores, several threads spend many times as long waiting for each other
    as one thread would need. Other threads of the process, which may be training another run, keep
    their number of PyTorch threads.
    """
    with _one_blas_thread.held(), _one_torch_thread():
        yield


@contextmanager
def _one_torch_thread() -> Iterator[None]:
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = fix_thread_count()
    if before == 1:
        yield
        return
    with _changing_threads:
        torch.set_num_threads(1)
        # Threads that begin later would take over the 1, so another thread sets the old number.
        restorer = threading.Thread(target=torch.set_num_threads, args=(before,))
        restorer.start()
        restorer.join()
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _BlasLimit:
    """A limit of one thread for NumPy's matrix products, which several threads may hold together.

    The limit belongs to the whole process. If each thread restored the number that it had found,
    that number could be the limit of another thread, and stay for good.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._limit: Any = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the limit for the length of the block."""
        with self._lock:
            if not self._holders:
                self._limit = _libraries().limit(limits=1, user_api="blas")
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if not self._holders:
                    self._limit.restore_original_limits()


_one_blas_thread = _BlasLimit()


@cache
def _libraries() -> Any:
    """Return the controller of the libraries that this process has loaded, which takes 2 ms."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
