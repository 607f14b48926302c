"""`shakespeare show`: draw a position from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shakespeare_env.checks.json_input import parse_object
from shakespeare_env.cli import screen
from shakespeare_env.cli.choices import give_up
from shakespeare_env.cli.lines import MOST_BYTES, check_length, standard_input
from shakespeare_env.cli.printing import print_moves, print_scores
from shakespeare_env.errors import PositionError

if TYPE_CHECKING:
    from shakespeare_env import Position


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
    try:
        if picture.suffix == ".svg":
            picture.write_text(drawn, encoding="utf-8")
        else:
            from shakespeare_env.drawing.raster import png

            picture.write_bytes(png(drawn))
    except (ImportError, OSError) as error:
        give_up(f"cannot write {picture}: {error}")


def _read(file: str, name: str) -> dict[str, Any]:
    """The JSON object in a file or standard input; errors call it `name`."""
    try:
        if file == "-":
            data = standard_input().read(MOST_BYTES + 1)
        else:
            with open(file, "rb") as opened:
                data = opened.read(MOST_BYTES + 1)
    except OSError as error:
        give_up(f"cannot read {name}: {error.strerror}")
    except ValueError as error:  # a path that no file can have
        give_up(f"cannot read {name!r}: {error}")
    try:
        return parse_object(check_length(data))
    except ValueError as error:
        give_up(f"{name} is {error}")
