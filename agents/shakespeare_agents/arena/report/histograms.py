"""Small histograms of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from shakespeare_agents.arena.report.axes import Axis, linear

_MOST_BARS = 64
HEIGHT = 100
"""The height of the tallest bar, in the path's unit."""


@dataclass(frozen=True)
class Histogram:
    """One agent's scores at one table.

    Attributes:
        agent: Its label.
        games: The number of scores.
        mean: The mean of the scores.
        path: The outline of the bars as an SVG path, the axis as wide as `Table.width`.
    """

    agent: str
    games: int
    mean: float
    path: str


@dataclass(frozen=True)
class Table:
    """The distributions of one number of seats, on one axis.

    Attributes:
        players: The number of seats.
        axis: The axis that all of them share.
        width: The width of a path, in bars.
        each: The histograms by agent, in the order of the ladder.
    """

    players: int
    axis: Axis
    width: float
    each: tuple[Histogram, ...]


def histograms(scores: pl.DataFrame, ladders: Mapping[int, Sequence[str]]) -> list[Table]:
    """The tables by number of seats, solo games first.

    Args:
        scores: As in `Standings.scores`.
        ladders: The agents' order by number of seats.
    """
    tables = []
    for players in scores["players"].unique().sort().to_list():
        table = scores.filter(pl.col("players") == players)
        low, high = (int(table["score"].min()), int(table["score"].max()))  # type: ignore[arg-type]
        wide = -(-(high - low + 1) // _MOST_BARS)
        axis = linear([low - 0.5 * wide, high + 0.5 * wide])
        each = tuple(
            _histogram(agent, rows, axis, wide)
            for agent in ladders[players]
            if (rows := table.filter(pl.col("agent") == agent)).height
        )
        tables.append(Table(players, axis, (axis.high - axis.low) / wide, each))
    return tables


def _histogram(agent: str, rows: pl.DataFrame, axis: Axis, wide: int) -> Histogram:
    """Bars hold `wide` scores each; a bar stands around its middle score."""
    scores, counts = rows["score"].to_numpy(), rows["count"].to_numpy()
    games = int(counts.sum())
    bars: dict[int, int] = {}
    for score, count in zip(scores.tolist(), counts.tolist(), strict=True):
        bars[score // wide] = bars.get(score // wide, 0) + count
    tallest = max(bars.values())
    path = []
    for bar in sorted(bars):
        # A bar's scores run from wide * bar to wide * bar + wide - 1.
        left = (wide * bar - 0.5 - axis.low) / wide
        height = HEIGHT * bars[bar] / tallest
        path.append(f"M{left:.2f} {HEIGHT}v-{height:.1f}h1v{height:.1f}z")
    return Histogram(agent, games, float((scores * counts).sum() / games), "".join(path))
