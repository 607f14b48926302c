"""How near a seat's pile is to the total at which it takes all (Rules B6)."""

from __future__ import annotations

from collections.abc import Sequence

from shakespeare_env.drawing.palette import MUTED, PANEL
from shakespeare_env.drawing.shapes import Elements, box
from shakespeare_env.figaro.drawing.palette import CARDS
from shakespeare_env.figaro.drawing.wording import pile_colour, pile_total
from shakespeare_env.figaro.tables import FULL

PIP = 16
"""From square to square."""
_GAP = 3


def total_pips(pile: Sequence[str], x: float, y: float) -> Elements:
    """A square for each unit needed, filled in the pile's colour so far."""
    colour, total = pile_colour(pile), pile_total(pile)
    full = CARDS[colour][0] if colour else MUTED
    side = PIP - _GAP
    return [
        box(x + PIP * place, y, side, side, fill=fill, line=MUTED, corner=3)
        for place, fill in enumerate([full] * min(total, FULL) + [PANEL] * (FULL - total))
    ]
