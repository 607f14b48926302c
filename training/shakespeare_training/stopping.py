"""Ctrl-C, SIGTERM and a lost terminal: acknowledged at once, obeyed where nothing is lost."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_TOGETHER_S = 0.5
"""Seconds within which signals count as one, as `timeout` or a closing terminal sends several."""
_SHOW_CURSOR = b"\x1b[?25h\r\n"


class Stopped(KeyboardInterrupt):
    """Raised when a run was asked to stop; no handler of errors catches it."""


class Stop:
    """Whether a run is to stop.

    Attributes:
        requested: Whether somebody has asked for it.
    """

    def __init__(self) -> None:
        self.requested = False
        self._is_deferred = False

    def check(self) -> None:
        """Raise `Stopped` if it is to stop."""
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
        """Ask to stop; raises `Stopped` unless that is deferred."""
        if not self.requested:
            self.requested = True
            if not self._is_deferred:
                raise Stopped


@contextmanager
def stopped_by_signals(stop: Stop, acknowledge: Callable[[], None]) -> Iterator[None]:
    """Let the first signal stop the block by `stop`, and a second one end the process at once.

    A thread calls `acknowledge`, so that it need not wait for the main thread. Outside the main
    thread, which alone gets signals, this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # SIGHUP, on systems that have it, is a lost terminal.
    numbers = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if os.name == "posix" else [])]
    before = {number: signal.getsignal(number) for number in numbers}
    # Ignored signals, such as SIGHUP under nohup, stay ignored.
    before = {number: old for number, old in before.items() if old is not signal.SIG_IGN}

    def request(_number: int, _frame: FrameType | None) -> None:
        stop.request()

    heard, written = socket.socketpair()
    written.setblocking(False)
    listener = threading.Thread(
        target=_listen, args=(heard, set(before), acknowledge), name="signals", daemon=True
    )
    listener.start()
    # Python writes each signal's number here the moment it arrives; handlers wait for the main
    # thread, which may be compiling for seconds.
    former = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    for number in before:
        signal.signal(number, request)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(former)
        written.close()
        listener.join()
        heard.close()


def _listen(heard: socket.socket, numbers: set[int], acknowledge: Callable[[], None]) -> None:
    first: float | None = None
    while number := heard.recv(1):
        now = time.monotonic()
        if number[0] not in numbers:
            continue
        if first is None:
            first = now
            acknowledge()
        elif now - first > _TOGETHER_S:
            _leave(number[0])


def _leave(number: int) -> None:
    """End the process at once; files are written atomically, so none is spoilt."""
    if sys.__stdout__ is not None and sys.__stdout__.isatty():
        os.write(sys.__stdout__.fileno(), _SHOW_CURSOR)
    os._exit(128 + number)
