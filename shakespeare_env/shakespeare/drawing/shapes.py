"""The plain shapes the picture is made of; x and y are the middle of a shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import svg

from shakespeare_env.shakespeare.drawing.lettering import words
from shakespeare_env.shakespeare.drawing.palette import (
    ELEMENTS,
    GOLD,
    INK,
    LINE,
    MUTED,
    OBJECTIVE,
    PANEL,
    QUILLS,
    disc_colours,
)

Elements = list[svg.Element]


@dataclass(frozen=True)
class Block:
    """Something drawn, its top left corner at (0, 0)."""

    elements: Elements
    width: float
    height: float

    def at(self, x: float, y: float, **data: str) -> svg.G:
        """The block moved to its place; what it shows can be told in `data-` attributes."""
        return svg.G(
            transform=[svg.Translate(round(x, 1), round(y, 1))],
            data=data or None,
            elements=self.elements,
        )


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
    """A rectangle by its top left corner."""
    return svg.Rect(
        x=round(x, 1),
        y=round(y, 1),
        width=round(width, 1),
        height=round(height, 1),
        rx=corner,
        fill=fill,
        stroke=line,
        stroke_width=thick if line else None,
        stroke_dasharray=list(dashes) or None,
    )


def rule(x: float, y: float, width: float, *, stroke: str = LINE) -> svg.Line:
    """A thin line from left to right."""
    left, right, y = round(x, 1), round(x + width, 1), round(y, 1)
    return svg.Line(x1=left, y1=y, x2=right, y2=y, stroke=stroke, stroke_width=1)


def upright(x: float, y: float, height: float, *, stroke: str = LINE) -> svg.Line:
    """A thin line from top to bottom."""
    x = round(x, 1)
    return svg.Line(x1=x, y1=y, x2=x, y2=y + height, stroke=stroke, stroke_width=1)


def panel(width: float, height: float, title: str) -> Elements:
    """The ground of a part of the picture, with its title."""
    return [
        box(0, 0, width, height),
        words(14, 20, title, 12, weight="bold", fill=MUTED, room=width - 28),
    ]


def _drawn(
    x: float, y: float, size: float, path: list[svg.PathData], fill: str, line: str = INK
) -> svg.Path:
    """A path given in a square of side 1 around (0, 0)."""
    return svg.Path(
        d=path,
        transform=[svg.Translate(round(x, 1), round(y, 1)), svg.Scale(size)],
        fill=fill,
        stroke=line,
        stroke_width=round(0.9 / size, 3),
        stroke_linejoin="round",
    )


def star(x: float, y: float, size: float, fill: str = GOLD) -> Elements:
    """Prestige."""
    points = []
    for corner in range(10):
        reach = size * (0.52 if corner % 2 == 0 else 0.23)
        turn = math.pi * corner / 5
        across, up = reach * math.sin(turn), reach * math.cos(turn)
        points.append(svg.Point(round(x + across, 1), round(y - up, 1)))
    return [svg.Polygon(points=points, fill=fill, stroke=INK, stroke_width=0.7)]


def coin(x: float, y: float, size: float, text: str = "£") -> Elements:
    """Pounds."""
    return [
        svg.Circle(cx=x, cy=y, r=size / 2, fill="#f4e3b0", stroke="#8a6a1a", stroke_width=1),
        words(x, y + size * 0.22, text, size * 0.6, weight="bold", anchor="middle", room=size),
    ]


def quill(x: float, y: float, size: float, colour: str) -> Elements:
    """A quill: red, gold and blue for Acts I to III, white for an act of choice."""
    vane: list[svg.PathData] = [
        svg.M(-0.25, 0.25),
        svg.C(-0.34, -0.12, 0.02, -0.42, 0.44, -0.5),
        svg.C(0.46, -0.06, 0.18, 0.3, -0.25, 0.25),
        svg.Z(),
    ]
    shaft: list[svg.PathData] = [svg.M(-0.44, 0.5), svg.L(0.26, -0.32)]
    return [_drawn(x, y, size, vane, QUILLS[colour]), _drawn(x, y, size, shaft, "none")]


def mask(x: float, y: float, size: float, smile: float) -> Elements:
    """Mood: a mask that smiles (1), frowns (-1) or does neither (0)."""
    face: list[svg.PathData] = [
        svg.M(-0.44, -0.42),
        svg.Q(0, -0.56, 0.44, -0.42),
        svg.C(0.5, 0.1, 0.3, 0.5, 0, 0.5),
        svg.C(-0.3, 0.5, -0.5, 0.1, -0.44, -0.42),
        svg.Z(),
    ]
    mouth: list[svg.PathData] = [
        svg.M(-0.22, 0.17 - 0.08 * smile),
        svg.Q(0, 0.17 + 0.2 * smile, 0.22, 0.17 - 0.08 * smile),
    ]
    eyes = [
        svg.Circle(cx=round(x + side * size, 1), cy=round(y - 0.14 * size, 1), r=size * 0.07)
        for side in (-0.19, 0.19)
    ]
    fill = "#fbe9a9" if smile > 0 else "#cfd8e2" if smile < 0 else PANEL
    return [_drawn(x, y, size, face, fill), *eyes, _drawn(x, y, size, mouth, "none")]


def costume(x: float, y: float, size: float, colour: str, text: str = "") -> Elements:
    """A costume element, or the place of one."""
    tunic: list[svg.PathData] = [
        svg.M(-0.16, -0.46),
        svg.Q(0, -0.34, 0.16, -0.46),
        svg.L(0.52, -0.26),
        svg.L(0.4, 0.02),
        svg.L(0.27, -0.04),
        svg.L(0.3, 0.48),
        svg.L(-0.3, 0.48),
        svg.L(-0.27, -0.04),
        svg.L(-0.4, 0.02),
        svg.L(-0.52, -0.26),
        svg.Z(),
    ]
    fill, line, _ = ELEMENTS[colour]
    return [_drawn(x, y, size, tunic, fill, line), *_on(x, y, size, colour, text)]


def stage_set(x: float, y: float, size: float, colour: str, text: str = "") -> Elements:
    """A stage set element, or the place of one."""
    fill, line, _ = ELEMENTS[colour]
    high = 0.72 * size
    brick = box(x - 0.56 * size, y - high / 2, 1.12 * size, high, fill=fill, line=line, corner=2)
    return [brick, *_on(x, y, size, colour, text)]


def _on(x: float, y: float, size: float, colour: str, text: str) -> Elements:
    if not text:
        return []
    half, ink = size * 0.5, ELEMENTS[colour][2]
    return [words(x, y + half * 0.4, text, half, weight="bold", fill=ink, anchor="middle")]


def objective(x: float, y: float, size: float) -> Elements:
    """An objective card."""
    wide = 0.76 * size
    return [box(x - wide / 2, y - size / 2, wide, size, fill=OBJECTIVE, line=MUTED, corner=2)]


def cylinder(x: float, y: float, size: float, fill: str) -> Elements:
    """A cylinder seen from the side."""
    body: list[svg.PathData] = [
        svg.M(-0.32, -0.34),
        svg.L(-0.32, 0.34),
        svg.C(-0.32, 0.54, 0.32, 0.54, 0.32, 0.34),
        svg.L(0.32, -0.34),
        svg.Z(),
    ]
    top = svg.Ellipse(
        cx=round(x, 1),
        cy=round(y - 0.34 * size, 1),
        rx=round(0.32 * size, 1),
        ry=round(0.15 * size, 1),
        fill="#ffffff",
        fill_opacity=0.35,
        stroke=INK,
        stroke_width=0.9,
    )
    return [_drawn(x, y, size, body, fill), top]


def disc(x: float, y: float, width: float, height: float, whose: int | str) -> Elements:
    """A disc of an act seen from the side, with its seat's number or N; y is its middle."""
    fill, on = disc_colours(whose)
    name = str(whose) if isinstance(whose, int) else "N"
    size = height * 0.78
    return [
        box(x - width / 2, y - height / 2, width, height, fill=fill, line=INK, corner=4),
        words(x, y + size * 0.37, name, size, weight="bold", fill=on, anchor="middle"),
    ]


