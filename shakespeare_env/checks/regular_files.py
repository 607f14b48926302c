"""Untrusted files: they must be regular, and of a size known before they are read.

A device may be endless, and a pipe waits for its writer; a link counts as what it leads to.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path


def regular_size(path: Path, at_most: int | None = None) -> int:
    """A file's size in bytes, for code that reads it by name.

    Raises:
        OSError: there is no such file, it is a folder, device or pipe, or has over `at_most` bytes.
    """
    # open() would have effects on some devices.
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    if at_most is not None and about.st_size > at_most:
        raise OSError(errno.EFBIG, f"{_too_large(about.st_size)} {at_most:,} can be", str(path))
    return about.st_size


def open_regular(path: Path, at_most: int | None = None) -> io.BufferedReader:
    """Open a file for reading; errors as of `regular_size`."""
    regular_size(path, at_most)
    # Opening does not wait even if a pipe has replaced the file meanwhile.
    file = os.fdopen(os.open(path, os.O_RDONLY | _WITHOUT_WAITING), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return file


def read_regular(path: Path, at_most: int) -> bytes:
    """A file's content; errors as of `regular_size`."""
    with open_regular(path, at_most) as file:
        content = file.read(at_most + 1)
    if len(content) > at_most:  # it has grown
        raise OSError(errno.EFBIG, f"{_too_large(len(content))} {at_most:,} can be", str(path))
    return content


_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Windows has no pipes among its files, but would translate the ends of lines."""


def _too_large(size: int) -> str:
    return f"it has {size:,} bytes, and at most"
