"""Strength against thinking time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shakespeare_agents.arena.report.axes import Axis, linear, logarithmic

if TYPE_CHECKING:
    from shakespeare_agents.arena.standings.standings import Standings

_WIDTH, _HEIGHT = 640, 340
"""Pixels that names are placed for; the figure may be wider."""
_LETTER, _LINE, _DOT = 7.2, 16, 13
OFFSETS = {"right": (14, 4), "left": (-14, 4), "above": (0, -16), "below": (0, 24)}
"""Pixels from a point to its name, in the order in which they are tried."""


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
        side: Where its name stands: a key of `OFFSETS`, or "" where there is no room.
    """

    agent: str
    number: int
    x: float
    y: float
    row: Mapping[str, Any]
    is_best: bool
    side: str

    @property
    def offset(self) -> tuple[int, int]:
        """Pixels, to the right and down, from its middle to its name."""
        return OFFSETS[self.side]


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


def planes(standings: Standings, names: Mapping[str, str]) -> list[Plane]:
    """A plane for each table with timed agents: of ratings, or of scores for solo games.

    Args:
        standings: The standings of the field.
        names: Names to show, by label.
    """
    ladders = [
        (players, rows, "rating", "Elo points") for players, rows in standings.ladders().items()
    ]
    ladders.append((1, standings.solo, "mean", "Mean score"))
    return [
        _plane(players, rows.to_dicts(), value, title, taken, names)
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
    names: Mapping[str, str],
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
    sides = _sides(
        [(x.share(taken[row["agent"]]), y.share(row[value]), names[row["agent"]]) for row in rows]
    )
    points = {
        row["agent"]: Point(
            row["agent"],
            numbers[row["agent"]],
            taken[row["agent"]],
            row[value],
            row,
            row["agent"] in corners,
            side,
        )
        for row, side in zip(rows, sides, strict=True)
    }
    frontier = tuple(points[agent] for agent in corners)
    return Plane(players, x, y, tuple(points.values()), frontier, title)


Box = tuple[float, float, float, float]


def _sides(places: Sequence[tuple[float, float, str]]) -> list[str]:
    """The side of each point with room for its name; points are shares of width and height."""
    at = [(across * _WIDTH, (1 - up) * _HEIGHT) for across, up, _ in places]
    taken: list[Box] = [(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in at]
    sides = []
    for (x, y), (_, _, name) in zip(at, places, strict=True):
        room = _LETTER * len(name)
        beside = {
            "right": (x + _DOT, y - _LINE / 2, x + _DOT + room, y + _LINE / 2),
            "left": (x - _DOT - room, y - _LINE / 2, x - _DOT, y + _LINE / 2),
            "above": (x - room / 2, y - _DOT - _LINE, x + room / 2, y - _DOT),
            "below": (x - room / 2, y + _DOT, x + room / 2, y + _DOT + _LINE),
        }
        free = [
            side
            for side, box in beside.items()
            if box[0] >= 0 and box[2] <= _WIDTH and not any(_overlap(box, other) for other in taken)
        ]
        sides.append(free[0] if free else "")
        if free:
            taken.append(beside[free[0]])
    return sides


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
