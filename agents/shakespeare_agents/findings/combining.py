"""What estimates of a finding in several boxes amount to: their mean, spread and signs.

The boxes are draws of a prior, so the target is the mean over boxes and their standard deviation
beyond sampling errors. Its square is estimated by Hedges (1983, "A random effects model for effect
sizes"): the variance of the estimates less the mean of their squared errors. Weights, as of
DerSimonian and Laird, would favour boxes whose play varies little, which are not like the others;
this estimator is unbiased however errors and effects go together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
LEVEL = 0.95
"""Of all intervals and tests of a report together, and of every bound by itself."""


@dataclass(frozen=True)
class Ensemble:
    """One finding in k boxes, k >= 2.

    Attributes:
        boxes: k.
        mean: The mean over boxes, each counting once.
        mean_error: Its standard error, from how boxes differ, sampling included.
        between: The standard deviation between boxes, sampling errors removed; 0 if there is none.
        sampling: The root mean square of the sampling errors.
        least: The smallest estimate.
        most: The largest.
        same_sign: How many estimates have the sign of the mean.
        p_spread: The p-value of no difference between boxes, by Cochran's Q.
    """

    boxes: int
    mean: float
    mean_error: float
    between: float
    sampling: float
    least: float
    most: float
    same_sign: int
    p_spread: float

    def interval(self, tests: int = 1) -> tuple[float, float]:
        """The ends of the mean's interval, one of so many at `LEVEL` together.

        Student's over boxes, with Bonferroni's correction.
        """
        return _ends(self.mean, self.mean_error, self.boxes, tests)

    @property
    def sign_bound(self) -> float:
        """The least share of all boxes that have the mean's sign (see `share_bound`)."""
        return share_bound(self.same_sign, self.boxes)


def ensemble(estimates: Floats, errors: Floats) -> Ensemble:
    """Combine estimates of different boxes, float[k], k >= 2, with independent errors above 0.

    Raises:
        ValueError: there are fewer than two, or an error is not above 0.
    """
    k = len(estimates)
    if k < 2 or not (errors > 0).all():
        raise ValueError(f"{k} estimates, smallest error {errors.min(initial=1)}: give two or more")
    mean, spread = float(estimates.mean()), float(estimates.var(ddof=1))
    weights = errors**-2
    off = estimates - np.average(estimates, weights=weights)
    return Ensemble(
        boxes=k,
        mean=mean,
        mean_error=(spread / k) ** 0.5,
        between=max(variance_between(estimates, errors), 0.0) ** 0.5,
        sampling=float((errors**2).mean()) ** 0.5,
        least=float(estimates.min()),
        most=float(estimates.max()),
        same_sign=int((np.sign(estimates) == np.sign(mean)).sum()),
        p_spread=float(stats.chi2.sf((weights * off**2).sum(), k - 1)),
    )


def variance_between(estimates: Floats, errors: Floats) -> float:
    """Hedges' unbiased estimate of the variance between k >= 2 boxes; it may be below 0."""
    return float(estimates.var(ddof=1) - (errors**2).mean())


def share_bound(successes: int, boxes: int) -> float:
    """The one-sided lower bound of a share at `LEVEL`, by Clopper and Pearson.

    All of 32 say at least 91 %.
    """
    if not successes:
        return 0.0
    return float(stats.beta.ppf(1 - LEVEL, successes, boxes - successes + 1))


def mean_interval_of(differences: Floats, tests: int) -> tuple[float, float]:
    """The ends of the interval of a mean over boxes, like `Ensemble.interval`."""
    k = len(differences)
    return _ends(float(differences.mean()), float(differences.std(ddof=1)) / k**0.5, k, tests)


def _ends(mean: float, error: float, boxes: int, tests: int) -> tuple[float, float]:
    half = float(stats.t.ppf(1 - (1 - LEVEL) / (2 * tests), boxes - 1)) * error
    return mean - half, mean + half
