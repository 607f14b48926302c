"""The leaderboards: `make leaderboards` plays what is missing of both and writes them.

Fields are `<game>.toml` and then `<game>_*.toml`, the games of all `<game>/`; what is
written: docs/leaderboards.md and the pictures of each ladder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.leaderboards.pages import HERE, fields_of, write_pages
from shakespeare_arena.field import Field
from shakespeare_arena.tournament import run_arena
from shakespeare_env.core import registry


def main(
    play: Annotated[
        bool, typer.Option(help="Play what is missing before the pages are written.")
    ] = True,
) -> None:
    """Play the fields of both games, and write what came of it."""
    if play:
        for name in registry.names():
            for field in fields_of(name):
                _play(field, HERE / name)
    for path in write_pages():
        Console().print(f"written: {path}", highlight=False)


def _play(field: Path, results: Path) -> None:
    columns = BarColumn(), MofNCompleteColumn(), TextColumn("games"), TimeElapsedColumn()
    with Progress(TextColumn(field.stem), *columns) as bar:
        task = bar.add_task(field.stem)
        ending = run_arena(
            Field.read(field),
            results,
            on_progress=lambda _, games, total: bar.update(task, completed=games, total=total),
        )
    Console().print(f"{field.stem}: stopped because {ending}", highlight=False)


if __name__ == "__main__":
    typer.run(main)
