"""All piles of the table beside each other, to choose before whom a card is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import MUTED, PANEL
from shakespeare_env.drawing.shapes import Block, Elements, box
from shakespeare_env.figaro.box.tables import FULL
from shakespeare_env.figaro.drawing.card_picture import SHAPE, draw_card
from shakespeare_env.figaro.drawing.hand_picture import GAP, draw_empty
from shakespeare_env.figaro.drawing.palette import CARDS
from shakespeare_env.figaro.drawing.seat_sign import seat_strip
from shakespeare_env.figaro.drawing.symbols import symbol
from shakespeare_env.figaro.text.wording import free_colours, pile_colour, pile_total
from shakespeare_env.fonts import width as text_width

_COLUMNS, _APART, _EDGE = 2, 8, 6
_STRIP, _TOTAL, _CARDS, _FREE = 25, 26, 47, 20
_PIP, _PIP_GAP = 16, 3  # from square to square
_SYMBOL, _COUNT = 18, 50  # for the colour's symbol, for the number


def draw_piles(position: Mapping[str, Any], names: Sequence[str], width: float) -> Block:
    """A cell per seat, clockwise row by row: who it is, its total, its pile."""
    wide = (width - (_COLUMNS - 1) * _APART) / _COLUMNS
    room, high = wide - 2 * _EDGE, _STRIP + _TOTAL + _CARDS + _EDGE
    drawn: Elements = []
    for seat, pile in enumerate(position["front"]):
        cell: Elements = [
            box(0, 0, wide, high),
            seat_strip(position, seat, names, wide, _STRIP).at(0, 0),
            Block(_total(pile, room) if pile else [], room, _TOTAL).at(_EDGE, _STRIP),
            _pile(pile, room).place(f"front{seat}", _EDGE, _STRIP + _TOTAL),
        ]
        row, column = divmod(seat, _COLUMNS)
        drawn.append(Block(cell, wide, high).at(column * (wide + _APART), row * (high + _APART)))
    below = ceil(position["players"] / _COLUMNS) * (high + _APART)
    return Block([*drawn, _free(position, width).at(0, below)], width, below + _FREE)


def _pile(pile: Sequence[str], width: float) -> Block:
    """Cards in the order played."""
    if not pile:
        return draw_empty("nothing before it", width, _CARDS)
    wide = SHAPE * _CARDS
    step = min(wide + GAP, (width - wide) / max(1, len(pile) - 1))
    cards = [draw_card(card, _CARDS).at(at * step, 0, card=card) for at, card in enumerate(pile)]
    return Block([*cards], width, _CARDS)


def _total(pile: Sequence[str], width: float) -> Elements:
    """The colour, a square for each unit at which all is taken, and the total (Rules B6).

    Where room is short the colour has its symbol but no name. All of it stays clear of the frame
    around a pile that is marked.
    """
    colour, total = pile_colour(pile), pile_total(pile)
    first, name = width - _COUNT - _PIP * FULL, colour or "no colour"
    full, side, left = CARDS[colour][0] if colour else MUTED, _PIP - _PIP_GAP, 0
    drawn: Elements = [
        box(first + _PIP * place, 3, side, side, fill=fill, line=MUTED, corner=3)
        for place, fill in enumerate([full] * min(total, FULL) + [PANEL] * (FULL - total))
    ]
    caption = f"{total} of {FULL}"
    drawn.append(words(width, 14, caption, 13, weight="bold", anchor="end", room=_COUNT))
    if colour:
        drawn += symbol(7, 9.5, 15, colour)
        left = _SYMBOL
    if left + text_width(name, 12, "bold") < first - _PIP_GAP:
        drawn.append(words(left, 14, name, 12, weight="bold"))
    return drawn


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
