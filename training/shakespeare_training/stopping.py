"""Stopping a run: by Ctrl-C, SIGTERM or a lost terminal, only where nothing is lost."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_TOGETHER_S = 0.5
"""Seconds within which signals count as one, as `timeout` or a closing terminal sends several."""


class Stopped(KeyboardInterrupt):
    """Raised when a run was asked to stop; no handler of errors catches it."""


class Stop:
    """A request to stop a run, which may have been made or not.

    Attributes:
        requested: Whether somebody has made it.
    """

    def __init__(self) -> None:
        self.requested = False
        self._is_deferred = False

    def check(self) -> None:
        """Raise `Stopped` if a stop was requested."""
        if self.requested:
            raise Stopped

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Let only `check`, not `request`, raise in the block."""
        self.check()
        self._is_deferred = True
        try:
            yield
        finally:
            self._is_deferred = False

    def request(self) -> None:
        """Request a stop, and raise `Stopped` unless that is deferred."""
        if not self.requested:
            self.requested = True
            if not self._is_deferred:
                raise Stopped


@contextmanager
def stopped_by_signals(stop: Stop) -> Iterator[None]:
    """Let Ctrl-C, SIGTERM or a lost terminal stop the block, and a second one end the process.

    Ending the process spoils no files, because they are written atomically.
    """
    numbers = [signal.SIGINT, signal.SIGTERM]
    if os.name == "posix":
        numbers.append(signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    # Ignored signals, such as SIGHUP under nohup, stay ignored.
    before = {number: old for number, old in before.items() if old is not signal.SIG_IGN}
    first: list[float] = []

    def request(number: int, _frame: FrameType | None) -> None:
        if first and time.monotonic() - first[0] > _TOGETHER_S:
            os._exit(128 + number)
        if not first:
            first.append(time.monotonic())
            os.write(2, b"stopping; once more to leave at once\n")
        stop.request()

    for number in before:
        signal.signal(number, request)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
