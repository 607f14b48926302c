"""Means by group, with 95 % intervals that count deals, and differences within a position."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from shakespeare_agents.intervals import clustered_mean, clustered_share

FEWEST_DEALS = 30
"""Groups of fewer deals are left out: their intervals would not hold."""


def means(
    rows: pl.DataFrame, by: str | Sequence[str], *, of: str, fewest_deals: int = FEWEST_DEALS
) -> pl.DataFrame:
    """Means of a column by the values of others; rows of one deal may depend on each other.

    Args:
        rows: A seat of a game each, or a trial; `deal` says which depend on each other.
        by: The columns to group by.
        of: The column to take means of; rows without a finite number are left out.
        fewest_deals: Groups of fewer deals are left out.

    Returns:
        One row a group, in increasing order: the columns of `by`, `mean`, `low` and `high` of its
        interval (`intervals.clustered_mean`), `rows` and `deals`.
    """
    return _grouped(rows, by, of, fewest_deals, "mean", clustered_mean)


def shares(
    rows: pl.DataFrame, by: str | Sequence[str], *, of: str, fewest_deals: int = FEWEST_DEALS
) -> pl.DataFrame:
    """The same for a column of numbers from 0 to 1, such as `won`, read as shares.

    Args:
        rows: As of `means`.
        by: As of `means`.
        of: The column to take shares of.
        fewest_deals: As of `means`.

    Returns:
        As `means`, with `share` in place of `mean` (`intervals.clustered_share`).
    """
    return _grouped(rows, by, of, fewest_deals, "share", clustered_share)


def against(
    trials: pl.DataFrame,
    baseline: pl.Expr,
    *,
    within: str | Sequence[str] = "position",
    of: Sequence[str] = ("score", "lead", "won"),
) -> pl.DataFrame:
    """Differences to what a baseline gave in the same position.

    Args:
        trials: Rows of `strategy.trials`.
        baseline: Which rows to compare with, `pl.lit(True)` for all; of several in a position the
            mean counts.  Positions without one are left out.
        within: The columns whose values together make a position.
        of: The columns in which the difference takes the place of the value.
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
    return (
        deals.group_by(keys)
        .agg(value.alias(name), low=low, high=high, rows=pl.col("_count").sum(), deals=pl.len())
        .filter(pl.col("deals") >= max(fewest_deals, 2))
        .sort(keys)
    )
