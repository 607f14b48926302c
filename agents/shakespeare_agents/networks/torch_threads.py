"""PyTorch's number of threads. Agents and rollouts take small steps, for which one thread is best.

PyTorch keeps this number separately for each thread of the process. A thread that has not used
PyTorch yet takes over the number that any other thread has set last.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

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
    """Limit PyTorch to one thread, if it has been imported.

    In steps as small as those of these networks, one thread is done before a second would wake up.
    If other programs use the cores, several threads spend many times as long waiting for each other
    as one thread would need. Other threads of the process, which may be training another run, keep
    their number of PyTorch threads.
    """
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
