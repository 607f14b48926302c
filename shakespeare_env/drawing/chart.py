"""What charts on pages are made of: axes with round numbers, and labels that do not overlap."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

_MARGIN = 0.03  # room at both ends, as a share of the axis


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
    least = (high - low) / unit / ticks
    power = 10.0 ** math.floor(math.log10(least))
    step = unit * next(
        power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9)
    )
    digits = max(0, -math.floor(math.log10(step / unit) + 1e-9))
    marks = [step * count for count in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return Axis(low, high, tuple((mark, _number(mark / unit, digits)) for mark in marks))


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


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Move heights, 0 to 1, as little as it takes to be `gap` apart, or less if they do not fit.

    The sum of squared moves is least: an isotonic regression, once the gaps are subtracted.
    """
    last = len(heights) - 1
    offsets = min(gap, 1.0 / max(last, 1)) * np.arange(len(heights))
    order = np.argsort(heights, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(np.asarray(heights)[order] - offsets)])
    # The max-min formula of isotonic regression, over the means of all stretches with an entry.
    fitted = [
        max(
            min((sums[end] - sums[start]) / (end - start) for end in range(i + 1, len(sums)))
            for start in range(i + 1)
        )
        for i in range(len(heights))
    ]
    places = np.empty(len(heights))
    places[order] = np.clip(fitted, 0.0, 1.0 - offsets.max(initial=0.0)) + offsets
    found: list[float] = places.tolist()
    return found


def _number(value: float, digits: int) -> str:
    # Adding 0 turns a rounded −0 into 0.
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−")
