"""A run's folder, which one process has at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from shakespeare_agents.networks.checkpoint import CARD_NAME
from shakespeare_agents.storage import forget_drafts
from shakespeare_env.checks.values import command
from shakespeare_env.errors import CheckpointError, TrainingError

STATE_NAME = "run.json"
CONFIG_NAME = "config.toml"
CURVES_NAME = "learning_curve.png"
LOGS_NAME = "tensorboard"
LOCK_NAME = ".lock"
_FILES = "|".join(
    [
        *map(re.escape, (STATE_NAME, CARD_NAME, CONFIG_NAME, CURVES_NAME)),
        r"(?:weights|run|snapshot-\d+)-[0-9a-f]{16}\.safetensors",
    ]
)
"""The names of all files that are written atomically."""


def take_new(folder: Path) -> BaseFileLock:
    """Lock a folder, created if missing, for a new run.

    Raises:
        TrainingError: another process has it.
        ValueError: it holds a run or a checkpoint.
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = _locked(folder)
    with released_on_failure(lock):
        if (folder / STATE_NAME).exists():
            raise ValueError(
                f"{folder} already holds a run; continue it with --resume {folder}, or give "
                "another folder"
            )
        if (folder / CARD_NAME).exists():
            raise ValueError(f"{folder} already holds a checkpoint; give another folder")
        forget_drafts(folder, _FILES)
    return lock


def take_saved(folder: Path) -> BaseFileLock:
    """Lock the folder of a run that has been saved, and clear away a killed process's drafts.

    Raises:
        CheckpointError: it holds no run.
        TrainingError: another process has it.
        OSError: it cannot be written.
    """
    if not (folder / STATE_NAME).exists():
        raise CheckpointError(
            f"{folder / STATE_NAME}: there is no such file; give the folder of a run, or start "
            "again what was stopped before its first save"
        )
    lock = _locked(folder)
    with released_on_failure(lock):
        forget_drafts(folder, _FILES)
    return lock


@contextmanager
def released_on_failure(lock: BaseFileLock) -> Iterator[None]:
    """Release a lock if the block fails."""
    try:
        yield
    except BaseException:
        lock.release()
        raise


def how_to_go_on(folder: Path) -> str:
    """A remedy for a run that has failed."""
    if not (folder / STATE_NAME).exists():
        return "nothing was saved yet: once that is mended, start it again by the same command"
    return "what was saved before is intact; once that is mended, go on with " + command(
        "train", "--resume", folder
    )


def _locked(folder: Path) -> BaseFileLock:
    try:
        return FileLock(folder / LOCK_NAME).acquire(timeout=0).lock
    except Timeout as taken:
        raise TrainingError(
            f"{folder}: another process is training this run; wait for it or stop it"
        ) from taken
