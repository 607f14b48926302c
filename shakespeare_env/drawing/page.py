"""The page a picture is drawn on: its head, and its parts below each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import svg

from shakespeare_env.drawing.lettering import plain, words
from shakespeare_env.drawing.palette import FAINT, INK, MUTED, NEUTRAL, PAGE, PANEL
from shakespeare_env.drawing.shapes import Block, Elements, box
from shakespeare_env.fonts import FAMILY, width

WIDTH = 1600
GAP = 12
"""What parts two panels."""
_EDGE = 24
ROOM = WIDTH - 2 * _EDGE
"""How wide the parts of a page are."""
_TITLE, _BANNER = 42, 40
_STEPS, _PHASE = 620, 920  # where the steps begin, and the phase at the earliest
_PIPS = 90  # from the words of the steps to their pips, at least
SIGN_AT = (26, _TITLE + _BANNER / 2)
"""The middle of the sign that a banner begins with, in the coordinates of the head."""


@dataclass(frozen=True)
class Banner:
    """The line that tells who decides what, or who has won.

    Attributes:
        sentence: What it tells.
        sign: What it begins with, drawn at `SIGN_AT`.
        fill: Its colour.
        ink: The colour of the letters on it.
        aside: What stands at its right end.
    """

    sentence: str
    sign: Elements
    fill: str
    ink: str
    aside: str = ""


def page(title: str, parts: Iterable[tuple[str, Block]]) -> str:
    """An SVG document, `WIDTH` units wide, that holds the parts from top to bottom.

    Args:
        title: What the document is called for those who cannot see it.
        parts: What is drawn, `ROOM` wide, each with the name it has in `data-part`.
    """
    drawn: Elements = []
    y = float(_EDGE)
    for part, block in parts:
        drawn.append(block.at(_EDGE, y, part=part))
        y += block.height + GAP
    height = round(y - GAP + _EDGE / 2)
    document = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, WIDTH, height),
        width=WIDTH,
        height=height,
        extra={"role": "img", "font-family": FAMILY},
        elements=[
            svg.Title(text=plain(title)),
            svg.Rect(width=WIDTH, height=height, rx=10, fill=PAGE),
            *drawn,
        ],
    )
    return str(document)


def head(
    game: str, table: str, unit: str, step: int, steps: int, phase: str, banner: Banner
) -> Block:
    """The game, how far it is, and below them who decides.

    Args:
        game: What it is called.
        table: How many play, and the variant.
        unit: What the game is a number of, such as days.
        step: The one that is played, from 1.
        steps: How many there are.
        phase: What stands at the right.
        banner: The line below.
    """
    end = width(game, 30, "bold")
    return Block(
        [
            words(0, 27, game, 30, weight="bold"),
            words(end + 16, 27, table, 15, fill=MUTED, room=300),
            *_steps(unit, step, steps),
            words(ROOM, 27, phase, 19, weight="bold", anchor="end", room=ROOM - _PHASE),
            *_drawn_banner(banner),
        ],
        ROOM,
        _TITLE + _BANNER,
    )


def _steps(unit: str, now: int, steps: int) -> Elements:
    """A pip a step: past ones grey, the one that is played dark."""
    told = f"{unit} {now} of {steps}"
    left = max(_PIPS, width(told, 15, "bold") + 4)
    drawn: Elements = [words(_STEPS, 26, told, 15, weight="bold", room=left + 10)]
    for step in range(1, steps + 1):
        fill, ink = {True: (INK, PANEL), False: (PANEL, FAINT)}[step == now]
        if step < now:
            fill, ink = NEUTRAL, PANEL
        at = round(_STEPS + left + 30 * step, 1)
        drawn += [
            svg.Circle(cx=at, cy=20, r=12, fill=fill, stroke=MUTED, stroke_width=1),
            words(at, 24.5, str(step), 12, weight="bold", fill=ink, anchor="middle"),
        ]
    return drawn


def _drawn_banner(banner: Banner) -> Elements:
    middle = SIGN_AT[1]
    beside = width(banner.aside, 14) + 40 if banner.aside else 0
    room = ROOM - 70 - beside
    told = words(52, middle + 6, banner.sentence, 18, weight="bold", fill=banner.ink, room=room)
    return [
        box(0, _TITLE, ROOM, _BANNER, fill=banner.fill, line=None),
        *banner.sign,
        told,
        words(
            ROOM - 16, middle + 5, banner.aside, 14, fill=banner.ink, anchor="end", room=ROOM / 2
        ),
    ]