def marker(x: float, y: float, size: float, seat: int) -> Elements:
    """A round token of a seat, with its number."""
    fill, on = disc_colours(seat)
    return [
        svg.Circle(
            cx=round(x, 1), cy=round(y, 1), r=size / 2, fill=fill, stroke=INK, stroke_width=1
        ),
        words(x, y + size * 0.22, str(seat), size * 0.6, weight="bold", fill=on, anchor="middle"),
    ]


def plus_three(x: float, y: float, size: float) -> Elements:
    """A "+3" token."""
    return [
        box(x - size * 0.6, y - size / 2, size * 1.2, size, fill="#dfeccf", line=INK, corner=4),
        words(x, y + size * 0.2, "+3", size * 0.56, weight="bold", anchor="middle"),
    ]


def rest_token(x: float, y: float, size: float) -> Elements:
    """A rest token."""
    return [
        svg.Circle(cx=x, cy=y, r=size / 2, fill="#5d6b7c", stroke=INK, stroke_width=0.9),
        words(x, y + size * 0.2, "z", size * 0.68, weight="bold", fill="#ffffff", anchor="middle"),
    ]


def candle(x: float, y: float, size: float) -> Elements:
    """A candle: filling its space scores prestige."""
    flame: list[svg.PathData] = [
        svg.M(0, -0.5),
        svg.C(0.34, -0.2, 0.2, 0.02, 0, 0.02),
        svg.C(-0.2, 0.02, -0.34, -0.2, 0, -0.5),
        svg.Z(),
    ]
    stick: list[svg.PathData] = [
        svg.M(-0.13, 0.08),
        svg.L(0.13, 0.08),
        svg.L(0.13, 0.5),
        svg.L(-0.13, 0.5),
        svg.Z(),
    ]
    return [_drawn(x, y, size, stick, PANEL), _drawn(x, y, size, flame, "#f6a81c")]


def arrow(x: float, y: float, size: float, fill: str) -> Elements:
    """An arrow that points right."""
    head: list[svg.PathData] = [svg.M(-0.4, -0.5), svg.L(0.5, 0), svg.L(-0.4, 0.5), svg.Z()]
    return [_drawn(x, y, size, head, fill, "none")]


def crown(x: float, y: float, size: float, fill: str = GOLD) -> Elements:
    """The mark of a winner."""
    shape: list[svg.PathData] = [
        svg.M(-0.5, 0.35),
        svg.L(-0.5, -0.3),
        svg.L(-0.22, 0),
        svg.L(0, -0.42),
        svg.L(0.22, 0),
        svg.L(0.5, -0.3),
        svg.L(0.5, 0.35),
        svg.Z(),
    ]
    return [_drawn(x, y, size, shape, fill)]
