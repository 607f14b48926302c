"""Symbols printed on cards, and the castle; x and y are their middle."""

from __future__ import annotations

import math
from collections.abc import Callable

import svg

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import INK
from shakespeare_env.drawing.shapes import Elements, outline
from shakespeare_env.figaro.drawing.palette import CARDS, GATE, MOTLEY, PIECE, WEAVE
from shakespeare_env.figaro.drawing.wording import JESTER, RING, suit_of

_HEART: list[svg.PathData] = [
    svg.M(0, 0.46),
    svg.C(-0.9, -0.12, -0.42, -0.72, 0, -0.26),
    svg.C(0.42, -0.72, 0.9, -0.12, 0, 0.46),
    svg.Z(),
]
_DROP: list[svg.PathData] = [
    svg.M(0, -0.52),
    svg.C(0.12, -0.2, 0.4, -0.02, 0.36, 0.2),
    svg.C(0.3, 0.62, -0.3, 0.62, -0.36, 0.2),
    svg.C(-0.4, -0.02, -0.12, -0.2, 0, -0.52),
    svg.Z(),
]
_DIAMOND: list[svg.PathData] = [
    svg.M(0, -0.52),
    svg.L(0.4, 0),
    svg.L(0, 0.52),
    svg.L(-0.4, 0),
    svg.Z(),
]
_LEAF: list[svg.PathData] = [
    svg.M(-0.42, 0.42),
    svg.C(-0.52, -0.3, -0.06, -0.5, 0.46, -0.46),
    svg.C(0.5, 0.06, 0.3, 0.52, -0.42, 0.42),
    svg.Z(),
]
_RAYS = 9


def _sun() -> list[svg.PathData]:
    path: list[svg.PathData] = []
    for corner in range(2 * _RAYS):
        reach = 0.52 if corner % 2 == 0 else 0.31
        turn = math.pi * corner / _RAYS
        at = (round(reach * math.sin(turn), 3), round(-reach * math.cos(turn), 3))
        path.append(svg.L(*at) if path else svg.M(*at))
    return [*path, svg.Z()]


_PATHS = {"red": _HEART, "orange": _sun(), "green": _LEAF, "blue": _DROP, "purple": _DIAMOND}


def symbol(x: float, y: float, size: float, suit: str, fill: str | None = None) -> Elements:
    """The symbol of a colour, jester or ring; `fill` replaces a colour's own."""
    others: dict[str, Callable[[float, float, float], Elements]] = {JESTER: cap, RING: dancers}
    if suit in others:
        return others[suit](x, y, size)
    colour = fill or CARDS[suit][0]
    return [outline(x, y, size, _PATHS[suit], colour, "none" if fill else INK)]


def cap(x: float, y: float, size: float) -> Elements:
    """A jester's cap with its bells."""
    left: list[svg.PathData] = [
        svg.M(-0.3, 0.3),
        svg.C(-0.36, -0.2, -0.5, -0.16, -0.5, 0.14),
        svg.C(-0.62, -0.42, -0.2, -0.56, 0, -0.06),
        svg.L(0, 0.3),
        svg.Z(),
    ]
    right: list[svg.PathData] = [
        svg.M(0.3, 0.3),
        svg.C(0.36, -0.2, 0.5, -0.16, 0.5, 0.14),
        svg.C(0.62, -0.42, 0.2, -0.56, 0, -0.06),
        svg.L(0, 0.3),
        svg.Z(),
    ]
    middle: list[svg.PathData] = [
        svg.M(-0.2, 0.3),
        svg.C(-0.24, -0.1, -0.12, -0.3, 0, -0.46),
        svg.C(0.12, -0.3, 0.24, -0.1, 0.2, 0.3),
        svg.Z(),
    ]
    band: list[svg.PathData] = [
        svg.M(-0.34, 0.28),
        svg.L(0.34, 0.28),
        svg.L(0.34, 0.44),
        svg.L(-0.34, 0.44),
        svg.Z(),
    ]
    gold = CARDS["orange"][0]
    return [
        outline(x, y, size, left, CARDS["red"][0]),
        outline(x, y, size, right, CARDS["blue"][0]),
        outline(x, y, size, middle, CARDS["green"][0]),
        outline(x, y, size, band, gold),
        *(
            _dot(x + at * size, y + up * size, 0.09 * size, gold)
            for at, up in ((-0.5, 0.17), (0, -0.48), (0.5, 0.17))
        ),
    ]


def dancers(x: float, y: float, size: float) -> Elements:
    """A ring: dancers of all colours, hand in hand."""
    round_dance = svg.Circle(
        cx=round(x, 1),
        cy=round(y, 1),
        r=round(0.36 * size, 1),
        fill="none",
        stroke=INK,
        stroke_width=round(max(0.8, 0.05 * size), 1),
    )
    drawn: Elements = [round_dance]
    for place, fill in enumerate(MOTLEY):
        turn = 2 * math.pi * place / len(MOTLEY)
        across, up = 0.36 * size * math.sin(turn), 0.36 * size * math.cos(turn)
        drawn.append(_dot(x + across, y - up, 0.14 * size, fill))
    return drawn


def castle(x: float, y: float, size: float) -> Elements:
    """The castle that roads begin at."""
    wall: list[svg.PathData] = [svg.M(-0.5, 0.5)]
    for left in (-0.5, -0.1, 0.3):
        wall += [svg.L(left, -0.5), svg.L(left + 0.2, -0.5), svg.L(left + 0.2, -0.28)]
        wall += [svg.L(left + 0.4, -0.28)] if left < 0.3 else []
    wall += [svg.L(0.5, 0.5), svg.Z()]
    gate: list[svg.PathData] = [
        svg.M(-0.15, 0.5),
        svg.L(-0.15, 0.2),
        svg.C(-0.15, 0, 0.15, 0, 0.15, 0.2),
        svg.L(0.15, 0.5),
        svg.Z(),
    ]
    return [outline(x, y, size, wall, PIECE), outline(x, y, size, gate, GATE)]


def chip(x: float, y: float, size: float, card: str, text: str) -> Elements:
    """A small square in a card's colour, with text, for lists and counts."""
    fill, ink = CARDS[suit_of(card)]
    ground = svg.Rect(
        x=round(x - size / 2, 1),
        y=round(y - size / 2, 1),
        width=round(size, 1),
        height=round(size, 1),
        rx=round(0.18 * size, 1),
        fill=fill,
        stroke=INK,
        stroke_width=0.8,
    )
    if card == RING:
        return [ground, *dancers(x, y, 0.86 * size)]
    base, letters = y + 0.19 * size, round(0.54 * size, 1)
    return [ground, words(x, base, text, letters, weight="bold", fill=ink, anchor="middle")]


def back(x: float, y: float, width: float, height: float) -> Elements:
    """A card back's weave, by its top left corner."""
    steps = 3
    drawn: Elements = []
    for row in range(1, 2 * steps):
        for column in range(1, steps + 1):
            at = (column - 0.5 if row % 2 else column) / (steps + 0.5)
            middle = row / (2 * steps)
            drawn.append(
                outline(x + at * width, y + middle * height, width * 0.2, _DIAMOND, WEAVE, "none")
            )
    return drawn


def _dot(x: float, y: float, reach: float, fill: str) -> svg.Circle:
    return svg.Circle(
        cx=round(x, 1), cy=round(y, 1), r=round(reach, 1), fill=fill, stroke=INK, stroke_width=0.7
    )
