"""Lines over the course of a game, as a figure of HTML around an SVG."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

import svg

from shakespeare_env.drawing.lettering import plain, shortened, words
from shakespeare_env.drawing.palette import INK, LINE, MUTED, PANEL
from shakespeare_env.drawing.shapes import Elements
from shakespeare_env.fonts import FAMILY

WIDTH, HEIGHT = 420, 226
_LEFT, _RIGHT, _TOP, _BOTTOM = 36, 104, 8, 26
_INNER = WIDTH - _LEFT - _RIGHT
_LOW = HEIGHT - _BOTTOM
_SIZE = 12
_LABEL_HEIGHT = 15
_DASHES: tuple[tuple[float, ...], ...] = ((), (7, 3), (2, 2.5), (10, 3, 2, 3), (4, 4), (1, 4))
"""Dashes by line, which distinguish the lines without colour."""
_TICKS = 5


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
    """

    number: int
    line: int
    title: str


def graph(
    title: str,
    lines: Sequence[Line],
    chapters: Sequence[tuple[int, str]] = (),
    points: Iterable[Point] = (),
    *,
    unit: str = "",
    bounds: tuple[float, float] | None = None,
    link: str = "#",
) -> str:
    """A figure whose cursor `film.js` moves.

    Args:
        title: The title of the figure.
        lines: One or more lines, all over the same positions.
        chapters: (position, title) where parts of the game begin.
        points: Points that stand out.
        unit: The unit written after values, such as "%".
        bounds: The bounds of the values; None fits them.
        link: The start of a position's address.
    """
    last = len(lines[0].values) - 1
    low, high = bounds or _bounds(lines)
    scale = _Scale(last, low, high)
    elements = [*_ground(scale, chapters, unit), *_curves(lines, scale), *_ends(lines, scale, unit)]
    for point in points:
        elements.append(_point(point, lines[point.line].values, scale, link))
    cursor = svg.Line(
        x1=_LEFT, x2=_LEFT, y1=_TOP, y2=_LOW, stroke=INK, stroke_width=1.5, data={"cursor": "yes"}
    )
    drawn = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, WIDTH, HEIGHT),
        width=WIDTH,
        height=HEIGHT,
        data={"left": str(_LEFT), "step": f"{scale.step:.5f}"},
        extra={"role": "group", "font-family": FAMILY},
        elements=[*elements, cursor],
    )
    values = [[_rounded(value) for value in line.values] for line in lines]
    return (
        f'<figure class="film-graph" data-graph="{escape(json.dumps(values), quote=True)}" '
        f'data-unit="{escape(unit)}"><figcaption>{escape(title)}</figcaption>{drawn}'
        f'<ul class="film-legend">{"".join(map(_entry, range(len(lines)), lines))}</ul></figure>'
    )


class _Scale(NamedTuple):
    last: int
    low: float
    high: float

    @property
    def step(self) -> float:
        """Width of one move."""
        return _INNER / max(self.last, 1)

    def x(self, number: float) -> float:
        return round(_LEFT + number * self.step, 1)

    def y(self, value: float) -> float:
        part = (value - self.low) / (self.high - self.low)
        return round(_LOW - part * (_LOW - _TOP), 1)


def _bounds(lines: Sequence[Line]) -> tuple[float, float]:
    known = [value for line in lines for value in line.values if not math.isnan(value)]
    if not known:
        return 0.0, 1.0
    low, high = min(*known, 0.0), max(*known, 0.0)
    step = _tick_step(low, high)
    return math.floor(low / step) * step, max(math.ceil(high / step) * step, low + step)


def _tick_step(low: float, high: float) -> float:
    rough = max((high - low) / _TICKS, 1e-9)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)


def _ground(scale: _Scale, chapters: Sequence[tuple[int, str]], unit: str) -> Elements:
    elements: Elements = [
        svg.Rect(x=_LEFT, y=_TOP, width=_INNER, height=_LOW - _TOP, fill=PANEL, stroke=LINE)
    ]
    step = _tick_step(scale.low, scale.high)
    tick = math.ceil(scale.low / step) * step
    while tick <= scale.high + step / 1000:
        y = scale.y(tick)
        elements.append(svg.Line(x1=_LEFT, x2=_LEFT + _INNER, y1=y, y2=y, stroke=LINE))
        text = f"{tick:g}{unit}" if unit == "%" else f"{tick:g}"
        elements.append(words(_LEFT - 4, y + 4, text, 11, fill=MUTED, anchor="end"))
        tick += step
    for place, (number, title) in enumerate(chapters):
        x = scale.x(number)
        after = chapters[place + 1][0] if place + 1 < len(chapters) else scale.last
        if place:
            elements.append(
                svg.Line(x1=x, x2=x, y1=_TOP, y2=_LOW, stroke=MUTED, stroke_dasharray=[1, 3])
            )
        room = (after - number) * scale.step
        text = title if room > 7 * len(title) else title.rpartition(" ")[2]
        if room > 7 * len(text):
            middle = (x + scale.x(after)) / 2
            elements.append(words(middle, _LOW + 16, text, 11, fill=MUTED, anchor="middle"))
    return elements


