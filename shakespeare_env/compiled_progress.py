"""Says on stderr what is being compiled, but not what is loaded from disk."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from numba.core import event
from numba.core.compiler_lock import global_compiler_lock

_COMPILING = "numba:compile"
SILENT_SECONDS = 1.0
"""Seconds of compiling that are not worth a line."""


def announce(dispatcher: Any, what: str, often: str) -> None:
    """Have a kernel say when it is compiled: in a moving line on terminals, else in plain lines."""
    compile_kernel: Callable[[Any], Any] = dispatcher.compile

    def compile_and_say(signature: Any) -> Any:
        # The lock keeps out notices of what other threads compile.
        with global_compiler_lock, _heard(_Notice(f"compiling {what}, {often}")):
            return compile_kernel(signature)

    dispatcher.compile = compile_and_say


@contextmanager
def _heard(notice: _Notice) -> Iterator[None]:
    with event.install_listener(_COMPILING, notice), notice:
        yield


class _Notice(event.Listener):  # type: ignore[misc]
    """Hears from Numba which function it compiles: first the kernel, then its rules."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open = ExitStack()
        self._show: Callable[[str], None] | None = None

    def on_start(self, found: event.Event) -> None:
        """A function's compilation starts."""
        if self._show is None:
            live = _live_console()
            shown = _plain_lines(self._text) if live is None else _moving_line(self._text, live)
            self._show = self._open.enter_context(shown)
        self._show(found.data["dispatcher"].py_func.__name__)

    def on_end(self, found: event.Event) -> None:
        """Say nothing once a function is compiled."""

    def __enter__(self) -> None:
        """Say nothing before the first function."""

    def __exit__(self, *raised: Any) -> None:
        self._open.__exit__(*raised)


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
def _moving_line(text: str, console: Any) -> Iterator[Callable[[str], None]]:
    """A line with the function at hand and the time gone by, which disappears at the end."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    # Redirecting would send what others print to stdout to stderr.
    with Progress(
        *columns,
        TextColumn("{task.fields[function]}", style="dim"),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as progress:
        task = progress.add_task(text, total=None, function="")
        yield lambda function: progress.update(task, function=function)


@contextmanager
def _plain_lines(text: str) -> Iterator[Callable[[str], None]]:
    """A line when it takes long, and one at the end."""
    started = time.perf_counter()
    timer = threading.Timer(SILENT_SECONDS, lambda: _say(f"{text} ..."))
    timer.daemon = True
    timer.start()
    try:
        yield lambda function: None
    finally:
        timer.cancel()
        timer.join()
    if (seconds := time.perf_counter() - started) > SILENT_SECONDS:
        _say(f"compiled in {seconds:.0f} s")


def _say(line: str) -> None:
    if sys.stderr is not None:  # a program without a console has none
        with suppress(OSError, ValueError):  # closed
            print(f"shakespeare-env: {line}", file=sys.stderr, flush=True)
