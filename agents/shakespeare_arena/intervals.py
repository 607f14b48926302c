"""95 % intervals, of independent games and of clusters whose rows may depend on each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.special
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

_Z_95 = float(scipy.special.ndtri(0.975))
_ROUNDING = 1e-24
"""A variance up to this one counts as 0: rounding alone can cause it."""
IntervalMethod = Callable[[float, float, int], tuple[float, float]]
"""Takes an estimate, its standard error and the number of clusters; returns the interval's ends."""
FEW_DEALS = 30
"""With fewer deals than this, intervals are rough."""


def wilson_interval(wins: float, games: float, quantile: float = _Z_95) -> tuple[float, float]:
    """Return the ends of a rate's interval by Wilson's score, which also holds near 0 and 1.

    Wilson 1927, "Probable inference, the law of succession, and statistical inference".

    Args:
        wins: The number of wins.
        games: The number of games, above 0. They count as independent. If they are not, divide
            `wins` and `games` by their design effect first.
        quantile: The 97.5 % quantile of the standardised error.
    """
    rate = wins / games
    z2 = quantile**2
    middle = (rate + z2 / (2 * games)) / (1 + z2 / games)
    half = quantile / (1 + z2 / games) * (rate * (1 - rate) / games + z2 / (4 * games**2)) ** 0.5
    # At the ends of the range the terms cancel except for rounding.
    low = max(0.0, middle - half) if wins > 0 else 0.0
    high = min(1.0, middle + half) if wins < games else 1.0
    return low, high


def mean_interval(deals: NDArray[Any]) -> tuple[float, float | None, float | None]:
    """Return the mean of deals' values and the ends of its interval, by Student's t.

    Only games of different deals are independent, so the observations are the deals' means,
    float[d] with d >= 1. The interval also holds for few deals; its ends are None with one deal.
    """
    mean, error = mean_error(deals)
    if len(deals) == 1:
        return mean, None, None
    low, high = student_interval(mean, error, len(deals))
    return mean, low, high


def share_interval(deals: NDArray[Any]) -> tuple[float, float, float]:
    """Return the mean of deals' shares, 0 to 1, and the ends of its interval, by `score_interval`.

    With one deal the ends are 0 and 1, since one deal does not show how much deals vary.
    """
    share, error = mean_error(deals)
    if len(deals) == 1:
        return share, 0.0, 1.0
    low, high = score_interval(share, error, len(deals))
    return share, low, high


def mean_error(sums: NDArray[Any], counts: Any = 1) -> tuple[float, float]:
    """Return the mean of all rows and its standard error, given each cluster's sum and size.

    The error is linearised: rows within a cluster may depend on each other in any way (Cochran
    1977, "Sampling Techniques", chapter 6: the variance of a ratio of sums). It is NaN for a
    single cluster.
    """
    clusters = len(sums)
    total = float(np.broadcast_to(counts, clusters).sum())
    mean = float(sums.sum()) / total
    if clusters == 1:
        return mean, math.nan
    squares = float(((sums - counts * mean) ** 2).sum())
    return mean, math.sqrt(squares * clusters / (clusters - 1)) / total


def student_quantile(freedom: int, level: float = 0.05) -> float:
    """Return the two-sided quantile at a level of Student's t with `freedom` degrees of freedom."""
    return float(scipy.special.stdtrit(freedom, 1 - level / 2))


def student_interval(estimate: float, error: float, clusters: int) -> tuple[float, float]:
    """Return the ends of an interval by Student's t; the error is estimated from the clusters."""
    half = error * student_quantile(max(clusters - 1, 1))
    return estimate - half, estimate + half


def score_interval(share: float, error: float, clusters: int) -> tuple[float, float]:
    """Return the ends of the interval of a mean of shares, by Wilson's score, within 0 to 1.

    Wilson's number of games is the effective one, which would give this error if games were
    independent (Korn and Graubard 1998, "Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data"). The quantile is Student's.
    """
    # If nothing varies, every cluster counts as one game.
    varies = error**2 > _ROUNDING
    games = max(share * (1 - share) / error**2, 1.0) if varies else float(clusters)
    low, high = wilson_interval(share * games, games, student_quantile(clusters - 1))
    return min(low, share), max(high, share)


def by_group(
    rows: pl.DataFrame,
    by: Sequence[str],
    cluster: str,
    sums: pl.Expr,
    counts: pl.Expr,
    interval: IntervalMethod = student_interval,
) -> pl.DataFrame:
    """Return the mean and its interval for each group of rows, sorted by group.

    Rows of one cluster may depend on each other.

    Args:
        rows: The rows.
        by: The columns that make the groups.
        cluster: The column that distinguishes clusters.
        sums: Computes a cluster's sum from its rows.
        counts: Computes a cluster's size from its rows.
        interval: Computes the ends of an interval.

    Returns:
        The columns of `by`; `rows` and `clusters`, their numbers; `mean`; `error`, its standard
        error; `low` and `high`. The last three are null with one cluster.
    """
    import polars as pl

    sizes = {"_sum": sums.cast(pl.Float64), "_count": counts.cast(pl.Float64)}
    clusters = rows.group_by(*by, cluster).agg(**sizes, rows=pl.len()).sort(*by, cluster)
    groups = clusters.group_by(by, maintain_order=True).agg(
        "_sum", "_count", clusters=pl.len(), rows=pl.col("rows").sum()
    )
    means: list[tuple[float | None, ...]] = []
    for cluster_sums, cluster_sizes in groups.select("_sum", "_count").iter_rows():
        mean, error = mean_error(np.array(cluster_sums), np.array(cluster_sizes))
        if len(cluster_sums) == 1:
            means.append((mean, None, None, None))
        else:
            low, high = interval(mean, error, len(cluster_sums))
            means.append((mean, error, low, high))
    names = ("mean", "error", "low", "high")
    estimates = pl.DataFrame(means, dict.fromkeys(names, pl.Float64), orient="row")
    return groups.drop("_sum", "_count").hstack(estimates)
