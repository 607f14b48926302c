"""Colours, symbols and cards.

Any two of the eleven card and seat colours can be told apart by red-green blind eyes. Cards also
have a letter and a symbol, and seats have their number.
"""

from __future__ import annotations

import math

import svg

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing import shapes as d
from shakespeare_env.drawing.shapes import INK, Block, Elements, box, cached_block, outline, words
from shakespeare_env.figaro.box.tables import COLOURS
from shakespeare_env.figaro.text import wording as text

SEAT_COLOURS = (
    ("#54433b", "#ffffff"),
    ("#8ebeed", d.ON_LIGHT),
    ("#edbebe", d.ON_LIGHT),
    ("#85628c", "#ffffff"),
    ("#ededa6", d.ON_LIGHT),
    ("#391a40", "#ffffff"),
)
"""Fill and lettering by seat."""
CARDS = {
    "red": ("#bb2418", "#ffffff"),
    "orange": ("#f4a93f", d.ON_LIGHT),
    "green": ("#3f9d6c", "#ffffff"),
    "blue": ("#3a78cf", "#ffffff"),
    "purple": ("#5c2a86", "#ffffff"),
    text.JESTER: ("#f8ecc9", d.ON_LIGHT),
    text.RING: (d.PAPER, d.ON_LIGHT),
    UNKNOWN: ("#4d5563", "#ffffff"),
}
"""Fill and lettering by kind of card."""
_PATHS = {
    "red": "M0 .46C-.9-.12-.42-.72 0-.26 .42-.72 .9-.12 0 .46Z",  # a heart
    "orange": "M0-.52 .12-.29 .37-.37 .29-.12 .52 0 .29 .12 .37 .37 .12 .29 0 .52-.12 .29-.37 .37"
    "-.29 .12-.52 0-.29-.12-.37-.37-.12-.29Z",  # a sun
    "green": "M-.42 .42C-.52-.3-.06-.5 .46-.46 .5 .06 .3 .52-.42 .42Z",  # a leaf
    "blue": "M0-.52C.12-.2 .4-.02 .36 .2 .3 .62-.3 .62-.36 .2-.4-.02-.12-.2 0-.52Z",  # a drop
    "purple": "M0-.52 .4 0 0 .52-.4 0Z",  # a diamond
}
_CAP_PATHS = {
    "red": "M-.3 .3C-.36-.2-.5-.16-.5 .14-.62-.42-.2-.56 0-.06L0 .3Z",
    "blue": "M.3 .3C.36-.2 .5-.16 .5 .14 .62-.42 .2-.56 0-.06L0 .3Z",
    "green": "M-.2 .3C-.24-.1-.12-.3 0-.46 .12-.3 .24-.1 .2 .3Z",
    "orange": "M-.34 .28 .34 .28 .34 .44-.34 .44Z",
}
"""The parts of a jester's cap, by colour."""
CASTLE = "M-.5 .5-.5-.5-.3-.5-.3-.28-.1-.28-.1-.5 .1-.5 .1-.28 .3-.28 .3-.5 .5-.5 .5 .5Z"

CARD_ASPECT = 0.69
"""A card's width divided by its height."""


def symbol(x: float, y: float, size: float, suit: str, fill: str | None = None) -> Elements:
    """Draw the symbol of a colour, jester or ring around (x, y); `fill` replaces its own colour."""
    if suit == text.JESTER:
        return [outline(x, y, size, path, CARDS[colour][0]) for colour, path in _CAP_PATHS.items()]
    if suit != text.RING:
        if fill:
            return [outline(x, y, size, _PATHS[suit], fill, "none")]
        return [outline(x, y, size, _PATHS[suit], CARDS[suit][0])]
    # Dancers of all colours, hand in hand.
    radius = round(0.36 * size, 1)
    drawn: Elements = [svg.Circle(cx=x, cy=y, r=radius, fill="none", stroke=INK)]
    for place, colour in enumerate(COLOURS):
        angle = 2 * math.pi * place / len(COLOURS)
        dancer_x = round(x + radius * math.sin(angle), 1)
        dancer_y = round(y - radius * math.cos(angle), 1)
        drawn.append(svg.Circle(cx=dancer_x, cy=dancer_y, r=0.14 * size, fill=CARDS[colour][0]))
    return drawn


_LETTERS = 13
"""The least size of letters, which is more than 11 pixels on a phone."""


@cached_block
def draw_card(card: str, height: float, copies: int = 1) -> Block:
    """Draw a card with its value and letter, a symbol per unit of value, and its count."""
    width = CARD_ASPECT * height
    suit = text.suit_of(card)
    value = text.value_of(card)
    fill, ink = CARDS[suit]
    size = min(22, 0.25 * height)
    letters = max(_LETTERS, size)  # of the value; those of the colour are smaller on large cards
    left = max(3 + 0.36 * letters, 4 + size * 0.62 if height > 50 else 0)
    middle = height * 0.55
    drawn: Elements = [box(0, 0, width, height, fill=fill, line=INK, corner=5)]
    if suit != text.RING:
        letter = text.LETTERS[suit]
        number = UNKNOWN if suit == UNKNOWN else str(value)
        drawn.append(d.label(left, 3 + letters, number, letters, fill=ink))
        letter_size = max(_LETTERS, 0.62 * size)
        y = 4 + letters + letter_size
        drawn.append(words(left, y, letter, letter_size, fill=ink, anchor="middle"))
    if suit in COLOURS:
        symbol_size = min(0.24 * height, 0.42 * width)
        for place in range(value):
            y = middle + (place - (value - 1) / 2) * symbol_size * 1.16
            drawn += symbol(width * 0.64, y, symbol_size, suit, ink)
    elif suit != UNKNOWN:
        y = middle + (0.08 * height if suit == text.JESTER else 0)  # below the letter
        drawn += symbol(width * 0.54, y, width * 0.66, suit)
    if copies > 1:
        label_height = max(18, 0.19 * height)
        x = 0.72 * label_height
        y = height - 0.24 * label_height
        drawn += [
            box(0, height - label_height, 1.5 * label_height, label_height, line=INK, corner=4),
            words(x, y, f"×{copies}", 0.72 * label_height, anchor="middle"),
        ]
    return Block(drawn, width, height)
