"""The command `shakespeare check`.

It reports what is wrong with a box or a game, and lists the meaning of actions and observations.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shakespeare_env.cli.choices import DEFAULT_GAME, GameName, find_game, refuse_unused
from shakespeare_env.core import registry

if TYPE_CHECKING:
    from shakespeare_env.core.game import Game

_TABLE_HEADING = "The table, and what the observer alone knows"
_RELATIVE_SEATS = """
{+k} is the seat k places clockwise of the mover, so an id means the same for every seat. \
Moves name the seat itself: {+1} is 3 when seat 2 moves.\
"""


def check(
    context: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[BOX.toml|FILE.py:GAME ...]",
            help="Box files, which list a game's components, or games of your own, each as a "
            "Python file and the game's name in it. By default, the box that the game uses.",
        ),
    ] = None,
    game_name: GameName = DEFAULT_GAME,
    list_all: Annotated[
        bool, typer.Option("--all", help="Also list the constraints that hold.")
    ] = False,
    actions: Annotated[bool, typer.Option("--actions", help="List the actions instead.")] = False,
    observation: Annotated[
        bool, typer.Option("--observation", help="List the fields of an observation instead.")
    ] = False,
) -> None:
    """Report where box files contradict the rule book, and what is wrong with games of your own.

    Your own games are checked by playing them at random. The exit status is 1 if something is
    wrong. Lists are printed as Markdown.
    """
    if actions:
        used = {"actions", "game_name"}
        refuse_unused(context, used, "--actions lists the actions alone")
    elif observation:
        used = {"observation", "game_name"}
        refuse_unused(context, used, "--observation lists the fields alone")

    given = files or []
    own_games = [str(file) for file in given if registry.is_file_reference(str(file))]
    boxes = [file for file in given if str(file) not in own_games]
    if own_games and not boxes:
        # Neither --game nor --all would have an effect.
        why = "FILE.py:GAME already names the game, and only box files have constraints"
        refuse_unused(context, {"files"}, why)
    game = find_game(game_name)
    if actions:
        _print_actions(game)
        return
    if observation:
        _print_observation(game)
        return

    games = [find_game(text, "FILE.py:GAME") for text in own_games]
    if not given:
        if registry.has_box(game.name):
            boxes = [game.box]
        else:
            games = [game]
    results = [_report_game(checked) for checked in games]
    results += [_report_box(game.name, box, list_all) for box in boxes]
    if not all(results):
        raise typer.Exit(1)


def _report_game(game: Game) -> bool:
    """Print what is wrong with a game, and return True if no fault was found."""
    from shakespeare_env.checking import check_game

    faults = check_game(game)
    for fault in faults:
        typer.echo(f"{game.name}: {fault}")
    if not faults:
        typer.echo(f"{game.name}: nothing is wrong in games played at random")
    return not faults


def _report_box(game: str, file: Path, list_all: bool) -> bool:
    """Print the constraints that a box violates, or all of them, and return whether all hold."""
    from rich.console import Console
    from rich.table import Table

    from shakespeare_env.boxes import constraints, violated_constraints

    console = Console()
    checked = constraints(game)
    violations = dict(violated_constraints(game, file))
    table = Table("", "Constraint", "Source", "What is wrong")
    for constraint in checked if list_all else violations:
        mark = "[red]✗[/]" if constraint in violations else "[green]✓[/]"
        faults = "\n".join(violations.get(constraint, ()))
        table.add_row(mark, constraint.description, constraint.source, faults)
    held = f"{len(checked) - len(violations)} of {len(checked)} constraints hold"
    console.print(f"{file}: {held}", highlight=False, markup=False, soft_wrap=True)
    if table.rows:
        console.print(table)
    return not violations


def _print_actions(game: Game) -> None:
    table = game.actions
    typer.echo(f"# {game.name.capitalize()}: the {table.size} actions")
    if table.is_relative:
        typer.echo(_RELATIVE_SEATS)
    for block in table.blocks:
        ids = range(table.start[block.name], table.start[block.name] + len(block.texts))
        rows = [
            (str(action), f"`{move}`", description)
            for action, move, description in zip(ids, block.texts, block.descriptions, strict=True)
        ]
        _print_rows(block.name.capitalize(), ("Id", "Move", "What it does"), rows)


def _print_observation(game: Game) -> None:
    typer.echo(f"# {game.name.capitalize()}: the {game.layout.size} numbers of an observation")
    groups: dict[str, list[Sequence[str]]] = {}
    for field in game.layout:
        rows = groups.setdefault(_heading_of(field.name), [])
        rows.append(
            (
                f"`{field.name}`",
                str(field.start),
                str(field.size),
                f"{field.low} to {field.high}",
                field.description,
            )
        )
    titles = ("Field", "From", "Size", "Range", "What the numbers are")
    for heading, rows in groups.items():
        _print_rows(heading, titles, rows)


def _heading_of(field_name: str) -> str:
    seat, dot, _ = field_name.partition(".")
    if not dot:
        return _TABLE_HEADING
    heading = seat.replace("seat", "Seat ")
    return f"{heading}, the observer" if seat == "seat0" else heading


def _print_rows(heading: str, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table in Markdown, with columns of numbers aligned to the right."""
    alignments = ["---:" if cell.isdecimal() else "---" for cell in rows[0]]
    typer.echo(f"\n## {heading}\n")
    for row in (titles, alignments, *rows):
        typer.echo("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
