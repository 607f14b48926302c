"""`shakespeare arena`: a field of agents plays until it is settled who is strongest."""

from __future__ import annotations

import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from shakespeare_agents.cli import lineup_options, workers_options
from shakespeare_env.cli.choices import give_up
from shakespeare_env.errors import ArenaError, DatasetError

if TYPE_CHECKING:
    from shakespeare_agents.arena import tournament
    from shakespeare_agents.arena.field import Field
    from shakespeare_agents.arena.standings.standings import Standings

_INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""

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
        int | None,
        typer.Option(min=1, max=10**9, help="In place of the field's.", show_default=False),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(min=0.001, max=1e6, help="In place of the field's.", show_default=False),
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
    # Here and below, slow imports are late to keep the shell's completion quick.
    try:
        from shakespeare_agents.arena.report.tables import standings_tables
        from shakespeare_agents.arena.tournament import run_arena

        wanted = _read(field, games, minutes)
        _check_trusted(field, wanted, trust)
        wanted = wanted.loaded()
        # Leaving this way also ends the programs that were started.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        tables = " and ".join(map(str, wanted.players))
        typer.echo(
            f"{len(wanted.agents)} agents, tables of {tables}, at most {wanted.games:,} games, "
            f"kept in {folder}",
            err=True,
        )
        with workers_options.chosen(workers, ray) as crew, _Display() as display:
            ending = run_arena(
                wanted, folder, threads=threads, on_progress=display.show, workers=crew
            )
    except (ArenaError, DatasetError, ModuleNotFoundError) as fault:
        give_up(str(fault))
    except OSError as fault:
        give_up(f"the results cannot be written ({fault}); the same command resumes")
    except KeyboardInterrupt:
        command = shlex.join(["shakespeare", *sys.argv[1:]])
        typer.echo(
            f"Stopped; finished games are kept: shakespeare arena report {folder}\n"
            f"To resume: {command}",
            err=True,
        )
        raise typer.Exit(_INTERRUPTED) from None
    console = Console()
    standings = display.standings()
    console.print(standings_tables(standings))
    report = shlex.join(["shakespeare", "arena", "report", str(folder)])
    page = f" As a page: {report}" if standings.games else ""
    console.print(f"Stopped because {ending}.{page}", highlight=False, markup=False)


def _read(file: Path, games: int | None, minutes: float | None) -> Field:
    from shakespeare_agents.arena.field import Field

    given = {"games": games, "minutes": minutes}
    return Field.read(file).model_copy(update={k: v for k, v in given.items() if v is not None})


def _check_trusted(file: Path, field: Field, trust: bool) -> None:
    """Give up before the file's author can run code here."""
    if field.runs() and not trust:
        give_up(f"{file} runs {'; '.join(map(repr, field.runs()))}; add --trust if you trust it")


class _Display:
    """A bar on stderr for the games of a round."""

    def __init__(self) -> None:
        self._last: tournament.Progress | None = None
        self._bar = Progress(
            TextColumn("round {task.fields[round]}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("games"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("playing", round=0, total=None)

    def __enter__(self) -> _Display:
        self._bar.start()
        return self

    def __exit__(self, *_fault: object) -> None:
        self._bar.stop()

    def show(self, progress: tournament.Progress) -> None:
        self._last = progress
        self._bar.update(
            self._task, completed=progress.games, total=progress.planned, round=progress.round + 1
        )

    def standings(self) -> Standings:
        """The standings by all games in the folder."""
        from shakespeare_agents.arena.standings import standings_of

        assert self._last is not None
        return standings_of(self._last.results())
