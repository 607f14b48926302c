"""Means and shares by group, with intervals over matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from shakespeare_agents.intervals import clustered_mean, clustered_share, effective_games

_Interval = Callable[[pl.Expr, pl.Expr], tuple[pl.Expr, pl.Expr, pl.Expr]]


def shares(rows: pl.DataFrame, by: Sequence[str], value: str) -> pl.DataFrame:
    """Means of values from 0 to 1 by group (see `means`), and the games they are worth.

    `effective` is `intervals.effective_games`, null with a single match.
    """
    return _grouped(rows, by, pl.col(value), pl.len(), clustered_share, effective=effective_games)


def means(
    rows: pl.DataFrame, by: Sequence[str], value: str, *, per: str | None = None
) -> pl.DataFrame:
    """Means by group, or the sum of `value` over that of `per`; rows of one match may depend.

    Returns:
        A row per group, ascending: the columns of `by`, `count` (of rows), `matches`, `mean`, `low`
        and `high`, the ends null with a single match.
    """
    counts = pl.len() if per is None else pl.col(per).sum()
    return _grouped(rows, by, pl.col(value), counts, clustered_mean)


def _grouped(
    rows: pl.DataFrame,
    by: Sequence[str],
    value: pl.Expr,
    counts: pl.Expr,
    interval: _Interval,
    **more: Callable[[pl.Expr, pl.Expr], pl.Expr],
) -> pl.DataFrame:
    matches = rows.group_by(*by, "match").agg(sum=value.sum(), size=counts, count=pl.len())
    clusters = pl.col("sum"), pl.col("size").cast(pl.Float64)
    mean, low, high = interval(*clusters)
    several = pl.len() > 1
    return (
        matches.sort(*by, "match")
        .group_by(by, maintain_order=True)
        .agg(
            count=pl.col("count").sum().cast(pl.Int64),
            matches=pl.len().cast(pl.Int64),
            mean=mean,
            low=pl.when(several).then(low),
            high=pl.when(several).then(high),
            **{name: pl.when(several).then(figure(*clusters)) for name, figure in more.items()},
        )
    )
