"""Both leaderboards: `make leaderboards` plays the missing games and writes the page.

A game's arenas are `<game>.toml` and then `<game>_*.toml`. Their games are kept together in the
folder `<game>`. The page is docs/leaderboards.md, with a picture for each game.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.leaderboards.pages import HERE, arenas_of, write_pages
from shakespeare_arena.config import ArenaConfig
from shakespeare_arena.tournament import run_arena
from shakespeare_env.core import registry


def main(
    play: Annotated[
        bool, typer.Option(help="Play the missing games before the pages are written.")
    ] = True,
) -> None:
    """Play the arenas of both games, and write their ladders."""
    if play:
        for name in registry.names():
            for arena in arenas_of(name):
                _play(arena, HERE / name)
    for path in write_pages():
        Console().print(f"written: {path}", highlight=False)


def _play(arena: Path, results: Path) -> None:
    with Progress(
        TextColumn(arena.stem),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeElapsedColumn(),
    ) as bar:
        task = bar.add_task(arena.stem)
        ending = run_arena(
            ArenaConfig.read(arena),
            results,
            on_progress=lambda _, games, total, _decisions: bar.update(
                task, completed=games, total=total
            ),
        )
    Console().print(f"{arena.stem}: stopped because {ending}", highlight=False)


if __name__ == "__main__":
    typer.run(main)
