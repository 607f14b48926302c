"""`shakespeare boxes`: which boxes are plausible, and draws of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shakespeare_env.cli.choices import DEFAULT_GAME, GameName, give_up

Groups = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="Groups of facts to draw, such as actors,costs; the others stay the package's.",
        show_default="all",
    ),
]


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


def boxes_sample(
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="New, or empty.", show_default=False)
    ] = ...,  # type: ignore[assignment]
    game: GameName = DEFAULT_GAME,
    n: Annotated[int, typer.Option("--n", min=1, max=100_000, help="Boxes.")] = 64,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds draw equal boxes.")] = 0,
    groups: Groups = None,
) -> None:
    """Draw plausible boxes: reconstructed facts anew, within what sources say."""
    from rich.progress import track

    from shakespeare_env.boxes import names_of, sample_box

    drawn = None if groups is None else groups.split(",")
    if out.exists() and any(out.iterdir()):
        give_up(f"{out} is not empty; give a new folder")
    out.mkdir(parents=True, exist_ok=True)
    try:
        for number, name in enumerate(track(list(names_of(n)), "boxes", transient=True)):
            (out / name).write_text(sample_box(game, seed, number, drawn), encoding="utf-8")
    except ValueError as fault:
        give_up(str(fault))
    typer.echo(f"Written: {n} boxes in {out}")
