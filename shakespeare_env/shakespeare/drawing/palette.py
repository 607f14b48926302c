"""This game's own colours.

Seats differ by warmth and brightness; any two of the ten seat and element colours stay apart for
red-green blind eyes.
"""

from __future__ import annotations

from shakespeare_env.drawing.palette import FAINT, INK, LINE, NEUTRAL, ON_LIGHT, PANEL, SHADE

KRAFT, RESTING, OBJECTIVE = "#e6d9c3", "#dde2e8", "#e4cdd8"

SEATS = ("#a62b17", "#1d4a63", "#f5b877", "#8fdcd5")
ON_SEATS = ("#ffffff", "#ffffff", ON_LIGHT, ON_LIGHT)
SEAT_TINTS = ("#fbeae5", "#e5edf2", "#fdf0e1", "#e4f4f3")

EMPTY, ANY = "empty", "any"
"""An empty place and an element of any colour, where a colour is expected."""
ELEMENTS = {
    "black": ("#33302e", INK, "#ffffff"),
    "pink": ("#e8749c", INK, ON_LIGHT),
    "purple": ("#8242a3", INK, "#ffffff"),
    "blue": ("#5b98ea", INK, ON_LIGHT),
    "green": ("#4f9d3c", INK, "#ffffff"),
    "yellow": ("#f7d731", INK, ON_LIGHT),
    EMPTY: (SHADE, LINE, FAINT),
    ANY: (PANEL, INK, INK),
}
"""Fill, outline and lettering by element colour."""
QUILLS = {"red": "#c8331f", "gold": "#e0a91c", "blue": "#3a6fc4", "white": "#ffffff"}


def disc_colours(disc: int | str) -> tuple[str, str]:
    """Fill and lettering of a disc or token; the solo disc is grey."""
    return (SEATS[disc], ON_SEATS[disc]) if isinstance(disc, int) else (NEUTRAL, "#ffffff")
