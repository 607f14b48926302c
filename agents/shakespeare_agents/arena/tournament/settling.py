"""Whether an order is settled: neighbours on each ladder are compared after every round."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
import scipy.special

from shakespeare_agents.arena.standings.ladders import SoloScores, solo_scores
from shakespeare_agents.arena.standings.ratings import Ratings, quick_ratings
from shakespeare_agents.arena.standings.seats import labels, seats
from shakespeare_agents.arena.standings.verdicts import (
    EQUAL_WITHIN,
    LEVEL,
    SOLO_EQUAL_WITHIN,
    Verdict,
    verdict,
)

_LOOKS = 10
"""The number of looks that share half of the level."""


@dataclass(frozen=True)
class Comparison:
    """What is known of two agents.

    Attributes:
        first: The digest of one agent, the upper one of neighbours.
        second: The digest of the other.
        lead: The first's lead, in Elo points or, solo, points of mean score.
        error: Its standard error; infinite if they were not compared.
        verdict: The verdict on the lead.
        missing: The information, in 1 / lead², that a verdict still takes if the lead is as
            estimated; 0 if there is a verdict.
    """

    first: str
    second: str
    lead: float
    error: float
    verdict: Verdict
    missing: float


@dataclass(frozen=True)
class Ladder:
    """A table's ladder after some rounds.

    Attributes:
        order: Digests, strongest first; those without games are last.
        pairs: All pairs, the upper one first.
    """

    order: tuple[str, ...]
    pairs: dict[tuple[str, str], Comparison]

    def undecided(self) -> list[Comparison]:
        """The neighbours whose order is open."""
        neighbours = [self.pairs[pair] for pair in itertools.pairwise(self.order)]
        return [pair for pair in neighbours if pair.verdict == "open"]


def level_of(look: int, neighbours: int) -> float:
    """The level of one verdict at one look, so that all on all ladders at all looks hold at 95 %.

    Repeated looks find something sooner or later, so verdicts and looks share the level (union
    bound). Look k gets 10 / ((k + 9) (k + 10)) of it; over all k this sums to 1.

    Args:
        look: The number of the look, from 1.
        neighbours: The number of pairs to be settled, on all ladders together.
    """
    share = _LOOKS / ((look + _LOOKS - 1) * (look + _LOOKS))
    return LEVEL * share / max(neighbours, 1)


def look_at(
    results: pl.DataFrame,
    *,
    agents: Sequence[str],
    tables: Sequence[int],
    look: int,
    equal_within: float = EQUAL_WITHIN,
    solo_equal_within: float = SOLO_EQUAL_WITHIN,
) -> dict[int, Ladder]:
    """The ladders by number of players, each of the games of its table alone.

    Args:
        results: The games so far.
        agents: Digests of those that play; others count in ratings but are not placed.
        tables: Numbers of players; 1 makes a ladder of scores, more make ladders of ratings.
        look: The number of this look at the field, from 1.
        equal_within: Elo points that count as equal.
        solo_equal_within: Points of mean solo score that count as equal.
    """
    level = level_of(look, (len(agents) - 1) * len(tables))
    ladders = {}
    for players in tables:
        games = results.filter(pl.col("players") == players)
        solo = players == 1
        found = solo_scores(seats(games, labels(games))) if solo else quick_ratings(games)
        within = solo_equal_within if solo else equal_within
        behind = found.behind
        order = sorted(agents, key=lambda digest: behind.get(digest, math.inf))
        pairs = {
            (first, second): _compared(found, first, second, level, within)
            for first, second in itertools.combinations(order, 2)
        }
        ladders[players] = Ladder(tuple(order), pairs)
    return ladders


def _compared(
    found: Ratings | SoloScores, first: str, second: str, level: float, within: float
) -> Comparison:
    lead, error, matches = math.nan, math.inf, 0
    if first in found.digests and second in found.digests:
        lead, error, matches = found.lead(*map(found.digests.index, (first, second)))
    if not math.isfinite(error):
        lead, error = 0.0, math.inf
    said = verdict(lead, error, matches, level=level, equal_within=within)
    missing = 0.0
    if said == "open":
        quantile = float(scipy.special.ndtri(1 - level / 2))
        # A tiny early lead may be luck, so a lead counts as at least as large as its error.
        likely = within if math.isinf(error) else math.hypot(lead, error)
        needed = quantile / max(likely, within - abs(lead))
        missing = max(needed**2 - error**-2 if error > 0 else 0.0, 0.0)
    return Comparison(first, second, lead, error, said, missing)
