"""Clears away compiled code that nobody uses any more: old versions, boxes and processors."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

DAY = 24 * 60 * 60
"""Seconds."""
UNUSED = 90 * DAY
"""Seconds without use after which a folder is deleted."""
MOST_BYTES = 2**28
"""Beyond this many bytes in all the folders used longest ago go, too; both games take 8 MB."""
RECENT = DAY
"""Seconds within which a used folder is kept even then."""

_FOLDER = re.compile(r"[A-Za-z0-9_-]+-[0-9a-f]{24}(\.old)?")
_DOOMED = ".old"
DRAFT = ".draft"
_FILE = re.compile(rf"compiled|.+\.(code|turn)|.+{re.escape(DRAFT)}|.+\.tmp\.[0-9a-f]+")


@dataclass(frozen=True)
class _Folder:
    path: Path
    used: float
    files: dict[Path, os.stat_result]

    @property
    def size(self) -> int:
        return sum(status.st_size for status in self.files.values())


def clean(home: Path) -> None:
    """Delete old folders of compiled code, and drafts of processes that were killed.

    Folders that a process holds and files that do not look exactly like ours are spared; what
    cannot be deleted stays, silently.
    """
    with suppress(OSError):
        now, total = time.time(), 0
        for folder in sorted(_folders(home), key=lambda folder: folder.used, reverse=True):
            age = now - folder.used
            total += folder.size
            if age > UNUSED or (total > MOST_BYTES and age > RECENT):
                with suppress(OSError):
                    _delete(folder)
                    total -= folder.size
                continue
            for path, status in folder.files.items():
                if path.name.endswith(DRAFT) and now - status.st_mtime > RECENT:
                    with suppress(OSError):
                        path.unlink()


def _folders(home: Path) -> Iterator[_Folder]:
    for path in home.iterdir():
        with suppress(OSError):
            status = path.lstat()
            if not (stat.S_ISDIR(status.st_mode) and _FOLDER.fullmatch(path.name)):
                continue
            files = {file: file.lstat() for file in path.iterdir()}
            if all(
                stat.S_ISREG(status.st_mode) and _FILE.fullmatch(file.name)
                for file, status in files.items()
            ):
                yield _Folder(path, status.st_mtime, files)


def _delete(folder: _Folder) -> None:
    with _alone(folder.path):
        doomed = folder.path
        if doomed.suffix != _DOOMED:
            # It is renamed first, so that nobody meets half a folder.
            doomed = doomed.rename(doomed.with_name(f"{doomed.name}{_DOOMED}"))
        for file in folder.files:
            (doomed / file.name).unlink(missing_ok=True)
        doomed.rmdir()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold a folder exclusively; OSError if another process holds it."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
