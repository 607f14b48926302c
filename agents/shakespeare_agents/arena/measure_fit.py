"""Where on a scale of playouts an agent wins its share, from games against some of its rungs.

The model: with n seats, the odds of the agent's one seat against copies of a rung are those of an
equal player, 1 to n - 1, times e^(slope (x - log2 playouts)), where x is the agent's place. Place
and slope are estimated together; the interval is that of the place's profile likelihood, in which
every place gets the slope that suits it best. Games of a deal depend on each other, so the
likelihood is divided by the dispersion of deals (Wedderburn 1974, "Quasi-likelihood functions,
generalized linear models, and the Gauss-Newton method").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_PLACES = np.arange(-6.0, 18.0, 1 / 16)
"""Places of agents in log2 of playouts; far enough beyond the scale's ends to be all alike."""
_SLOPES = np.geomspace(0.01, 2.5, 40)
"""Candidate slopes, in logits a doubling."""
_SLOPE, _FACTOR = 0.25, math.e
"""Prior of the slope: its middle, and the factor of one standard deviation. It is weak and decides
only where games do not, as when an agent has met a single rung."""
_CHI2_95 = 3.841458820694124
"""The 95 % quantile of chi-squared with one degree of freedom."""
_PRIOR_DEALS = 8.0
"""Deals of independent games added to the estimate of dispersion, since few deals show little."""


@dataclass(frozen=True)
class Meetings:
    """What an agent has won against copies of a rung.

    Attributes:
        playouts: The rung.
        deals: The deals played, at least one.
        games: The games in them; the agent has one seat in each.
        wins: The games won; a shared victory counts in part.
        variance: The variance between deals of a deal's share of wins; 0 with one deal.
    """

    playouts: int
    deals: int
    games: int
    wins: float
    variance: float = 0.0

    @property
    def win_rate(self) -> float:
        """Wins / games."""
        return self.wins / self.games


@dataclass(frozen=True)
class Fit:
    """An agent's place, in log2 of playouts.

    Attributes:
        place: The most likely.
        low: Lower end of its 95 % interval; -inf if games exclude nothing below.
        high: Upper end; inf if games exclude nothing above.
        slope: Logits that a doubling of playouts is worth, near the place.
    """

    place: float
    low: float
    high: float
    slope: float


def fitted(meetings: Sequence[Meetings], players: int) -> Fit:
    """The place of an agent that has met one rung or more at a table of `players` seats."""
    rungs = np.log2([one.playouts for one in meetings])
    games = np.array([one.games for one in meetings], np.float64)
    wins = np.array([one.wins for one in meetings])
    # [place, slope, rung]
    ahead = _SLOPES[:, None] * (_PLACES[:, None, None] - rungs)
    logits = ahead - math.log(players - 1)
    likelihood = wins * logits - games * np.logaddexp(0.0, logits)
    prior = -0.5 * (np.log(_SLOPES / _SLOPE) / math.log(_FACTOR)) ** 2
    total = likelihood.sum(axis=2) / _dispersion(meetings) + prior
    profile = total.max(axis=1)
    best = int(profile.argmax())
    inside = np.flatnonzero(2 * (profile[best] - profile) <= _CHI2_95)
    first, last = int(inside[0]), int(inside[-1])
    return Fit(
        place=float(_PLACES[best]),
        low=float(_PLACES[first]) if first else -math.inf,
        high=float(_PLACES[last]) if last < len(_PLACES) - 1 else math.inf,
        slope=float(_SLOPES[total[best].argmax()]),
    )


def _dispersion(meetings: Sequence[Meetings]) -> float:
    """The variance of wins in units of what it would be if a deal's games were independent."""
    found, deals = _PRIOR_DEALS, _PRIOR_DEALS
    for one in meetings:
        rate = (one.wins + 0.5) / (one.games + 1)  # so that it is neither 0 nor 1
        alone = rate * (1 - rate) * one.deals / one.games
        found += (one.deals - 1) * one.variance / alone
        deals += one.deals - 1
    return found / deals
