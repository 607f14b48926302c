"""95 % intervals; the clustered ones are Polars expressions for a `group_by` over clusters."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

_Z_95 = NormalDist().inv_cdf(0.975)
_STUDENT = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622)
"""The 97.5 % quantiles of Student's t with 1, 2, ... degrees of freedom."""
_ROUNDING = 1e-24  # variances up to it are those of equal numbers, rounded
FEW_DEALS = 30
"""With fewer deals an interval is a rough one."""


def wilson_interval(wins: float, games: float) -> tuple[float, float]:
    """The ends, 0 to 1, of a rate's interval by Wilson's score, which also holds near 0 and 1.

    Wilson 1927, "Probable inference, the law of succession, and statistical inference". Games, at
    above 0, count as independent; divide both by the design effect of those that are not.
    """
    low, high = _wilson(wins / games, games, _Z_95)
    # At the ends the terms cancel except for rounding.
    return (max(0.0, low) if wins > 0 else 0.0), (min(1.0, high) if wins < games else 1.0)


def mean_interval(deals: NDArray[Any]) -> tuple[float, float | None, float | None]:
    """A mean and the ends of its interval, Student's t, which also holds for few deals.

    Only games of different deals are independent, so the observations are the deals' means,
    float[d], d >= 1. The ends are None with one deal.
    """
    mean = float(deals.mean())
    if len(deals) == 1:
        return mean, None, None
    error = float(deals.std(ddof=1)) / math.sqrt(len(deals))
    return mean, *student_interval(mean, error, len(deals))


def share_interval(deals: NDArray[Any]) -> tuple[float, float, float]:
    """The same for deals' values from 0 to 1, by Wilson's score as of `clustered_share`.

    A single deal says nothing: its ends are 0 and 1.
    """
    share, clusters = float(deals.mean()), len(deals)
    if clusters == 1:
        return share, 0.0, 1.0
    variance = float(deals.var(ddof=1)) / clusters
    games = max(share * (1 - share) / variance, 1.0) if variance > _ROUNDING else clusters
    low, high = _wilson(share, games, student_quantile(clusters - 1))
    return share, max(0.0, min(low, share)), min(1.0, max(high, share))


def student_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t with `freedom` degrees of freedom, to 0.0002."""
    return _STUDENT[freedom - 1] if freedom <= len(_STUDENT) else _fisher_cornish(freedom)


def student_interval(estimate: float, error: float, clusters: int) -> tuple[float, float]:
    """The ends of an interval whose standard error is estimated from so many clusters."""
    half = error * student_quantile(max(clusters - 1, 1))
    return estimate - half, estimate + half


def clustered_mean(sums: pl.Expr, counts: pl.Expr) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    """The mean of two or more clusters, given their sums and sizes, and its interval's ends.

    Student's t by linearised standard errors; rows within a cluster may depend on each other in any
    way (Cochran 1977, "Sampling Techniques", chapter 6: the variance of a ratio of sums).
    """
    mean, variance = _linearised(sums, counts)
    half = _student_of(sums) * variance.sqrt()
    return mean, mean - half, mean + half


def clustered_error(sums: pl.Expr, counts: pl.Expr) -> pl.Expr:
    """The linearised standard error of that mean."""
    return _linearised(sums, counts)[1].sqrt()


def clustered_share(sums: pl.Expr, counts: pl.Expr) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    """The same for values from 0 to 1, by Wilson's score, which keeps the ends in that range.

    Wilson's number of games is the effective one, which would give the linearised variance if
    independent (Korn and Graubard 1998, "Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data"); the quantile is Student's.
    """
    import polars as pl

    share, variance = _linearised(sums, counts)
    # Where nothing varies every cluster counts as one game.
    varies = pl.when(variance > _ROUNDING)
    games = varies.then(share * (1 - share) / variance).otherwise(sums.count())
    low, high = _wilson(share, games.clip(lower_bound=1), _student_of(sums))
    # At the ends the terms cancel except for rounding.
    low, high = low.clip(0, 1), high.clip(0, 1)
    return share, pl.min_horizontal(low, share), pl.max_horizontal(high, share)


def _linearised(sums: pl.Expr, counts: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    mean, clusters = sums.sum() / counts.sum(), sums.count()
    off = sums - counts * mean
    return mean, (off**2).sum() / counts.sum() ** 2 * clusters / (clusters - 1)


def _wilson(rate: Any, games: Any, quantile: Any) -> tuple[Any, Any]:
    z2 = quantile**2
    middle = (rate + z2 / (2 * games)) / (1 + z2 / games)
    half = quantile / (1 + z2 / games) * (rate * (1 - rate) / games + z2 / (4 * games**2)) ** 0.5
    return middle - half, middle + half


def _student_of(clusters: pl.Expr) -> pl.Expr:
    freedom = clusters.count().cast(float) - 1
    few = range(1, len(_STUDENT) + 1)
    return freedom.replace_strict(few, _STUDENT, default=_fisher_cornish(freedom))


def _fisher_cornish(freedom: Any) -> Any:
    """Quantiles of Student's t from ten degrees of freedom on, for a number or an expression.

    Fisher and Cornish 1960, "The percentile points of distributions having known cumulants"; SciPy,
    which has them, comes with the arena alone.
    """
    z, n = _Z_95, freedom
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / n + second / n**2 + third / n**3
