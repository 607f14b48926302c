"""Text of a picture: measured, shortened where there is no room, broken into lines."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor
from typing import Literal
from xml.sax.saxutils import escape

import svg

from shakespeare_env.drawing.palette import INK
from shakespeare_env.fonts import Weight, width

Anchor = Literal["start", "middle", "end"]
_SMALLEST = 0.8  # a text shrinks to this part of its size before it loses letters
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
    """One line of text on the base line y.

    Args:
        x: Where the anchor lies.
        y: The base line.
        text: The line; it is escaped here.
        size: Font size.
        weight: Normal or bold.
        fill: Colour.
        anchor: The end of the line that lies at x.
        room: The width the line has to keep to: it shrinks a little, then it is shortened. It is
            kept in the element as `data-room`, for whoever checks the picture.
    """
    data = None
    if room is not None:
        size = _fitting(text, size, room, weight)
        text = shortened(text, size, room, weight)
        data = {"room": f"{room:.1f}"}
    return svg.Text(
        x=round(x, 1),
        y=round(y, 1),
        text=plain(text),
        font_size=size,
        font_weight=None if weight == "normal" else weight,
        fill=fill,
        text_anchor=None if anchor == "start" else anchor,
        data=data,
    )


def _fitting(text: str, size: float, room: float, weight: Weight) -> float:
    """The size at which the text keeps to its room, but never much smaller than wanted."""
    long = width(text, size, weight)
    if long <= room:
        return size
    return max(round(size * _SMALLEST, 2), floor(100 * size * room / long) / 100)


def shortened(text: str, size: float, room: float, weight: Weight = "normal") -> str:
    """The text, with an ellipsis for what does not fit."""
    if width(text, size, weight) <= room:
        return text
    while text and width(text + "…", size, weight) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def lines(parts: Iterable[str], size: float, room: float) -> list[str]:
    """Parts of a text, a space between two, on as many lines as they need."""
    broken = [""]
    for part in parts:
        longer = f"{broken[-1]} {part}".strip()
        if width(longer, size) <= room:
            broken[-1] = longer
        else:
            broken.append(part)
    return [line for line in broken if line]


def plain(text: str) -> str:
    """Any text as the content of an element."""
    return escape(text.translate(_NOT_IN_XML))
