"""Work that Polars does ahead in its own threads, waited for before Python ends.

A query that needs no more rows leaves a thread behind that still makes a frame. Python ends such a
thread in the middle, and Polars then aborts the process.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_changed = threading.Condition()
_in_progress = 0
_HAND_OVER = 0.05
"""Seconds for Polars to take the last frame, for which it needs the interpreter."""


@contextmanager
def waited_for() -> Iterator[None]:
    """Delay Python's end until the work in this block is done."""
    global _in_progress
    with _changed:
        _in_progress += 1
    try:
        yield
    finally:
        with _changed:
            _in_progress -= 1
            _changed.notify_all()


@atexit.register
def _wait() -> None:
    with _changed:
        if not _in_progress:
            return
        _changed.wait_for(lambda: not _in_progress)
    time.sleep(_HAND_OVER)
