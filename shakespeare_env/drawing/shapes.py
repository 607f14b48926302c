"""Colours, text and simple shapes for pictures.

The x and y of stars, tokens, crowns and other small shapes are those of their middle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial, update_wrapper, wraps
from math import floor
from typing import Concatenate, Literal, ParamSpec, cast
from xml.sax.saxutils import escape

import svg

from shakespeare_env.fonts import FAMILY, Weight, width

PAGE = "#f3eee4"
PANEL = "#fffdf9"
SHADE = "#e9e2d5"
LINE = "#cfc5b4"
INK = "#2a2521"
MUTED = "#6b6157"
FAINT = "#81776b"
GOLD = "#d9a21b"
STONE = "#b9b0a3"
NEUTRAL = "#8b8680"
PAPER = "#fffdf8"
ON_LIGHT = "#2a2520"
"""`PAPER` and `ON_LIGHT` look like `PANEL` and `INK`, but a dark theme does not replace them."""

Anchor = Literal["start", "middle", "end"]
Look = tuple[str, str, str]
"""The colours of fill, outline and text."""
DEFAULTS = {"font-family": FAMILY, "fill": INK, "stroke-linejoin": "round"}
"""Attributes that every drawing's SVG element sets for all its content."""
_CORNER = 6  # the radius of a rectangle's corners
LEGIBLE = 12
"""The least size of text, which is still 11 pixels where a page shows drawings a little smaller."""
_SMALLEST = 0.8  # text that is too wide shrinks to this part of its size, and is then cut
_NOT_IN_XML = dict.fromkeys((*range(32), 127, 65534, 65535), " ")


def words(
    x: float,
    y: float,
    text: str,
    size: float = 12,
    *,
    weight: Weight = "normal",
    fill: str = INK,
    anchor: Anchor = "start",
    room: float | None = None,
) -> svg.Text:
    """Draw a line of text, escaped, with its anchor at x on the baseline y.

    Text wider than `room` shrinks a little, but not below `LEGIBLE`, and is then shortened. The
    attribute `data-room` keeps `room` for tests of the picture. `INK` is not written, since
    `DEFAULTS` sets it.
    """
    data = None
    if room is not None:
        full_width = width(text, size, weight)
        if full_width > room:
            fitting_size = floor(100 * size * room / full_width) / 100
            size = max(round(size * _SMALLEST, 2), min(size, LEGIBLE), fitting_size)
        text = shortened(text, size, room, weight)
        data = {"room": str(tenths(room))}
    return svg.Text(
        x=tenths(x),
        y=tenths(y),
        text=escape_xml(text),
        font_size=round(size, 2),
        font_weight=None if weight == "normal" else weight,
        fill=None if fill == INK else fill,
        text_anchor=None if anchor == "start" else anchor,
        data=data,
    )


bold = partial(words, weight="bold")
label = partial(words, weight="bold", anchor="middle")
caption = partial(words, fill=MUTED)


def tenths(value: float) -> float:
    """Round a length to tenths. Whole numbers become int, so that no decimal point is written."""
    rounded = round(value, 1)
    return int(rounded) if rounded == int(rounded) else rounded


def shortened(text: str, size: float, room: float, weight: Weight = "normal") -> str:
    """Return the text, or as much of it as fits and an ellipsis.

    A short number at the end is kept, as it distinguishes names such as "Strongest 1" and
    "Strongest 2".
    """
    if width(text, size, weight) <= room:
        return text
    kept = text.rstrip("0123456789")
    number = text[len(kept) :]
    if width(f"…{number}", size, weight) > room / 2:
        kept = text
        number = ""
    while kept and width(f"{kept}…{number}", size, weight) > room:
        kept = kept[:-1]
    return f"{kept.rstrip()}…{number}"


def lines(parts: Iterable[str], size: float, room: float, separator: str = " ") -> list[str]:
    """Join the parts of a text, breaking a line before a part that would exceed `room`."""
    joined = [""]
    for part in parts:
        longer = f"{joined[-1]}{separator}{part}" if joined[-1] else part
        if width(longer.strip(), size) <= room:
            joined[-1] = longer
        else:
            joined.append(part)
    return [line.strip() for line in joined if line]


