"""Words and numbers for an arena's results, in terminals and in files."""

from __future__ import annotations

import math
from collections.abc import Iterable

NOTHING = "–"
"""The sign for a missing figure."""
_REPLACEMENT = "\ufffd"
_LONGEST_NAME = 48


def shown_name(name: str, room: int = _LONGEST_NAME) -> str:
    """An agent's name on one line, at most `room` characters: signs that do not print replaced.

    Names come from users, and some signs move a terminal's cursor or turn the text around. Long
    names lose their middle: paths differ at their ends.
    """
    printable = _printable(name)
    if len(printable) <= room:
        return printable
    kept = room - 1
    return f"{printable[: kept - kept // 2]}…{printable[len(printable) - kept // 2 :]}"


def printable_lines(text: str) -> str:
    """A text of several lines, signs that do not print replaced."""
    return "\n".join(_printable(line.expandtabs(4)) for line in text.splitlines())


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else _REPLACEMENT for sign in text)


def number(value: float | None, digits: int = 0) -> str:
    """A number with grouped thousands and `digits` decimals."""
    if value is None or not math.isfinite(value):
        return NOTHING
    # Adding 0 turns a rounded −0 into 0.
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−")


def percent(share: float | None, digits: int = 1) -> str:
    """A share from 0 to 1 in percent, without the unit."""
    return number(None if share is None else 100 * share, digits)


def milliseconds(value: float | None) -> str:
    """Two significant digits, three decimals at most: 0.004, 0.90, 24, 1,600."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if value >= 9.95 or value == 0:
        return number(value)
    return number(value, min(3, 1 - math.floor(math.log10(value))))


def estimate(value: float | None, low: float | None, high: float | None, digits: int = 0) -> str:
    """A figure and its interval: `213 (195 to 232)`; nothing without it."""
    if value is None:
        return ""
    if low is None or high is None:
        return number(value, digits)
    return f"{number(value, digits)} ({number(low, digits)} to {number(high, digits)})"


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 game`, `1,200 games`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def with_margin(mean: float, high: float | None) -> str:
    """A mean and its symmetric interval: `21.37 ± 0.52`."""
    return f"{mean:.2f}" if high is None else f"{mean:.2f} ± {high - mean:.2f}"


def mean_of_ladders(seats: Iterable[int]) -> str:
    """What `Standings.combined` is: `Mean of the ladders for 2, 3 and 4 seats`."""
    *most, last = map(str, seats)
    return f"Mean of the ladders for {', '.join(most)} and {last} seats"
