"""The number of threads of PyTorch. Agents and rollouts ask for small steps, which one thread does.

PyTorch keeps one number for each thread of the process. A thread that has not used PyTorch yet
takes over the number that another one has set last.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_changing_threads = threading.Lock()


def adopt_threads() -> int:
    """Return PyTorch's number of threads, and fix it for this thread of the process.

    PyTorch must have been imported. The call waits while `one_thread` changes the number.
    """
    torch = sys.modules["torch"]
    with _changing_threads:
        threads: int = torch.get_num_threads()
        return threads


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit PyTorch to one thread, if it has been imported.

    In steps as small as those of these networks, one thread is done before a second would wake up.
    If other programs use the cores, the threads wait for each other many times as long as one would
    take. Other threads of the process, which may be training another run, keep their number of
    PyTorch threads.
    """
    torch = sys.modules.get("torch")
    if torch is None or (before := adopt_threads()) == 1:
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
