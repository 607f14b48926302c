"""`shakespeare arena report` and `merge`: what an arena's games say, and games of several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from shakespeare_env.cli.choices import give_up
from shakespeare_env.errors import ArenaError, DatasetError


def arena_report(
    results: Annotated[Path, typer.Argument(metavar="FOLDER", help="An arena's results.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.html", show_default="report.html in FOLDER")
    ] = None,
) -> None:
    """Tell an arena's standings: as tables here, and as one page with everything in it."""
    # Here and below, slow imports are late to keep the shell's completion quick.
    try:
        from shakespeare_agents.arena.report import about_results, write_report
        from shakespeare_agents.arena.report.tables import standings_tables
        from shakespeare_agents.arena.standings import standings_of
        from shakespeare_env.datasets.results_reading import read_results

        rows = read_results(results)
        if rows.is_empty():
            give_up(f"{results} holds no finished game yet; play some first")
        standings = standings_of(rows)
        page = results / "report.html" if out is None else out
        Console().print(standings_tables(standings))
        write_report(standings, about_results(results, rows), page)
    except (ArenaError, DatasetError, ModuleNotFoundError) as fault:
        give_up(str(fault))
    except OSError as fault:
        give_up(f"the page cannot be written ({fault}); give another --out")
    typer.echo(f"Written: {page}")


def arena_merge(
    results: Annotated[
        list[Path], typer.Argument(metavar="FOLDER...", help="Results of arenas of one game.")
    ],
    into: Annotated[
        Path, typer.Option(metavar="FOLDER", help="New, or an arena's.", show_default=False)
    ] = ...,  # type: ignore[assignment]
) -> None:
    """Copy the games of several arenas into one folder; each game counts once."""
    try:
        from shakespeare_agents.arena.games.store import merge

        new = merge(results, into)
    except (ArenaError, DatasetError, ModuleNotFoundError) as fault:
        give_up(str(fault))
    except OSError as fault:
        give_up(f"{into} cannot be written ({fault})")
    typer.echo(f"{into}: {new:,} new games.")
