"""A command's results file, checked before hours of play."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Protocol

import typer
from rich.console import Console, RenderableType

from shakespeare_env.cli.choices import give_up

ResultFile = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE.json", help="Write the results to this file as JSON."),
]


class Result(Protocol):
    """What can be printed and written to a file."""

    def table(self) -> RenderableType:
        """It as a table."""
        ...

    def save(self, path: Path) -> None:
        """Write it; OSError if that fails."""
        ...


def check_writable(out: Path | None) -> None:
    """Give up if a file is asked for and cannot be written."""
    if out is None:
        return
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


def show_result(result: Result, out: Path | None) -> None:
    """Print results, and write them to a file if one is given; give up if that fails."""
    Console().print(result.table())
    if out is None:
        return
    try:
        result.save(out)
    except OSError as error:
        give_up(f"cannot write {out}: {error}")
