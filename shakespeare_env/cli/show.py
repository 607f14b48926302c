"""What a position shows, and what ids and numbers of a game mean."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shakespeare_env.checks.json_input import parse_object
from shakespeare_env.checks.limits import read_regular
from shakespeare_env.cli import screen
from shakespeare_env.cli.choices import DEFAULT_GAME, GameName, check_writable, find_game, give_up
from shakespeare_env.cli.printing import print_moves, print_reference, print_scores
from shakespeare_env.errors import PositionError

if TYPE_CHECKING:
    from shakespeare_env import Position

_MOST_BYTES = 2**20
"""The most bytes that are read; a position has some thousands."""


def show(
    file: Annotated[str, typer.Argument(help="A position as a JSON file; - reads standard input.")],
    picture: Annotated[
        Path | None, typer.Option(help="Write a picture, .svg or .png, instead of text.")
    ] = None,
) -> None:
    """Draw a position and list its legal moves."""
    from shakespeare_env import Position  # slow, and not needed for completion

    if picture is not None and picture.suffix not in (".svg", ".png"):
        raise typer.BadParameter(f"{picture}: give a .svg or .png file", param_hint="--picture")
    check_writable(picture)
    name = "the input" if file == "-" else file
    try:
        position = Position.from_dict(_read(file, name))
    except PositionError as error:
        give_up(f"{name} is not a position: {error}")
    if picture is not None:
        _write(position, picture)
        return
    screen.print_text(f"{position}\n")
    if position.to_move is None:
        print_scores(position)
    else:
        print_moves(position)


def _write(position: Position, picture: Path) -> None:
    drawn = position.svg()
    if picture.suffix == ".svg":
        picture.write_text(drawn, encoding="utf-8")
    else:
        from shakespeare_env.drawing.raster import png

        picture.write_bytes(png(drawn))


def _read(file: str, name: str) -> dict[str, Any]:
    """The JSON object in a file or standard input; errors call it `name`."""
    try:
        if file == "-":
            return parse_object(sys.stdin.buffer.read(_MOST_BYTES))
        return parse_object(read_regular(Path(file), _MOST_BYTES))
    except OSError as error:
        give_up(f"cannot read {name}: {error.strerror}")
    except ValueError as error:
        give_up(f"{name} is {error}")


Markdown = Annotated[bool, typer.Option("--markdown", help="Print a Markdown page.")]
_PLACES = (
    "{+k} is the seat k places clockwise of the mover, so an id means the same for every seat. "
    "Moves name the seat itself: {+1} is 3 when seat 2 moves."
)


def actions(game_name: GameName = DEFAULT_GAME, markdown: Markdown = False) -> None:
    """List every action: id, move text and what it does."""
    table = find_game(game_name).actions
    groups = {
        block.name.capitalize(): [
            (str(i), *pair)
            for i, pair in enumerate(
                zip(block.texts, block.descriptions, strict=True), table.start[block.name]
            )
        ]
        for block in table.blocks
    }
    title = f"{game_name.capitalize()}: the {table.size} actions" if markdown else None
    note = _PLACES if table.is_relative else ""
    print_reference(title, ("Id", "Move", "What it does"), groups, code=1, note=note)


def observation(game_name: GameName = DEFAULT_GAME, markdown: Markdown = False) -> None:
    """List every field of an observation: name, position, range and meaning."""
    layout = find_game(game_name).layout
    groups: dict[str, list[tuple[str, ...]]] = {}
    for f in layout:
        row = (f.name, str(f.start), str(f.size), f"{f.low} to {f.high}", f.description)
        groups.setdefault(_group(f.name), []).append(row)
    title = f"{game_name.capitalize()}: the {layout.size} numbers of an observation"
    titles = ("Field", "From", "Size", "Range", "What the numbers are")
    print_reference(title if markdown else None, titles, groups, code=0)


def _group(field: str) -> str:
    """The heading a field stands under."""
    seat, dot, _ = field.partition(".")
    if not dot:
        return "The table, and what the observer alone knows"
    return "Seat 0, the observer" if seat == "seat0" else seat.replace("seat", "Seat ")
