"""The scale of playouts, on which an agent's strength is measured by games against its rungs.

A rung is a search with a fixed number of playouts a move. Rung 1 is the network alone. A rung below
1 plays that share of its moves like the network and the others at random. `climb` plays an agent
against rungs, and `fit_place` estimates its place on the scale.

The model: with n seats, the odds of the agent's one seat against copies of a rung are those of an
equal player, 1 to n - 1, times e^(slope (x - the rung's place)), where x is the agent's place.
Every rung has a slope of its own, and these scatter about a common one, because no curve is
logistic from end to end and agents differ from those of the scale. Hence distant rungs say little
about the place however many games there are, and near ones say nearly all. Place and slopes are
estimated together. The interval is that of the place's profile likelihood, in which every place
gets the slopes that suit it best. Games of a deal depend on each other, so the likelihood is
divided by the dispersion of deals (Wedderburn 1974, "Quasi-likelihood functions, generalized
linear models, and the Gauss-Newton method").
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from typing import NamedTuple, Protocol

import numpy as np
import scipy.special
from numpy.typing import NDArray

from shakespeare_arena.games.pace import LinearTimes

RUNGS: tuple[float, ...] = (0, 0.25, 0.5, 0.75, 1, 4, 16, 64, 256, 1024)
"""The rungs that an agent meets at first. Later it may meet rungs between two of these."""
_NETWORK = 20.0
"""The distance on the scale from random play to the network alone, in doublings of playouts."""
_PLACES = np.arange(-_NETWORK - 6, 18.0, 1 / 16)
"""Candidate places of agents. Places further beyond the scale's ends would fit just as well."""
_STEP = 0.2
"""The distance between neighbouring candidate slopes, in their natural logarithm."""
_MOST_STEPS = 7
"""The most steps of `_STEP` between a rung's slope and the common one."""
_RUNG_SLOPES = np.exp(_STEP * np.arange(-24 - _MOST_STEPS, 6 + _MOST_STEPS))
"""Candidate slopes of a rung, in logits a doubling."""
_SLOPES = _RUNG_SLOPES[_MOST_STEPS:-_MOST_STEPS]
"""Candidates of the slope common to all rungs."""
_PRIOR_SLOPE = 0.25
"""The middle of the common slope's prior.

The prior is weak. It decides only where games do not, as when an agent has met a single rung.
"""
_PRIOR_FACTOR = math.e
"""One standard deviation of that prior, as a factor of the slope."""
_SCATTER = 0.7
"""One standard deviation of the logarithm of a rung's slope about the common one's."""
_COSTS = 0.5 * (_STEP * np.arange(-_MOST_STEPS, _MOST_STEPS + 1) / _SCATTER) ** 2
"""The log-likelihood lost by the distance of a rung's slope from the common one, in steps."""
_CHI2_95 = float(scipy.special.chdtri(1, 0.05))
"""The 95 % quantile of chi-squared with one degree of freedom."""
_PRIOR_DEALS = 8.0
"""Deals of independent games added to the estimate of dispersion, since few deals show little."""
_MOST_TOGETHER = 4096
"""The most deals played together."""
_PLAYOUT_COST = 8.0
"""The time of a playout a move for each opponent that searches, in games without search.

It is 6 to 10 in the bundled games.
"""
_PLAIN_S = 0.1
"""The most seconds of a deal in which nobody searches, without the time that the agent takes.

It is used until a search has been met.
"""
_WAITS_S = 1.0
"""The seconds of a visit without any deal from which the agent counts as one that waits."""
_GROWTH = 4
"""The factor by which visits of an agent that waits grow at most."""
_DEALS_AT_END = 100
"""Deals at an end of the scale after which an agent that is surely beyond that end stops."""


