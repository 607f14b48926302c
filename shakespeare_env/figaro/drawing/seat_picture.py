"""A seat's panel: pile, hand, road and taken cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import svg

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT, GOLD, INK, LINE, MUTED, PANEL
from shakespeare_env.drawing.shapes import Block, Elements, arrow, box, crown, star, upright
from shakespeare_env.figaro.drawing.card_picture import draw_cards
from shakespeare_env.figaro.drawing.palette import DECIDES, SEAT, STRIP
from shakespeare_env.figaro.drawing.road_picture import draw_road, road_room
from shakespeare_env.figaro.drawing.symbols import symbol
from shakespeare_env.figaro.drawing.taken_picture import draw_taken
from shakespeare_env.figaro.drawing.total_picture import PIP, total_pips
from shakespeare_env.figaro.drawing.wording import (
    cards_count,
    held,
    pile_colour,
    pile_total,
    winners,
)
from shakespeare_env.figaro.tables import FULL

_BAND, _EDGE, _LEFT = 58, 12, 622
_TITLE = 28  # above the cards
_LOW, _HIGH, _LOW_PART = 44, 64, 0.2  # the strip with road and taken cards


def draw_seat(
    position: Mapping[str, Any], seat: int, width: float, height: float, unit: float
) -> Block:
    """A seat's panel, scaled to `height`; the mover's has a thick frame and an arrow.

    `unit` is the drawn length of a road piece of length 1.
    """
    decides, wins = position["to_move"] == seat, seat in winners(position)
    low = strip_height(height)
    left, right = _BAND + _EDGE, _BAND + _EDGE + _LEFT + 2 * _EDGE
    rest = width - right - _EDGE
    tall = height - low - _TITLE - 2 * _EDGE
    strip = height - low - _EDGE / 2
    pile, hand = position["front"][seat], held(position["hands"][seat])
    road, taken = position["roads"][seat], position["taken"][seat]
    drawn: Elements = [
        box(0, 0, width, height, fill=PANEL),
        box(_BAND, strip - _EDGE / 2, width - _BAND - 1, low + _EDGE - 1, fill=STRIP, line=None),
        upright(right - _EDGE, _EDGE / 2, strip - 1.5 * _EDGE),
        *_band(position, seat, height),
        *_pile_title(pile, left, _LEFT),
        words(right, 19, f"Hand: {cards_count(len(hand))}", 12, weight="bold", fill=MUTED,
              room=rest),
        _row(pile, "nothing before it", _LEFT, tall).at(left, _TITLE + _EDGE / 2, place="front"),
        _row(hand, "no cards", rest, tall).at(right, _TITLE + _EDGE / 2, place="hand"),
        draw_road(road, unit, _LEFT, low).at(left, strip, place="road"),
        draw_taken(taken, rest, low).at(right, strip, place="taken"),
    ]  # fmt: skip
    if decides or wins:
        line = GOLD if wins else DECIDES
        drawn += [
            box(0, 0, width, height, fill="none", line=INK, thick=8 if wins else 6),
            box(0, 0, width, height, fill="none", line=line, thick=6),
        ]
    return Block(drawn, width, height)


def strip_height(height: float) -> float:
    """Height of the road's strip in a panel."""
    return max(_LOW, min(_HIGH, _LOW_PART * height))


def room_for_road(height: float) -> float:
    """Room for the stones of a road in a panel."""
    return road_room(_LEFT, strip_height(height))


def _band(position: Mapping[str, Any], seat: int, height: float) -> Elements:
    decides, wins = position["to_move"] == seat, seat in winners(position)
    middle, ink = _BAND / 2, PANEL
    drawn: Elements = [
        box(0, 0, _BAND, height, fill=DECIDES if decides else SEAT, line=None),
        words(middle, 22, "Seat", 12, fill=ink, anchor="middle", room=_BAND),
        words(middle, 55, str(seat), 34, weight="bold", fill=ink, anchor="middle"),
    ]
    if position["king"] == seat:
        drawn += [
            *crown(middle, 80, 26),
            words(middle, 105, "King", 11, weight="bold", fill=ink, anchor="middle", room=_BAND),
        ]
    if decides:
        drawn += arrow(middle, height - 28, 24, GOLD)
    if wins:
        drawn += [
            *star(middle, height - 42, 32),
            words(middle, height - 14, "wins", 12, weight="bold", fill=ink, anchor="middle",
                  room=_BAND),
        ]  # fmt: skip
    return drawn


def _pile_title(pile: Sequence[str], x: float, width: float) -> Elements:
    drawn: Elements = [words(x, 19, "Before it", 12, weight="bold", fill=MUTED, room=80)]
    if not pile:
        return drawn
    colour = pile_colour(pile)
    if colour:
        drawn += symbol(x + 86, 14.5, 15, colour)
    drawn.append(words(x + 98, 19, colour or "no colour", 12, weight="bold", room=70))
    drawn += total_pips(pile, x + width - 56 - PIP * FULL, 8)
    told = f"{pile_total(pile)} of {FULL}"
    drawn.append(words(x + width, 19, told, 13, weight="bold", anchor="end", room=70))
    return drawn


def _row(cards: Sequence[str], empty: str, width: float, height: float) -> Block:
    if cards:
        return draw_cards(cards, width, height)
    frame = svg.Rect(
        width=round(width, 1),
        height=round(height, 1),
        rx=6,
        fill="none",
        stroke=LINE,
        stroke_dasharray=[4, 4],
    )
    told = words(width / 2, height / 2 + 4, empty, 11, fill=FAINT, anchor="middle", room=width)
    return Block([frame, told], width, height)
