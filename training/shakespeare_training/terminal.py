"""Shared by commands that train: signals, slow imports, and a console that nothing breaks."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import typer
from rich.console import Console

from shakespeare_env.cli.choices import give_up
from shakespeare_env.errors import WorkerError
from shakespeare_env.extras import needing
from shakespeare_training.stopping import Stop, Stopped, stopped_by_signals

_STOPPED = 130
"""The exit code of a command that Ctrl-C has stopped."""


class UnbreakableConsole(Console):
    """Falls silent once nobody reads it, instead of ending the run."""

    def on_broken_pipe(self) -> None:
        """Print nothing from now on."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def stoppable(console: Console, too_early: str) -> Iterator[Stop]:
    """Acknowledge a signal at once, and end with `too_early` if there is nothing to keep yet."""
    stop = Stop()
    words = "stopping; once more to leave at once"
    try:
        with stopped_by_signals(stop, lambda: console.print(words, highlight=False)):
            yield stop
    except Stopped:
        console.print(too_early, highlight=False)
        raise typer.Exit(_STOPPED) from None
    finally:
        if stop.requested:
            # On leaving, Python would take a second or two to search PyTorch's and the compiler's
            # memory for garbage.
            gc.freeze()


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
        give_up(str(missing))


@contextmanager
def give_up_on(folder: Path, *kinds: type[Exception]) -> Iterator[None]:
    """Give up in words on faults of these kinds, lost workers, or if the run cannot be saved."""
    from shakespeare_training.runs.folder import how_to_go_on

    try:
        yield
    except WorkerError as fault:
        give_up(f"{fault}; {how_to_go_on(folder)}")
    except kinds as fault:
        give_up("\n".join([str(fault), *getattr(fault, "__notes__", [])]))
    except OSError as fault:
        give_up(f"the run cannot be written ({fault}); {how_to_go_on(folder)}")


@contextmanager
def busy(console: Console, what: str) -> Iterator[None]:
    """Say what is going on: temporarily on a terminal, else in a line on stderr."""
    if console.is_terminal and not console.is_dumb_terminal:
        with console.status(what):
            yield
    else:
        typer.echo(f"{what} ...", err=True)  # stdout may be a file of settings
        yield


def complete_setting(incomplete: str) -> list[str]:
    """Names of settings that begin so, for the shell to complete."""
    from shakespeare_training.config import TrainingConfig

    return [f"{name}=" for name in TrainingConfig.model_fields if name.startswith(incomplete)]
