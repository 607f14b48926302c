"""Limits on files and memory, so that no input can exhaust the machine.

A file from outside must be a regular file, since a device may be endless and a pipe waits for its
writer. Its size is checked before it is read. A link counts as the file that it leads to.
"""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from shakespeare_env.errors import MemoryLimitError

_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""The files that hold a container's memory limit (Linux control groups, versions 2 and 1)."""


def regular_size(path: Path, at_most: int | None = None) -> int:
    """Return the size of a regular file in bytes.

    Raises:
        OSError: there is no such file, it is a folder, a device or a pipe, or it has more than
            `at_most` bytes.
    """
    status = path.stat()  # open() would have effects on some devices
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    if at_most is not None and status.st_size > at_most:
        fault = f"it has {status.st_size:,} bytes, and at most {at_most:,} are allowed"
        raise OSError(errno.EFBIG, fault, str(path))
    return status.st_size


def read_regular(path: Path, at_most: int) -> bytes:
    """Return a file's content, limited to its size when it is opened.

    Errors are those of `regular_size`.
    """
    size = regular_size(path, at_most)
    with path.open("rb") as file:
        return file.read(size)


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML from outside; ValueError if it is not TOML or nests too deeply."""
    try:
        return tomllib.loads(text)
    except RecursionError as fault:
        raise ValueError("it nests too deeply") from fault


def is_utf8(path: Path) -> bool:
    """Return whether a path can be encoded in UTF-8, as some libraries assume."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def read_text(path: Path, at_most: int = 2**20) -> str:
    """Return a file's text in UTF-8, without the byte order mark that some editors put first.

    Raises:
        OSError: the file cannot be read; see `regular_size`.
        UnicodeDecodeError: the file is not in UTF-8.
    """
    return read_regular(path, at_most).decode("utf-8-sig")


@cache
def total_memory() -> int | None:
    """Return the number of bytes that this process may use; None if the system does not say."""
    limits = []
    with suppress(AttributeError, ValueError, OSError):  # sysconf or a name is missing
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for file in _CONTAINER_LIMITS:
        text = file.read_text().strip() if file.is_file() else ""
        if text.isdecimal():  # "max" is no limit
            limits.append(int(text))
    return min(limits, default=None)


def require_memory(what: str, needed: int, remedy: str, available: int | None = None) -> None:
    """Refuse a request that cannot fit, before memory is allocated.

    Args:
        what: The request in words, such as `"a batch of 1000000 games"`.
        needed: An estimate of its memory, in bytes.
        remedy: The remedy, such as `"use fewer games"`.
        available: The bytes that may be used, by default `total_memory()`.

    Raises:
        MemoryLimitError: `needed` is more than is available. Nothing is refused if that is unknown.
    """
    if available is None:
        available = total_memory()
    if available is not None and needed > available:
        raise MemoryLimitError(
            f"{what} needs about {readable_size(needed)} of memory, but this process may "
            f"use {readable_size(available)}: {remedy}"
        )


def readable_size(size: int) -> str:
    """Return a number of bytes in GiB, such as `"1.5 GiB"`."""
    # Integers beyond the range of floats cannot be divided, so 2**80 stands for all greater sizes.
    return f"{min(size, 2**80) / 2**30:.3g} GiB"
