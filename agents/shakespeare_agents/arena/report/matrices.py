"""Pairs of agents as matrices, coloured by what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from shakespeare_agents.arena.report.palette import heat_step

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    """What two agents' games say.

    Attributes:
        pair: Their row of `Standings.pairs`.
        step: The step of its colour (see `palette`).
        is_sure: The interval does not hold the middle.
        is_surprising: The interval does not hold what the ratings expect.
    """

    pair: Row
    step: int
    is_sure: bool
    is_surprising: bool


Matrix = list[list[Cell | None]]
"""Cells by agent and opponent; None where they never met and on the diagonal."""


def win_matrix(pairs: pl.DataFrame, agents: Sequence[str]) -> Matrix:
    """How often each finished ahead of each."""

    def cell(pair: Row) -> Cell:
        sure = _is_outside(0.5, pair["low"], pair["high"])
        surprising = _is_outside(pair["expected"], pair["low"], pair["high"])
        return Cell(pair, heat_step(2 * pair["ahead"] - 1), sure, surprising)

    return _matrix({(pair["agent"], pair["other"]): cell(pair) for pair in _rows(pairs)}, agents)


def score_matrix(pairs: pl.DataFrame, agents: Sequence[str]) -> Matrix:
    """The lead of each over each on the same deals; the largest has the full colour."""
    known = pairs.drop_nulls("score_lead")
    largest = max((abs(pair["score_lead"]) for pair in _rows(known)), default=0.0) or 1.0

    def cell(pair: Row) -> Cell:
        sure = _is_outside(0, pair["score_low"], pair["score_high"])
        return Cell(pair, heat_step(pair["score_lead"] / largest), sure, is_surprising=False)

    return _matrix({(pair["agent"], pair["other"]): cell(pair) for pair in _rows(known)}, agents)


def once(pairs: pl.DataFrame, agents: Sequence[str]) -> list[Row]:
    """Each pair once, the stronger agent first."""
    rank = {agent: place for place, agent in enumerate(agents)}
    rows = [row for row in _rows(pairs) if rank[row["agent"]] < rank[row["other"]]]
    return sorted(rows, key=lambda row: (rank[row["agent"]], rank[row["other"]]))


def surprising(pairs: Sequence[Row]) -> int:
    """The number of pairs whose interval does not hold what the ratings expect."""
    return sum(_is_outside(pair["expected"], pair["low"], pair["high"]) for pair in pairs)


def _matrix(cells: Mapping[tuple[str, str], Cell], agents: Sequence[str]) -> Matrix:
    return [[cells.get((agent, other)) for other in agents] for agent in agents]


def _rows(pairs: pl.DataFrame) -> Sequence[Row]:
    return pairs.to_dicts()


def _is_outside(value: float | None, low: float | None, high: float | None) -> bool:
    if value is None or low is None or high is None:
        return False
    return value < low or value > high