def escape_xml(text: str) -> str:
    """Escape text for XML, in attributes too."""
    return escape(text.translate(_NOT_IN_XML), {'"': "&quot;"})


Elements = list[svg.Element]
P = ParamSpec("P")
_CACHE_SIZE = 2**9
"""The number of drawings that each function caches as text, about 33 MB for all functions."""


@dataclass(frozen=True)
class Block:
    """A drawing with its size. Its top left corner is at (0, 0)."""

    elements: Elements
    width: float
    height: float

    def at(self, x: float, y: float, **data: str) -> svg.G:
        """Return the block moved to (x, y), with `data-` attributes."""
        moved: list[svg.Transform] = [svg.Translate(tenths(x), tenths(y))]
        return svg.G(transform=moved, data=data or None, elements=self.elements)

    def place(self, place: str, x: float, y: float) -> svg.G:
        """Return the block moved to (x, y), as a place to click (`Presentation.places`)."""
        return self.at(x, y, place=place, size=f"{self.width:.0f} {self.height:.0f}")

    def as_place(self, place: str) -> Block:
        """Return the block as a place to click."""
        return Block([self.place(place, 0, 0)], self.width, self.height)


def cached_block(draw: Callable[P, Block]) -> Callable[P, Block]:
    """Cache the SVG text of the blocks that a function draws, by its hashable arguments."""

    @lru_cache(_CACHE_SIZE)
    @wraps(draw)
    def draw_cached(*args: P.args, **kwargs: P.kwargs) -> Block:
        block = draw(*args, **kwargs)
        text = "".join(map(str, block.elements))
        return Block([svg.G(text=text)], block.width, block.height)

    return cast(Callable[P, Block], draw_cached)


def cached_shape(
    draw: Callable[Concatenate[float, float, P], Elements],
) -> Callable[Concatenate[float, float, P], Elements]:
    """Cache the SVG text of the shapes that a function draws, by all arguments but x and y."""

    def draw_text(*args: P.args, **kwargs: P.kwargs) -> str:
        return "".join(map(str, draw(0, 0, *args, **kwargs)))

    cached_text = cast(Callable[P, str], lru_cache(_CACHE_SIZE)(draw_text))

    def draw_moved(x: float, y: float, /, *args: P.args, **kwargs: P.kwargs) -> Elements:
        moved: list[svg.Transform] = [svg.Translate(tenths(x), tenths(y))]
        return [svg.G(transform=moved, text=cached_text(*args, **kwargs))]

    return update_wrapper(draw_moved, draw)


def box(
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    fill: str = PANEL,
    line: str | None = LINE,
    corner: float = _CORNER,
) -> svg.Rect:
    """Draw a filled rectangle with its top left corner at (x, y)."""
    return svg.Rect(
        x=tenths(x) or None,
        y=tenths(y) or None,
        width=tenths(width),
        height=tenths(height),
        rx=corner or None,
        fill=fill,
        stroke=line,
    )


def frame(
    width: float, height: float, line: str, *, thick: float = 1, dashes: Sequence[float] = ()
) -> svg.Rect:
    """Draw the outline of a rectangle with its top left corner at (0, 0)."""
    return svg.Rect(
        width=tenths(width),
        height=tenths(height),
        rx=_CORNER,
        fill="none",
        stroke=line,
        stroke_width=None if thick == 1 else thick,
        stroke_dasharray=list(dashes) or None,
    )


def panel(width: float, height: float, title: str) -> Elements:
    """Draw the background of a titled part of the picture."""
    return [box(0, 0, width, height), bold(14, 20, title, fill=MUTED, room=width - 28)]


def outline(x: float, y: float, size: float, path: str, fill: str, line: str = INK) -> svg.Path:
    """Draw a path with a thin outline, scaled from the unit square around (0, 0)."""
    return svg.Path(
        extra={"d": path},
        transform=[svg.Translate(tenths(x), tenths(y)), svg.Scale(round(size, 2))],
        fill=fill,
        stroke=line,
        stroke_width=round(1 / size, 3),
    )


