"""All piles of the table beside each other, to choose before whom a card is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.shapes import Block, Elements, box
from shakespeare_env.figaro.drawing.hand_picture import fit_pile
from shakespeare_env.figaro.drawing.seat_sign import seat_strip
from shakespeare_env.figaro.drawing.symbols import symbol
from shakespeare_env.figaro.drawing.total_picture import draw_total
from shakespeare_env.figaro.drawing.wording import free_colours
from shakespeare_env.fonts import width as text_width

_COLUMNS, _GAP, _EDGE = 2, 8, 6
_STRIP, _TOTAL, _CARDS, _FREE = 26, 28, 56, 22


def draw_piles(position: Mapping[str, Any], names: Sequence[str], width: float) -> Block:
    """A cell per seat, clockwise row by row: who it is, its total, its pile."""
    room = (width - (_COLUMNS - 1) * _GAP) / _COLUMNS
    high = _STRIP + _TOTAL + _CARDS + _EDGE
    rows = ceil(position["players"] / _COLUMNS)
    drawn: Elements = [
        _cell(position, seat, names, room, high).at(
            seat % _COLUMNS * (room + _GAP), seat // _COLUMNS * (high + _GAP)
        )
        for seat in range(position["players"])
    ]
    below = rows * (high + _GAP)
    return Block([*drawn, _free(position, width).at(0, below)], width, below + _FREE)


def _free(position: Mapping[str, Any], width: float) -> Block:
    """Colours that may go before any seat without one (Rules B2)."""
    caption = "Free colours:"
    free = free_colours(position)
    x = text_width(caption, 12, "bold") + 10
    drawn: Elements = [words(0, 15, caption if free else "No colour is free.", 12, weight="bold")]
    for colour in free:
        drawn += [*symbol(x + 8, 11, 17, colour), words(x + 20, 15, colour, 12)]
        x += text_width(colour, 12) + 32
    return Block(drawn, width, _FREE)


def _cell(
    position: Mapping[str, Any], seat: int, names: Sequence[str], width: float, height: float
) -> Block:
    room = width - 2 * _EDGE
    drawn: Elements = [
        box(0, 0, width, height),
        seat_strip(position, seat, names, width, _STRIP).at(0, 0),
        draw_total(position["front"][seat], room).at(_EDGE, _STRIP),
        fit_pile(position, seat, room, _CARDS).at(_EDGE, _STRIP + _TOTAL),
    ]
    return Block(drawn, width, height)
