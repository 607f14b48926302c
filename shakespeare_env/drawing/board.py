"""A drawing in separate pieces, for pages that lay them out to fit a screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeAlias

import svg

from shakespeare_env.core.presentation import Marks, Piece
from shakespeare_env.drawing.lettering import DEFAULTS, plain, words
from shakespeare_env.drawing.palette import GOLD, INK, ON_LIGHT, PAPER
from shakespeare_env.drawing.shapes import Block, Elements, arrow, box, star, token

StripSign: TypeAlias = Callable[[float, float, float], Elements]
"""Draws a sign by its middle and size."""
_SIGN = 24  # room of a sign on a strip
SUMMARY = 340
"""Width of a summary (`Panel.summary`)."""


def seat_and_name(seat: int, name: str) -> str:
    """A seat and who plays it, if known."""
    return f"Seat {seat}, {name}" if name else f"Seat {seat}"


def seat_strip(
    seat: int,
    name: str,
    colours: tuple[str, str],
    width: float,
    height: float,
    signs: Sequence[StripSign],
) -> Block:
    """A band in a seat's colour that says who it is, with signs at its right end."""
    (fill, ink), middle, base = colours, height / 2, height / 2 + 5
    drawn: Elements = [box(0, 0, width, height, fill=fill, line=INK)]
    for number, sign in enumerate(signs):
        drawn += sign(width - 14 - _SIGN * number, middle, 0.66 * height)
    drawn += token(15, middle, 21, str(seat), PAPER, ON_LIGHT)
    room = width - 36 - _SIGN * len(signs)
    title = name or f"Seat {seat}"
    drawn.append(words(31, base, title, 14, weight="bold", fill=ink, room=room))
    return Block(drawn, width, height)


def strip_signs(wins: bool, decides: bool, ink: str) -> list[StripSign]:
    """The signs of a seat that has won or is to decide; `ink` is the strip's lettering."""
    signs: list[StripSign] = [star] if wins else []
    return [*signs, partial(arrow, fill=ink)] if decides else signs


def piece_svg(piece: Piece, element_id: str) -> str:
    """An SVG element of a piece's size, with this id."""
    width, height = round(piece.block.width, 1), round(piece.block.height, 1)
    drawn = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, width, height),
        width=width,
        height=height,
        id=element_id,
        data={"piece": piece.name},
        extra={"role": "group", "aria-label": plain(piece.title), **DEFAULTS},
        elements=piece.block.elements,
    )
    return str(drawn)


def marked(elements: Iterable[svg.Element], marks: Marks) -> Elements:
    """The same elements with a frame around each place that is a target or has changed."""
    return [_marked(element, marks) for element in elements]


def _marked(element: svg.Element, marks: Marks) -> svg.Element:
    place = (element.data or {}).get("place")
    inner = marked(element.elements or (), marks)
    frames: Elements = []
    if place in marks.targets:
        frames.append(_frame(element, INK, (5, 4)))
    if place in marks.changed:
        frames.append(_frame(element, GOLD, ()))
    if not inner and not frames:
        return element
    twin = type(element)(**vars(element))
    twin.elements = [*inner, *frames]
    return twin


def _frame(element: svg.Element, line: str, dashes: Sequence[float]) -> svg.Rect:
    assert element.data is not None
    width, height = map(float, element.data["size"].split())
    return box(-1, -1, width + 2, height + 2, fill="none", line=line, thick=3, dashes=dashes)
