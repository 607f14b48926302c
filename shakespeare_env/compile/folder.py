"""The folder that compiled code is kept in: one that nobody else can write.

Loading compiled code runs it.  So the folder and its files must belong to the user and be writable
by nobody else, nor may anybody replace them: every folder above belongs to the user, root or the
owner of the root folder (in containers some `nobody` stands for root), and others cannot write it,
or its sticky bit (as in /tmp) protects what is not theirs.  A group without other members counts as
the user.  Where users have no numbers, as on Windows, the system's own protection must suffice.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

try:
    import grp
    import pwd
except ImportError:  # Windows
    grp = pwd = None  # type: ignore[assignment]

CACHE_VARIABLE = "SHAKESPEARE_CACHE"
_NAME = "shakespeare-env"
DRAFT, TURN = ".draft", ".turn"
"""The ends of names of files being written, and of locks of those who write them."""
DAY = 24 * 60 * 60
"""Seconds."""
UNUSED = 90 * DAY
"""Seconds without use after which a folder is deleted."""
MOST_BYTES = 2**28
"""Beyond this many bytes in all the folders used longest ago go, too; both games take 8 MB."""
RECENT = DAY
"""Seconds within which a used folder is kept even then."""
_FOLDER = re.compile(r"[A-Za-z0-9_-]+-[0-9a-f]{24}")
_FILE = re.compile(r".+\.(code|turn|draft)")


def folder_named(name: str) -> Path | None:
    """A folder for compiled code, made if missing; None, with one warning, if none is safe.

    It is below `SHAKESPEARE_CACHE`, or else in the user's cache folder.
    """
    own = os.environ.get(CACHE_VARIABLE)
    try:
        return _checked(Path(own) / _NAME if own else user_cache_path(_NAME, appauthor=False), name)
    except RuntimeError:  # the system does not know the user
        _warn("you have no home folder")
    except OSError as fault:
        _warn(f"{fault}")
    return None


@cache
def _checked(home: Path, name: str) -> Path:
    """The folder with links resolved, made if missing and checked from the root down."""
    whole = Path(os.path.realpath(home))
    for folder in reversed(whole.parents):
        _make(folder, _unsafe_above)
    _make(whole, foreign_hands)
    folder = whole / name
    is_new = not folder.exists()
    _make(folder, foreign_hands)
    tempfile.TemporaryFile(dir=folder).close()
    os.utime(folder)  # so that cleaning sees when it was last used
    if is_new:
        clean(whole)
    return folder


def _make(folder: Path, fault_of: Callable[[Path], str | None]) -> None:
    """Make a folder if it is missing; PermissionError if it has a fault."""
    if not os.path.lexists(folder):
        with suppress(FileExistsError):
            folder.mkdir(0o700)
    if fault := fault_of(folder):
        raise PermissionError(fault)


def foreign_hands(path: Path) -> str | None:
    """Why the content of a file or folder may be somebody else's; None if it is the user's own.

    Raises:
        OSError: it cannot be examined.
    """
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return f"{path} is a link"
    return _foreign_owner(path, status, _user()) or _other_writers(path, status)


def _unsafe_above(folder: Path) -> str | None:
    """Why somebody else may replace what a folder holds."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return f"{folder} is no folder"
    if fault := _foreign_owner(folder, status, _user(), 0, os.stat(folder.anchor).st_uid):
        return fault
    return None if status.st_mode & stat.S_ISVTX else _other_writers(folder, status)


def _user() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0


def _foreign_owner(path: Path, status: os.stat_result, *trusted: int) -> str | None:
    if status.st_uid in trusted:
        return None
    return f"{path} belongs to user {status.st_uid}, and you are user {_user()}"


def _other_writers(path: Path, status: os.stat_result) -> str | None:
    if pwd is None:
        return None
    mode = status.st_mode
    if mode & stat.S_IWOTH or (mode & stat.S_IWGRP and not _is_own_group(status.st_gid)):
        return f"others can write {path}; take that from them with `chmod go-w`"
    return None


@cache
def _is_own_group(group: int) -> bool:
    """Whether the user is alone in a group, as where everybody has a group of their own."""
    try:
        own = pwd.getpwuid(_user())
        members = grp.getgrgid(group).gr_mem
    except KeyError:
        return False
    others = {user.pw_name for user in pwd.getpwall() if user.pw_gid == group} | set(members)
    return own.pw_gid == group and others <= {own.pw_name}


@cache
def _warn(fault: str) -> None:
    """Warn of each fault once, however many kernels it concerns."""
    warnings.warn(
        f"compiled code is not kept: {fault}. Every process will compile it anew; "
        f"set {CACHE_VARIABLE} to a folder that you can write and nobody else",
        RuntimeWarning,
        stacklevel=2,
    )


def clean(home: Path) -> None:
    """Delete folders of compiled code that nobody has used for long: old versions and boxes.

    Whatever does not look exactly like ours is spared; what cannot be deleted stays, silently. A
    process whose folder goes compiles what it still needs.
    """
    now, total = time.time(), 0
    with suppress(OSError):
        for folder in sorted(home.iterdir(), key=lambda one: one.lstat().st_mtime, reverse=True):
            with suppress(OSError):
                if not (_FOLDER.fullmatch(folder.name) and stat.S_ISDIR(folder.lstat().st_mode)):
                    continue
                files = {file: file.lstat() for file in folder.iterdir()}
                if not all(
                    _FILE.fullmatch(f.name) and stat.S_ISREG(s.st_mode) for f, s in files.items()
                ):
                    continue
                size = sum(status.st_size for status in files.values())
                age = now - folder.lstat().st_mtime
                if age <= RECENT or (age <= UNUSED and total + size <= MOST_BYTES):
                    total += size
                    continue
                for file in files:
                    file.unlink()
                folder.rmdir()
