"""Means by group, with 95 % intervals clustered by deal, and differences within a position."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from shakespeare_agents.intervals import clustered_mean, clustered_share

FEWEST_DEALS = 30
"""Groups of fewer deals have no figures: their intervals would not hold."""


def means(
    rows: pl.DataFrame, by: str | Sequence[str], *, of: str, fewest_deals: int = FEWEST_DEALS
) -> pl.DataFrame:
    """Means of the column `of` by group.

    Args:
        rows: Seats of games, or trials; those of one `deal` may depend on each other.
        by: Columns to group by.
        of: The column of values; rows where it is not finite are dropped.
        fewest_deals: Groups of fewer, or of a single one, have no figures.

    Returns:
        One row per group, ascending: the columns of `by`, `mean`, `low` and `high`
        (`intervals.clustered_mean`; null in groups of too few deals), `rows` and `deals`.
    """
    return _grouped(rows, by, of, fewest_deals, "mean", clustered_mean)


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
        rows.filter(pl.col(of).cast(pl.Float64).is_finite())
        .group_by(*keys, "deal")
        .agg(_sum=pl.col(of).cast(pl.Float64).sum(), _count=pl.len())
    )
    value, low, high = interval(pl.col("_sum"), pl.col("_count"))
    enough = pl.col("deals") >= max(fewest_deals, 2)
    return (
        deals.group_by(keys)
        .agg(value.alias(name), low=low, high=high, rows=pl.col("_count").sum(), deals=pl.len())
        .with_columns(pl.when(enough).then(pl.col(name, "low", "high")))
        .sort(keys)
    )
