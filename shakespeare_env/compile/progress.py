"""Says on stderr what is being compiled: in a moving line on terminals, else in plain lines."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

SILENT_SECONDS = 1.0
"""Seconds of compiling that are not worth a line."""


_spent_s = 0.0


def seconds_spent() -> float:
    """The seconds that this process has spent compiling, for those who time what compiles."""
    return _spent_s


@contextmanager
def compiling(what: str, often: str) -> Iterator[None]:
    """Show a notice while something is compiled."""
    global _spent_s
    started = time.perf_counter()
    try:
        with _shown(f"compiling {what}, {often}"):
            yield
    finally:
        _spent_s += time.perf_counter() - started


@contextmanager
def _shown(text: str) -> Iterator[None]:
    console = _live_console()
    if console is None:
        with _plain_lines(text):
            yield
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    # Redirecting would send what others print to stdout to stderr.
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as progress:
        progress.add_task(text, total=None)
        yield


def _live_console() -> Any:
    """A console for a line that moves; None where there is no terminal or it is taken."""
    try:
        is_terminal = sys.stderr.isatty()
    except (AttributeError, ValueError):  # missing or closed
        return None
    is_taken = hasattr(sys.stderr, "rich_proxied_file")  # by the program's progress bar
    if is_taken or not is_terminal:
        return None
    from rich.console import Console

    console = Console(stderr=True)
    return None if console.is_dumb_terminal else console


@contextmanager
def _plain_lines(text: str) -> Iterator[None]:
    """A line when it takes long, and one at the end."""
    started = time.perf_counter()
    timer = threading.Timer(SILENT_SECONDS, lambda: _say(f"{text} ..."))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
    if (seconds := time.perf_counter() - started) > SILENT_SECONDS:
        _say(f"compiled in {seconds:.0f} s")


def _say(line: str) -> None:
    if sys.stderr is not None:  # a program without a console has none
        with suppress(OSError, ValueError):  # closed
            print(f"shakespeare-env: {line}", file=sys.stderr, flush=True)
