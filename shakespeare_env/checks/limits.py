"""What would take the machine down: endless files, and more than its memory.

Untrusted files must be regular, and of a size known before they are read: a device may be endless,
and a pipe waits for its writer. A link counts as what it leads to.
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

_GROUPS = Path("/sys/fs/cgroup")
_GROUP_LIMITS = (_GROUPS / "memory.max", _GROUPS / "memory/memory.limit_in_bytes")
"""A container's own limit, which it sees at the root (Linux, versions 2 and 1)."""


def regular_size(path: Path, at_most: int | None = None) -> int:
    """A file's size in bytes, for code that reads it by name.

    Raises:
        OSError: there is no such file, it is a folder, device or pipe, or has over `at_most` bytes.
    """
    about = path.stat()  # open() would have effects on some devices
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    if at_most is not None and about.st_size > at_most:
        larger = f"it has {about.st_size:,} bytes, and at most {at_most:,} can be"
        raise OSError(errno.EFBIG, larger, str(path))
    return about.st_size


def read_regular(path: Path, at_most: int) -> bytes:
    """A file's content, as far as its size was; errors as of `regular_size`."""
    size = regular_size(path, at_most)
    with path.open("rb") as file:
        return file.read(size)


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML from outside; ValueError if it is none or nests too deeply."""
    try:
        return tomllib.loads(text)
    except RecursionError as fault:
        raise ValueError("it nests too deeply") from fault


def is_utf8(path: Path) -> bool:
    """Return whether a path can be written in UTF-8, which some libraries take for granted."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def read_text(path: Path, at_most: int = 2**20) -> str:
    """The same for text in UTF-8, without the byte order mark that some editors put first."""
    return read_regular(path, at_most).decode("utf-8-sig")


@cache
def total_memory() -> int | None:
    """Bytes this process may use at most; None where the system does not say."""
    limits = []
    with suppress(AttributeError, ValueError, OSError):  # sysconf or a name is missing
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for file in _GROUP_LIMITS:
        text = file.read_text().strip() if file.is_file() else ""
        if text.isdecimal():  # "max" is no limit
            limits.append(int(text))
    return min(limits, default=None)


def require_memory(what: str, needed: int, remedy: str) -> None:
    """Refuse what cannot fit this machine, before memory is taken.

    Args:
        what: The request as the user wrote it, such as `"a batch of 1000000 games"`.
        needed: The estimate, in bytes.
        remedy: The remedy, such as `"use fewer games"`.

    Raises:
        MemoryLimitError: `needed` is more than `total_memory()`, which may be unknown.
    """
    total = total_memory()
    if total is not None and needed > total:
        raise MemoryLimitError(
            f"{what} needs about {readable_size(needed)} of memory, but this process may "
            f"use {readable_size(total)}: {remedy}"
        )


def readable_size(size: int) -> str:
    """A number of bytes in GiB, such as `"1.5 GiB"`."""
    return f"{min(size, 2**80) / 2**30:.3g} GiB"
