"""Axes of figures: where values stand, in percent of the width, and round numbers beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from shakespeare_agents.arena.wording import number

_MARGIN = 0.03
"""Room at both ends, as a share of the axis."""
_ROUND = (1, 2, 5, 10)


@dataclass(frozen=True)
class Axis:
    """A stretch of numbers, linear or logarithmic.

    Attributes:
        low: Where the axis begins.
        high: Where it ends.
        ticks: Round numbers on it, in order, and their texts.
        is_log: Whether equal steps are equal ratios.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    is_log: bool = False

    def share(self, value: float) -> float:
        """Where a value stands, 0 at the beginning to 1 at the end; beyond that at the end."""
        low, value, high = self.low, value, self.high
        if self.is_log:
            low, value, high = (math.log(max(x, self.low)) for x in (low, value, high))
        return min(1.0, max(0.0, (value - low) / (high - low)))

    def at(self, value: float) -> str:
        """Where a value stands, as a CSS length."""
        return f"{100 * self.share(value):.2f}%"


def linear(values: Iterable[float | None], *, unit: float = 1, ticks: int = 5) -> Axis:
    """An axis that holds all values, with at most `ticks` + 1 round numbers, in `unit`."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    if high - low < 1e-9:
        low, high = low - 1, high + 1
    margin = _MARGIN * (high - low)
    low, high = low - margin, high + margin
    step = unit * _round_step((high - low) / unit / ticks)
    digits = max(0, -math.floor(math.log10(step / unit) + 1e-9))
    marks = [step * count for count in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return Axis(low, high, tuple((mark, number(mark / unit, digits)) for mark in marks))


def logarithmic(values: Iterable[float | None]) -> Axis:
    """An axis of milliseconds that holds all values above 0, with a tick at powers of ten."""
    known = [value for value in values if value is not None and 0 < value < math.inf]
    low, high = min(known, default=1.0), max(known, default=1.0)
    # At least two powers of ten stand on the axis.
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    last = max(last, first + 1)
    room = 10 ** (_MARGIN * (last - first))
    marks = [10.0**power for power in range(first, last + 1)]
    texts = tuple((mark, f"{mark:,g}") for mark in marks)
    return Axis(10.0**first / room, 10.0**last * room, texts, is_log=True)


def _round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not less."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in _ROUND if power * factor >= least * (1 - 1e-9))
