"""The command `shakespeare check`.

It says what is wrong with a box or a game, and lists what action ids and observations mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shakespeare_env.cli.choices import DEFAULT_GAME, GameName, find_game, refuse_unread
from shakespeare_env.core import registry

if TYPE_CHECKING:
    from shakespeare_env.core.game import Game

_SHARED = "The table, and what the observer alone knows"
_PLACES = """
{+k} is the seat k places clockwise of the mover, so an id means the same for every seat. \
Moves name the seat itself: {+1} is 3 when seat 2 moves.\
"""


def check(
    context: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[BOX.toml|FILE.py:GAME ...]",
            help="Box files, or games of your own by file and name; by default the box in force.",
        ),
    ] = None,
    game_name: GameName = DEFAULT_GAME,
    every: Annotated[bool, typer.Option("--all", help="List what holds, too.")] = False,
    actions: Annotated[bool, typer.Option("--actions", help="List the actions instead.")] = False,
    observation: Annotated[
        bool, typer.Option("--observation", help="List the fields of an observation instead.")
    ] = False,
) -> None:
    """Say what in box files contradicts the rule book, and what is wrong with games of your own.

    Your own games are checked by playing them at random. The exit status is 1 if something is
    wrong. Lists are printed as Markdown.
    """
    if actions:
        read = {"actions", "game_name"}
        refuse_unread(context, read, "--actions lists the actions alone")
    elif observation:
        read = {"observation", "game_name"}
        refuse_unread(context, read, "--observation lists the fields alone")
    own = [text for text in map(str, files or ()) if registry.is_file_reference(text)]
    if own and len(own) == len(files or ()):
        refuse_unread(context, {"files"}, "FILE.py:GAME names the game, which has no box")
    game = find_game(game_name)
    if actions:
        _print_actions(game)
    elif observation:
        _print_observation(game)
    else:
        sound = [_is_sound(find_game(text, "FILE.py:GAME")) for text in own]
        if not files and not registry.has_box(game.name):
            sound.append(_is_sound(game))
        elif boxes := [file for file in files or [game.box] if str(file) not in own]:
            sound += [_is_plausible(game.name, file, every) for file in boxes]
        if not all(sound):
            raise typer.Exit(1)


def _is_sound(game: Game) -> bool:
    from shakespeare_env.checking import check_game

    faults = check_game(game)
    for fault in faults:
        typer.echo(f"{game.name}: {fault}")
    if not faults:
        typer.echo(f"{game.name}: nothing is wrong in games played at random")
    return not faults


def _is_plausible(game: str, file: Path, every: bool) -> bool:
    from rich.console import Console
    from rich.table import Table

    from shakespeare_env.boxes import constraints, violated_constraints

    console = Console()
    known = constraints(game)
    wrong = dict(violated_constraints(game, file))
    table = Table("", "What holds for every copy", "Source", "What is wrong")
    for constraint in known if every else wrong:
        mark = "[red]✗[/]" if constraint in wrong else "[green]✓[/]"
        faults = "\n".join(wrong.get(constraint, ()))
        table.add_row(mark, constraint.description, constraint.source, faults)
    held = f"{len(known) - len(wrong)} of {len(known)} constraints hold"
    console.print(f"{file}: {held}", highlight=False, markup=False, soft_wrap=True)
    if table.rows:
        console.print(table)
    return not wrong


def _print_actions(game: Game) -> None:
    table = game.actions
    typer.echo(f"# {game.name.capitalize()}: the {table.size} actions")
    if table.is_relative:
        typer.echo(_PLACES)
    for block in table.blocks:
        moves = zip(block.texts, block.descriptions, strict=True)
        rows = [
            (str(number), f"`{move}`", words)
            for number, (move, words) in enumerate(moves, table.start[block.name])
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
        return _SHARED
    heading = seat.replace("seat", "Seat ")
    return f"{heading}, the observer" if seat == "seat0" else heading


def _print_rows(heading: str, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table in Markdown, with columns of numbers aligned to the right."""
    rules = ["---:" if cell.isdecimal() else "---" for cell in rows[0]]
    typer.echo(f"\n## {heading}\n")
    for row in (titles, rules, *rows):
        typer.echo("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
