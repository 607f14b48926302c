"""Two agents of one table, compared deal by deal."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.intervals import verdict_interval


@dataclass(frozen=True)
class Difference:
    """One agent's lead over another: the mean over deals, each agent taken over all its copies.

    In every deal both had every seat, so its luck cancels out; in the balanced order they also
    followed everyone else equally often. Intervals are 95 %; one without 0 tells which of the two
    does better in this company. They are None with one deal.

    Attributes:
        first: The agent's name.
        second: The other's.
        deals: The number of deals compared.
        win_rate: Difference of their win rates, -1 to 1.
        win_low: Lower end of its interval.
        win_high: Upper end.
        score: Difference of their mean scores.
        score_low: Lower end of its interval.
        score_high: Upper end.
    """

    first: str
    second: str
    deals: int
    win_rate: float
    win_low: float | None
    win_high: float | None
    score: float
    score_low: float | None
    score_high: float | None

    def __str__(self) -> str:
        wins = _signed(100 * self.win_rate, ".1f", self.win_low, self.win_high, unit=100)
        score = _signed(self.score, ".2f", self.score_low, self.score_high)
        which = f"{self.first} less {self.second}, {self.deals} deals"
        return f"{which}:\n  wins {wins}, score {score}"

    def turned(self) -> Difference:
        """The second less the first."""
        ends = (self.win_high, self.win_low), (self.score_high, self.score_low)
        (win_low, win_high), (score_low, score_high) = (
            tuple(None if end is None else -end for end in both) for both in ends
        )
        return Difference(
            self.second,
            self.first,
            self.deals,
            -self.win_rate,
            win_low,
            win_high,
            -self.score,
            score_low,
            score_high,
        )


def differences(
    names: Sequence[str],
    seating: NDArray[np.integer],
    scores: NDArray[np.integer],
    shares: NDArray[np.floating],
) -> tuple[Difference, ...]:
    """All pairs of distinct names, in order.

    Args:
        names: P names.
        seating: int[deals, G, P], who sits where in each game, as places in `names`.
        scores: int[deals, G, P], final scores by deal, game and seat.
        shares: float[deals, G, P], shares of the victory by deal, game and seat.
    """
    held = seats_held(names, seating)
    means: dict[str, Any] = {
        name: [(values * at).sum(axis=(1, 2)) / at[0].sum() for values in (shares, scores)]
        for name, at in held.items()
    }
    found = []
    for first, second in itertools.combinations(held, 2):
        won, scored = (a - b for a, b in zip(means[first], means[second], strict=True))
        rate, *ends = verdict_interval(won)
        low, high = (None if end is None else min(max(end, -1.0), 1.0) for end in ends)
        scored_by = verdict_interval(scored)
        found.append(Difference(first, second, len(won), rate, low, high, *scored_by))
    return tuple(found)


def seats_held(names: Sequence[str], seating: NDArray[np.integer]) -> dict[str, NDArray[np.bool_]]:
    """Where each distinct name sits, bool[deal, game, seat], in order."""
    return {
        name: np.array([other == name for other in names])[seating] for name in dict.fromkeys(names)
    }


def _signed(
    value: float, digits: str, low: float | None, high: float | None, *, unit: int = 1
) -> str:
    percent = " %" if unit == 100 else ""
    if low is None or high is None:
        return f"{value:+{digits}}{percent}"
    return f"{value:+{digits}}{percent} ({unit * low:+{digits}} to {unit * high:+{digits}})"
