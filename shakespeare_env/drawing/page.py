"""A picture's page: its head, and its parts below each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import svg

from shakespeare_env.drawing.lettering import DEFAULTS, plain, words
from shakespeare_env.drawing.palette import FAINT, INK, MUTED, NEUTRAL, PAGE, PANEL
from shakespeare_env.drawing.shapes import Block, Elements, box
from shakespeare_env.fonts import width

WIDTH = 1600
GAP = 12
"""The gap between panels."""
_EDGE = 24
ROOM = WIDTH - 2 * _EDGE
"""Width of a page's parts."""
_TITLE, _BANNER = 42, 40
_STEPS, _PHASE = 620, 920  # where the steps begin, and the phase at the earliest
_PIPS = 90  # least width of the steps' words
SIGN_AT = (26, _TITLE + _BANNER / 2)
"""The middle of a banner's sign, within the head."""


@dataclass(frozen=True)
class Banner:
    """Says who decides or has won; `sign` is drawn at `SIGN_AT`, `aside` at the right."""

    sentence: str
    sign: Elements
    fill: str
    ink: str
    aside: str = ""


def page(title: str, parts: Iterable[tuple[str, Block]]) -> str:
    """An SVG document, `WIDTH` units wide, of parts from top to bottom.

    A part is its name for `data-part` and a drawing `ROOM` wide; `title` is for screen readers.
    """
    drawn: Elements = []
    y = float(_EDGE)
    for part, block in parts:
        drawn.append(block.at(_EDGE, y, part=part))
        y += block.height + GAP
    height = round(y - GAP + _EDGE / 2)
    sheet = svg.Rect(width=WIDTH, height=height, rx=10, fill=PAGE)
    document = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, WIDTH, height),
        width=WIDTH,
        height=height,
        extra={"role": "img", **DEFAULTS},
        elements=[svg.Title(text=plain(title)), sheet, *drawn],
    )
    return str(document)


def head(
    game: str, table: str, unit: str, step: int, steps: int, phase: str, banner: Banner
) -> Block:
    """The game and its progress, with the banner below.

    `table` says seats and variant; `step` counts from 1 to `steps` in a `unit`, such as days;
    `phase` stands at the right.
    """
    end = width(game, 30, "bold")
    drawn: Elements = [
        words(0, 27, game, 30, weight="bold"),
        words(end + 16, 27, table, 15, fill=MUTED, room=300),
        *_steps(unit, step, steps),
        words(ROOM, 27, phase, 19, weight="bold", anchor="end", room=ROOM - _PHASE),
        *_drawn_banner(banner),
    ]
    return Block(drawn, ROOM, _TITLE + _BANNER)


def _steps(unit: str, now: int, steps: int) -> Elements:
    progress = f"{unit} {now} of {steps}"
    left = max(_PIPS, width(progress, 15, "bold") + 4)
    drawn: Elements = [words(_STEPS, 26, progress, 15, weight="bold", room=left + 10)]
    for step in range(1, steps + 1):
        reached = NEUTRAL if step < now else INK
        fill, ink = (reached, PANEL) if step <= now else (PANEL, FAINT)
        at = round(_STEPS + left + 30 * step, 1)
        drawn += [
            svg.Circle(cx=at, cy=20, r=12, fill=fill, stroke=MUTED, stroke_width=1),
            words(at, 24.5, str(step), 12, weight="bold", fill=ink, anchor="middle"),
        ]
    return drawn


def _drawn_banner(banner: Banner) -> Elements:
    middle, ink = SIGN_AT[1], banner.ink
    beside = width(banner.aside, 14) + 40 if banner.aside else 0
    room = ROOM - 70 - beside
    return [
        box(0, _TITLE, ROOM, _BANNER, fill=banner.fill, line=None),
        *banner.sign,
        words(52, middle + 6, banner.sentence, 18, weight="bold", fill=ink, room=room),
        words(ROOM - 16, middle + 5, banner.aside, 14, fill=ink, anchor="end", room=ROOM / 2),
    ]
