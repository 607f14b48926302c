"""Ladders to be put into a README: as Markdown tables, and as one SVG picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import svg

from shakespeare_agents.arena.report.palette import LIGHT
from shakespeare_agents.arena.report.tables import ladder_markdown
from shakespeare_agents.arena.wording import between, counted, number, shown_name
from shakespeare_env.drawing.chart import Axis, linear
from shakespeare_env.drawing.shapes import Elements, box, plain, upright, words
from shakespeare_env.fonts import FAMILY

if TYPE_CHECKING:
    from shakespeare_agents.arena.standings.standings import Standings

__all__ = ["ladder_markdown", "ladder_svg"]

_WIDTH, _EDGE, _ROW, _HEAD, _FOOT = 860, 24, 30, 48, 36
_CAPTION, _BELOW = 44, 36
"""Pixels above a ladder's rows and below them."""
_NAMES, _TRACK, _FIGURES = 62, 290, 680
"""Pixels from the left at which names, intervals and figures begin."""
_SIGNS = {
    "stronger": (">", "stronger than the next"),
    "equal": ("=", "equal"),
    "open": ("?", "open"),
}
_PAGE, _PANEL, _LINE = LIGHT["page"], LIGHT["panel"], LIGHT["line"]
_INK, _MUTED, _ACCENT, _INTERVAL = (LIGHT[name] for name in ("ink", "muted", "accent", "interval"))


def ladder_svg(standings: Standings) -> str:
    """The ladders, below each other, as one SVG picture on a ground of its own.

    It can be read on light pages and on dark ones.
    """
    panels = [
        (counted(players, "seat"), rows, "rating", 0, "Elo points")
        for players, rows in standings.ladders().items()
    ]
    if standings.solo.height:
        panels.append(("1 seat", standings.solo, "mean", 1, "Mean score"))
    drawn: Elements = []
    top, verdicts = _HEAD, set[str]()
    for caption, rows, value, digits, unit in panels:
        drawn += _panel(top, caption, rows.to_dicts(), value, digits, unit)
        top += _CAPTION + _ROW * rows.height + _BELOW
        verdicts |= set(rows["verdict"])
    legend = [f"{sign} {meaning}" for word, (sign, meaning) in _SIGNS.items() if word in verdicts]
    height = top + _FOOT
    title = f"{standings.game.capitalize()}: {counted(standings.games, 'game')}"
    document = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, _WIDTH, height),
        width=_WIDTH,
        height=height,
        extra={"role": "img", "font-family": FAMILY},
        elements=[
            svg.Title(text=plain(f"{title}; agents by strength, with 95 % intervals")),
            box(0, 0, _WIDTH, height, fill=_PAGE, line=None, corner=12),
            words(_EDGE, 36, title, 19, weight="bold", fill=_INK, room=400),
            words(_WIDTH - _EDGE, 36, "95 % intervals", 13, fill=_MUTED, anchor="end", room=300),
            *drawn,
            words(_EDGE, height - 14, ", ".join(legend), 11.5, fill=_MUTED, room=600),
        ],
    )
    return str(document)


def _panel(
    top: int, caption: str, rows: Sequence[dict[str, Any]], value: str, digits: int, unit: str
) -> Elements:
    """A ladder: the column `value` with its decimals, on an axis of its unit."""
    axis = linear(row[column] for row in rows for column in ("low", value, "high"))
    head, ground = top + _CAPTION, _ROW * len(rows)
    drawn: Elements = [
        words(_EDGE, head - 16, caption, 15, weight="bold", fill=_INK, room=400),
        words(_WIDTH - _EDGE, head - 16, unit, 11.5, fill=_MUTED, anchor="end"),
        box(_EDGE / 2, head - 8, _WIDTH - _EDGE, ground + 40, fill=_PANEL, line=_LINE),
    ]
    for mark, text in axis.ticks:
        x = _across(axis, mark)
        drawn.append(upright(x, head, ground, stroke=_LINE))
        drawn.append(words(x, head + ground + 18, text, 11, fill=_MUTED, anchor="middle"))
    for place, row in enumerate(rows):
        drawn += _drawn_row(head + _ROW * (place + 0.5), row, axis, value, digits)
    return drawn


def _drawn_row(middle: float, row: dict[str, Any], axis: Axis, value: str, digits: int) -> Elements:
    base, right = middle + 5, _WIDTH - _EDGE - 28
    ends = between(row["low"], row["high"], lambda end: number(end, digits))
    x = round(_across(axis, row[value]), 1)
    drawn: Elements = [
        words(_NAMES - 14, base, row["rank"], 13, fill=_MUTED, anchor="end"),
        words(_NAMES, base, shown_name(row["agent"]), 14, fill=_INK, room=_TRACK - _NAMES - 16),
        words(_FIGURES, base, number(row[value], digits), 14, weight="bold", anchor="end"),
        words(right, base, ends, 12.5, fill=_MUTED, anchor="end"),
    ]
    if ends:
        low, high = (round(_across(axis, row[end]), 1) for end in ("low", "high"))
        line = svg.Line(x1=low, x2=high, y1=middle, y2=middle, stroke=_INTERVAL, stroke_width=5)
        line.stroke_linecap = "round"
        drawn.append(line)
    drawn.append(svg.Circle(cx=x, cy=middle, r=5, fill=_ACCENT, stroke=_PANEL, stroke_width=1.5))
    if row["verdict"] in _SIGNS:
        sign = _SIGNS[row["verdict"]][0]
        between_rows = middle + _ROW / 2 + 4
        drawn.append(
            words(right + 20, between_rows, sign, 12, weight="bold", fill=_ACCENT, anchor="middle")
        )
    return drawn


def _across(axis: Axis, value: float) -> float:
    return _TRACK + axis.share(value) * (_FIGURES - 60 - _TRACK)
