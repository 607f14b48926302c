"""The scale of playouts: where on it an agent wins its share, and which rung it meets next.

From one playout on the scale is log2 of playouts. Below, a rung is the share of its moves that the
network of one playout plays, the others at random, so that 0 is random play; there strength grows
about evenly with the share, and the whole share counts as `_NETWORK` doublings.

The model: with n seats, the odds of the agent's one seat against copies of a rung are those of an
equal player, 1 to n - 1, times e^(slope (x - the rung's place)), where x is the agent's place.
Place and slope are estimated together; the interval is that of the place's profile likelihood, in
which every place gets the slope that suits it best. Games of a deal depend on each other, so the
likelihood is divided by the dispersion of deals (Wedderburn 1974, "Quasi-likelihood functions,
generalized linear models, and the Gauss-Newton method").
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

RUNGS: tuple[float, ...] = (0, 0.25, 0.5, 0.75, 1, 4, 16, 64, 256, 1024)
"""Playouts a move of the agents that make the scale; below 1 the share of the network's moves."""
_NETWORK = 20.0
"""Doublings of playouts that are worth about as much as the network is over random play."""
_TOP = math.log2(RUNGS[-1])
_PLACES = np.arange(-_NETWORK - 6, 18.0, 1 / 16)
"""Places of agents; far enough beyond the scale's ends to be all alike."""
_SLOPES = np.geomspace(0.01, 2.5, 40)
"""Candidate slopes, in logits a doubling."""
_SLOPE, _FACTOR = 0.25, math.e
"""Prior of the slope: its middle, and the factor of one standard deviation. It is weak and decides
only where games do not, as when an agent has met a single rung."""
_CHI2_95 = 3.841458820694124
"""The 95 % quantile of chi-squared with one degree of freedom."""
_PRIOR_DEALS = 8.0
"""Deals of independent games added to the estimate of dispersion, since few deals show little."""
_TOGETHER_S = 10.0
"""The most seconds of deals played together, which an interruption loses."""
_MOST_TOGETHER = 4096
"""The most deals played together, to bound memory."""
_SURE = 16
"""Deals at an end of the scale that suffice for an agent that is surely beyond it."""


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

    playouts: float
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
    """An agent's place on the scale, from one playout on in log2 of playouts.

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


@dataclass(frozen=True)
class Placement:
    """An agent's strength at one table, in playouts a move of equally strong search.

    Below 1 it is a share of the network's moves; 0.0 stands for "0 or less", None for "above
    1,024": beyond its ends the scale tells no strengths apart.

    Attributes:
        players: The number of seats.
        playouts: The estimate.
        low: Lower end of its 95 % interval.
        high: Upper end.
        slope: Logits of winning that a doubling of playouts is worth there.
        games: The number of games played.
        meetings: The meetings by rung, the fewest playouts first.
        deciding: The playouts of a search that would tell more; None if the scale reaches that far.
    """

    players: int
    playouts: float | None
    low: float | None
    high: float | None
    slope: float
    games: int
    meetings: tuple[Meetings, ...]
    deciding: int | None

    def __str__(self) -> str:
        """As in `23 (12 to 41)`, `0.62 (0.55 to 0.7)`, or `above 1,024`."""
        if self.low == self.high in (0.0, None):
            return f"{_said(self.low)}{' or less' if self.low == 0 else ''}"
        return f"{_said(self.playouts)} ({_said(self.low)} to {_said(self.high)})"


def fitted(meetings: Sequence[Meetings], players: int) -> Fit:
    """The place of an agent that has met one rung or more at a table of `players` seats."""
    rungs = np.array([_place_of(one.playouts) for one in meetings])
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


class Climb:
    """An agent's way to its place on the scale at one table.

    It begins at one playout and moves on a rung at a time, up or down, until its estimated place is
    between two that it has met; then it meets whichever of these it has met less. The games at a
    rung grow by half with each visit, so that early ones, which may mislead, are few.

    Args:
        players: The number of seats.
        games_against: Given the playouts of a rung, how to play deals against copies of it: called
            with the number of the next deals, it returns the result of all so far.
        clock: A clock in seconds.
    """

    def __init__(
        self,
        players: int,
        games_against: Callable[[float], Callable[[int], Meetings]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.players = players
        self._games_against, self._clock = games_against, clock
        self._games: dict[float, Callable[[int], Meetings]] = {}
        self._met: dict[float, Meetings] = {}
        self._each: dict[float, float] = {}
        self._fit: Fit | None = None

    @property
    def deals(self) -> int:
        """The number of deals played at all rungs."""
        return sum(one.deals for one in self._met.values())

    def play(self, deals: int, seconds: float) -> None:
        """Play at most `deals` deals, as many as fit into the time but at least one."""
        began = self._clock()
        while self.deals < deals and not self._is_beyond():
            left = seconds - (self._clock() - began)
            rung = self._next(left)
            if rung is None:
                return
            before = self._deals_at(rung)
            several = min(1 + before // 2, deals - self.deals, _MOST_TOGETHER)
            if before and math.isfinite(seconds):
                fit_in = min(left, _TOGETHER_S) / max(self._deal_takes(rung), 1e-6)
                several = max(min(several, int(fit_in)), 1)
            self._play(rung, several)

    def placement(self) -> Placement:
        """The placement by the deals so far; there must be one."""
        fit = self._fit
        assert fit is not None
        met = tuple(self._met[rung] for rung in sorted(self._met))
        place, low, high = map(_playouts_at, (fit.place, fit.low, fit.high))
        games = sum(one.games for one in met)
        deciding = None if high is not None else _deciding(fit)
        return Placement(self.players, place, low, high, fit.slope, games, met, deciding)

    def _next(self, left: float) -> float | None:
        """The rung to meet, such that a deal is likely to fit in; None if there is none."""
        if self._fit is None:
            return 1
        first, last = (RUNGS.index(end(self._met)) for end in (min, max))
        reachable = RUNGS[max(first - 1, 0) : last + 2]
        around = [
            *[rung for rung in reachable if _place_of(rung) <= self._fit.place][-1:],
            *[rung for rung in reachable if _place_of(rung) > self._fit.place][:1],
        ]
        playable = [rung for rung in around if self._deal_takes(rung) <= left]
        return min(playable, key=self._deals_at, default=None)

    def _deals_at(self, rung: float) -> int:
        return self._met[rung].deals if rung in self._met else 0

    def _deal_takes(self, rung: float) -> float:
        """Seconds of a deal; rungs not timed yet are extrapolated from the two highest timed ones.

        A line fits, since the agent's own time is the same at all rungs.
        """
        if rung in self._each or not self._each:
            return self._each.get(rung, 0.0)
        work = {max(timed, 1): seconds for timed, seconds in self._each.items()}
        *_, (low, less), (high, more) = [(0, 0.0), *sorted(work.items())]
        rise = max(more - less, 0.0) / (high - low) if low else 0.0
        return more + rise * (max(rung, 1) - high)

    def _is_beyond(self) -> bool:
        """Whether an end of the scale has been met often, and the agent is surely beyond it."""
        fit = self._fit
        if fit is None:
            return False
        below = fit.high < -_NETWORK and self._deals_at(RUNGS[0]) >= _SURE
        return below or (fit.low > _TOP and self._deals_at(RUNGS[-1]) >= _SURE)

    def _play(self, rung: float, deals: int) -> None:
        if rung not in self._games:
            self._games[rung] = self._games_against(rung)
        began = self._clock()
        self._met[rung] = self._games[rung](deals)
        if self._deals_at(rung) > deals:  # the first visit may compile what it plays with
            self._each[rung] = (self._clock() - began) / deals
        self._fit = fitted(list(self._met.values()), self.players)


def _dispersion(meetings: Sequence[Meetings]) -> float:
    """The variance of wins in units of what it would be if a deal's games were independent."""
    found, deals = _PRIOR_DEALS, _PRIOR_DEALS
    for one in meetings:
        rate = (one.wins + 0.5) / (one.games + 1)  # so that it is neither 0 nor 1
        alone = rate * (1 - rate) * one.deals / one.games
        found += (one.deals - 1) * one.variance / alone
        deals += one.deals - 1
    return found / deals


def _playouts_at(place: float) -> float | None:
    """The playouts of a place on the scale; 0.0 and None beyond its ends."""
    if place < 0:
        return max(0.0, 1 + place / _NETWORK)
    return 2.0**place if 2.0**place <= RUNGS[-1] else None


def _place_of(playouts: float) -> float:
    """The place of a rung."""
    return _NETWORK * (playouts - 1) if playouts < 1 else math.log2(playouts)


def _deciding(fit: Fit) -> int:
    """The playouts of the next rung that there would be, at or above a place if that is known."""
    known = fit.place if fit.place < _PLACES[-1] else _TOP
    return int(4 ** max(math.ceil(known / 2), math.log2(RUNGS[-1]) // 2 + 1))


def _said(playouts: float | None) -> str:
    if playouts is None:
        return f"above {RUNGS[-1]:,}"
    if playouts < 1:
        return f"{playouts:.2g}"
    return f"{playouts:.1f}" if playouts < 10 else f"{playouts:,.0f}"
