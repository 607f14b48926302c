"""The choice of the rung of the scale that an agent meets next, and how often."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Protocol

from shakespeare_agents.arena.measure_fit import Fit, Meetings, fitted
from shakespeare_agents.arena.measure_result import RUNGS, Placement, playouts_at

_TOGETHER_S = 10.0
"""The most seconds of deals played together, which an interruption loses."""
_MOST_TOGETHER = 4096
"""The most deals played together, to bound memory."""
_SURE = 16
"""Deals at an end of the scale that suffice for an agent that is surely beyond it."""
_TOP = math.log2(RUNGS[-1])
_STEP = RUNGS[1] // RUNGS[0]
"""The factor from a rung to the next."""


class Games(Protocol):
    """Deals against copies of a rung."""

    def play(self, deals: int) -> Meetings:
        """Play the next deals; the result of all deals so far."""
        ...


class Climb:
    """An agent's way to its place on the scale at one table.

    It begins at the lowest rung and climbs a rung at a time while the next one is below its
    estimated place; then it meets whichever of the two rungs around its place it has met less. The
    games at a rung grow by half with each visit, so that early ones, which may mislead, are few.

    Args:
        players: The number of seats.
        games_against: Makes the games against a rung, given its playouts.
        clock: A clock in seconds.
    """

    def __init__(
        self,
        players: int,
        games_against: Callable[[int], Games],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.players = players
        self._games_against, self._clock = games_against, clock
        self._games: dict[int, Games] = {}
        self._met: dict[int, Meetings] = {}
        self._each: dict[int, float] = {}
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
            before = self._met[rung].deals if rung in self._met else 0
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
        return Placement(
            players=self.players,
            playouts=playouts_at(fit.place),
            low=playouts_at(fit.low),
            high=playouts_at(fit.high),
            slope=fit.slope,
            games=sum(one.games for one in met),
            meetings=met,
        )

    def _next(self, left: float) -> int | None:
        """The rung to meet, such that a deal is likely to fit in; None if there is none."""
        if self._fit is None:
            return RUNGS[0]
        place, highest = self._fit.place, max(self._met)
        reachable = [rung for rung in RUNGS if rung <= highest or rung == highest * _STEP]
        around = [
            *[rung for rung in reachable if math.log2(rung) <= place][-1:],
            *[rung for rung in reachable if math.log2(rung) > place][:1],
        ]
        playable = [rung for rung in around if self._deal_takes(rung) <= left]
        return min(playable, key=self._deals_at, default=None)

    def _deals_at(self, rung: int) -> int:
        return self._met[rung].deals if rung in self._met else 0

    def _deal_takes(self, rung: int) -> float:
        """Seconds of a deal; rungs not timed yet are extrapolated from the two highest timed ones.

        A line fits, since the agent's own time is the same at all rungs.
        """
        if rung in self._each or not self._each:
            return self._each.get(rung, 0.0)
        *_, (low, less), (high, more) = [(0, 0.0), *sorted(self._each.items())]
        rise = max(more - less, 0.0) / (high - low) if low else 0.0
        return more + rise * (rung - high)

    def _is_beyond(self) -> bool:
        """Whether an end of the scale has been met often, and the agent is surely beyond it."""
        fit = self._fit
        if fit is None:
            return False
        below = fit.high < 0 and self._deals_at(RUNGS[0]) >= _SURE
        return below or (fit.low > _TOP and self._deals_at(RUNGS[-1]) >= _SURE)

    def _play(self, rung: int, deals: int) -> None:
        if rung not in self._games:
            self._games[rung] = self._games_against(rung)
        games = self._games[rung]
        began = self._clock()
        self._met[rung] = games.play(deals)
        if self._deals_at(rung) > deals:  # the first visit may compile what it plays with
            self._each[rung] = (self._clock() - began) / deals
        self._fit = fitted(list(self._met.values()), self.players)
