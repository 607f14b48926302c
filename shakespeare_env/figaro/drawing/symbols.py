"""Symbols printed on cards, and the castle; x and y are their middle."""

from __future__ import annotations

import math

import svg

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import INK
from shakespeare_env.drawing.shapes import Elements, box, outline
from shakespeare_env.figaro.drawing.palette import CARDS, GATE, MOTLEY, PIECE, WEAVE
from shakespeare_env.figaro.text.wording import JESTER, RING, suit_of

_RAYS = 9
_DIAMOND = "M0-.52 .4 0 0 .52-.4 0Z"
_PATHS = {
    "red": "M0 .46C-.9-.12-.42-.72 0-.26 .42-.72 .9-.12 0 .46Z",  # a heart
    "orange": "M{}Z".format(
        " ".join(
            f"{reach * math.sin(turn):.3f} {-reach * math.cos(turn):.3f}"
            for ray in range(_RAYS)
            for reach, turn in (
                (0.52, 2 * math.pi * ray / _RAYS),
                (0.31, 2 * math.pi * (ray + 0.5) / _RAYS),
            )
        )
    ),  # a sun
    "green": "M-.42 .42C-.52-.3-.06-.5 .46-.46 .5 .06 .3 .52-.42 .42Z",  # a leaf
    "blue": "M0-.52C.12-.2 .4-.02 .36 .2 .3 .62-.3 .62-.36 .2-.4-.02-.12-.2 0-.52Z",  # a drop
    "purple": _DIAMOND,
}


def symbol(x: float, y: float, size: float, suit: str, fill: str | None = None) -> Elements:
    """The symbol of a colour, jester or ring; `fill` replaces a colour's own."""
    if suit in (JESTER, RING):
        return (cap if suit == JESTER else dancers)(x, y, size)
    colour = fill or CARDS[suit][0]
    return [outline(x, y, size, _PATHS[suit], colour, "none" if fill else INK)]


def cap(x: float, y: float, size: float) -> Elements:
    """A jester's cap with its bells."""
    left = "M-.3 .3C-.36-.2-.5-.16-.5 .14-.62-.42-.2-.56 0-.06L0 .3Z"
    right = "M.3 .3C.36-.2 .5-.16 .5 .14 .62-.42 .2-.56 0-.06L0 .3Z"
    middle = "M-.2 .3C-.24-.1-.12-.3 0-.46 .12-.3 .24-.1 .2 .3Z"
    band = "M-.34 .28 .34 .28 .34 .44-.34 .44Z"
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
    towers = "-.5-.5-.3-.5-.3-.28-.1-.28-.1-.5 .1-.5 .1-.28 .3-.28 .3-.5 .5-.5"
    wall = f"M-.5 .5{towers} .5 .5Z"
    gate = "M-.15 .5-.15 .2C-.15 0 .15 0 .15 .2L.15 .5Z"
    return [outline(x, y, size, wall, PIECE), outline(x, y, size, gate, GATE)]


def chip(x: float, y: float, size: float, card: str, text: str) -> Elements:
    """A small square in a card's colour, with text, for lists and counts."""
    fill, ink = CARDS[suit_of(card)]
    left, top, corner = x - size / 2, y - size / 2, round(0.18 * size, 1)
    ground = box(left, top, size, size, fill=fill, line=INK, thick=0.8, corner=corner)
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