def _curves(lines: Sequence[Line], scale: _Scale) -> Elements:
    elements: Elements = []
    for number, line in enumerate(lines):
        for run in _runs(line.values):
            points = [svg.Point(scale.x(k), scale.y(line.values[k])) for k in run]
            # A dark edge makes light colours stand out from the ground.
            for colour, width in ((INK, 3.2), (line.colour, 2)):
                elements.append(
                    svg.Polyline(
                        points=points,
                        fill="none",
                        stroke=colour,
                        stroke_width=width,
                        stroke_linejoin="round",
                        stroke_dasharray=list(_dashes(number)) or None,
                    )
                )
    return elements


def _runs(values: Sequence[float]) -> list[list[int]]:
    """Runs of indices of known values."""
    runs: list[list[int]] = [[]]
    for number, value in enumerate(values):
        if math.isnan(value):
            runs.append([])
        else:
            runs[-1].append(number)
    return [run for run in runs if run]


def _ends(lines: Sequence[Line], scale: _Scale, unit: str) -> Elements:
    """A name and the last value at the end of each line, without overlaps."""
    ends = []
    for number, line in enumerate(lines):
        runs = _runs(line.values)
        if runs:
            ends.append((scale.y(line.values[runs[-1][-1]]), runs[-1][-1], number))
    elements: Elements = []
    for (end, last, number), y in zip(sorted(ends), _spread(sorted(ends)), strict=True):
        line = lines[number]
        edge = _LEFT + _INNER
        elements.append(
            svg.Polyline(
                points=[svg.Point(scale.x(last), end), svg.Point(edge + 6, y)],
                fill="none",
                stroke=MUTED,
                stroke_width=1,
            )
        )
        value = _value(line.values[last], unit)
        name = shortened(line.name, _SIZE, _RIGHT - 14 - 7.5 * (len(value) + 1))
        elements.append(words(edge + 9, y + 4, f"{name} {value}", _SIZE, room=_RIGHT - 10))
    return elements


def _spread(ends: Sequence[tuple[float, int, int]]) -> list[float]:
    """Heights for labels, downwards, as near to their lines as they fit."""
    heights: list[float] = []
    for y, _, _ in ends:
        heights.append(max(y, heights[-1] + _LABEL_HEIGHT) if heights else max(y, _TOP + 4))
    over = heights[-1] - (_LOW + 4) if heights else 0.0
    limit = math.inf
    for place in range(len(heights) - 1, -1, -1):
        if over > 0:
            limit = min(limit, _LOW + 4 - _LABEL_HEIGHT * (len(heights) - 1 - place))
            heights[place] = min(heights[place], limit)
    return heights


def _point(point: Point, values: Sequence[float], scale: _Scale, link: str) -> svg.Element:
    """A diamond on its line."""
    known = values[point.number]
    x, y = scale.x(point.number), scale.y(scale.low if math.isnan(known) else known)
    corners = [svg.Point(x, y - 6), svg.Point(x + 6, y), svg.Point(x, y + 6), svg.Point(x - 6, y)]
    return svg.A(
        href=f"{link}{point.number}",
        data={"ply": str(point.number)},
        extra={"aria-label": escape(point.title, quote=True)},
        elements=[
            svg.Title(text=plain(point.title)),
            svg.Polygon(points=corners, fill="#c2452d", stroke=PANEL, stroke_width=1),
        ],
    )


def _entry(number: int, line: Line) -> str:
    swatch = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, 28, 10),
        width=28,
        height=10,
        extra={"aria-hidden": "true"},
        elements=[
            svg.Line(
                x1=0,
                x2=28,
                y1=5,
                y2=5,
                stroke=colour,
                stroke_width=width,
                stroke_dasharray=list(_dashes(number)) or None,
            )
            for colour, width in ((INK, 5), (line.colour, 3))
        ],
    )
    return f'<li>{swatch} {escape(line.name)} <b data-line="{number}"></b></li>'


def _dashes(number: int) -> tuple[float, ...]:
    return _DASHES[number % len(_DASHES)]


def _value(value: float, unit: str) -> str:
    text = f"{value:.0f}" if unit or abs(value - round(value)) < 1e-6 else f"{value:.1f}"
    return f"{text}{unit}"


def _rounded(value: float) -> float | None:
    """The value rounded for JSON, which has no NaN."""
    return None if math.isnan(value) else round(float(value), 1)
