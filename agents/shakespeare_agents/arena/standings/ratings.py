"""Ratings and their uncertainty: by a bootstrap over matches, or quickly as games come."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from shakespeare_agents.arena.standings.plackett_luce import (
    ELO,
    Choices,
    Floats,
    Integers,
    choices,
    curvature,
    strengths,
    with_penalty,
)

REPLICATES = 300
"""The number of replicates; standard errors from 300 are themselves off by about 4 %."""
_TOGETHER = 50


@dataclass(frozen=True)
class Ratings:
    """Estimates of all agents' strengths.

    Attributes:
        digests: The n agents.
        points: float[n], ratings in Elo points, the field's middle 0 (see `centring`).
        covariance: float[n, n], their covariance.
        parts: int[n], a number shared by agents that games connect, if only through others.
        matches: int[n], the matches that each has played.
    """

    digests: tuple[str, ...]
    points: Floats
    covariance: Floats
    parts: Integers
    matches: Integers

    @property
    def behind(self) -> dict[str, float]:
        """A number for each agent, the lower the stronger."""
        return dict(zip(self.digests, (-self.points).tolist(), strict=True))

    def errors(self) -> Floats:
        """Standard errors, float[n]."""
        return np.sqrt(np.diag(self.covariance))

    def lead(self, first: int, second: int) -> tuple[float, float, int]:
        """A difference of two ratings, its standard error, and the matches of who played fewer.

        NaN and an infinite error if no games connect the two.
        """
        matches = int(self.matches[[first, second]].min())
        if self.parts[first] != self.parts[second]:
            return math.nan, math.inf, matches
        variances = self.covariance[[first, second], [first, second]].sum()
        variance = variances - 2 * self.covariance[first, second]
        lead = float(self.points[first] - self.points[second])
        return lead, float(np.sqrt(max(variance, 0))), matches


def ratings(results: pl.DataFrame, *, seed: int = 0) -> Ratings:
    """Ratings by all of the games at two seats or more.

    The bootstrap is Rubin's (1981, "The Bayesian bootstrap"): a replicate gives every match a
    weight from the exponential distribution, so games of a match stay together, and no agent and no
    pair drops out.

    Args:
        results: The games.
        seed: The seed of the bootstrap.
    """

    def covariance(found: Choices, _shown: Floats, best: Floats, centre: Floats) -> Floats:
        rng = np.random.default_rng(seed)
        rows = []
        for first in range(0, REPLICATES, _TOGETHER):
            shape = (found.chosen.shape[0], min(_TOGETHER, REPLICATES - first))
            weights = rng.standard_exponential(shape)
            chosen, shown = (found.chosen.T @ weights).T, (found.shown.T @ weights).T
            rows += [strengths(found, *both, best) for both in zip(chosen, shown, strict=True)]
        return np.atleast_2d(np.cov(centre @ np.array(rows).T))

    return _rated(results, covariance)


def quick_ratings(results: pl.DataFrame) -> Ratings:
    """Ratings with the covariance that the bootstrap tends to; the strengths are the same.

    Huber 1967, "The behavior of maximum likelihood estimates under nonstandard conditions"; White
    1982, "Maximum likelihood estimation of misspecified models": with H the loss's curvature and g
    the slope of each match's part of it, H^-1 (sum of g g^T) H^-1. Like the bootstrap it assumes
    only that matches are independent; it needs one fit instead of hundreds.
    """

    def covariance(found: Choices, shown: Floats, best: Floats, centre: Floats) -> Floats:
        held = np.exp(np.append(best, 0.0))
        shares = found.sets * held / (found.sets @ held)[:, None]
        slopes = np.asarray((found.shown @ shares - found.chosen)[:, : len(best)])
        spread = centre @ np.linalg.inv(curvature(found, shown, best))
        return np.asarray(spread @ (slopes.T @ slopes) @ spread.T)

    return _rated(results, covariance)


def _rated(
    results: pl.DataFrame, covariance: Callable[[Choices, Floats, Floats, Floats], Floats]
) -> Ratings:
    observed = choices(results)
    found = with_penalty(observed)
    n = len(found.digests)
    if n == 0:
        nothing = np.zeros(0, np.int64)
        return Ratings((), np.zeros(0), np.zeros((0, 0)), nothing, nothing)
    everything = np.ones(found.chosen.shape[0])
    shown = found.shown.T @ everything
    best = strengths(found, found.chosen.T @ everything, shown)
    centre = ELO * centring(best)
    of_each = results.filter(pl.col("players") > 1).explode("digests").group_by("digests")
    matches = dict(of_each.agg(pl.col("match").n_unique()).iter_rows())
    return Ratings(
        found.digests,
        centre @ best,
        covariance(found, shown, best, centre),
        observed.parts(),
        np.array([matches[digest] for digest in found.digests]),
    )


def centring(best: Floats) -> Floats:
    """float[n, n], the matrix that subtracts the field's interquartile mean from strengths.

    The plain mean would move with an agent that never wins, whose strength is known least.

    Args:
        best: float[n], strengths, which decide who is in the middle.
    """
    n = len(best)
    middle = np.argsort(best, kind="stable")[n // 4 : n - n // 4]
    weights = np.zeros(n)
    weights[middle] = 1 / len(middle)
    return np.eye(n) - weights
