"""Matchmaking: which agents meet in the next round, and whether their order is settled."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy.special
from numpy.typing import NDArray

from shakespeare_arena.ladders.ratings import Lead, ratings_and_fit
from shakespeare_arena.ladders.standings import (
    EQUAL_WITHIN,
    LEVEL,
    SOLO_EQUAL_WITHIN,
    solo_scores,
    verdict,
)
from shakespeare_arena.ladders.summaries import seat_rows
from shakespeare_arena.seating import Match, circular_orders

GROWTH = 1.5
"""The factor by which each round is larger than the one before, so that looks stay few."""
_EVENLY = 0.2  # the part of all meetings that is spread evenly over all pairs
_LOOKS = 10  # the number of looks that get half of the level


@dataclass(frozen=True)
class Ladder:
    """A table's ladder after some rounds.

    Attributes:
        order: Digests, strongest first; those without games are last.
        open: The pairs whose order is open, the upper one first, with their weight in the next
            meetings. It is the information that a verdict still takes if the lead is as estimated,
            less for pairs that are further apart.
    """

    order: tuple[str, ...]
    open: dict[tuple[str, str], float]

    def undecided(self) -> list[tuple[str, str]]:
        """Return the neighbours whose order is open."""
        return [pair for pair in itertools.pairwise(self.order) if pair in self.open]


def level_at_look(look: int, neighbours: int) -> float:
    """Return the level of a verdict such that all verdicts, at all looks, hold together at 95 %.

    Repeated looks find something sooner or later, so looks and all pairs of neighbours share the
    level (union bound). Look k gets 10 / ((k + 9) (k + 10)) of it; over all k this sums to 1.
    """
    share = _LOOKS / ((look + _LOOKS - 1) * (look + _LOOKS))
    return LEVEL * share / max(neighbours, 1)


def ladders_at_look(
    results: pl.DataFrame,
    *,
    agents: Sequence[str],
    tables: Sequence[int],
    look: int,
    equal_within: float = EQUAL_WITHIN,
    solo_equal_within: float = SOLO_EQUAL_WITHIN,
) -> dict[int, Ladder]:
    """Return the ladders of some tables, by number of seats, each by its table's games alone.

    Args:
        results: The games, `RESULTS`.
        agents: Digests of the agents to place; others count in ratings.
        tables: Numbers of seats. The ladder of the solo game is one of scores.
        look: The number of this look at the games, from 1.
        equal_within: Elo points; neighbours are equal if they surely differ by less.
        solo_equal_within: Points of mean score, for the solo game.
    """
    level = level_at_look(look, (len(agents) - 1) * len(tables))
    ladders = {}
    for players in tables:
        games = results.filter(pl.col("players") == players)
        is_solo = players == 1
        estimates = solo_scores(seat_rows(games)) if is_solo else ratings_and_fit(games)[0]
        within = solo_equal_within if is_solo else equal_within
        row = {digest: number for number, digest in enumerate(estimates.digests)}
        order = sorted(agents, key=lambda digest: row.get(digest, math.inf))
        weights = {}
        for (rank, first), (lower, second) in itertools.combinations(enumerate(order), 2):
            lead = Lead(math.nan, math.inf, 0)
            if {first, second} <= row.keys():
                lead = estimates.lead(row[first], row[second])
            if verdict(lead, level=level, equal_within=within) == "open":
                # Pairs that have never met may turn out to be neighbours.
                apart = lower - rank if math.isfinite(lead.error) else 1
                missing = _missing_information(lead, level, within)
                weights[first, second] = missing / apart**2
        ladders[players] = Ladder(tuple(order), weights)
    return ladders


def _missing_information(lead: Lead, level: float, within: float) -> float:
    """Return the information, in 1 / lead², that a verdict on a lead still takes."""
    quantile = float(scipy.special.ndtri(1 - level / 2))
    if not math.isfinite(lead.error):  # the two have not met
        return (quantile / within) ** 2
    if lead.error == 0:
        return 0.0
    # A tiny early lead may be luck, so a lead counts as at least as large as its error.
    needed = quantile / max(math.hypot(lead.value, lead.error), within - abs(lead.value))
    return max(needed**2 - lead.error**-2, 0.0)


def plan_round(
    results: pl.DataFrame,
    ladders: Mapping[int, Ladder],
    *,
    agents: Sequence[str],
    seed: int,
    number: int,
    games: int,
) -> list[Match]:
    """Plan the matches of a round; equal arguments give equal plans.

    Games are shared out evenly among the tables that are not settled. At two seats or more a part
    of the meetings is spread over all pairs; the others go to pairs whose order is open, by the
    information that a verdict on them still takes. In the solo game all agents play the same
    deals, and those whose order with a neighbour is open play more of them.

    Args:
        results: The games played before, `RESULTS`.
        ladders: The ladders of the tables, by number of seats.
        agents: Digests of the agents to play.
        seed: The seed of the deals.
        number: The number of the round.
        games: About how many games to plan.
    """
    undecided = {players: ladder for players, ladder in ladders.items() if ladder.undecided()}
    planned = []
    for players, ladder in (undecided or ladders).items():
        share = games / len(undecided or ladders)
        here = results.filter(pl.col("seed") == seed, pl.col("players") == players)
        if players == 1:
            planned += _solo_matches(here, ladder, agents, share)
        else:
            rng = np.random.default_rng([seed, number, players])
            lineups = _lineups(ladder, agents, players, max(1, round(share / players)), rng)
            planned += _seated_matches(here, lineups, players, seed)
    return planned


def _solo_matches(
    here: pl.DataFrame, ladder: Ladder, agents: Sequence[str], games: float
) -> list[Match]:
    played = here.select("deal", pl.col("digests").list.first())
    # Deals are played in order, so an agent's count of deals is the number of its next one.
    following = Counter(dict.fromkeys(agents, 0))
    following |= dict(played.group_by("digests").agg(pl.col("deal").max() + 1).iter_rows())
    undecided = set(itertools.chain(*ladder.undecided()))
    active = [agent for agent in agents if agent in undecided] or list(agents)
    planned: list[Match] = []
    while len(planned) < games:
        behind = min(following[agent] for agent in active)
        for agent in active:
            if following[agent] == behind:
                planned.append(Match(1, behind, (agent,), (0,)))
                following[agent] += 1
    return planned


def _lineups(
    ladder: Ladder, agents: Sequence[str], players: int, number: int, rng: np.random.Generator
) -> list[list[str]]:
    """Draw line-ups whose pairs meet about as often as wanted."""
    n = len(agents)
    wanted = _shares_of_meetings(ladder, agents) * number * players * (players - 1)
    full = players // n
    lineups = []
    held: Counter[int] = Counter()
    for _ in range(number):
        # Equal needs are served in random order.
        need = wanted + 1e-6 * rng.random((n, n))
        need = (need + need.T) * (1 - np.eye(n))
        seated: list[int] = list(range(n)) * full
        if not seated:
            first, second = divmod(int(np.triu(need, 1).argmax()), n)
            seated = [first, second]
        free = [int(i) for i in rng.permutation(n) if full or i not in seated]
        while len(seated) < players:
            best = max(free, key=lambda i: (need[i, seated].sum(), -held[i]))
            free.remove(best)
            seated.append(best)
        held.update(seated)
        for first, second in itertools.permutations(seated, 2):
            if first != second:
                wanted[first, second] -= 1
        lineups.append([agents[i] for i in seated])
    return lineups


def _shares_of_meetings(ladder: Ladder, agents: Sequence[str]) -> NDArray[np.float64]:
    """Return pairs' shares of the round's meetings, float[n, n], symmetric, their sum 1."""
    n = len(agents)
    even = (1 - np.eye(n)) / (n * (n - 1))
    weights = np.zeros((n, n))
    number = {agent: i for i, agent in enumerate(agents)}
    for (first, second), weight in ladder.open.items():
        weights[number[first], number[second]] = weight
        weights[number[second], number[first]] = weight
    if not weights.any():
        return even
    shares: NDArray[np.float64] = _EVENLY * even + (1 - _EVENLY) * weights / weights.sum()
    return shares


def _seated_matches(
    here: pl.DataFrame, lineups: Sequence[Sequence[str]], players: int, seed: int
) -> list[Match]:
    """Deal to the line-ups; agents that have met before sit in another order."""
    deal = int(here["deal"].max()) + 1 if len(here) else 0  # type: ignore[arg-type]
    before = here.select(pl.col("digests").list.sort()).to_series().to_list()
    games = Counter(map(tuple, before))
    planned: list[Match] = []
    for lineup in lineups:
        company = tuple(sorted(lineup))
        turn, which = divmod(games[company] // players, len(circular_orders(company)))
        games[company] += players
        # After the last order all agents change places.
        text = " ".join([str(seed), str(turn), *company])
        drawn = np.random.default_rng(int(hashlib.sha256(text.encode()).hexdigest(), 16))
        mixed = [company[i] for i in drawn.permutation(players)]
        around = tuple(mixed[i] for i in circular_orders(mixed)[which])
        # Where copies make rotations alike, the others would repeat games: more deals are played.
        different = next(
            rotation
            for rotation in range(1, players + 1)
            if around[rotation:] + around[:rotation] == around
        )
        for _ in range(players // different):
            planned.append(Match(players, deal, around, tuple(range(different))))
            deal += 1
    return planned
