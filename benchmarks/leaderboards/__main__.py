"""Both leaderboards: `make leaderboards` plays the missing games and writes the page.

The arenas are in `arenas.py`. Their games are kept in a folder for each game. The page is
docs/leaderboards.md, with a picture for each game.
"""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.leaderboards.arenas import ARENAS, HERE
from benchmarks.leaderboards.pages import write_pages
from shakespeare_arena.config import ArenaConfig
from shakespeare_arena.tournament import run_arena


def main(
    play: Annotated[
        bool, typer.Option(help="Play the missing games before the pages are written.")
    ] = True,
) -> None:
    """Play the arenas of both games, and write their ladders."""
    for arena in ARENAS if play else ():
        _play(arena)
    for path in write_pages():
        Console().print(f"written: {path}", highlight=False)


def _play(arena: ArenaConfig) -> None:
    title = f"{arena.game}: {', '.join(agent.label for agent in arena.agents)}"
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeElapsedColumn(),
    ) as bar:
        task = bar.add_task(title)
        ending = run_arena(
            arena,
            HERE / arena.game,
            on_progress=lambda _, games, total, *__: bar.update(task, completed=games, total=total),
        )
    Console().print(f"{title}: stopped because {ending}", highlight=False)


if __name__ == "__main__":
    typer.run(main)
