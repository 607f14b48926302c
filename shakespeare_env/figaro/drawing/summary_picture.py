"""Summaries: what everybody knows of a seat, in one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.board import SUMMARY
from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import LINE, MUTED
from shakespeare_env.drawing.shapes import Block, Elements, box, drawn_once
from shakespeare_env.figaro.drawing.card_picture import SHAPE, draw_card
from shakespeare_env.figaro.drawing.palette import SEATS
from shakespeare_env.figaro.drawing.seat_sign import seat_strip
from shakespeare_env.figaro.drawing.symbols import castle

_HIGH, _CARD = 34, 24  # of the row, of a card
_STRIP, _HAND, _TAKEN, _ROAD = 124, 54, 74, 78  # widths
_BAR, _MOST = 44, 30  # of the bar of cards taken, and how many fill it if nobody has more


def draw_summary(position: Mapping[str, Any], seat: int, names: Sequence[str]) -> Block:
    """A seat's name, its cards in hand, its cards taken and its road."""
    counts = [len(pile) for pile in position["taken"]]
    strip = seat_strip(position, seat, names, _STRIP, _HIGH)
    drawn: Elements = [
        box(0, 0, SUMMARY, _HIGH),
        strip.at(0, 0),
        _hand(sum(position["hands"][seat].values())).place(f"hand{seat}", _STRIP + 3, 2),
        _taken(seat, counts[seat], max(_MOST, *counts)).place(
            f"taken{seat}", _STRIP + _HAND + 6, 2
        ),
        _road(tuple(position["roads"][seat])).place(f"road{seat}", SUMMARY - _ROAD - 2, 2),
    ]
    return Block(drawn, SUMMARY, _HIGH)


@drawn_once
def _hand(cards: int) -> Block:
    drawn: Elements = [
        draw_card(UNKNOWN, _CARD).at(2, 3, card=UNKNOWN),
        words(SHAPE * _CARD + 6, 21, f"×{cards}", 15, weight="bold", room=34),
    ]
    return Block(drawn, _HAND, _HIGH - 4)


@drawn_once
def _taken(seat: int, count: int, most: int) -> Block:
    full = _BAR * count / most
    drawn: Elements = [box(1, 9, _BAR, 12, line=LINE, corner=3)]
    if full:
        drawn.append(box(1, 9, full, 12, fill=SEATS[seat], line=MUTED, corner=3))
    drawn.append(words(_BAR + 5, 21, str(count), 15, weight="bold", room=24))
    return Block(drawn, _TAKEN, _HIGH - 4)


@drawn_once
def _road(pieces: tuple[int, ...]) -> Block:
    """Its length and its pieces."""
    parts = " + ".join(map(str, pieces)) if len(pieces) > 1 else ""
    drawn: Elements = [
        *castle(12, 15, 19),
        words(25, 16 if parts else 21, str(sum(pieces)), 15, weight="bold", room=50),
        words(25, 28, parts, 9.5, fill=MUTED, room=_ROAD - 26),
    ]
    return Block(drawn, _ROAD, _HIGH - 4)
