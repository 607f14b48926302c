"""Means by group with 95 % intervals clustered by deal, and differences within a position.

Intervals of means hold simultaneously for all groups. Intervals of shares hold individually. What a
move is worth depends on who plays, so rows of different agents are never averaged: if rows have a
column `agent`, each of its values makes groups of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import polars as pl

from shakespeare_arena.evaluation import AgentResult
from shakespeare_arena.intervals import IntervalMethod, by_group, score_interval, student_interval

FEWEST_DEALS = 30
"""Groups with fewer deals have no mean, since its interval would not hold."""
_UNKNOWN = "unknown (too few deals)"
_RESULTS = pl.col("score", "lead", "won")
_SIGNED = "{:+.2f} ({:+.2f} to {:+.2f})"
_AGENT = "agent"


def means(rows: pl.DataFrame, by: str | Sequence[str], *, of: str) -> pl.DataFrame:
    """Return means of a column by group, in ascending order of the groups.

    Rows of one `deal` may depend on each other. Rows count by their `weight`, if they have one, and
    those whose value is not finite are dropped.

    Args:
        rows: The rows, with a column `deal`. A column `agent` names groups, too.
        by: The columns that name a group.
        of: The column to average.

    Returns:
        One row per group: `agent` if there is one; the columns of `by`; `mean`, `low` and `high`,
        null in groups of fewer than `FEWEST_DEALS`; `rows` and `deals`, their numbers. Intervals
        are those of `intervals.student_interval`, widened by Bonferroni's correction for the groups
        of all agents.
    """
    return simultaneous(_grouped(rows, by, of, "mean", student_interval))


def simultaneous(groups: pl.DataFrame) -> pl.DataFrame:
    """Widen 95 % intervals of means so that they hold together, by Bonferroni's correction.

    Args:
        groups: Groups with `mean`, `low` and `high`. Groups whose ends are null are not counted.
    """
    normal = NormalDist()
    count = max(groups["low"].count(), 1)
    wider = normal.inv_cdf(1 - 0.025 / count) / normal.inv_cdf(0.975)
    ends = pl.col("low", "high")
    # Move each end away from the mean by the factor `wider`.
    return groups.with_columns(ends * wider + pl.col("mean") * (1 - wider))


def shares(rows: pl.DataFrame, by: str | Sequence[str], *, of: str) -> pl.DataFrame:
    """Return means of values from 0 to 1 by group, as `means` does, in a column `share`.

    Intervals are those of `intervals.score_interval`.
    """
    return _grouped(rows, by, of, "share", score_interval)


def against(trials: pl.DataFrame, baseline: pl.Expr) -> pl.DataFrame:
    """Return trials with `score`, `lead` and `won` less those of a baseline in their position.

    Trials are moves or gifts tried in positions, a row each (see `trials.py`).

    The baseline is the mean of the rows for which `baseline` is true; `pl.lit(True)` takes all.
    Positions without such a row are dropped.

    Raises:
        ValueError: A position's rows are of several deals.
    """
    _check_positions(trials)
    base = _RESULTS.filter(baseline).mean().over("position")
    return trials.filter(baseline.any().over("position")).with_columns(_RESULTS - base)


def against_others(trials: pl.DataFrame) -> pl.DataFrame:
    """Return trials with `score`, `lead` and `won` less the mean of the position's other trials.

    Positions with a single trial are dropped.

    Raises:
        ValueError: A position's rows are of several deals.
    """
    _check_positions(trials)
    count = pl.len().over("position")
    others = (_RESULTS.sum().over("position") - _RESULTS) / (count - 1)
    return trials.filter(count > 1).with_columns(_RESULTS - others)


def weight(rows: pl.DataFrame) -> pl.Expr:
    """Return the weight of rows: their column `weight`, or 1 if there is none."""
    return pl.col("weight") if "weight" in rows.columns else pl.lit(1.0)


def format_mean(groups: pl.DataFrame, **group: Any) -> str:
    """Format a group's mean, or its share in percent, with its interval: `28.26 (28.15 to 28.38)`.

    If groups have agents, the text has a mean for each of them, in the order of their names:
    `heuristic 28.26 (28.15 to 28.38), network 31.05 (30.92 to 31.19)`.

    Args:
        groups: The groups, from `means` or `shares`.
        group: The values of columns that name the group. The only group needs none.

    Raises:
        ValueError: Several groups of one agent fit.
    """
    return _format_group(groups, group, "{:.2f} ({:.2f} to {:.2f})")


def format_difference(groups: pl.DataFrame, **group: Any) -> str:
    """Format a group's mean difference with its signs: `+0.68 (+0.54 to +0.83)`.

    Agents, arguments and errors are as in `format_mean`.
    """
    return _format_group(groups, group, _SIGNED)


def format_table(groups: pl.DataFrame, by: str) -> str:
    """Format mean differences as a table with a row per group and a column per agent.

    Rows stand in the order in which their groups first occur, so that groups sorted by their means
    give a ranking. A group of too few deals shows their number instead of a mean.

    Args:
        groups: The groups, from `means`.
        by: The column that names a group.
    """
    parts = by_agent(groups)
    cells = [[by, *parts]]
    for name in groups[by].unique(maintain_order=True):
        row = [str(name)]
        for part in parts.values():
            row.append(_cell(part.filter(pl.col(by) == name)))
        cells.append(row)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(padded).rstrip())
    note = "brackets: 95 % intervals, which hold together"
    if _AGENT in groups.columns:
        note += "; each column holds for the play of its agent"
    return "\n".join([*lines, note])


def _cell(group: pl.DataFrame) -> str:
    """Return the text of a group in `format_table`, from a frame with its row or none."""
    if group.is_empty():
        return "not tried"
    mean, low, high, deals = group.select("mean", "low", "high", "deals").row(0)
    if low is None:
        return f"too few deals ({deals})"
    return _SIGNED.format(mean, low, high)


def by_agent(groups: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the groups of each agent by its name, sorted by name, or all groups under ""."""
    if _AGENT not in groups.columns:
        return {"": groups}
    return {name: groups.filter(pl.col(_AGENT) == name) for name in groups[_AGENT].unique().sort()}


