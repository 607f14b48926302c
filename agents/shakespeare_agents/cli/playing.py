"""Options of commands that play many games: workers, progress bars and results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from shakespeare_agents.naming import AgentSpec
from shakespeare_env.cli.choices import exit_with_error

if TYPE_CHECKING:
    from shakespeare_agents.workers import Workers

WorkerCount = Annotated[
    int,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        max=1024,
        help="Processes that play the games. Their number changes no result.",
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="auto|local|ADDRESS",
        help="Play on a Ray cluster: the one that this machine belongs to (auto), one that is "
        "started on this machine alone (local), or the one at an address.",
        show_default=False,
    ),
]
ResultFile = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE.json", help="Write the results to this file as JSON."),
]


@contextmanager
def open_chosen_workers(processes: int, ray: str | None) -> Iterator[Workers | None]:
    """Open the chosen workers for the length of a block. Yield None for this process itself."""
    if ray is not None and processes != 1:
        raise typer.BadParameter("give --workers or --ray, not both", param_hint="--ray")
    if ray is None and processes == 1:
        yield None
        return
    # This slow import is made here to keep the shell's completion quick.
    from shakespeare_agents.workers import open_workers

    with open_workers(processes, ray) as workers:
        yield workers


def games_progress(words: str = "{task.fields[decisions]:,} decisions") -> Progress:
    """Return a progress bar on stderr that counts games.

    Args:
        words: A template for the text before the bar. Tasks must have the fields that it names.
    """
    return Progress(
        TextColumn(words),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextmanager
def show_games_progress(total: int | None) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar for the length of a block, and yield a function that updates it.

    The function takes the numbers of decisions and of finished games so far.
    """
    with games_progress() as progress:
        task = progress.add_task("playing", total=total, decisions=0)
        yield lambda decisions, finished: progress.update(
            task, completed=finished, decisions=decisions
        )


def show_result(result: Any, out: Path | None) -> None:
    """Print the `table()` of a result, and `save` the result to a file if one is given."""
    Console().print(result.table())
    if out is not None:
        try:
            result.save(out)
        except OSError as error:
            exit_with_error(f"cannot write {out}: {error}")


def warn_of_clock(named: Iterable[str]) -> None:
    """Say which of the named agents go by the clock, below results that this affects."""
    by_clock = [name for name in dict.fromkeys(named) if AgentSpec.parse(name).goes_by_clock]
    if by_clock:
        Console().print(
            f"By the clock: {', '.join(by_clock)}. These games cannot be repeated, and on a faster "
            "or less busy machine such an agent is stronger.",
            markup=False,
            highlight=False,
        )
