"""The progress bar for many games."""

from __future__ import annotations

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
