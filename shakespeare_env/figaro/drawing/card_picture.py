"""Cards, face up or down, in rows that overlap where room is short."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import INK
from shakespeare_env.drawing.shapes import Block, Elements, box
from shakespeare_env.figaro.drawing.palette import CARDS
from shakespeare_env.figaro.drawing.symbols import back, symbol
from shakespeare_env.figaro.drawing.wording import JESTER, LETTERS, RING, suit_of, value_of
from shakespeare_env.game import UNKNOWN

_SHAPE = 0.69  # how wide a card is for its height
_GAP = 5  # between cards that do not overlap
_ROWS = (1, 2, 3)
_SHOWN = 0.6  # of a card's width, where others cover it
_TALLEST, _LOWEST = 172, 66  # many cards cover more of each other rather than get lower
_LARGE = 90  # cards higher than this have a symbol below the letter, too
_INDEX = 22  # the widest index, so that it can be read on a card that others cover


def draw_card(card: str, height: float) -> Block:
    """A card, identified at its left edge."""
    width = _SHAPE * height
    suit = suit_of(card)
    fill, ink = CARDS[suit]
    drawn: Elements = [
        box(0, 0, width, height, fill=fill, line=INK, thick=1, corner=5),
        box(3, 3, width - 6, height - 6, fill="none", line=ink, thick=0.7, corner=3),
    ]
    if suit == UNKNOWN:
        drawn += back(4, 4, width - 8, height - 8)
    size = min(_INDEX, 0.25 * height)
    at = 4 + size * 0.62
    if suit == RING:
        drawn += [
            *symbol(at, 4 + size * 0.75, size, suit),
            *symbol(width * 0.54, height * 0.63, width * 0.66, suit),
        ]
    else:
        upper = UNKNOWN if suit == UNKNOWN else str(value_of(card))
        drawn.append(words(at, 4 + size, upper, size, weight="bold", fill=ink, anchor="middle"))
    if suit not in (RING, UNKNOWN):
        letter = round(0.62 * size, 1)
        drawn.append(words(at, 4 + size * 1.75, LETTERS[suit], letter, fill=ink, anchor="middle"))
        if height > _LARGE and suit != JESTER:
            drawn += symbol(at, 4 + size * 2.35, 0.62 * size, suit, ink)
        drawn += _pips(suit, value_of(card), width, height, ink)
    return Block(drawn, width, height)


def _pips(suit: str, value: int, width: float, height: float, ink: str) -> Elements:
    """One symbol per unit of value; a jester has one cap."""
    if suit == JESTER:
        return symbol(width * 0.54, height * 0.62, width * 0.62, suit)
    size = min(0.24 * height, 0.42 * width)
    middle = height * 0.53
    return [
        shape
        for place in range(value)
        for shape in symbol(
            width * 0.64, middle + (place - (value - 1) / 2) * size * 1.16, size, suit, ink
        )
    ]


def draw_cards(cards: Sequence[str], width: float, height: float) -> Block:
    """Cards from left to right, in the number of rows that draws them largest.

    They overlap where they do not fit side by side.
    """
    rows = max(_ROWS, key=lambda rows: _card_height(len(cards), rows, width, height))
    high = _card_height(len(cards), rows, width, height)
    each, columns = _SHAPE * high, ceil(len(cards) / rows)
    step = each + _GAP
    if columns > 1:
        step = min(step, (width - each) / (columns - 1))
    top = (height - rows * high - (rows - 1) * _GAP) / 2
    drawn: Elements = []
    for place, card in enumerate(cards):
        y = top + place // columns * (high + _GAP)
        drawn.append(draw_card(card, high).at(place % columns * step, y, card=card))
    return Block(drawn, width, height)


def _card_height(cards: int, rows: int, width: float, height: float) -> float:
    """The height at which rows fit and enough of every card shows."""
    covered = ceil(cards / rows) - 1
    fitting = width / (1 + covered * _SHOWN) / _SHAPE
    return min(_TALLEST, (height - (rows - 1) * _GAP) / rows, max(fitting, _LOWEST))
