"""What is said of two agents of a ladder: stronger, equal, or open; and ranks from that."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, Self

import scipy.special

Verdict = Literal["stronger", "equal", "open"]

LEVEL = 0.05
"""The probability that any verdict on any ladder is wrong."""
EQUAL_WITHIN = 20.0
"""Elo points; a smaller lead counts as equal. 20 points are 52.9 % of meetings."""
SOLO_EQUAL_WITHIN = 0.25
"""Points of mean score; a smaller lead counts as equal."""
FEWEST_MATCHES = 10
"""The fewest matches for a verdict; intervals of fewer would not hold."""


def verdict(
    lead: float, error: float, matches: int, *, level: float, equal_within: float
) -> Verdict:
    """What a lead over an agent shows.

    Args:
        lead: The estimate.
        error: Its standard error.
        matches: The matches of the agent that has played fewer.
        level: The probability that this verdict is wrong.
        equal_within: The lead that counts as equal.
    """
    if matches < FEWEST_MATCHES or not math.isfinite(error):
        return "open"
    # Standard errors are estimates themselves, hence Student's t on their matches.
    half = error * float(scipy.special.stdtrit(matches - 1, 1 - level / 2))
    if lead - half > 0:
        return "stronger"
    return "equal" if -equal_within < lead - half and lead + half < equal_within else "open"


@dataclass(frozen=True)
class Levels:
    """How often each verdict may be wrong, by Bonferroni: over neighbours, and over all pairs.

    Attributes:
        neighbours: For two neighbours on one of the ladders.
        pairs: For any two of a ladder, which are chosen from many more.
    """

    neighbours: float
    pairs: float

    @classmethod
    def of(cls, ladders: Iterable[int]) -> Self:
        """The levels for finished ladders, given the number of agents on each."""
        agents = list(ladders)
        neighbours = sum(max(n - 1, 0) for n in agents)
        pairs = sum(n * (n - 1) // 2 for n in agents)
        return cls(LEVEL / max(neighbours, 1), LEVEL / max(pairs, 1))


def with_ranks(
    rows: list[dict[str, Any]], stronger: Callable[[int, int], bool]
) -> list[dict[str, Any]]:
    """A ladder's rows with their `rank`: one more than the agents that are surely stronger.

    An agent surely stronger than another is so than all below that one, and so are all above. A
    shared rank is written "3=".

    Args:
        rows: Strongest first, with their `verdict` over the next one.
        stronger: Whether the agent at the first place is shown to be stronger than the one at the
            second, which is further down than the next.
    """
    above = [0] * len(rows)
    for place in range(1, len(rows)):
        beside = rows[place - 1]["verdict"] == "stronger"
        shown = (other for other in range(place - 1) if stronger(other, place))
        surely = place if beside else max(shown, default=-1) + 1
        above[place] = max(above[place - 1], surely)
    for row, count in zip(rows, above, strict=True):
        row["rank"] = f"{count + 1}=" if above.count(count) > 1 else f"{count + 1}"
    return rows
