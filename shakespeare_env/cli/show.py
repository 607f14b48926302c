"""`shakespeare show`: a position from a file, drawn, and its legal moves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from shakespeare_env import Position
from shakespeare_env.cli.choices import give_up
from shakespeare_env.cli.json_input import kind, parse_json
from shakespeare_env.cli.tables import print_moves, print_scores
from shakespeare_env.errors import PositionError


def show(
    file: Annotated[str, typer.Argument(help="A file with a position as JSON; - is the input.")],
) -> None:
    """Draw a position and list its legal moves."""
    name = "the input" if file == "-" else file
    try:
        position = Position.from_dict(_read(file, name))
    except PositionError as error:
        give_up(f"{name} is not a position: {error}")
    typer.echo(f"{position}\n")
    if position.to_move is None:
        print_scores(position)
    else:
        print_moves(position)


def _read(file: str, name: str) -> dict[str, Any]:
    """The JSON object in a file, or in the input for `-`; `name` is what errors call it."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        give_up(f"cannot read {name}: {error.strerror}")
    try:
        value = parse_json(data)
    except ValueError as error:
        give_up(f"{name} is {error}")
    if not isinstance(value, dict):
        give_up(f"{name} holds {kind(value)}, not the object of a position")
    return value
