"""A folder of files that one process at a time writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shakespeare_agents.storage import draft_of, forget_drafts
from shakespeare_env.datasets.frames import load
from shakespeare_env.errors import ShakespeareEnvError

_LOCK_NAME = ".lock"


@dataclass(frozen=True)
class Contents:
    """What a folder may hold, and the words of its errors.

    Attributes:
        manifest: The file that marks it.
        files: Names of all its files, as a regular expression.
        error: The exception raised.
        use: What another process does there.
        remedy: The kind of folder to give instead.
    """

    manifest: str
    files: str
    error: type[ShakespeareEnvError]
    use: str
    remedy: str


@contextmanager
def held(folder: Path, contents: Contents) -> Iterator[None]:
    """Keep other processes out of a folder, created if missing; drafts left in it are deleted.

    A folder with the manifest is one of the kind, and so is one in which the first save was cut
    short.

    Raises:
        ShakespeareEnvError: (of type `contents.error`) it holds something else, or another process
            has it.
        ModuleNotFoundError: filelock is not installed.
        OSError: it cannot be written.
    """
    filelock = load("filelock")
    if "\0" in str(folder) or (folder.exists() and not folder.is_dir()):
        raise contents.error(f"{str(folder)!r} is no folder; {contents.remedy}")
    if folder.exists() and _is_foreign(folder, contents):
        raise contents.error(f"{folder} holds other things; {contents.remedy}")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = filelock.FileLock(folder / _LOCK_NAME).acquire(timeout=0)
    except filelock.Timeout as taken:
        raise contents.error(
            f"{folder}: another process {contents.use}; wait until it ends, or give another folder"
        ) from taken
    with lock:
        forget_drafts(folder, contents.files)
        yield


def _is_foreign(folder: Path, contents: Contents) -> bool:
    names = {path.name for path in folder.iterdir()}
    ours = re.compile(rf"{re.escape(_LOCK_NAME)}|{draft_of(contents.files)}")
    return contents.manifest not in names and not all(map(ours.fullmatch, names))
