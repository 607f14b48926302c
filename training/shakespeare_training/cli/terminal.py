"""Settings, stop signals, errors, console and new folders of the commands that train."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from shakespeare_env.cli.choices import exit_with_error
from shakespeare_env.errors import ShakespeareEnvError, WorkerError, agent_notes, own_frames
from shakespeare_env.extras import requires_extra
from shakespeare_training.stopping import (
    STOPPED,
    Stop,
    Stopped,
    is_first_process,
    stopped_by_signals,
)

FAULTS = ShakespeareEnvError, ValueError, TypeError, ImportError
"""Errors of settings, files and agents. They end a command with a message and no traceback."""


@contextmanager
def stoppable(console: Console, too_early: str) -> Iterator[Stop]:
    """Let signals stop the block; if `Stopped` leaves it, print `too_early` and exit.

    While a run is trained, the training loop catches `Stopped` itself and saves the run.
    """
    stop = Stop()
    try:
        with stopped_by_signals(stop):
            yield stop
    except Stopped:
        console.print(too_early, highlight=False, markup=False, soft_wrap=True)
        raise typer.Exit(STOPPED) from None
    finally:
        if stop.requested:
            # Otherwise Python would search the memory of PyTorch and the compiler for garbage when
            # it exits, which takes a second or two.
            gc.freeze()


class UnbreakableConsole(Console):
    """A console that prints nothing more once its output is closed, instead of ending the run."""

    def on_broken_pipe(self) -> None:
        """Discard all further output."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def import_training(console: Console) -> None:
    """Import PyTorch and the modules that train, and let this process keep memory for them.

    If PyTorch is missing, the command exits with instructions.
    """
    try:
        with busy(console, "importing PyTorch"), requires_extra("train", "training needs"):
            import_module("shakespeare_training.runs.train")
            import_module("shakespeare_training.building").keep_freed_memory()
    except ModuleNotFoundError as missing:
        exit_with_error(str(missing))


@contextmanager
def busy(console: Console, activity: str) -> Iterator[None]:
    """Show an activity: on a terminal while it lasts, elsewhere as one line on stderr."""
    if console.is_terminal and not console.is_dumb_terminal:
        with console.status(activity):
            yield
    elif console.quiet:
        yield
    else:
        # Not on stdout, because --print-config may write the settings to a file there.
        typer.echo(f"{activity} ...", err=True)
        yield


def new_folder(prefix: str, seed: int) -> Path:
    """Return a folder for the results of a command, named after the present time and the seed."""
    return Path("runs") / f"{prefix}-{time.strftime('%Y%m%d-%H%M%S')}-seed{seed}"


def _complete_setting(incomplete: str) -> list[str]:
    from shakespeare_training.config import TrainingConfig

    return [f"{name}=" for name in TrainingConfig.model_fields if name.startswith(incomplete)]


Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        autocompletion=_complete_setting,
        help="Any other setting of the learner, such as learning_rate=1e-3; may be repeated.",
    ),
]


def parse_settings(settings: list[str] | None) -> dict[str, Any]:
    """Return the settings that `--set` changes, by name."""
    from shakespeare_training.config import parse_override

    return dict(map(parse_override, settings or []))


@contextmanager
def exit_on(folder: Path, *kinds: type[Exception]) -> Iterator[None]:
    """Exit with a message on errors of some kinds, on lost workers, and if a run cannot be saved.

    An error in the user's own code, such as an agent or a callback, is raised with its traceback.
    """
    from shakespeare_training.runs.saving import how_to_continue

    try:
        yield
    except WorkerError as fault:
        if not is_first_process():  # what it has lost is told by the first one, and by its starter
            raise typer.Exit(1) from None
        exit_with_error(f"{fault}; {how_to_continue(folder)}")
    except Exception as fault:
        if agent_notes(fault) or (isinstance(fault, OSError) and own_frames(fault)):
            remedy = how_to_continue(folder)
            fault.add_note(f"{remedy[0].upper()}{remedy[1:]}")
            raise
        if isinstance(fault, kinds):
            exit_with_error("\n".join([str(fault), *getattr(fault, "__notes__", [])]))
        if isinstance(fault, OSError):
            exit_with_error(f"the run cannot be written ({fault}); {how_to_continue(folder)}")
        raise
