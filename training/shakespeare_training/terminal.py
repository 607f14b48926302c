"""Shared by commands that train: being stopped, slow imports, and a console that nothing breaks."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FrameType

import typer
from rich.console import Console

from shakespeare_env.cli.choices import exit_with_error
from shakespeare_env.extras import needing

_STOPPED = 130  # the exit code of a command that Ctrl-C has stopped
_TOGETHER_S = 0.5
"""Seconds within which signals count as one, as `timeout` or a closing terminal sends several."""


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
def stopped_by_signals(stop: Stop) -> Iterator[None]:
    """Let Ctrl-C, SIGTERM or a lost terminal stop the block, and a second one end the process.

    Files are written atomically, so that end spoils none.
    """
    numbers = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if os.name == "posix" else [])]
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


@contextmanager
def stoppable(console: Console, too_early: str) -> Iterator[Stop]:
    """Let signals stop the block, which ends with `too_early` if there is nothing to keep yet."""
    stop = Stop()
    try:
        with stopped_by_signals(stop):
            yield stop
    except Stopped:
        console.print(too_early, highlight=False)
        raise typer.Exit(_STOPPED) from None
    finally:
        if stop.requested:
            # On leaving, Python would take a second or two to search PyTorch's and the compiler's
            # memory for garbage.
            gc.freeze()


class UnbreakableConsole(Console):
    """Falls silent once nobody reads it, instead of ending the run."""

    def on_broken_pipe(self) -> None:
        """Print nothing from now on."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def import_what_trains(console: Console) -> None:
    """Import PyTorch, or give up and say how to install it."""
    # OpenMP threads wait for each other after every layer.  Spinning for some microseconds makes
    # small layers almost twice as fast as sleeping; spinning for longer slows training tenfold on a
    # core that is shared.  OpenMP reads the variable when torch is imported, just below.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    try:
        with busy(console, "importing PyTorch"), needing("train", "training needs"):
            import_module("shakespeare_training.runs.train")
    except ModuleNotFoundError as missing:
        exit_with_error(str(missing))


@contextmanager
def busy(console: Console, what: str) -> Iterator[None]:
    """Say what is going on: temporarily on a terminal, else in a line on stderr."""
    if console.is_terminal and not console.is_dumb_terminal:
        with console.status(what):
            yield
    else:
        typer.echo(f"{what} ...", err=True)  # stdout may be a file of settings
        yield
