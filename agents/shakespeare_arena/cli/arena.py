"""`shakespeare arena`: a field of agents plays until it is settled who is strongest.

`arena report` shows what its games say, `arena merge` adds up the games of several arenas.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_agents.cli import playing as workers_options
from shakespeare_env.checks.values import command
from shakespeare_env.cli.choices import give_up, interrupted
from shakespeare_env.errors import ArenaError, DatasetError

if TYPE_CHECKING:
    from shakespeare_arena import tournament


FieldFile = Annotated[
    Path, typer.Argument(metavar="FIELD.toml", help="Who plays, at which tables, for how long.")
]


def arena(
    field: FieldFile,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where finished games are kept; resumed if unfinished.",
            show_default="the field's name without .toml",
        ),
    ] = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="In place of the field's.", show_default=False)
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.001, help="In place of the field's.", show_default=False)
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run the programs and the Python that the field names.")
    ] = False,
    threads: lineup_options.Threads = 1,
    workers: workers_options.Processes = 1,
    ray: workers_options.Ray = None,
) -> None:
    """Let a field of agents play until their order is settled at 95 %, or time is up.

    Who meets is drawn so that what is least known is played most. Every finished game is kept: the
    same command resumes, and plays on after a change of the field.
    """
    folder = field.with_suffix("") if results is None else results
    report = command("arena", "report", folder)
    # Here and below, slow imports are late to keep the shell's completion quick.
    try:
        from shakespeare_arena.field import Field
        from shakespeare_arena.sheets import standings_tables
        from shakespeare_arena.standings import standings_of
        from shakespeare_arena.tournament import run_arena
        from shakespeare_env.datasets.reading import read_results

        given = {"games": games, "minutes": minutes}
        changes = {name: value for name, value in given.items() if value is not None}
        wanted = Field.read(field).model_copy(update=changes)
        if (run := wanted.runs()) and not trust:  # before the file's author can run code here
            give_up(f"{field} runs {'; '.join(map(repr, run))}; add --trust if you trust it")
        # Leaving this way also ends the programs that were started.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        columns = BarColumn(), MofNCompleteColumn(), TextColumn("games"), TimeElapsedColumn()
        words = TextColumn("round {task.fields[round]}")
        bar = Progress(words, *columns, console=Console(stderr=True), transient=True)
        task = bar.add_task("playing", round=0, total=None)

        def show(now: tournament.Progress) -> None:
            bar.update(task, completed=now.games, total=now.planned, round=now.round + 1)

        with workers_options.chosen(workers, ray) as crew, bar:
            ending = run_arena(wanted, folder, threads=threads, on_progress=show, workers=crew)
        standings = standings_of(read_results(folder))
    except (ArenaError, DatasetError, ModuleNotFoundError) as fault:
        give_up(str(fault))
    except OSError as fault:
        give_up(f"the results cannot be written ({fault}); the same command resumes")
    except KeyboardInterrupt:
        interrupted(f"Stopped; finished games are kept: {report}\n")
    console = Console()
    console.print(standings_tables(standings))
    page = f" As a page: {report}" if standings.games else ""
    console.print(f"Stopped because {ending}.{page}", highlight=False, markup=False)


def arena_report(
    results: Annotated[Path, typer.Argument(metavar="FOLDER", help="An arena's results.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.html", show_default="report.html in FOLDER")
    ] = None,
) -> None:
    """Show an arena's standings: as tables here, and as one page with everything in it."""
    try:
        from shakespeare_arena.report import write_report
        from shakespeare_arena.sheets import standings_tables
        from shakespeare_arena.standings import standings_of
        from shakespeare_env.datasets.reading import read_results

        rows = read_results(results)
        if rows.is_empty():
            give_up(f"{results} holds no finished game yet; play some first")
        standings = standings_of(rows)
        page = results / "report.html" if out is None else out
        Console().print(standings_tables(standings))
        write_report(standings, results, page)
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
        from shakespeare_arena.games.store import merge

        new = merge(results, into)
    except (ArenaError, DatasetError, ModuleNotFoundError) as fault:
        give_up(str(fault))
    except OSError as fault:
        give_up(f"{into} cannot be written ({fault})")
    typer.echo(f"{into}: {new:,} new games.")
