"""Picture text: measured, shortened to its room, broken into lines."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor
from typing import Literal
from xml.sax.saxutils import escape

import svg

from shakespeare_env.drawing.palette import INK
from shakespeare_env.fonts import FAMILY, Weight, width

Anchor = Literal["start", "middle", "end"]
DEFAULTS = {"font-family": FAMILY, "fill": INK, "stroke-linejoin": "round"}
"""Attributes that every drawing's SVG element sets for all its content."""
_SMALLEST = 0.8  # text shrinks to this part of its size before it loses letters
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
    """A line of text, escaped, with its anchor at x on the base line y.

    `INK` is the colour of `DEFAULTS` and not repeated. To keep to `room`, a width, text shrinks a
    little and is then shortened; `data-room` keeps the width for checks of the picture.
    """
    data = None
    if room is not None:
        size = _fitting(text, size, room, weight)
        text = shortened(text, size, room, weight)
        data = {"room": str(tenths(room))}
    return svg.Text(
        x=tenths(x),
        y=tenths(y),
        text=plain(text),
        font_size=round(size, 2),
        font_weight=None if weight == "normal" else weight,
        fill=None if fill == INK else fill,
        text_anchor=None if anchor == "start" else anchor,
        data=data,
    )


def tenths(value: float) -> float:
    """A length rounded for a drawing, whole numbers without a point."""
    rounded = round(value, 1)
    return int(rounded) if rounded == int(rounded) else rounded


def _fitting(text: str, size: float, room: float, weight: Weight) -> float:
    long = width(text, size, weight)
    if long <= room:
        return size
    return max(round(size * _SMALLEST, 2), floor(100 * size * room / long) / 100)


def shortened(text: str, size: float, room: float, weight: Weight = "normal") -> str:
    """The text, ending in an ellipsis if it does not fit."""
    if width(text, size, weight) <= room:
        return text
    while text and width(text + "…", size, weight) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def lines(parts: Iterable[str], size: float, room: float, joint: str = " ") -> list[str]:
    """Parts of a text, joined, on as many lines as they need."""
    broken = [""]
    for part in parts:
        longer = f"{broken[-1]}{joint}{part}" if broken[-1] else part
        if width(longer.strip(), size) <= room:
            broken[-1] = longer
        else:
            broken.append(part)
    return [line.strip() for line in broken if line]


def plain(text: str) -> str:
    """Text, escaped for XML, in attributes too."""
    return escape(text.translate(_NOT_IN_XML), {'"': "&quot;"})
