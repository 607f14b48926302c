"""How near a seat's pile is to the total at which it takes all (Rules B6)."""

from __future__ import annotations

from collections.abc import Sequence

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import MUTED, PANEL
from shakespeare_env.drawing.shapes import Block, Elements, box
from shakespeare_env.figaro.drawing.palette import CARDS
from shakespeare_env.figaro.drawing.symbols import symbol
from shakespeare_env.figaro.drawing.wording import pile_colour, pile_total
from shakespeare_env.figaro.tables import FULL
from shakespeare_env.fonts import width as text_width

PIP = 16
"""The distance from square to square."""
_GAP = 3
_HEIGHT = 26  # of the line above a pile
_SYMBOL, _COUNT = 18, 50  # for the colour's symbol, for the number


def total_pips(pile: Sequence[str], x: float, y: float) -> Elements:
    """A square for each unit needed, filled in the pile's colour so far."""
    colour, total = pile_colour(pile), pile_total(pile)
    full = CARDS[colour][0] if colour else MUTED
    side = PIP - _GAP
    return [
        box(x + PIP * place, y, side, side, fill=fill, line=MUTED, corner=3)
        for place, fill in enumerate([full] * min(total, FULL) + [PANEL] * (FULL - total))
    ]


def draw_total(pile: Sequence[str], width: float) -> Block:
    """A pile's colour, and its total as squares and number; nothing for an empty pile.

    Where room is short the colour has its symbol but no name.
    """
    if not pile:
        return Block([], width, _HEIGHT)
    colour, caption = pile_colour(pile), f"{pile_total(pile)} of {FULL}"
    pips, name = width - _COUNT - PIP * FULL, colour or "no colour"
    left = _SYMBOL if colour else 0
    drawn: Elements = [
        *total_pips(pile, pips, 8),
        words(width, 19, caption, 13, weight="bold", anchor="end", room=_COUNT),
    ]
    if colour:
        drawn += symbol(7, 14.5, 15, colour)
    if left + text_width(name, 12, "bold") < pips - _GAP:
        drawn.append(words(left, 19, name, 12, weight="bold"))
    return Block(drawn, width, _HEIGHT)
