"""A position as a picture: an SVG document that a person reads at a glance.

Like the text drawing (`text.py`) it starts from the notation and shows everything, secrets too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import svg

from shakespeare_env.fonts import FAMILY, width
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.board_picture import draw_acts, draw_table
from shakespeare_env.shakespeare.drawing.display_picture import (
    CHARACTERS_HEIGHT,
    draw_characters,
    draw_elements,
    draw_piles,
)
from shakespeare_env.shakespeare.drawing.lettering import plain, words
from shakespeare_env.shakespeare.drawing.palette import (
    ANY,
    FAINT,
    GOLD,
    INK,
    KRAFT,
    MUTED,
    NEUTRAL,
    ON_SEATS,
    PAGE,
    PANEL,
    SEATS,
)
from shakespeare_env.shakespeare.drawing.powers import Sign, note_sign, row
from shakespeare_env.shakespeare.drawing.seat_picture import draw_seat
from shakespeare_env.shakespeare.drawing.shapes import Block, Elements, box
from shakespeare_env.shakespeare.drawing.wording import (
    afterwards,
    asked,
    phase_words,
    table_words,
    winners,
)
from shakespeare_env.shakespeare.tables import DAYS

WIDTH = 1600
_EDGE, _GAP = 24, 12
_ROOM = WIDTH - 2 * _EDGE
_LEFT = 946  # the acts and the characters; the tracks and the elements lie to their right
_BANNER = 40


def picture(position: Mapping[str, Any]) -> str:
    """A position of the notation as an SVG document, `WIDTH` units wide.

    How high it is depends on the number of seats alone: the pictures of a game make a film.

    Args:
        position: The JSON object of the notation, as `Position.to_dict` gives it.
    """
    drawn: Elements = []
    y = float(_EDGE)
    for part, block in (
        ("head", _head(position)),
        ("board", _middle(position)),
        *(
            (f"seat-{seat}", draw_seat(position, seat, _ROOM))
            for seat in range(position["players"])
        ),
        ("piles", draw_piles(position, _ROOM)),
        ("legend", _legend(position)),
    ):
        drawn.append(block.at(_EDGE, y, part=part))
        y += block.height + _GAP
    height = round(y - _GAP + _EDGE / 2)
    title = f"Shakespeare, {table_words(position)}, day {position['day']}: {asked(position)}"
    document = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, WIDTH, height),
        width=WIDTH,
        height=height,
        extra={"role": "img", "font-family": FAMILY},
        elements=[
            svg.Title(text=plain(title)),
            svg.Rect(width=WIDTH, height=height, rx=10, fill=PAGE),
            *drawn,
        ],
    )
    return str(document)


def _middle(position: Mapping[str, Any]) -> Block:
    """The main board and what is on offer, in two columns of the same height."""
    beside, below = _ROOM - _LEFT - _GAP, CHARACTERS_HEIGHT + _GAP
    acts, elements = draw_acts(position, _LEFT), draw_elements(position, beside)
    height = acts.height + below
    right = _LEFT + _GAP
    return Block(
        [
            acts.at(0, 0),
            draw_characters(position, _LEFT).at(0, acts.height + _GAP),
            draw_table(position, beside, height - elements.height - _GAP).at(right, 0),
            elements.at(right, height - elements.height),
        ],
        _ROOM,
        height,
    )


def _head(position: Mapping[str, Any]) -> Block:
    """The game, the day and the phase; below them who decides."""
    title = "Shakespeare"
    end = width(title, 30, "bold")
    return Block(
        [
            words(0, 27, title, 30, weight="bold"),
            words(end + 16, 27, table_words(position), 15, fill=MUTED, room=300),
            *_days(position["day"], 620),
            words(
                _ROOM, 27, phase_words(position), 19, weight="bold", anchor="end", room=_ROOM - 920
            ),
            *_banner(position, 42),
        ],
        _ROOM,
        42 + _BANNER,
    )


def _days(today: int, x: float) -> Elements:
    """A pip a day: past ones grey, today's dark."""
    told = f"day {today} of {DAYS}"
    drawn: Elements = [words(x, 26, told, 15, weight="bold", room=100)]
    for day in range(1, DAYS + 1):
        fill, ink = {True: (INK, PANEL), False: (PANEL, FAINT)}[day == today]
        if day < today:
            fill, ink = NEUTRAL, PANEL
        at = x + 90 + 30 * day
        drawn += [
            svg.Circle(cx=at, cy=20, r=12, fill=fill, stroke=MUTED, stroke_width=1),
            words(at, 24.5, str(day), 12, weight="bold", fill=ink, anchor="middle"),
        ]
    return drawn


def _banner(position: Mapping[str, Any], y: float) -> Elements:
    seat = position["to_move"]
    fill, ink = (GOLD, INK) if seat is None else (SEATS[seat], ON_SEATS[seat])
    middle = y + _BANNER / 2
    queue = afterwards(position)
    beside = width(queue, 14) + 40 if queue else 0
    if seat is not None:
        sign = shapes.arrow(26, middle, 20, ink)
    elif winners(position):
        sign = shapes.crown(26, middle, 24, PANEL)
    else:
        sign = shapes.star(26, middle, 24, PANEL)
    return [
        box(0, y, _ROOM, _BANNER, fill=fill, line=None),
        *sign,
        words(
            52, middle + 6, asked(position), 18, weight="bold", fill=ink, room=_ROOM - 70 - beside
        ),
        words(_ROOM - 16, middle + 5, queue, 14, fill=ink, anchor="end", room=_ROOM / 2),
    ]


def _legend(position: Mapping[str, Any]) -> Block:
    """One line of what the signs mean; only a solo game has neutral discs."""
    size, solo = 15, position["players"] == 1
    entries: tuple[tuple[Elements, str], ...] = (
        (shapes.star(0, 0, size), "prestige"),
        (shapes.coin(0, 0, size), "pounds, wage"),
        (shapes.cylinder(0, 0, size, PANEL), "activation"),
        (shapes.costume(0, 0, size, ANY), "costume"),
        (
            [words(0, 4, "✓8", 11, weight="bold", anchor="middle")],
            "complete costume, its value",
        ),
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
    signs = [sign for shape, meaning in entries for sign in _explained(shape, meaning)]
    return Block(row(signs, 0, 10, _ROOM), _ROOM, 20)


def _explained(shape: Elements, meaning: str) -> list[Sign]:
    space = Sign(12, lambda x, y: [])
    return [Sign(16, lambda x, y: [Block(shape, 16, 16).at(x, y)]), note_sign(meaning), space]
