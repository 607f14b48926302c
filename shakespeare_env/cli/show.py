"""What a position shows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shakespeare_env.checks.json_input import parse_object
from shakespeare_env.checks.limits import read_regular
from shakespeare_env.cli import screen
from shakespeare_env.cli.choices import check_writable, give_up
from shakespeare_env.cli.printing import print_moves, print_scores
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