def format_win_rate(agent: AgentResult) -> str:
    """Format an agent's win rate: `98.0 % (95.0 to 99.2 %)`. ValueError if it played alone."""
    if agent.win_rate is None or agent.low is None or agent.high is None:
        raise ValueError(f"{agent.name} played alone, where nobody wins; look at its score")
    return _percent(agent.win_rate, agent.low, agent.high)


def _check_positions(trials: pl.DataFrame) -> None:
    """Refuse trials of several calls in one frame, since each call numbers positions from 0."""
    deals = trials.group_by("position").agg(pl.col("deal").n_unique())
    shared = deals.filter(pl.col("deal") > 1)["position"].to_list()
    if shared:
        raise ValueError(
            f"position {min(shared)} is of several deals, as happens when trials of several calls "
            "are put together; compare within the trials of each call first"
        )


def _grouped(
    rows: pl.DataFrame, by: str | Sequence[str], of: str, name: str, interval: IntervalMethod
) -> pl.DataFrame:
    keys = [by] if isinstance(by, str) else list(by)
    if _AGENT in rows.columns and _AGENT not in keys:
        keys = [_AGENT, *keys]
    value = pl.col(of).cast(pl.Float64)
    rows = rows.with_columns(_weight=weight(rows)).filter(value.is_finite())
    weights = pl.col("_weight")
    groups = by_group(rows, keys, "deal", (value * weights).sum(), weights.sum(), interval)
    groups = groups.select(
        *keys, pl.col("mean").alias(name), "low", "high", "rows", deals="clusters"
    )
    return groups.with_columns(
        pl.when(pl.col("deals") >= FEWEST_DEALS).then(pl.col(name, "low", "high"))
    )


def _percent(value: float, low: float, high: float) -> str:
    return f"{100 * value:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"


def _format_group(groups: pl.DataFrame, group: dict[str, Any], template: str) -> str:
    """Format the mean or the share of a group, for each agent that has one."""
    name = "share" if "share" in groups.columns else "mean"
    fitting = groups.filter(**group)
    texts = []
    for agent, part in by_agent(fitting).items():
        known = part.filter(pl.col("low").is_not_null())
        if len(known) > 1:
            raise ValueError(f"{len(known)} groups fit {group}; name one of them")
        text = _UNKNOWN
        if len(known):
            found = known.select(name, "low", "high").row(0)
            text = _percent(*found) if name == "share" else template.format(*found)
        texts.append(f"{agent} {text}" if agent else text)
    return ", ".join(texts) or _UNKNOWN
