"""The progress bar for many games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


def games_progress() -> Progress:
    """A bar on stderr that counts games; tasks have a field `decisions`."""
    return Progress(
        TextColumn("{task.fields[decisions]:,} decisions"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextmanager
def counted_games(total: int | None) -> Iterator[Callable[[int, int], None]]:
    """A bar for the length of a block: call it with the decisions and the games finished so far."""
    with games_progress() as progress:
        task = progress.add_task("playing", total=total, decisions=0)
        yield lambda decisions, finished: progress.update(
            task, completed=finished, decisions=decisions
        )