@cached_shape
def star(x: float, y: float, size: float, fill: str = GOLD) -> Elements:
    """Draw a star."""
    points = []
    for corner in range(10):
        radius = size * (0.52 if corner % 2 == 0 else 0.23)
        angle = math.pi * corner / 5
        across = radius * math.sin(angle)
        up = radius * math.cos(angle)
        points.append(svg.Point(tenths(x + across), tenths(y - up)))
    return [svg.Polygon(points=points, fill=fill, stroke=INK, stroke_width=0.7)]


@cached_shape
def token(x: float, y: float, size: float, text: str, fill: str, ink: str) -> Elements:
    """Draw a round token with text."""
    letters = max(LEGIBLE, size * 0.6)
    return [
        svg.Circle(cx=tenths(x), cy=tenths(y), r=tenths(size / 2), fill=fill, stroke=INK),
        label(x, y + letters * 0.37, text, letters, fill=ink, room=size),
    ]


@cached_shape
def chip(
    x: float, y: float, width: float, height: float, text: str, size: float, look: Look
) -> Elements:
    """Draw a rectangular token, with a text unless it is empty. `size` is the text's size."""
    fill, line, ink = look
    ground = box(x - width / 2, y - height / 2, width, height, fill=fill, line=line, corner=3)
    if not text:
        return [ground]
    return [ground, label(x, y + size * 0.37, text, size, fill=ink, room=width)]


def arrow(x: float, y: float, size: float, fill: str) -> Elements:
    """Draw an arrow that points to the right."""
    return [outline(x, y, size, "M-.4-.5 .5 0-.4 .5Z", fill, "none")]


@cached_shape
def crown(x: float, y: float, size: float, fill: str = GOLD) -> Elements:
    """Draw a crown."""
    shape = "M-.5 .35-.5-.3-.22 0 0-.42 .22 0 .5-.3 .5 .35Z"
    return [outline(x, y, size, shape, fill)]


_GAP = 4


@dataclass(frozen=True)
class Sign:
    """A number, a word or a small shape that `row` places beside others."""

    width: float
    draw: Callable[[float, float], Elements]  # draws it around a point on the row's middle line


def number_sign(text: str) -> Sign:
    """Return a sign with a number and its unit."""
    return Sign(width(text, 12, "bold"), lambda x, y: [label(x, y + 4.3, text)])


def note_sign(text: str) -> Sign:
    """Return a sign with a word that stands between other signs."""
    return Sign(width(text, 12), lambda x, y: [caption(x, y + 4.3, text, anchor="middle")])


def row(
    signs: list[Sign], x: float, y: float, room: float, anchor: Anchor = "start", gap: float = _GAP
) -> Elements:
    """Draw signs side by side, with their anchor at x on the middle line y, scaled to fit."""
    drawn: Elements = []
    at = 0.0
    for sign in signs:
        drawn += sign.draw(round(at + sign.width / 2, 1), 0)
        at += sign.width + gap
    length = at - gap
    scale = [] if length <= room else [svg.Scale(round(room / length, 3))]
    share_left_of_anchor = {"start": 0, "middle": 0.5, "end": 1}[anchor]
    x -= min(length, room) * share_left_of_anchor
    return [svg.G(transform=[svg.Translate(tenths(x), tenths(y)), *scale], elements=drawn)]


def legend(entries: Iterable[tuple[Elements, str]], room: float) -> Block:
    """Draw a line that explains signs, which are given as drawings around (0, 0)."""
    signs: list[Sign] = []
    for shape, meaning in entries:
        sign = Sign(16, partial(_draw_block, Block(shape, 16, 16)))
        gap = Sign(12, lambda x, y: [])
        signs += [sign, note_sign(meaning), gap]
    return Block(row(signs, 0, 10, room), room, 20)


def _draw_block(block: Block, x: float, y: float) -> Elements:
    return [block.at(x, y)]
