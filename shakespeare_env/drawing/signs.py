"""Rows of small signs, for cards and legends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import svg

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import MUTED
from shakespeare_env.drawing.shapes import Block, Elements
from shakespeare_env.fonts import width

_GAP = 4
_EXPLAINED, _APART = 16, 12  # the room of a sign in a legend, and between entries


@dataclass(frozen=True)
class Sign:
    """A sign of a row, drawn around a point of its middle line."""

    width: float
    draw: Callable[[float, float], Elements]


def number_sign(text: str) -> Sign:
    """A number with its unit."""

    def draw(x: float, y: float) -> Elements:
        return [words(x, y + 4.3, text, 12, weight="bold", anchor="middle")]

    return Sign(width(text, 12, "bold"), draw)


def note_sign(text: str) -> Sign:
    """A word between signs."""

    def draw(x: float, y: float) -> Elements:
        return [words(x, y + 3.8, text, 10.5, fill=MUTED, anchor="middle")]

    return Sign(width(text, 10.5), draw)


def row(signs: list[Sign], x: float, y: float, room: float) -> Elements:
    """Signs side by side from x on, around the middle line y, scaled down to fit."""
    long = _length(signs)
    if long <= room:
        return _side_by_side(signs, x, y)
    smaller = [svg.Translate(round(x, 1), round(y, 1)), svg.Scale(round(room / long, 3))]
    return [svg.G(transform=smaller, elements=_side_by_side(signs, 0, 0))]


def centred(signs: list[Sign], x: float, y: float, room: float) -> Elements:
    """Signs side by side around x."""
    return row(signs, x - min(_length(signs), room) / 2, y, room)


def right_row(signs: list[Sign], x: float, y: float, room: float) -> Elements:
    """Signs side by side up to x."""
    return row(signs, x - min(_length(signs), room), y, room)


def legend(entries: Iterable[tuple[Elements, str]], room: float) -> Block:
    """One line explaining signs, each drawn around (0, 0)."""
    signs = [sign for shape, meaning in entries for sign in _explained(shape, meaning)]
    return Block(row(signs, 0, 10, room), room, 20)


def _explained(shape: Elements, meaning: str) -> list[Sign]:
    sign = Block(shape, _EXPLAINED, _EXPLAINED)
    return [
        Sign(_EXPLAINED, lambda x, y: [sign.at(x, y)]),
        note_sign(meaning),
        Sign(_APART, lambda x, y: []),
    ]


def _length(signs: list[Sign]) -> float:
    return sum(sign.width for sign in signs) + _GAP * (len(signs) - 1)


def _side_by_side(signs: list[Sign], x: float, y: float) -> Elements:
    drawn: Elements = []
    for sign in signs:
        drawn += sign.draw(round(x + sign.width / 2, 1), y)
        x += sign.width + _GAP
    return drawn
