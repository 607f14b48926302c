"""A position as an SVG document: the board's pieces on one page; unknown hands lie face down."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.core.presentation import UNMARKED, Marks
from shakespeare_env.drawing import picture as page
from shakespeare_env.drawing.shapes import Elements, crown, star
from shakespeare_env.figaro.box.facts import COLOURS
from shakespeare_env.figaro.box.tables import FULL
from shakespeare_env.figaro.drawing.board import board
from shakespeare_env.figaro.drawing.palette import ON_SEATS, SEATS
from shakespeare_env.figaro.drawing.symbols import castle, chip, symbol
from shakespeare_env.figaro.text.wording import JESTER, LETTERS, RING, headline

_TABLE, _SEAT = 400, 354
_MOST_BESIDE = 4  # seats


def picture(position: Mapping[str, Any], marks: Marks = UNMARKED) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`).

    The size depends on the number of seats alone: a game's pictures make a film.
    """
    players = position["players"]
    columns = players if players <= _MOST_BESIDE else ceil(players / 2)
    lines = ceil(players / columns)
    each = (page.ROOM - page.GAP * (columns - 1)) / columns
    seats = [f"seat-{seat}" for seat in range(players)]
    third = (page.ROOM - 2 * page.GAP) / 3
    table = {"table": third, "pieces": third, "race": third}
    if position["to_move"] is None:
        table = {"race": page.ROOM}
    return page.picture(
        headline(position),
        board(position, marks.names),
        [
            (_TABLE, table),
            *(
                (_SEAT, dict.fromkeys(seats[columns * line : columns * (line + 1)], each))
                for line in range(lines)
            ),
        ],
        position["to_move"],
        tuple(zip(SEATS, ON_SEATS, strict=True)),
        marks,
        _signs(),
    )


def _signs() -> list[tuple[Elements, str]]:
    size = 15
    return [
        *((symbol(0, 0, size, colour), f"{LETTERS[colour]} {colour}") for colour in COLOURS),
        (symbol(0, 0, size - 1, JESTER), f"{LETTERS[JESTER]} jester, goes with any colour"),
        (symbol(0, 0, size + 1, RING), "ring: cards go on to the next seat"),
        (chip(0, 0, size, UNKNOWN, UNKNOWN), "card face down"),
        (crown(0, 0, size), "King"),
        (castle(0, 0, size), "castle, where a road begins; the shortest road wins"),
        (star(0, 0, size), f"winner  ·  a total of {FULL} takes all cards face up"),
    ]
