"""A run's folder: one process has it at a time, and a first save cut short leaves it usable.

Until its first save is complete the folder holds a marker.  With the marker and without a state,
nothing was learned: all other files of a run are remains, and a new run may take the folder.
"""

from __future__ import annotations

import re
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from shakespeare_agents.networks.checkpoint import CARD_NAME
from shakespeare_agents.storage import forget_drafts, forget_others
from shakespeare_env.errors import CheckpointError, TrainingError

STATE_NAME = "run.json"
CONFIG_NAME = "config.toml"
CURVES_NAME = "learning_curve.png"
LOGS_NAME = "tensorboard"
LOCK_NAME = ".lock"
MARKER_NAME = ".unsaved"
_STEMS = r"(?:weights|run|snapshot-\d+|order)"
_FILES = "|".join(
    [
        *map(re.escape, (STATE_NAME, CARD_NAME, CONFIG_NAME, CURVES_NAME)),
        rf"{_STEMS}-[0-9a-f]{{16}}\.safetensors",
    ]
)
"""The names of all files that are written atomically."""


def take_new(folder: Path) -> BaseFileLock:
    """Lock a folder, created if missing, for a new run, and clear away remains.

    Raises:
        TrainingError: another process has it, or it cannot be locked.
        ValueError: it holds a run or a checkpoint.
        OSError: it cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; give a folder")
    folder.mkdir(parents=True, exist_ok=True)
    lock = _locked(folder)
    with released_on_failure(lock):
        if (folder / STATE_NAME).exists():
            raise ValueError(
                f"{folder} already holds a run; continue it with --resume {folder}, or give "
                "another folder"
            )
        if is_unsaved(folder):
            (folder / CARD_NAME).unlink(missing_ok=True)
            forget_others(folder, _STEMS)
        elif (folder / CARD_NAME).exists():
            raise ValueError(f"{folder} already holds a checkpoint; give another folder")
        forget_drafts(folder, _FILES)
        (folder / MARKER_NAME).touch()
    return lock


def take_saved(folder: Path) -> BaseFileLock:
    """Lock the folder of a run that has been saved, and clear away a killed process's drafts.

    Raises:
        CheckpointError: it holds no run.
        TrainingError: another process has it, or it cannot be locked.
        OSError: it cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise CheckpointError(f"{folder} is a file; give the folder of a run")
    if not (folder / STATE_NAME).exists() and not is_unsaved(folder):
        raise CheckpointError(f"{folder / STATE_NAME}: there is no such file; is it a run?")
    lock = _locked(folder)
    with released_on_failure(lock):
        if not (folder / STATE_NAME).exists():
            raise CheckpointError(
                f"{folder}: this run was stopped before its first save, so there is nothing to "
                f"resume; start it again: shakespeare train --out {folder}, with its settings"
            )
        forget_drafts(folder, _FILES)
        mark_saved(folder)
    return lock


@contextmanager
def released_on_failure(lock: BaseFileLock) -> Iterator[None]:
    """Release a lock if the block fails."""
    try:
        yield
    except BaseException:
        lock.release()
        raise


def is_unsaved(folder: Path) -> bool:
    """Whether a run was begun here whose first save is not complete."""
    return (folder / MARKER_NAME).is_file() and not (folder / STATE_NAME).exists()


def how_to_go_on(folder: Path) -> str:
    """A remedy for a run that has failed."""
    if not (folder / STATE_NAME).exists():
        return "nothing was saved yet: once that is mended, start it again by the same command"
    return (
        "what was saved before is intact; once that is mended, go on with "
        f"shakespeare train --resume {shlex.quote(str(folder))}"
    )


def mark_saved(folder: Path) -> None:
    """Note that a save is complete."""
    (folder / MARKER_NAME).unlink(missing_ok=True)


def _locked(folder: Path) -> BaseFileLock:
    path = folder / LOCK_NAME
    try:
        # Locking empties the file, which behind a link would be somebody else's.
        if not stat.S_ISREG(path.lstat().st_mode):
            raise TrainingError(f"{path} must be a file to lock; remove it")
    except FileNotFoundError:
        pass
    try:
        return FileLock(path).acquire(timeout=0).lock
    except Timeout as taken:
        raise TrainingError(
            f"{folder}: another process is training this run; wait for it or stop it"
        ) from taken
    except (OSError, NotImplementedError) as fault:
        raise TrainingError(
            f"{path} cannot be locked ({fault}); give a folder that can be written"
        ) from fault
