"""What is said of two neighbours of a ladder: stronger, equal, or open."""

from __future__ import annotations

import math
from typing import Literal

import scipy.special

Verdict = Literal["stronger", "equal", "open"]

LEVEL = 0.05
"""How often any verdict of a ladder may be wrong."""
EQUAL_WITHIN = 20.0
"""Elo points: who leads by less counts as equal; 20 points are 52.9 % of meetings."""
SOLO_EQUAL_WITHIN = 0.25
"""Points of mean score, likewise."""
FEWEST_MATCHES = 10
"""Of fewer matches nothing is said: their intervals would not hold."""


def verdict(
    lead: float, error: float, matches: int, *, level: float, equal_within: float
) -> Verdict:
    """What a lead over the next one shows.

    Args:
        lead: The estimate.
        error: Its standard error.
        matches: Of that of the two which has played fewer.
        level: How often this verdict may be wrong.
        equal_within: What counts as equal.
    """
    if matches < FEWEST_MATCHES or not math.isfinite(error):
        return "open"
    # Standard errors are estimates themselves: Student's t, on the matches they come from.
    half = error * float(scipy.special.stdtrit(matches - 1, 1 - level / 2))
    if lead - half > 0:
        return "stronger"
    return "equal" if -equal_within < lead - half and lead + half < equal_within else "open"


def shared_level(neighbours: int) -> float:
    """The level of each of a finished ladder's verdicts, by Bonferroni."""
    return LEVEL / max(neighbours, 1)
