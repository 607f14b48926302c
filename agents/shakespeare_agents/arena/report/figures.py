"""What a report draws: agents against agents, distributions of scores, strength and time.

Facts of the templates in `templates/sections`, named as there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from shakespeare_agents.arena.report.palette import heat_step
from shakespeare_env.drawing.chart import Axis, linear, logarithmic

if TYPE_CHECKING:
    from shakespeare_agents.arena.standings.standings import Standings

Facts = Mapping[str, Any]
Matrix = list[list[Facts | None]]
"""Cells by agent and opponent; None where they never met and on the diagonal."""
HEIGHT = 100
"""The height of a histogram's tallest bar, in the path's unit."""
_MOST_BARS = 64


def win_matrix(pairs: Sequence[Facts], agents: Sequence[str]) -> Matrix:
    """How often each finished ahead of each, given rows of `Standings.pairs`.

    A cell has the step of its colour; it `is_sure` if its interval does not hold the middle, and
    `is_surprising` if it does not hold what the ratings expect.
    """
    cells = {
        (pair["agent"], pair["other"]): {
            "pair": pair,
            "step": heat_step(2 * pair["ahead"] - 1),
            "is_sure": _is_outside(0.5, pair["low"], pair["high"]),
            "is_surprising": is_surprising(pair),
        }
        for pair in pairs
    }
    return [[cells.get((agent, other)) for other in agents] for agent in agents]


def score_matrix(pairs: Sequence[Facts], agents: Sequence[str]) -> Matrix:
    """The lead of each over each on the same deals; the largest has the full colour."""
    known = [pair for pair in pairs if pair["score_lead"] is not None]
    largest = max((abs(pair["score_lead"]) for pair in known), default=0.0) or 1.0
    cells = {
        (pair["agent"], pair["other"]): {
            "pair": pair,
            "step": heat_step(pair["score_lead"] / largest),
            "is_sure": _is_outside(0, pair["score_low"], pair["score_high"]),
        }
        for pair in known
    }
    return [[cells.get((agent, other)) for other in agents] for agent in agents]


def is_surprising(pair: Facts) -> bool:
    """Whether a pair's interval does not hold what the ratings expect."""
    return _is_outside(pair["expected"], pair["low"], pair["high"])


def _is_outside(value: float | None, low: float | None, high: float | None) -> bool:
    return None not in (value, low, high) and not low <= value <= high  # type: ignore[operator]


def histograms(scores: pl.DataFrame, ladders: Mapping[int, Sequence[str]]) -> Sequence[Facts]:
    """The distributions of scores by number of seats, each on one axis, solo games first.

    Args:
        scores: As in `Standings.scores`.
        ladders: The agents' order by number of seats.
    """
    tables = []
    for players in scores["players"].unique().sort().to_list():
        table = scores.filter(pl.col("players") == players)
        low, high = min(table["score"]), max(table["score"])
        wide = -(-(high - low + 1) // _MOST_BARS)
        axis = linear([low - 0.5 * wide, high + 0.5 * wide])
        each = [
            {"agent": agent, **_histogram(rows, axis, wide)}
            for agent in ladders[players]
            if (rows := table.filter(pl.col("agent") == agent)).height
        ]
        width = (axis.high - axis.low) / wide
        tables.append({"players": players, "axis": axis, "width": width, "each": each})
    return tables


def _histogram(rows: pl.DataFrame, axis: Axis, wide: int) -> Facts:
    """Bars of `wide` scores each as an SVG path, its unit a bar's width, and their mean."""
    bars: Counter[int] = Counter()
    total = 0
    for score, count in rows.select("score", "count").iter_rows():
        bars[score // wide] += count
        total += score * count
    tallest, games = max(bars.values()), bars.total()
    path = ""
    for bar in sorted(bars):
        # A bar's scores run from wide * bar to wide * bar + wide - 1.
        left = (wide * bar - 0.5 - axis.low) / wide
        height = HEIGHT * bars[bar] / tallest
        path += f"M{left:.2f} {HEIGHT}v-{height:.1f}h1v{height:.1f}z"
    return {"games": games, "mean": total / games, "path": path}


def planes(standings: Standings) -> Sequence[Facts]:
    """Strength against thinking time, for each table with timed agents."""
    ladders = [
        (players, rows, "rating", "Elo points") for players, rows in standings.ladders().items()
    ]
    found = []
    for players, ladder, value, title in (*ladders, (1, standings.solo, "mean", "Mean score")):
        taken = standings.milliseconds(players)
        rows = [
            {**row, "number": number, "x": taken[row["agent"]], "y": row[value]}
            for number, row in enumerate(ladder.to_dicts(), start=1)
            if taken.get(row["agent"])
        ]
        if rows:
            found.append({"players": players, "y_title": title, **_plane(rows)})
    return found


def _plane(rows: list[dict[str, Any]]) -> Facts:
    """Axes and points; `frontier` holds the corners of a line that no agent lies above."""
    x = logarithmic(row["x"] for row in rows)
    y = linear(end for row in rows for end in (row["low"], row["y"], row["high"]))

    def up(value: float) -> str:
        """Where a value of y stands, from the top, as a CSS length."""
        return f"{100 * (1 - y.share(value)):.2f}%"

    corners: list[dict[str, Any]] = []
    for row in sorted(rows, key=lambda row: (row["x"], -row["y"])):
        if row["y"] > (corners[-1]["y"] if corners else -math.inf):
            corners.append(row)
    for row in rows:
        row["is_best"] = row in corners
    return {"x": x, "y": y, "up": up, "points": rows, "frontier": corners}