@dataclass(frozen=True)
class RungResult:
    """The games of an agent, with one seat in each, against copies of a rung.

    Attributes:
        playouts: The rung's playouts.
        deals: The deals played.
        games: The games played.
        wins: Victories; a shared one counts in part.
        variance: The variance between deals of the share of wins.
    """

    playouts: float
    deals: int
    games: int
    wins: float
    variance: float = 0.0

    @property
    def win_rate(self) -> float:
        """The share of games won."""
        return self.wins / self.games


def place_of(playouts: float) -> float:
    """Return the place of a rung on the scale."""
    return _NETWORK * (playouts - 1) if playouts < 1 else math.log2(playouts)


def relative_cost(playouts: float, players: int) -> float:
    """Return the approximate time of a game against copies of a rung, in games without search."""
    return 1.0 if playouts <= 1 else 1.0 + _PLAYOUT_COST * (players - 1) * playouts


def playouts_at(place: float) -> float | None:
    """Return the playouts at a place: 0.0 for 0 or less, None for more than the last rung has."""
    if place < 0:
        return max(0.0, 1 + place / _NETWORK)
    return 2.0**place if 2.0**place <= RUNGS[-1] else None


class PlaceEstimate(NamedTuple):
    """An agent's place on the scale, and its 95 % interval.

    The place of a rung with one playout or more is log2 of its playouts (`place_of`). The ends of
    the interval are infinite where games exclude nothing.
    """

    place: float
    low: float
    high: float


def fit_place(results: Collection[RungResult], players: int) -> PlaceEstimate:
    """Estimate the place of an agent that has met one rung or more."""
    prior = -0.5 * (np.log(_SLOPES / _PRIOR_SLOPE) / math.log(_PRIOR_FACTOR)) ** 2
    dispersion = _dispersion(results)
    likelihood = sum(_likelihood(result, players, dispersion) for result in results)
    profile = (likelihood + prior[:, None]).max(axis=0)  # by place
    best = int(profile.argmax())
    # A place is in the interval if its excess is 0 or less.
    excess = 2 * (profile[best] - profile) - _CHI2_95
    inside = np.flatnonzero(excess <= 0)
    first = int(inside[0])
    last = int(inside[-1])
    low = _crossing(excess, first - 1) if first else -math.inf
    high = _crossing(excess, last) if last < len(_PLACES) - 1 else math.inf
    return PlaceEstimate(float(_PLACES[best]), low, high)


def _crossing(excess: NDArray[np.float64], before: int) -> float:
    """Interpolate the place at which the excess is 0, between index `before` and the next one."""
    share = excess[before] / (excess[before] - excess[before + 1])
    return float(_PLACES[before] + share * (_PLACES[before + 1] - _PLACES[before]))


def _likelihood(result: RungResult, players: int, dispersion: float) -> NDArray[np.float64]:
    """Return the log-likelihood of the games at a rung, float64[common slopes, places].

    For each common slope, the rung has the slope of its own that suits the games best, after the
    cost of differing from the common one.
    """
    logits, normalizers = _curves(result.playouts, players)
    by_slope = (result.wins * logits - result.games * normalizers) / dispersion
    # In slice k the rung's slope lies k - _MOST_STEPS steps above the common one.
    at_steps = (by_slope[k : k + len(_SLOPES)] - cost for k, cost in enumerate(_COSTS))
    return reduce(np.maximum, at_steps)


