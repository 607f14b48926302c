"""Means by group, with 95 % intervals clustered by deal, and differences within a position.

Intervals of means hold together, those of shares each for itself.

They are put in words as sentences quote them: a figure with its interval.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import polars as pl

from shakespeare_arena.evaluation import AgentResult
from shakespeare_arena.intervals import clustered_mean, clustered_share

FEWEST_DEALS = 30
"""Groups of fewer deals have no figures: their intervals would not hold."""
_UNKNOWN = "unknown (too few deals)"


def means(
    rows: pl.DataFrame, by: str | Sequence[str], *, of: str, fewest_deals: int = FEWEST_DEALS
) -> pl.DataFrame:
    """Means of the column `of` by group.

    Args:
        rows: Seats of games, or trials; those of one `deal` may depend on each other. They count
            by their `weight`, if they have one.
        by: Columns to group by.
        of: The column of values; rows where it is not finite are dropped.
        fewest_deals: Groups of fewer, or of a single one, have no figures.

    Returns:
        One row per group, ascending: the columns of `by`, `mean`, `low` and `high`
        (`intervals.clustered_mean`, widened so that all groups' hold together by Bonferroni; null
        in groups of too few deals), `rows` and `deals`.
    """
    found = _grouped(rows, by, of, fewest_deals, "mean", clustered_mean)
    wider = _quantile(max(found["low"].count(), 1)) / _quantile(1)
    mean, ends = pl.col("mean"), pl.col("low", "high")
    return found.with_columns(ends * wider + mean * (1 - wider))


def shares(
    rows: pl.DataFrame, by: str | Sequence[str], *, of: str, fewest_deals: int = FEWEST_DEALS
) -> pl.DataFrame:
    """The same for values from 0 to 1 (`intervals.clustered_share`), in a column `share`."""
    return _grouped(rows, by, of, fewest_deals, "share", clustered_share)


def against(
    trials: pl.DataFrame,
    baseline: pl.Expr,
    *,
    within: str | Sequence[str] = "position",
    of: Sequence[str] = ("score", "lead", "won"),
) -> pl.DataFrame:
    """Differences in the columns `of` from a baseline in the same position.

    The rows of `baseline`, `pl.lit(True)` for all, are averaged; positions, identified by the
    columns `within`, are dropped without one.
    """
    base = pl.col(of).filter(baseline).mean().over(within)
    return trials.filter(baseline.any().over(within)).with_columns(pl.col(of) - base)


def against_others(
    trials: pl.DataFrame,
    *,
    within: str | Sequence[str] = "position",
    of: Sequence[str] = ("score", "lead", "won"),
) -> pl.DataFrame:
    """Differences in the columns `of` from the mean of the other trials in the same position.

    Positions with a single trial are dropped.
    """
    count = pl.len().over(within)
    others = (pl.col(of).sum().over(within) - pl.col(of)) / (count - 1)
    return trials.filter(count > 1).with_columns(pl.col(of) - others)


def weight(rows: pl.DataFrame) -> pl.Expr:
    """What rows count for: their `weight`, or 1."""
    return pl.col("weight") if "weight" in rows.columns else pl.lit(1.0)


def figure(groups: pl.DataFrame, **group: Any) -> str:
    """A group's mean or share, from `means` or `shares`: `28.26 (28.15 to 28.38)`.

    Args:
        groups: The groups; shares are written in percent.
        group: Their columns and the values of the one group meant; none if there is only one.
    """
    found = _found(groups, group)
    if found is None:
        return _UNKNOWN
    name, value, low, high = found
    if name == "share":
        return _percent(value, low, high)
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


def change(groups: pl.DataFrame, **group: Any) -> str:
    """A group's mean difference with its signs: `+0.68 (+0.54 to +0.83)`."""
    found = _found(groups, group)
    if found is None:
        return _UNKNOWN
    _, value, low, high = found
    return f"{value:+.2f} ({low:+.2f} to {high:+.2f})"


def ranking(groups: pl.DataFrame, by: str) -> str:
    """The best and the worst group of differences, and the groups left out, a line each.

    Args:
        groups: From `means`.
        by: The column that names them.
    """
    ranked = groups.filter(pl.col("low").is_not_null()).sort("mean")
    among = f"{len(ranked)}" if len(ranked) == len(groups) else f"{len(ranked)} of {len(groups)}"
    lines = [] if len(ranked) > 1 else [_UNKNOWN.capitalize()]
    if not lines:
        for place, name in zip(("Best", "Worst"), ranked[by][[-1, 0]], strict=True):
            lines.append(f"{place} of {among}: {name}, {change(ranked, **{by: name})}")
    few = groups.filter(pl.col("low").is_null()).select(by, "deals").sort(by).iter_rows()
    left_out = ", ".join(f"{name} {deals}" for name, deals in few)
    if left_out:
        lines += textwrap.wrap(f"Left out, with the deals they were tried in: {left_out}", 76)
    return "\n".join(lines)


def win_rate(agent: AgentResult) -> str:
    """An agent's win rate: `98.0 % (95.0 to 99.2 %)`; ValueError if alone."""
    if agent.win_rate is None or agent.low is None or agent.high is None:
        raise ValueError(f"{agent.name} played alone, where nobody wins; look at its score")
    return _percent(agent.win_rate, agent.low, agent.high)


def _grouped(
    rows: pl.DataFrame,
    by: str | Sequence[str],
    of: str,
    fewest_deals: int,
    name: str,
    interval: Callable[[pl.Expr, pl.Expr], tuple[pl.Expr, pl.Expr, pl.Expr]],
) -> pl.DataFrame:
    keys = [by] if isinstance(by, str) else list(by)
    deals = (
        rows.with_columns(_weight=weight(rows))
        .filter(pl.col(of).cast(pl.Float64).is_finite())
        .group_by(*keys, "deal")
        .agg(
            _sum=(pl.col(of).cast(pl.Float64) * pl.col("_weight")).sum(),
            _count=pl.col("_weight").sum(),
            _rows=pl.len(),
        )
    )
    value, low, high = interval(pl.col("_sum"), pl.col("_count"))
    enough = pl.col("deals") >= max(fewest_deals, 2)
    return (
        deals.group_by(keys)
        .agg(value.alias(name), low=low, high=high, rows=pl.col("_rows").sum(), deals=pl.len())
        .with_columns(pl.when(enough).then(pl.col(name, "low", "high")))
        .sort(keys)
    )


def _quantile(intervals: int) -> float:
    """How many standard errors so many intervals extend that hold together at 95 %."""
    return NormalDist().inv_cdf(1 - 0.025 / intervals)


def _percent(value: float, low: float, high: float) -> str:
    return f"{100 * value:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"


def _found(groups: pl.DataFrame, group: dict[str, Any]) -> tuple[str, float, float, float] | None:
    name = "share" if "share" in groups.columns else "mean"
    meant = [pl.col(column) == value for column, value in group.items()]
    rows = groups.filter(pl.col("low").is_not_null(), *meant)
    if rows.is_empty():
        return None
    if len(rows) > 1:
        raise ValueError(f"{len(rows)} groups fit {group}; name one")
    return (name, *rows.select(name, "low", "high").row(0))
