"""A position as an SVG document.

Like `text.py`, drawn from notation, secrets included; unknown hands lie face down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.drawing.board import marked
from shakespeare_env.drawing.page import GAP, ROOM, SIGN_AT, WIDTH, Banner, head, page
from shakespeare_env.drawing.palette import GOLD, INK, PANEL
from shakespeare_env.drawing.shapes import Block, Elements, arrow, crown, star
from shakespeare_env.drawing.signs import legend
from shakespeare_env.figaro.box import COLOURS
from shakespeare_env.figaro.drawing.palette import ON_SEATS, SEATS
from shakespeare_env.figaro.drawing.road_picture import unit_of
from shakespeare_env.figaro.drawing.seat_picture import (
    draw_placed_seat,
    draw_seat,
    room_for_final_road,
    room_for_road,
)
from shakespeare_env.figaro.drawing.symbols import castle, chip, symbol
from shakespeare_env.figaro.drawing.table_picture import (
    draw_colours,
    draw_pieces,
    draw_taken_bars,
    piece_room,
)
from shakespeare_env.figaro.drawing.wording import (
    JESTER,
    LETTERS,
    RING,
    asked,
    king_words,
    ranking,
    table_words,
)
from shakespeare_env.figaro.tables import FULL
from shakespeare_env.game import UNKNOWN
from shakespeare_env.presentation import UNMARKED, Marks

__all__ = ["WIDTH", "picture"]

_SIDE = 316  # width of the column beside the seats
_HEIGHT = 1092  # of all seats together
_COLOURS, _TAKEN = 226, 256


def picture(position: Mapping[str, Any], marks: Marks = UNMARKED) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as an SVG document, `WIDTH` units wide.

    All pictures are of one size: fewer seats are drawn larger.
    """
    number, rounds = position["round"], len(position["pieces"])
    table, king = table_words(position), king_words(position)
    over = position["to_move"] is None
    middle = (_roads if over else _table)(position, marks.names)
    return page(
        f"Figaro, {table}, round {number}: {asked(position)}",
        [
            ("head", head("Figaro", table, "round", number, rounds, king, _banner(position))),
            ("table", Block(marked(middle.elements, marks), middle.width, middle.height)),
            ("legend", _legend()),
        ],
    )


def _roads(position: Mapping[str, Any], names: Sequence[str]) -> Block:
    """The final roads, the shortest first."""
    seats = ranking(position)
    each = (_HEIGHT - (len(seats) - 1) * GAP) / len(seats)
    unit = unit_of(position, ROOM, room_for_final_road(ROOM, each), most=ROOM)
    drawn: Elements = [
        draw_placed_seat(position, seat, names, ROOM, each, unit).at(
            0, place * (each + GAP), part=f"seat-{seat}"
        )
        for place, seat in enumerate(seats)
    ]
    return Block(drawn, ROOM, _HEIGHT)


def _table(position: Mapping[str, Any], names: Sequence[str]) -> Block:
    seats, width = position["players"], ROOM - _SIDE - GAP
    each = (_HEIGHT - (seats - 1) * GAP) / seats
    unit = unit_of(position, piece_room(_SIDE), room_for_road(each))
    pieces = _HEIGHT - _COLOURS - _TAKEN - 2 * GAP
    side = width + GAP
    drawn: Elements = [
        draw_seat(position, seat, names, width, each, unit).at(
            0, seat * (each + GAP), part=f"seat-{seat}"
        )
        for seat in range(seats)
    ]
    drawn += [
        draw_pieces(position, _SIDE, pieces, unit).at(side, 0, part="pieces"),
        draw_colours(position, _SIDE, _COLOURS).at(side, pieces + GAP, part="colours"),
        draw_taken_bars(position, _SIDE, _TAKEN).at(side, _HEIGHT - _TAKEN, part="taken"),
    ]
    return Block(drawn, ROOM, _HEIGHT)


def _banner(position: Mapping[str, Any]) -> Banner:
    seat = position["to_move"]
    if seat is None:
        return Banner(asked(position), star(*SIGN_AT, 24, PANEL), GOLD, INK)
    ink = ON_SEATS[seat]
    return Banner(asked(position), arrow(*SIGN_AT, 20, ink), SEATS[seat], ink)


def _legend() -> Block:
    size = 15
    entries: tuple[tuple[Elements, str], ...] = (
        *((symbol(0, 0, size, colour), f"{LETTERS[colour]} {colour}") for colour in COLOURS),
        (symbol(0, 0, size - 1, JESTER), f"{LETTERS[JESTER]} jester, goes with any colour"),
        (symbol(0, 0, size + 1, RING), "ring: cards go on to the next seat"),
        (chip(0, 0, size, UNKNOWN, UNKNOWN), "card face down"),
        (crown(0, 0, size), "King"),
        (castle(0, 0, size), "castle, where a road begins; the shortest road wins"),
        (star(0, 0, size), f"winner  ·  a total of {FULL} takes all cards face up"),
    )
    return legend(entries, ROOM)