@lru_cache(maxsize=64)
def _curves(playouts: float, players: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the logits of winning against a rung and log(1 + e^logit), float[slopes, places]."""
    ahead = _PLACES - place_of(playouts)
    logits = _RUNG_SLOPES[:, None] * ahead - math.log(players - 1)
    return logits, np.logaddexp(0.0, logits)


def _dispersion(results: Collection[RungResult]) -> float:
    """Return the variance of wins divided by the variance that independent games would have."""
    total = _PRIOR_DEALS
    deals = _PRIOR_DEALS
    for result in results:
        rate = (result.wins + 0.5) / (result.games + 1)  # so that it is neither 0 nor 1
        if_independent = rate * (1 - rate) * result.deals / result.games
        total += (result.deals - 1) * result.variance / if_independent
        deals += result.deals - 1
    return total / deals


class RungGames(Protocol):
    """The games of an agent against copies of a rung, which are played a few deals at a time."""

    def play(self, deals: int) -> int:
        """Play the next deals. An interruption loses only those that are not complete.

        Returns:
            The number of deals that were played now, and not in an earlier run.
        """
        ...

    def result(self) -> RungResult | None:
        """Return the result of all complete deals, or None if there are none."""
        ...


def climb(
    met: dict[float, RungResult],
    players: int,
    games_against: Callable[[float], RungGames],
    deals: int,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Play an agent towards its place on the scale at one table, and fill in its results by rung.

    The agent begins at one playout and moves on a rung at a time, up or down, until its estimated
    place is between two rungs that it has met. Then it meets whichever of these it has met less.
    Once its interval is narrower than the gap between the two, it meets the rung in their middle.
    A visit to a rung plays a fourth as many deals as all visits before it, so that early visits,
    which may be to the wrong rungs, play few. The first two visits to each rung play one deal each,
    which shows how long a deal takes. If the time is limited, visits of agents that wait play more
    deals (see `_VisitTimes.deals`).

    Args:
        met: The results by rung, at first none. An interruption leaves them up to date.
        players: The number of seats.
        games_against: Takes a rung's playouts, and returns the games against copies of that rung.
        deals: The most deals to play.
        seconds: The seconds of play; at least one deal is played.
        clock: A clock in seconds.
    """
    against = cache(games_against)
    times = _VisitTimes(players)
    ends = clock() + seconds
    deals_left = deals
    while deals_left:
        seconds_left = ends - clock()
        rung = _next_rung(met, players, times, seconds_left)
        if rung is None:
            break
        before = met[rung].deals if rung in met else 0
        number = 1 + (deals - deals_left) // 4 if before > 1 else 1
        if math.isfinite(seconds):
            number = times.deals(rung, number, seconds_left)
        number = min(number, deals_left, _MOST_TOGETHER)
        games = against(rung)
        began = clock()
        try:
            played = games.play(number)
        finally:
            result = games.result()
            if result is not None:
                met[rung] = result
        if before and played:  # a first visit may also compile rules, so it is not timed
            times.add(rung, played, clock() - began)
        deals_left -= number


class _VisitTimes:
    """The times of an agent's visits to rungs, and what they say of visits to come.

    Visits to rungs that do not search take about equally long, and are taken together.
    """

    def __init__(self, players: int) -> None:
        self._players = players
        self._lines: dict[float, LinearTimes] = {}  # by relative cost
        self._last: dict[float, float] = {}  # by relative cost, the seconds a deal of the last one
        self._most = 1  # deals of a visit

    def __bool__(self) -> bool:
        return bool(self._lines)

    def add(self, rung: float, deals: int, seconds: float) -> None:
        """Add a visit."""
        cost = relative_cost(rung, self._players)
        self._lines.setdefault(cost, LinearTimes()).add(deals, seconds)
        self._last[cost] = seconds / deals
        self._most = max(self._most, deals)

    def seconds_of_deal(self, rung: float) -> float:
        """Return the seconds that a visit of one deal is expected to take."""
        of_visit, of_deal = self._expected(rung)
        return of_visit + of_deal

    def deals(self, rung: float, least: int, seconds_left: float) -> int:
        """Return the number of deals of a visit.

        An agent that waits, for example for a remote service, takes about as long for many games as
        for one. A visit of such an agent plays at least as many deals as double its time, but at
        most `_GROWTH` times as many as any visit before.

        Args:
            rung: The rung.
            least: The least number of deals, if there is time for them.
            seconds_left: The seconds left for the visit.
        """
        if not self:
            return least
        of_visit, of_deal = self._expected(rung)
        number = least
        if of_visit > _WAITS_S:
            double = of_visit / of_deal if of_deal else math.inf
            number = max(number, int(min(double, _GROWTH * self._most)))
        cost = self._nearest(rung)
        # It is not certain that more deals take longer by so little, so the last visit decides.
        slowest = self._last[cost] + self._extra(rung, cost)
        return max(min(number, int(seconds_left / max(slowest, 1e-6))), 1)

    def _expected(self, rung: float) -> tuple[float, float]:
        """Return the seconds of a visit to a rung for no deal, and those for each deal.

        The agent itself takes as long for each deal at all rungs, and searches add to it.
        """
        cost = self._nearest(rung)
        plain = self._plain()
        cheapest = min(self._lines)
        own = max(line.fit()[1] - plain * (each - cheapest) for each, line in self._lines.items())
        least = max(own, 0.0) + plain * (cost - cheapest)
        of_visit, of_deal = self._lines[cost].fit(least)
        return of_visit, of_deal + self._extra(rung, cost)

    def _nearest(self, rung: float) -> float:
        """Return the relative cost of the visits that say most about visits to a rung."""
        cost = relative_cost(rung, self._players)
        return cost if cost in self._lines else max(self._lines)

    def _extra(self, rung: float, cost: float) -> float:
        """Return how many seconds longer a deal at a rung takes than one of a relative cost."""
        return self._plain() * (relative_cost(rung, self._players) - cost)

    def _plain(self) -> float:
        """Return the seconds of a deal in which nobody searches, without those of the agent."""
        least = min(self._lines)
        most = max(self._lines)
        if least == most:
            return min(self._last[least], _PLAIN_S)
        longer = sum(self._lines[most].fit()) - sum(self._lines[least].fit())
        return max(longer, 0.0) / (most - least)


def _next_rung(
    met: Mapping[float, RungResult], players: int, times: _VisitTimes, seconds_left: float
) -> float | None:
    """Return the rung to meet next, or None if the climb is over.

    It is over if no deal is likely to fit into the time left, or if the agent is surely beyond an
    end of the scale after `_DEALS_AT_END` deals there.
    """
    if not met:
        return 1
    if not times and math.isfinite(seconds_left):
        return 1 if seconds_left > 0 else None  # again, to see how long a deal takes
    deals = Counter({rung: result.deals for rung, result in met.items()})

    def is_affordable(rung: float) -> bool:
        return not times or times.seconds_of_deal(rung) <= seconds_left

    place, low, high = fit_place(met.values(), players)
    if high < -_NETWORK and deals[RUNGS[0]] >= _DEALS_AT_END:
        return None
    if low > math.log2(RUNGS[-1]) and deals[RUNGS[-1]] >= _DEALS_AT_END:
        return None
    first = RUNGS.index(min(met))
    last = RUNGS.index(max(met))
    reachable = sorted({*RUNGS[max(first - 1, 0) : last + 2], *met})
    below = [rung for rung in reachable if place_of(rung) <= place]
    above = [rung for rung in reachable if place_of(rung) > place]
    around = below[-1:] + above[:1]
    if len(around) == 2 and deals.keys() >= set(around):
        gap = place_of(around[1]) - place_of(around[0])
        middle = _middle(*around)
        if middle is not None and high - low < gap:
            around.append(middle)
    playable = list(filter(is_affordable, around))
    if not playable:
        # They take too long, so the nearest rung that does not tells more than nothing.
        affordable = filter(is_affordable, met)
        return min(affordable, key=lambda rung: abs(place_of(rung) - place), default=None)
    return min(playable, key=lambda rung: deals[rung])


def _middle(low: float, high: float) -> float | None:
    """Return the rung in the middle of two, or None if there is none.

    There is none between 1 and 4, because with two or three playouts search would consider a single
    move and play like the network.
    """
    if high <= 1:
        return (low + high) / 2
    middle = round(math.sqrt(low * high))
    return middle if 1 < low < middle < high else None
