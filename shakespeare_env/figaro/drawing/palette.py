"""This game's own colours.

Any two of the eleven card and seat colours stay apart for red-green blind eyes. Cards also have a
letter and a symbol, seats their number; seat colours are paler or darker than any card's.
"""

from __future__ import annotations

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.palette import ON_LIGHT, PAPER
from shakespeare_env.figaro.box.facts import COLOURS
from shakespeare_env.figaro.text.wording import JESTER, RING

CREAM, BACK, WEAVE = "#f8ecc9", "#4d5563", "#69727f"
GATE, NOW = "#7d756b", "#fbf0cf"
SEATS = ("#54433b", "#8ebeed", "#edbebe", "#85628c", "#ededa6", "#391a40")
ON_SEATS = ("#ffffff", ON_LIGHT, ON_LIGHT, "#ffffff", ON_LIGHT, "#ffffff")
PIECE, PIECE_LINE = "#c9bfb0", "#7d7264"

CARDS = {
    "red": ("#bb2418", "#ffffff"),
    "orange": ("#f4a93f", ON_LIGHT),
    "green": ("#3f9d6c", "#ffffff"),
    "blue": ("#3a78cf", "#ffffff"),
    "purple": ("#5c2a86", "#ffffff"),
    JESTER: (CREAM, ON_LIGHT),
    RING: (PAPER, ON_LIGHT),
    UNKNOWN: (BACK, "#ffffff"),
}
"""Fill and lettering by kind of card."""
MOTLEY = tuple(CARDS[colour][0] for colour in COLOURS)
