"""A position as an SVG document.

Like `text.py`, drawn from notation, secrets included.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from typing import Any

from shakespeare_env.drawing.board import marked
from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.page import GAP, ROOM, SIGN_AT, WIDTH, Banner, head, page
from shakespeare_env.drawing.palette import GOLD, INK, PANEL
from shakespeare_env.drawing.shapes import Block, Elements, arrow, box, crown, star
from shakespeare_env.drawing.signs import legend
from shakespeare_env.presentation import UNMARKED, Marks
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.board_picture import draw_acts, draw_table
from shakespeare_env.shakespeare.drawing.display_picture import (
    CHARACTERS_HEIGHT,
    draw_characters,
    draw_elements,
    draw_piles,
)
from shakespeare_env.shakespeare.drawing.palette import ANY, KRAFT, ON_SEATS, SEATS
from shakespeare_env.shakespeare.drawing.seat_picture import draw_seat
from shakespeare_env.shakespeare.drawing.wording import (
    afterwards,
    asked,
    phase_words,
    table_words,
    winners,
)
from shakespeare_env.shakespeare.tables import N_DAYS

__all__ = ["WIDTH", "picture"]

_LEFT = 946  # the acts and the characters; the tracks and the elements lie to their right


def picture(position: Mapping[str, Any], marks: Marks = UNMARKED) -> str:
    """Draw a position (`Position.to_dict`) as an SVG document, `WIDTH` units wide.

    Height depends on the number of seats alone: a game's pictures make a film.
    """
    day, names = position["day"], marks.names
    title = f"Shakespeare, {table_words(position)}, day {day}: {asked(position)}"
    phase, banner = phase_words(position), _banner(position)
    seats = range(position["players"])
    return page(
        title,
        [
            ("head", head("Shakespeare", table_words(position), "day", day, N_DAYS, phase, banner)),
            ("board", _marked(_middle(position), marks)),
            *(
                (f"seat-{seat}", _marked(draw_seat(position, seat, ROOM, name), marks))
                for seat, name in zip(seats, names or repeat(""), strict=False)
            ),
            ("piles", draw_piles(position, ROOM)),
            ("legend", _legend(position)),
        ],
    )


def _marked(block: Block, marks: Marks) -> Block:
    return Block(marked(block.elements, marks), block.width, block.height)


def _middle(position: Mapping[str, Any]) -> Block:
    beside, below = ROOM - _LEFT - GAP, CHARACTERS_HEIGHT + GAP
    acts, elements = draw_acts(position, _LEFT), draw_elements(position, beside)
    height = acts.height + below
    right = _LEFT + GAP
    return Block(
        [
            acts.at(0, 0),
            draw_characters(position, _LEFT).at(0, acts.height + GAP),
            draw_table(position, beside, height - elements.height - GAP).at(right, 0),
            elements.at(right, height - elements.height),
        ],
        ROOM,
        height,
    )


def _banner(position: Mapping[str, Any]) -> Banner:
    seat = position["to_move"]
    fill, ink = (GOLD, INK) if seat is None else (SEATS[seat], ON_SEATS[seat])
    if seat is not None:
        sign = arrow(*SIGN_AT, 20, ink)
    elif winners(position):
        sign = crown(*SIGN_AT, 24, PANEL)
    else:
        sign = star(*SIGN_AT, 24, PANEL)
    return Banner(asked(position), sign, fill, ink, afterwards(position))


def _legend(position: Mapping[str, Any]) -> Block:
    size, solo = 15, position["players"] == 1
    entries: tuple[tuple[Elements, str], ...] = (
        (star(0, 0, size), "prestige"),
        (shapes.coin(0, 0, size), "pounds, wage"),
        (shapes.cylinder(0, 0, size, PANEL), "activation"),
        (shapes.costume(0, 0, size, ANY), "costume"),
        ([words(0, 4, "✓8", 11, weight="bold", anchor="middle")], "complete costume, its value"),
        (shapes.stage_set(0, 0, size - 2, ANY), "stage set"),
        (shapes.quill(0, 0, size, "red"), "Act I"),
        (shapes.quill(0, 0, size, "gold"), "Act II"),
        (shapes.quill(0, 0, size, "blue"), "Act III"),
        (shapes.quill(0, 0, size, "white"), "any act"),
        (shapes.mask(0, 0, size, 1), "mood"),
        (shapes.rest_token(0, 0, size), "resting"),
        (shapes.candle(0, 0, size), "candle"),
        (shapes.objective(0, 0, size), "objective"),
        ([box(-8, -6, 16, 12, fill=KRAFT, corner=3)], "extra (what lies face down)"),
        *(((shapes.disc(0, 0, 18, 14, "neutral"), "neutral disc"),) if solo else ()),
    )
    return legend(entries, ROOM)
