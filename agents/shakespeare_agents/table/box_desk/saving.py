"""An owner's box file on disk: written whole, and never over what somebody else has written."""

from __future__ import annotations

import hashlib
from pathlib import Path

from shakespeare_agents.storage import write_atomically
from shakespeare_env.checks.box_files import LARGEST_BOX
from shakespeare_env.checks.limits import read_regular
from shakespeare_env.errors import BoxError

NEW = "new"
"""The state of a file that does not exist."""


def state_of(path: Path) -> str:
    """What a file holds, in a word; BoxError if it cannot be read."""
    try:
        return hashlib.sha256(read_regular(path, LARGEST_BOX)).hexdigest()
    except FileNotFoundError:
        return NEW
    except OSError as error:
        raise BoxError(f"{path}: cannot be read ({error.strerror}); name another file") from error


def save(path: Path, text: str, seen: str) -> str:
    """Write a file and return its new state.

    Args:
        path: The file.
        text: Its new content.
        seen: Its state when the owner began.

    Raises:
        BoxError: it holds something else by now, or cannot be written.
    """
    if state_of(path) != seen:
        raise BoxError(
            f"{path}: has been written by something else since this page was opened; download "
            "your values, then open the page again"
        )
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise BoxError(
            f"{path}: cannot be written ({error.strerror}); download your values instead"
        ) from error
    return state_of(path)
