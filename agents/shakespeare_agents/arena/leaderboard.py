"""A ladder to be put into a README: as a Markdown table, and as a picture."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import svg

from shakespeare_agents.arena.report.axes import Axis, linear
from shakespeare_agents.arena.report.palette import LIGHT
from shakespeare_agents.arena.wording import (
    between,
    counted,
    milliseconds,
    number,
    percent,
    settled,
    shown_name,
)
from shakespeare_env.drawing.lettering import plain, words
from shakespeare_env.drawing.shapes import Elements, box, upright
from shakespeare_env.fonts import FAMILY

if TYPE_CHECKING:
    from shakespeare_agents.arena.standings.standings import Standings

_WIDTH, _EDGE, _ROW, _HEAD, _FOOT = 860, 24, 30, 64, 62
_NAMES, _TRACK, _FIGURES = 62, 290, 680
"""Where names, intervals and figures begin, from the left."""
_SIGNS = {
    "stronger": (">", "stronger than the next"),
    "equal": ("=", "equal"),
    "open": ("?", "not settled"),
}
_PAGE, _PANEL, _LINE = LIGHT["page"], LIGHT["panel"], LIGHT["line"]
_INK, _MUTED, _ACCENT, _INTERVAL = (LIGHT[name] for name in ("ink", "muted", "accent", "interval"))


def ladder_markdown(standings: Standings) -> str:
    """The ladder as a Markdown table, and a sentence on what is settled.

    A field that only plays alone has its solo ladder.
    """
    if not standings.ladder.height:
        return _table(
            ("#", "Agent", "Mean score", "Lead on the next", "Median", "Deals"),
            [
                (
                    _code(row["agent"]),
                    _with_ends(row["mean"], row["low"], row["high"], 1),
                    _with_ends(row["lead"], row["lead_low"], row["lead_high"], 1),
                    number(row["median"], 1),
                    number(row["deals"]),
                )
                for row in standings.solo.iter_rows(named=True)
            ],
            settled(standings.solo),
        )
    taken = dict(standings.times.select("agent", "milliseconds").iter_rows())
    return _table(
        ("#", "Agent", "Elo", "Lead on the next", "Ahead of others, %", "ms a decision"),
        [
            (
                _code(row["agent"]),
                _with_ends(row["rating"], row["low"], row["high"]),
                _with_ends(row["lead"], row["lead_low"], row["lead_high"]),
                percent(row["ahead"]),
                milliseconds(taken.get(row["agent"])),
            )
            for row in standings.ladder.iter_rows(named=True)
        ],
        settled(standings.ladder),
    )


def _table(headings: tuple[str, ...], rows: list[tuple[str, ...]], said: str) -> str:
    lines = [headings, ("---:", "---", *["---:"] * (len(headings) - 2))]
    lines += [(str(rank), *row) for rank, row in enumerate(rows, start=1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + f"\n\n{_plain(said)}\n"


def _code(agent: str) -> str:
    """A name as code, which neither its backticks end nor its bars."""
    name = shown_name(agent).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", name)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {name} {fence}" if longest else f"{fence}{name}{fence}"


def _plain(text: str) -> str:
    """Text in which names are neither markup nor HTML."""
    return re.sub(r"([\\`*_\[\]<>&|~#])", r"\\\1", text)


def _with_ends(value: float | None, low: float | None, high: float | None, digits: int = 0) -> str:
    if value is None:
        return ""
    ends = between(low, high, lambda end: number(end, digits))
    return f"{number(value, digits)} ({ends})" if ends else number(value, digits)


def ladder_svg(standings: Standings) -> str:
    """The ladder as an SVG picture on a ground of its own, for light pages and dark ones.

    A field that only plays alone has its solo ladder.
    """
    alone = not standings.ladder.height
    value, digits, unit = ("mean", 1, "Mean score") if alone else ("rating", 0, "Elo points")
    rows = (standings.solo if alone else standings.ladder).to_dicts()
    axis = linear(row[column] for row in rows for column in ("low", value, "high"))
    height = _HEAD + _ROW * len(rows) + _FOOT
    title = f"{standings.game.capitalize()}: {counted(len(rows), 'agent')}"
    told = f"{counted(standings.games, 'game')}, 95 % intervals"
    drawn: Elements = [
        box(0, 0, _WIDTH, height, fill=_PAGE, line=None, corner=12),
        words(_EDGE, 36, title, 19, weight="bold", fill=_INK, room=400),
        words(_WIDTH - _EDGE, 36, told, 13, fill=_MUTED, anchor="end", room=300),
        box(_EDGE / 2, _HEAD - 8, _WIDTH - _EDGE, _ROW * len(rows) + 40, fill=_PANEL, line=_LINE),
        *_drawn_axis(axis, len(rows)),
    ]
    for place, row in enumerate(rows):
        drawn += _drawn_row(place, row, axis, value, digits)
    below = height - 12
    verdicts = {row["verdict"] for row in rows}
    legend = [f"{sign} {told}" for word, (sign, told) in _SIGNS.items() if word in verdicts]
    drawn += [
        words(_EDGE, below, ", ".join(legend), 11.5, fill=_MUTED, room=600),
        words(_WIDTH - _EDGE, below, unit, 11.5, fill=_MUTED, anchor="end"),
    ]
    said = settled(standings.solo if alone else standings.ladder)
    document = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, _WIDTH, height),
        width=_WIDTH,
        height=height,
        extra={"role": "img", "font-family": FAMILY},
        elements=[svg.Title(text=plain(f"{title}. {said}")), *drawn],
    )
    return str(document)


def _drawn_axis(axis: Axis, rows: int) -> Elements:
    drawn: Elements = []
    for value, text in axis.ticks:
        x, bottom = _across(axis, value), _HEAD + _ROW * rows
        drawn.append(upright(x, _HEAD, bottom - _HEAD, stroke=_LINE))
        drawn.append(words(x, bottom + 18, text, 11, fill=_MUTED, anchor="middle"))
    return drawn


def _drawn_row(place: int, row: dict[str, Any], axis: Axis, value: str, digits: int) -> Elements:
    middle = _HEAD + _ROW * (place + 0.5)
    base, right = middle + 5, _WIDTH - _EDGE - 28
    ends = between(row["low"], row["high"], lambda end: number(end, digits))
    x = round(_across(axis, row[value]), 1)
    drawn: Elements = [
        words(_NAMES - 14, base, str(place + 1), 13, fill=_MUTED, anchor="end"),
        words(_NAMES, base, shown_name(row["agent"]), 14, fill=_INK, room=_TRACK - _NAMES - 16),
        words(_FIGURES, base, number(row[value], digits), 14, weight="bold", anchor="end"),
        words(right, base, ends, 12.5, fill=_MUTED, anchor="end"),
    ]
    if ends:
        low, high = (round(_across(axis, row[end]), 1) for end in ("low", "high"))
        drawn.append(
            svg.Line(
                x1=low,
                x2=high,
                y1=middle,
                y2=middle,
                stroke=_INTERVAL,
                stroke_width=5,
                stroke_linecap="round",
            )
        )
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
