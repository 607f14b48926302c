"""Lines over the course of a game, as a figure of HTML around an SVG."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

import svg

from shakespeare_env.drawing.chart import linear, spread
from shakespeare_env.drawing.shapes import (
    INK,
    MUTED,
    PANEL,
    Elements,
    box,
    plain,
    rule,
    shortened,
    words,
)
from shakespeare_env.fonts import FAMILY

WIDTH, HEIGHT = 420, 226
_LEFT, _RIGHT, _TOP, _BOTTOM = 36, 104, 8, 26
_INNER, _HIGH = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
_LOW, _EDGE = _TOP + _HIGH, _LEFT + _INNER
_SIZE, _LABEL_HEIGHT = 12, 15
_DASHES: tuple[tuple[float, ...], ...] = ((), (7, 3), (2, 2.5), (10, 3, 2, 3), (4, 4), (1, 4))
"""Dashes by line, which distinguish the lines without colour."""


class Line(NamedTuple):
    """A line of a graph.

    Attributes:
        name: The name at its end and in the legend.
        colour: The colour of the line.
        values: Values by position, NaN where there is none.
    """

    name: str
    colour: str
    values: Sequence[float]


class Point(NamedTuple):
    """A point that stands out and leads to its position.

    Attributes:
        number: The number of the position.
        line: The line that it is on.
        title: The point in words.
        colour: The colour of the point.
    """

    number: int
    line: int
    title: str
    colour: str


def graph(
    title: str,
    lines: Sequence[Line],
    chapters: Sequence[tuple[int, str]] = (),
    points: Iterable[Point] = (),
    *,
    unit: str = "",
    bounds: Sequence[float] = (0.0,),
    link: str = "#",
) -> str:
    """A figure whose cursor `film.js` moves.

    Args:
        title: The title of the figure.
        lines: One or more lines, all over the same positions.
        chapters: (position, title) where parts of the game begin.
        points: Points that stand out.
        unit: The unit written after values, such as "%".
        bounds: Values that the axis holds besides those of the lines.
        link: The start of a position's address.
    """
    plot = _Plot(lines, bounds, unit)
    elements = [*plot.ground(chapters), *plot.curves()]
    elements.append(svg.G(elements=plot.ends(), class_=["film-ends"]))
    elements += [plot.point(point, link) for point in points]
    # For audiences, who shall not see what is to come.
    veil = svg.Rect(x=_LEFT, width=WIDTH, height=_LOW + 1, class_=["film-veil"])
    elements.append(svg.G(elements=[veil], data={"cursor": "yes"}))
    elements.append(_upright(_LEFT, stroke=INK, stroke_width=1.5, data={"cursor": "yes"}))
    drawn = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, WIDTH, HEIGHT),
        width=WIDTH,
        height=HEIGHT,
        data={"left": str(_LEFT), "step": f"{plot.step:.5f}"},
        extra={"role": "group", "font-family": FAMILY},
        elements=elements,
    )
    # JSON has no NaN.
    values = [[None if math.isnan(v) else round(float(v), 1) for v in one.values] for one in lines]
    return (
        f'<figure class="film-graph" data-graph="{escape(json.dumps(values), quote=True)}" '
        f'data-unit="{escape(unit)}"><figcaption>{escape(title)}</figcaption>{drawn}'
        f'<ul class="film-legend">{"".join(map(_entry, range(len(lines)), lines))}</ul></figure>'
    )


class _Plot:
    """The lines within their axes."""

    def __init__(self, lines: Sequence[Line], bounds: Sequence[float], unit: str) -> None:
        self.lines, self.unit = lines, unit
        self.last = len(lines[0].values) - 1
        self.step = _INNER / max(self.last, 1)
        known = (value for line in lines for value in line.values)
        self.axis = linear([*bounds, *known], ticks=6)

    def x(self, number: float) -> float:
        return round(_LEFT + number * self.step, 1)

    def y(self, value: float) -> float:
        return round(_LOW - self.axis.share(value) * _HIGH, 1)

    def ground(self, chapters: Sequence[tuple[int, str]]) -> Elements:
        """Grid, ticks and the names of the chapters."""
        drawn: Elements = [box(_LEFT, _TOP, _INNER, _HIGH, corner=0)]
        for value, text in self.axis.ticks:
            y = self.y(value)
            drawn.append(rule(_LEFT, y, _INNER))
            tick = f"{text}{self.unit}"
            drawn.append(words(_LEFT - 4, y + 4, tick, 11, fill=MUTED, anchor="end"))
        ends = [*(number for number, _ in chapters[1:]), self.last]
        for (number, title), end in zip(chapters, ends, strict=False):
            if number:
                drawn.append(_upright(self.x(number), stroke=MUTED, stroke_dasharray=[1, 3]))
            room, middle = (end - number) * self.step, self.x((number + end) / 2)
            text = title if room > 7 * len(title) else title.rpartition(" ")[2]
            if room > 7 * len(text):
                drawn.append(words(middle, _LOW + 16, text, 11, fill=MUTED, anchor="middle"))
        return drawn

    def curves(self) -> Elements:
        drawn: Elements = []
        for number, line in enumerate(self.lines):
            for run in _runs(line.values):
                points = [svg.Point(self.x(k), self.y(line.values[k])) for k in run]
                # A dark edge makes light colours stand out from the ground.
                for colour, width in ((INK, 3.2), (line.colour, 2)):
                    drawn.append(
                        svg.Polyline(
                            points=points,
                            fill="none",
                            stroke=colour,
                            stroke_width=width,
                            stroke_linejoin="round",
                            stroke_dasharray=[*_dashes(number)] or None,
                        )
                    )
        return drawn

    def ends(self) -> Elements:
        """A name and the last value beside the end of each line."""
        ends = [(line, runs[-1][-1]) for line in self.lines if (runs := _runs(line.values))]
        drawn: Elements = []
        heights = [(self.y(line.values[last]) - _TOP) / _HIGH for line, last in ends]
        for (line, last), height in zip(ends, spread(heights, _LABEL_HEIGHT / _HIGH), strict=True):
            value, y = line.values[last], round(_TOP + height * _HIGH, 1)
            corners = [svg.Point(self.x(last), self.y(value)), svg.Point(_EDGE + 6, y)]
            drawn.append(svg.Polyline(points=corners, fill="none", stroke=MUTED))
            is_whole = self.unit or abs(value - round(value)) < 1e-6
            text = f"{value:.0f}{self.unit}" if is_whole else f"{value:.1f}"
            name = shortened(line.name, _SIZE, _RIGHT - 14 - 7.5 * (len(text) + 1))
            drawn.append(words(_EDGE + 9, y + 4, f"{name} {text}", _SIZE, room=_RIGHT - 10))
        return drawn

    def point(self, point: Point, link: str) -> svg.Element:
        """A diamond on its line."""
        known = self.lines[point.line].values[point.number]
        x, y = self.x(point.number), _LOW if math.isnan(known) else self.y(known)
        around = ((0, -6), (6, 0), (0, 6), (-6, 0))
        corners = [svg.Point(x + right, y + down) for right, down in around]
        return svg.A(
            href=f"{link}{point.number}",
            data={"ply": str(point.number)},
            extra={"aria-label": escape(point.title, quote=True)},
            elements=[
                svg.Title(text=plain(point.title)),
                svg.Polygon(points=corners, fill=point.colour, stroke=PANEL, stroke_width=1),
            ],
        )


def _upright(x: float, **look: Any) -> svg.Line:
    return svg.Line(x1=x, x2=x, y1=_TOP, y2=_LOW, **look)


def _runs(values: Sequence[float]) -> list[list[int]]:
    """Runs of indices of known values."""
    runs: list[list[int]] = [[]]
    for number, value in enumerate(values):
        if math.isnan(value):
            runs.append([])
        else:
            runs[-1].append(number)
    return [run for run in runs if run]


def _dashes(number: int) -> Sequence[float]:
    return _DASHES[number % len(_DASHES)]


def _entry(number: int, line: Line) -> str:
    dashes = " ".join(map(str, _dashes(number)))
    strokes = "".join(
        f'<line x2="28" y1="5" y2="5" stroke="{colour}" stroke-width="{width}" '
        f'stroke-dasharray="{dashes or "none"}"/>'
        for colour, width in ((INK, 5), (line.colour, 3))
    )
    return (
        f'<li><svg viewBox="0 0 28 10" width="28" height="10" aria-hidden="true">{strokes}</svg> '
        f'{escape(line.name)} <b data-line="{number}"></b></li>'
    )
