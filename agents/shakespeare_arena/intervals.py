"""95 % intervals of independent games, and of clusters whose rows may depend on each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

_Z_95 = NormalDist().inv_cdf(0.975)
_STUDENT = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622)
"""The 97.5 % quantiles of Student's t with 1, 2, ... degrees of freedom."""
_ROUNDING = 1e-24  # variances up to it are those of equal numbers, rounded
IntervalMethod = Callable[[float, float, int], tuple[float, float]]
"""From an estimate, its standard error and the number of clusters to the ends of an interval."""
FEW_DEALS = 30
"""With fewer deals an interval is a rough one."""


def wilson_interval(wins: float, games: float, quantile: float = _Z_95) -> tuple[float, float]:
    """The ends, 0 to 1, of a rate's interval by Wilson's score, which also holds near 0 and 1.

    Wilson 1927, "Probable inference, the law of succession, and statistical inference". Games, at
    above 0, count as independent; divide both by the design effect of those that are not.
    """
    rate, z2 = wins / games, quantile**2
    middle = (rate + z2 / (2 * games)) / (1 + z2 / games)
    half = quantile / (1 + z2 / games) * (rate * (1 - rate) / games + z2 / (4 * games**2)) ** 0.5
    # At the ends the terms cancel except for rounding.
    low = max(0.0, middle - half) if wins > 0 else 0.0
    return low, (min(1.0, middle + half) if wins < games else 1.0)


def mean_interval(deals: NDArray[Any]) -> tuple[float, float | None, float | None]:
    """A mean and the ends of its interval, Student's t, which also holds for few deals.

    Only games of different deals are independent, so the observations are the deals' means,
    float[d], d >= 1. The ends are None with one deal.
    """
    mean, error = mean_error(deals)
    return mean, *((None, None) if len(deals) == 1 else student_interval(mean, error, len(deals)))


def share_interval(deals: NDArray[Any]) -> tuple[float, float, float]:
    """The same for deals' values from 0 to 1, by `score_interval`.

    A single deal says nothing: its ends are 0 and 1.
    """
    share, error = mean_error(deals)
    return share, *((0.0, 1.0) if len(deals) == 1 else score_interval(share, error, len(deals)))


def mean_error(sums: NDArray[Any], counts: Any = 1) -> tuple[float, float]:
    """The mean of clusters, given their sums and sizes, and its standard error, NaN for one alone.

    The error is linearised: rows within a cluster may depend on each other in any way (Cochran
    1977, "Sampling Techniques", chapter 6: the variance of a ratio of sums).
    """
    clusters, total = len(sums), float(np.broadcast_to(counts, len(sums)).sum())
    mean = float(sums.sum()) / total
    if clusters == 1:
        return mean, math.nan
    off = float(((sums - counts * mean) ** 2).sum())
    return mean, math.sqrt(off * clusters / (clusters - 1)) / total


def student_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t with `freedom` degrees of freedom, to 0.0002.

    Fisher and Cornish 1960, "The percentile points of distributions having known cumulants"; SciPy,
    which has them, comes with the arena alone.
    """
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    z, n = _Z_95, freedom
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / n + second / n**2 + third / n**3


def student_interval(estimate: float, error: float, clusters: int) -> tuple[float, float]:
    """The ends of an interval whose standard error is estimated from so many clusters."""
    half = error * student_quantile(max(clusters - 1, 1))
    return estimate - half, estimate + half


def score_interval(share: float, error: float, clusters: int) -> tuple[float, float]:
    """The same for a mean of values from 0 to 1, by Wilson's score, which keeps within that range.

    Wilson's number of games is the effective one, which would give this error if independent (Korn
    and Graubard 1998, "Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data"); the quantile is Student's.
    """
    # Where nothing varies every cluster counts as one game.
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
    ends: IntervalMethod = student_interval,
) -> pl.DataFrame:
    """Means by group of rows that may depend on each other within a cluster, ascending.

    `sums` and `counts` make a cluster's sum and size of its rows.

    Returns:
        The columns of `by`, `rows` and `clusters`, which count them, `mean`, `error`, its standard
        error, `low` and `high`; the last three are null with one cluster.
    """
    import polars as pl

    sizes = {"_sum": sums.cast(pl.Float64), "_count": counts.cast(pl.Float64)}
    clusters = rows.group_by(*by, cluster).agg(**sizes, rows=pl.len()).sort(*by, cluster)
    whole = {"clusters": pl.len(), "rows": pl.col("rows").sum()}
    groups = clusters.group_by(by, maintain_order=True).agg("_sum", "_count", **whole)
    found: list[tuple[float | None, ...]] = []
    for each, sized in groups.select("_sum", "_count").iter_rows():
        mean, error = mean_error(np.array(each), np.array(sized))
        alone = len(each) == 1
        found.append((mean, *((None,) * 3 if alone else (error, *ends(mean, error, len(each))))))
    names = "mean", "error", "low", "high"
    figures = pl.DataFrame(found, dict.fromkeys(names, pl.Float64), orient="row")
    return groups.drop("_sum", "_count").hstack(figures)
