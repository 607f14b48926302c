"""Options of the commands whose games several processes or machines can play."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from shakespeare_agents.workers import MOST_WORKERS
from shakespeare_env.cli import choices

if TYPE_CHECKING:
    from shakespeare_agents.workers import Workers

Processes = Annotated[
    int,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        max=MOST_WORKERS,
        help="Processes that play the games; change no result.",
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="auto|local|ADDRESS",
        help="Play on a Ray cluster: the one this machine belongs to, one started on this machine "
        "alone, or the one at an address.",
        show_default=False,
    ),
]


@contextmanager
def chosen(processes: int, ray: str | None) -> Iterator[Workers | None]:
    """The chosen workers for the length of a block; None is this process itself.

    A usage error if both are given; gives up if Ray is not installed. Other errors as of
    `open_workers`.
    """
    if ray is not None and processes != 1:
        raise typer.BadParameter("give --workers or --ray, not both", param_hint="--ray")
    if ray is None and processes == 1:
        yield None
        return
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_agents.workers import open_workers

    with ExitStack() as stack:
        try:
            workers = stack.enter_context(open_workers(processes, ray))
        except ModuleNotFoundError as missing:
            choices.give_up(str(missing))
        yield workers
