"""Intervals of 95 % around rates and means."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

_Z_95 = 1.959963984540054


def wilson_interval(wins: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a rate by Wilson's score, which holds near 0 and 1, too.

    It takes the games as independent; games that share a deal are slightly less than that.

    Args:
        wins: 0 to games.
        games: At least 1.

    Returns:
        Lower and upper end, 0 to 1.
    """
    rate, z2 = wins / games, _Z_95**2
    middle = (rate + z2 / (2 * games)) / (1 + z2 / games)
    half = _Z_95 / (1 + z2 / games) * math.sqrt(rate * (1 - rate) / games + z2 / (4 * games**2))
    # At the ends the terms cancel out but for their rounding.
    low = max(0.0, middle - half) if wins > 0 else 0.0
    high = min(1.0, middle + half) if wins < games else 1.0
    return low, high


def mean_interval(deals: NDArray[Any]) -> tuple[float, float | None, float | None]:
    """A mean and its 95 % interval: the mean +- 1.96 times its standard error.

    The games of one deal depend on each other, those of different deals do not; therefore a deal
    counts as one observation.

    Args:
        deals: float[d], the mean of each deal's games; d is at least 1.

    Returns:
        The mean, and the interval's lower and upper end; None for both if there is one deal.
    """
    mean = float(deals.mean())
    if len(deals) == 1:
        return mean, None, None
    half = _Z_95 * float(deals.std(ddof=1)) / math.sqrt(len(deals))
    return mean, mean - half, mean + half
