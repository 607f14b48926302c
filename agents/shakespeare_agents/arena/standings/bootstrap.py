"""Ratings and their uncertainty, by a bootstrap over matches."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from shakespeare_agents.arena.standings.choices import (
    Choices,
    Floats,
    Integers,
    choices,
    with_penalty,
)
from shakespeare_agents.arena.standings.plackett_luce import ELO, strengths

REPLICATES = 300
"""The number of replicates; standard errors from 300 are themselves off by about 4 %."""
_TOGETHER = 50


@dataclass(frozen=True)
class Ratings:
    """Estimates of all agents' strengths.

    Attributes:
        digests: The n agents.
        points: float[n], ratings in Elo points, the field's middle 0 (see `centring`).
        covariance: float[n, n], their covariance by the bootstrap.
        parts: int[n], a number shared by agents that games connect, if only through others.
    """

    digests: tuple[str, ...]
    points: Floats
    covariance: Floats
    parts: Integers

    def errors(self) -> Floats:
        """Standard errors, float[n]."""
        return np.sqrt(np.diag(self.covariance))

    def lead(self, first: int, second: int) -> tuple[float, float]:
        """A difference of two ratings and its standard error, infinite if no games connect them."""
        if self.parts[first] != self.parts[second]:
            return 0.0, math.inf
        variances = self.covariance[[first, second], [first, second]].sum()
        variance = variances - 2 * self.covariance[first, second]
        return float(self.points[first] - self.points[second]), float(np.sqrt(max(variance, 0)))


def ratings(results: pl.DataFrame, *, seed: int = 0) -> Ratings:
    """Ratings by all of the games at two seats or more.

    The bootstrap is Rubin's (1981, "The Bayesian bootstrap"): a replicate gives every match a
    weight from the exponential distribution, so games of a match stay together, and no agent and no
    pair drops out.

    Args:
        results: The games.
        seed: The seed of the bootstrap.
    """
    observed = choices(results)
    found = with_penalty(observed)
    n = len(found.digests)
    if n == 0:
        return Ratings((), np.zeros(0), np.zeros((0, 0)), observed.parts())
    everything = np.ones(found.chosen.shape[0])
    best = strengths(found, found.chosen.T @ everything, found.shown.T @ everything)
    spread = _replicates(found, best, seed)
    centre = ELO * centring(best)
    covariance = np.atleast_2d(np.cov(centre @ spread.T))
    return Ratings(found.digests, centre @ best, covariance, observed.parts())


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


def _replicates(found: Choices, start: Floats, seed: int) -> Floats:
    """Strengths, float[REPLICATES, n]."""
    rng = np.random.default_rng(seed)
    rows = []
    for first in range(0, REPLICATES, _TOGETHER):
        shape = (found.chosen.shape[0], min(_TOGETHER, REPLICATES - first))
        weights = rng.standard_exponential(shape)
        chosen, shown = (found.chosen.T @ weights).T, (found.shown.T @ weights).T
        rows += [strengths(found, *both, start) for both in zip(chosen, shown, strict=True)]
    return np.array(rows)
