"""Stopping a run by Ctrl-C, SIGTERM or a lost terminal, at a point where nothing is lost."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

STOPPED = 130
"""The exit code of a command that is stopped before it has anything to save."""
_TOGETHER_S = 0.5
"""Seconds within which several signals count as one. The command `timeout` and a closing terminal
may send more than one."""


def is_in_group() -> bool:
    """Return whether torchrun, or a program like it, has started this process in a group."""
    return {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"} <= os.environ.keys()


def is_first_process() -> bool:
    """Return whether this process reports for its group (`group.ProcessGroup`), or is alone."""
    return not is_in_group() or os.environ["RANK"] == "0"


class Stopped(KeyboardInterrupt):
    """Raised to stop a run. It is no `Exception`, so handlers of errors do not catch it."""


class Stop:
    """Lets signals and other code request that a run stops.

    Attributes:
        requested: Whether a stop was requested.
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
        """Defer stops in the block: `request` only notes the stop there, and `check` raises it."""
        self.check()
        self._is_deferred = True
        try:
            yield
        finally:
            self._is_deferred = False

    def request(self) -> None:
        """Request a stop, and raise `Stopped` unless stops are deferred."""
        if not self.requested:
            self.requested = True
            if not self._is_deferred:
                raise Stopped


@contextmanager
def stopped_by_signals(stop: Stop) -> Iterator[None]:
    """Let a signal (Ctrl-C, SIGTERM, a lost terminal) stop the block. A second ends the process.

    Ending the process at once damages no files, because they are written atomically.
    """
    numbers = [signal.SIGINT, signal.SIGTERM]
    if os.name == "posix":
        numbers.append(signal.SIGHUP)
    former_handlers = {}
    for number in numbers:
        handler = signal.getsignal(number)
        # Ignored signals, such as SIGHUP under nohup, stay ignored.
        if handler is not signal.SIG_IGN:
            former_handlers[number] = handler
    first_at: float | None = None

    def request(number: int, _frame: FrameType | None) -> None:
        nonlocal first_at
        if first_at is None:
            first_at = time.monotonic()
            if is_first_process():
                os.write(2, b"stopping; once more to leave at once\n")
        elif time.monotonic() - first_at > _TOGETHER_S:
            os._exit(128 + number)
        stop.request()

    for number in former_handlers:
        signal.signal(number, request)
    try:
        yield
    finally:
        for number, handler in former_handlers.items():
            signal.signal(number, handler)


def exit_at_once(code: int) -> NoReturn:
    """End a process of a group, without the usual clean-up of Python and C++.

    Threads of PyTorch may still be at work after the group has been left. If they meet that
    clean-up, they end the process with SIGABRT.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
