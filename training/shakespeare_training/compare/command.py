"""`shakespeare curves`: several runs in one picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shakespeare_agents.cli.options.out_file import check_writable
from shakespeare_env.checks.values import shown
from shakespeare_env.cli.choices import give_up
from shakespeare_env.errors import CheckpointError
from shakespeare_env.extras import needing


def curves(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.", show_default=False)
    ],
    players: Annotated[
        int | None,
        typer.Option(min=1, help="Seats at the table.", show_default="the most of all runs"),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT", help="Whom they played.", show_default="the last that all played"
        ),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE.png", help="The picture.")] = Path(
        "curves.png"
    ),
) -> None:
    """Draw the learning curves of several runs; those that differ in their seed alone are one line.

    A line is the mean over its seeds. Its band goes from the lowest to the highest.
    """
    check_writable(out)
    # Slow imports are late to keep the shell's completion quick.
    try:
        with needing("train", "learning curves need"):
            from shakespeare_agents.storage import write_atomically
            from shakespeare_training.compare.picture import compared
            from shakespeare_training.compare.series import followed, grouped
            from shakespeare_training.runs.history import ITSELF, SOLO
        found = [followed(folder) for folder in runs]
    except (CheckpointError, ModuleNotFoundError) as fault:
        give_up(str(fault))
    if len(games := {run.settings["game"] for run in found}) > 1:
        give_up(f"these are runs of {', '.join(sorted(games))}; give runs of one game")
    kinds = [dict.fromkeys(run.history.keys()) for run in found]
    common = [kind for kind in kinds[-1] if all(kind in others for others in kinds)]
    seats = max((count for count, _ in common), default=0) if players is None else players
    names = [name for count, name in common if count == seats and name not in (ITSELF, SOLO)]
    if seats not in {count for count, _ in common}:
        give_up(f"not all runs were measured at one table of {seats or 'any'} seats")
    if against is not None and against not in names:
        known = ", ".join(names) or "nobody"
        give_up(f"not all runs played {shown(against)} at {seats} seats; all played {known}")
    picture = compared(grouped(found), seats, against or (names[-1] if names else "others"))
    try:
        write_atomically(out, picture.png())
    except OSError as fault:
        give_up(f"cannot write {out}: {fault}")
    typer.echo(f"Wrote {out}")
