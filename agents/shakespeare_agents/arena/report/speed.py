"""Strength against thinking time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shakespeare_env.drawing.chart import Axis, linear, logarithmic

if TYPE_CHECKING:
    from shakespeare_agents.arena.standings.standings import Standings


@dataclass(frozen=True)
class Point:
    """An agent in the plane.

    Attributes:
        agent: Its label.
        x: Milliseconds a decision.
        y: Rating, or mean score of solo games.
        number: Its place on the ladder, from 1.
        row: Its row, with `low` and `high` of y.
        is_best: No other is both at least as fast and stronger.
    """

    agent: str
    number: int
    x: float
    y: float
    row: Mapping[str, Any]
    is_best: bool


@dataclass(frozen=True)
class Plane:
    """A table's figure; `frontier` holds the corners of a line that no agent lies above."""

    players: int
    x: Axis
    y: Axis
    points: tuple[Point, ...]
    frontier: tuple[Point, ...]
    y_title: str

    def up(self, value: float) -> str:
        """Where a value of y stands, from the top, as a CSS length."""
        return f"{100 * (1 - self.y.share(value)):.2f}%"


def planes(standings: Standings) -> list[Plane]:
    """A plane for each table with timed agents: of ratings, or of scores for solo games."""
    ladders = [
        (players, rows, "rating", "Elo points") for players, rows in standings.ladders().items()
    ]
    ladders.append((1, standings.solo, "mean", "Mean score"))
    return [
        _plane(players, rows.to_dicts(), value, title, taken)
        for players, rows, value, title in ladders
        for taken in [standings.milliseconds(players)]
        if any(taken.get(agent) for agent in rows["agent"])
    ]


def _plane(
    players: int,
    ladder: Sequence[Mapping[str, Any]],
    value: str,
    title: str,
    taken: Mapping[str, float],
) -> Plane:
    numbers = {row["agent"]: number for number, row in enumerate(ladder, start=1)}
    rows = [row for row in ladder if taken.get(row["agent"])]
    x = logarithmic(taken[row["agent"]] for row in rows)
    y = linear(end for row in rows for end in (row["low"], row[value], row["high"]))
    corners = []
    strongest = -math.inf
    for row in sorted(rows, key=lambda row: (taken[row["agent"]], -row[value])):
        if row[value] > strongest:
            corners.append(row["agent"])
            strongest = row[value]
    points = {
        (agent := row["agent"]): Point(
            agent, numbers[agent], taken[agent], row[value], row, agent in corners
        )
        for row in rows
    }
    frontier = tuple(points[agent] for agent in corners)
    return Plane(players, x, y, tuple(points.values()), frontier, title)
