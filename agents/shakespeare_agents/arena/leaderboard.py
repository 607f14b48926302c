"""Ladders to be put into a README: as Markdown tables, and as a picture."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import svg

from shakespeare_agents.arena.report.axes import Axis, linear
from shakespeare_agents.arena.report.palette import LIGHT
from shakespeare_agents.arena.wording import (
    SHARED_RANK,
    between,
    counted,
    mean_of_ladders,
    milliseconds,
    number,
    shown_name,
)
from shakespeare_env.drawing.lettering import plain, words
from shakespeare_env.drawing.shapes import Elements, box, upright
from shakespeare_env.fonts import FAMILY

if TYPE_CHECKING:
    import polars as pl

    from shakespeare_agents.arena.standings.standings import Standings

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


def ladder_markdown(standings: Standings) -> str:
    """The ladders as Markdown tables by number of seats, then the mean of the rating ladders."""
    parts = [
        _table(
            f"{counted(players, 'seat')}, {counted(int(rows['games'].sum()) // players, 'game')}:",
            ("#", "Agent", "Elo", "Lead on the next", "Games", "ms a decision"),
            [
                (
                    row["rank"],
                    _code(row["agent"]),
                    _with_ends(row["rating"], row["low"], row["high"]),
                    _with_ends(row["lead"], row["lead_low"], row["lead_high"]),
                    number(row["games"]),
                    milliseconds(taken.get(row["agent"])),
                )
                for row in rows.iter_rows(named=True)
            ],
        )
        for players, rows in standings.ladders().items()
        for taken in [standings.milliseconds(players)]
    ]
    if standings.solo.height:
        parts.append(_solo_table(standings))
    ranks = [*standings.ladder["rank"], *standings.solo["rank"]]
    if any(rank.endswith("=") for rank in ranks):
        parts.append(f"{SHARED_RANK}\n")
    if standings.combined.height:
        parts.append(
            _table(
                "Over all tables, each ladder with the same weight:",
                ("Agent", f"{mean_of_ladders(standings.ladders())}, Elo"),
                [
                    (_code(row["agent"]), _with_ends(row["rating"], row["low"], row["high"]))
                    for row in standings.combined.iter_rows(named=True)
                ],
            )
        )
    return "\n".join(parts)


def _solo_table(standings: Standings) -> str:
    return _table(
        f"1 seat, {counted(int(standings.solo['deals'].sum()), 'game')}:",
        ("#", "Agent", "Mean score", "Lead on the next", "Median", "Deals"),
        [
            (
                row["rank"],
                _code(row["agent"]),
                _with_ends(row["mean"], row["low"], row["high"], 1),
                _with_ends(row["lead"], row["lead_low"], row["lead_high"], 1),
                number(row["median"], 1),
                number(row["deals"]),
            )
            for row in standings.solo.iter_rows(named=True)
        ],
    )


def _table(caption: str, headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Names stand on the left, figures on the right."""
    names = headings.index("Agent")
    rule = ["---:"] * names + ["---"] + ["---:"] * (len(headings) - names - 1)
    lines = "\n".join(f"| {' | '.join(line)} |" for line in (headings, rule, *rows))
    return f"{caption}\n\n{lines}\n"


def _code(agent: str) -> str:
    """A name as Markdown code, safe for backticks and bars."""
    name = shown_name(agent).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", name)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {name} {fence}" if longest else f"{fence}{name}{fence}"


def _with_ends(value: float | None, low: float | None, high: float | None, digits: int = 0) -> str:
    if value is None:
        return ""
    ends = between(low, high, lambda end: number(end, digits))
    return f"{number(value, digits)} ({ends})" if ends else number(value, digits)


def ladder_svg(standings: Standings) -> str:
    """The ladders, below each other, as one SVG picture on a ground of its own.

    It can be read on light pages and on dark ones.
    """
    panels = [
        _Panel(counted(players, "seat"), rows, "rating", 0, "Elo points")
        for players, rows in standings.ladders().items()
        for taken in [standings.milliseconds(players)]
    ]
    if standings.solo.height:
        panels.append(_Panel("1 seat", standings.solo, "mean", 1, "Mean score"))
    drawn: Elements = []
    top = _HEAD
    for panel in panels:
        drawn += panel.drawn(top)
        top += panel.height
    verdicts = {row["verdict"] for panel in panels for row in panel.rows.to_dicts()}
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


@dataclass(frozen=True)
class _Panel:
    """A ladder in the picture.

    Attributes:
        title: The title above it.
        rows: The rows of the ladder.
        value: The column that is drawn.
        digits: The decimals of that column.
        unit: The unit of its axis.
    """

    title: str
    rows: pl.DataFrame
    value: str
    digits: int
    unit: str

    @property
    def height(self) -> int:
        return _CAPTION + _ROW * self.rows.height + _BELOW

    def drawn(self, top: int) -> Elements:
        """All of it, from `top` on."""
        columns = ("low", self.value, "high")
        rows = self.rows.to_dicts()
        axis = linear(row[column] for row in rows for column in columns)
        head, ground = top + _CAPTION, _ROW * len(rows)
        drawn: Elements = [
            words(_EDGE, head - 16, self.title, 15, weight="bold", fill=_INK, room=400),
            words(_WIDTH - _EDGE, head - 16, self.unit, 11.5, fill=_MUTED, anchor="end"),
            box(_EDGE / 2, head - 8, _WIDTH - _EDGE, ground + 40, fill=_PANEL, line=_LINE),
        ]
        for value, text in axis.ticks:
            x = _across(axis, value)
            drawn.append(upright(x, head, ground, stroke=_LINE))
            drawn.append(words(x, head + ground + 18, text, 11, fill=_MUTED, anchor="middle"))
        for place, row in enumerate(rows):
            drawn += _drawn_row(head + _ROW * (place + 0.5), row, axis, self.value, self.digits)
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
