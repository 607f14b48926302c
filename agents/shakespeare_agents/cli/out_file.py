"""A command's results file, checked before hours of play."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from shakespeare_env.cli.choices import give_up


class Result(Protocol):
    """What can be written to a file."""

    def save(self, path: Path) -> None:
        """Write it; OSError if that fails."""
        ...


def check_writable(out: Path) -> None:
    """Give up if the file cannot be written."""
    folder = out.parent
    if out.is_dir():
        give_up(f"cannot write {out}: it is a folder; give the name of a file")
    if out.exists() and not out.is_file():
        # Saving would replace it, /dev/null included.
        give_up(f"cannot write {out}: it is a device or a pipe; give the name of a file")
    if not folder.is_dir():
        give_up(f"cannot write {out}: there is no folder {folder}; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        give_up(f"cannot write {out}: you may not write in the folder {folder}")


def save_result(result: Result, out: Path) -> None:
    """Write results; give up if that fails."""
    try:
        result.save(out)
    except OSError as error:
        give_up(f"cannot write {out}: {error}")
