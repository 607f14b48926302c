"""Plain shapes for pictures; a sign's x and y are its middle."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, update_wrapper, wraps
from typing import Concatenate, ParamSpec, cast

import svg

from shakespeare_env.drawing.lettering import tenths, words
from shakespeare_env.drawing.palette import GOLD, INK, LINE, MUTED, PANEL

Elements = list[svg.Element]
P = ParamSpec("P")
_MOST_KEPT = 4096


@dataclass(frozen=True)
class Block:
    """Something drawn, its top left corner at (0, 0)."""

    elements: Elements
    width: float
    height: float

    def at(self, x: float, y: float, **data: str) -> svg.G:
        """The block moved to (x, y), with `data-` attributes."""
        moved: list[svg.Transform] = [svg.Translate(tenths(x), tenths(y))]
        return svg.G(transform=moved, data=data or None, elements=self.elements)

    def place(self, place: str, x: float, y: float) -> svg.G:
        """The block moved to (x, y), as a place that can be pointed at (`Presentation.places`)."""
        return self.at(x, y, place=place, size=f"{self.width:.0f} {self.height:.0f}")

    def as_place(self, place: str) -> Block:
        """A block that is one such place."""
        return Block([self.place(place, 0, 0)], self.width, self.height)


def drawn_once(draw: Callable[P, Block]) -> Callable[P, Block]:
    """Caches the text of a block by its hashable arguments.

    `marked` frames no places within it, since nobody finds them in text.
    """

    @wraps(draw)
    def drawn(*given: P.args, **named: P.kwargs) -> Block:
        block = draw(*given, **named)
        return Block([svg.G(text=_text(block.elements))], block.width, block.height)

    return cast(Callable[P, Block], lru_cache(_MOST_KEPT)(drawn))


def stamped(
    draw: Callable[Concatenate[float, float, P], Elements],
) -> Callable[Concatenate[float, float, P], Elements]:
    """Caches the text of a shape by its look, whatever its position."""

    def drawn(*look: P.args, **named: P.kwargs) -> str:
        return _text(draw(0, 0, *look, **named))

    kept = cast(Callable[P, str], lru_cache(_MOST_KEPT)(drawn))

    def put(x: float, y: float, /, *look: P.args, **named: P.kwargs) -> Elements:
        return [svg.G(transform=[svg.Translate(tenths(x), tenths(y))], text=kept(*look, **named))]

    return update_wrapper(put, draw)


def _text(elements: Elements) -> str:
    return "".join(map(str, elements))


def box(
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    fill: str = PANEL,
    line: str | None = LINE,
    thick: float = 1,
    corner: float = 6,
    dashes: Sequence[float] = (),
) -> svg.Rect:
    """A rectangle with its top left corner at (x, y)."""
    return svg.Rect(
        x=tenths(x) or None,
        y=tenths(y) or None,
        width=tenths(width),
        height=tenths(height),
        rx=corner or None,
        fill=fill,
        stroke=line,
        stroke_width=thick if line and thick != 1 else None,
        stroke_dasharray=list(dashes) or None,
    )


def rule(x: float, y: float, width: float, *, stroke: str = LINE) -> svg.Line:
    """A thin line to the right."""
    left, right, y = tenths(x), tenths(x + width), tenths(y)
    return svg.Line(x1=left, y1=y, x2=right, y2=y, stroke=stroke)


def upright(x: float, y: float, height: float, *, stroke: str = LINE) -> svg.Line:
    """A thin line downwards."""
    x = tenths(x)
    return svg.Line(x1=x, y1=tenths(y), x2=x, y2=tenths(y + height), stroke=stroke)


def panel(width: float, height: float, title: str) -> Elements:
    """A titled ground for a part of the picture."""
    return [
        box(0, 0, width, height),
        words(14, 20, title, 12, weight="bold", fill=MUTED, room=width - 28),
    ]


def outline(x: float, y: float, size: float, path: str, fill: str, line: str = INK) -> svg.Path:
    """A thinly outlined path; its data is of the unit square around (0, 0)."""

    def sized(number: re.Match[str]) -> str:
        # A sign also separates numbers, so that it stays.
        length = str(tenths(size * float(number[2])))
        return number[1] + (length[1:] if length.startswith("0.") else length)

    return svg.Path(
        extra={"d": re.sub(r"(-?)(\d+(?:\.\d+)?|\.\d+)", sized, path)},
        transform=[svg.Translate(tenths(x), tenths(y))] if x or y else None,
        fill=fill,
        stroke=line,
    )


@stamped
def star(x: float, y: float, size: float, fill: str = GOLD) -> Elements:
    """A star."""
    points = []
    for corner in range(10):
        reach = size * (0.52 if corner % 2 == 0 else 0.23)
        turn = math.pi * corner / 5
        across, up = reach * math.sin(turn), reach * math.cos(turn)
        points.append(svg.Point(tenths(x + across), tenths(y - up)))
    return [svg.Polygon(points=points, fill=fill, stroke=INK, stroke_width=0.7)]


def token(x: float, y: float, size: float, text: str, fill: str, ink: str) -> Elements:
    """A round token with text."""
    return [
        svg.Circle(cx=tenths(x), cy=tenths(y), r=tenths(size / 2), fill=fill, stroke=INK),
        words(x, y + size * 0.22, text, size * 0.6, weight="bold", fill=ink, anchor="middle"),
    ]


def arrow(x: float, y: float, size: float, fill: str) -> Elements:
    """An arrow pointing right."""
    return [outline(x, y, size, "M-.4-.5 .5 0-.4 .5Z", fill, "none")]


@stamped
def crown(x: float, y: float, size: float, fill: str = GOLD) -> Elements:
    """A crown."""
    shape = "M-.5 .35-.5-.3-.22 0 0-.42 .22 0 .5-.3 .5 .35Z"
    return [outline(x, y, size, shape, fill)]
