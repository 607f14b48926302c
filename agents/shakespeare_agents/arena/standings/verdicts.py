"""What is said of two neighbours of a ladder: stronger, equal, or open; and ranks from that."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal

import scipy.special

Verdict = Literal["stronger", "equal", "open"]

LEVEL = 0.05
"""How often any verdict of all ladders may be wrong."""
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


def shared_level(ladders: Iterable[int]) -> float:
    """The level of each verdict on finished ladders, by Bonferroni over all their neighbours.

    Args:
        ladders: How many agents each has.
    """
    return LEVEL / max(sum(max(agents - 1, 0) for agents in ladders), 1)


def with_ranks(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A ladder's rows with their `rank`: "1", or "3=" of all whose order is equal or open.

    A rank begins where the agent above is stronger.
    """
    first = 0
    for place, row in enumerate(rows):
        if place and rows[place - 1]["verdict"] == "stronger":
            first = place
        shared = place > first or row.get("verdict") in ("equal", "open")
        row["rank"] = f"{first + 1}=" if shared else f"{first + 1}"
    return rows
