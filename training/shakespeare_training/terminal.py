"""How the commands that train use a terminal: stop signals, slow imports, and a safe console."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import typer
from rich.console import Console

from shakespeare_env.cli.choices import exit_with_error
from shakespeare_env.extras import requires_extra
from shakespeare_training.stopping import Stop, Stopped, stopped_by_signals

_STOPPED = 130  # the exit code of a command that Ctrl-C has stopped


@contextmanager
def stoppable(console: Console, too_early: str) -> Iterator[Stop]:
    """Let signals stop the block, and print `too_early` if there is nothing to keep yet."""
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
    """A console that falls silent when its reader has gone, instead of ending the run."""

    def on_broken_pipe(self) -> None:
        """Print nothing from now on."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def import_training(console: Console) -> None:
    """Import PyTorch and all that trains; without PyTorch, exit and say how to install it."""
    # OpenMP threads wait for each other after every layer. Spinning for some microseconds makes
    # small layers almost twice as fast as sleeping; spinning for longer slows training tenfold on a
    # core that is shared. OpenMP reads the variable when torch is imported, just below.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    try:
        with busy(console, "importing PyTorch"), requires_extra("train", "training needs"):
            import_module("shakespeare_training.runs.train")
    except ModuleNotFoundError as missing:
        exit_with_error(str(missing))


@contextmanager
def busy(console: Console, activity: str) -> Iterator[None]:
    """Show what is going on: briefly on a terminal, elsewhere as a line on stderr."""
    if console.is_terminal and not console.is_dumb_terminal:
        with console.status(activity):
            yield
    else:
        typer.echo(f"{activity} ...", err=True)  # stdout may be a file of settings
        yield
