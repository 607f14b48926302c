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
from contextlib import suppress
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

try:
    import fcntl
    import grp
    import pwd
except ImportError:  # Windows
    fcntl = grp = pwd = None  # type: ignore[assignment]

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
_TRIES = 3


def folder_named(name: str) -> Path | None:
    """A folder for compiled code, made if missing; None, with one warning, if none is safe.

    It is below `SHAKESPEARE_CACHE`, or else in the user's cache folder.  Until this process ends it
    is marked as in use.
    """
    try:
        own = os.environ.get(CACHE_VARIABLE)
        home = Path(own) / _NAME if own else user_cache_path(_NAME, appauthor=False)
    except RuntimeError:  # the system does not know the user
        _warn("you have no home folder")
        return None
    safe = _safe(home)
    return None if safe is None else _held(safe, name)


def foreign_hands(path: Path) -> str | None:
    """Why the content of a file or folder may be somebody else's; None if it is the user's own.

    Raises:
        OSError: it cannot be examined.
    """
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return f"{path} is a link"
    return _foreign_owner(path, status, _user()) or _other_writers(path, status)


@cache
def _safe(home: Path) -> Path | None:
    """The folder with links resolved, made if missing and checked from the root down."""
    try:
        whole = Path(os.path.realpath(home))
        for folder in reversed(whole.parents):
            _make(folder)
            if fault := _unsafe_above(folder):
                _warn(fault)
                return None
        _make(whole)
        if fault := foreign_hands(whole):
            _warn(fault)
            return None
    except OSError as fault:
        _warn(f"{fault}")
        return None
    return whole


@cache
def _held(home: Path, name: str) -> Path | None:
    folder = home / name
    try:
        is_new = not folder.exists()
        _hold(folder)
        if fault := foreign_hands(folder):
            _warn(fault)
            return None
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)  # so that cleaning sees when it was last used
    except OSError as fault:
        _warn(f"{fault}")
        return None
    if is_new:
        clean(home)
    return folder


def _make(folder: Path) -> None:
    if not os.path.lexists(folder):
        with suppress(FileExistsError):
            folder.mkdir(0o700)


def _hold(folder: Path) -> None:
    """Make a folder and share a lock on it until the process ends, which keeps cleaning away."""
    for _ in range(_TRIES):
        _make(folder)
        if fcntl is None:
            return
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        with suppress(OSError):  # some file systems have no locks
            fcntl.flock(handle, fcntl.LOCK_SH)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), folder.lstat()):
                return
        os.close(handle)  # it was cleaned up in between


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
    """Delete folders of compiled code that nobody uses any more: old versions and boxes.

    Folders that a process holds and those that do not look exactly like ours are spared; what
    cannot be deleted stays, silently.
    """
    now, total = time.time(), 0
    with suppress(OSError):
        for folder in sorted(home.iterdir(), key=lambda one: one.lstat().st_mtime, reverse=True):
            with suppress(OSError):
                files = _files_in(folder)
                if files is None:
                    continue
                size = sum(file.lstat().st_size for file in files)
                age = now - folder.lstat().st_mtime
                if age > UNUSED or (total + size > MOST_BYTES and age > RECENT):
                    _delete(folder, files)
                else:
                    total += size


def _files_in(folder: Path) -> list[Path] | None:
    """The files of a folder of compiled code; None if it is something else."""
    if not (_FOLDER.fullmatch(folder.name) and stat.S_ISDIR(folder.lstat().st_mode)):
        return None
    files = list(folder.iterdir())
    ours = all(_FILE.fullmatch(one.name) and stat.S_ISREG(one.lstat().st_mode) for one in files)
    return files if ours else None


def _delete(folder: Path, files: list[Path]) -> None:
    """Delete a folder; OSError if a process holds it."""
    handle = None
    if fcntl is not None:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if handle is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for file in files:
            file.unlink(missing_ok=True)
        folder.rmdir()
    finally:
        if handle is not None:
            os.close(handle)
