"""What ids and numbers of a game mean."""

from __future__ import annotations

from typing import Annotated

import typer

from shakespeare_env.cli.choices import DEFAULT_GAME, GameName, find_game
from shakespeare_env.cli.printing import print_reference

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
