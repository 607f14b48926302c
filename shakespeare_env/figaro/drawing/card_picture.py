"""A card, face up or down."""

from __future__ import annotations

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import INK
from shakespeare_env.drawing.shapes import Block, Elements, box, drawn_once
from shakespeare_env.figaro.drawing.palette import CARDS
from shakespeare_env.figaro.drawing.symbols import back, symbol
from shakespeare_env.figaro.text.wording import JESTER, LETTERS, RING, suit_of, value_of

SHAPE = 0.69
"""A card's width as a part of its height."""
_LARGE = 90  # cards higher than this have a symbol below the letter, too
_INDEX = 22  # the widest index, so that it can be read on a card that others cover


@drawn_once
def draw_card(card: str, height: float) -> Block:
    """A card, identified at its left edge."""
    width = SHAPE * height
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
