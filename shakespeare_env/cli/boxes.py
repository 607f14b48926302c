"""`shakespeare boxes check`: whether boxes are plausible."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shakespeare_env.cli.choices import DEFAULT_GAME, GameName


def boxes_check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Box files.")],
    game: GameName = DEFAULT_GAME,
    every: Annotated[bool, typer.Option("--all", help="List what holds, too.")] = False,
) -> None:
    """Say what in box files contradicts the rule book or reports of play.

    The exit status is 1 if something does.
    """
    from rich.console import Console
    from rich.table import Table

    from shakespeare_env.boxes import constraints, violated

    console, is_wrong = Console(), False
    known = list(constraints(game))
    for file in files:
        wrong = dict(violated(game, file))
        is_wrong = is_wrong or bool(wrong)
        table = Table("", "What holds for every copy", "Source", "What is wrong")
        for one in known if every else wrong:
            mark = "[red]✗[/]" if one in wrong else "[green]✓[/]"
            table.add_row(mark, one.says, one.source, "\n".join(wrong.get(one, ())))
        held = f"{len(known) - len(wrong)} of {len(known)} constraints hold"
        console.print(f"{file}: {held}", highlight=False, markup=False, soft_wrap=True)
        if table.rows:
            console.print(table)
    if is_wrong:
        raise typer.Exit(1)
