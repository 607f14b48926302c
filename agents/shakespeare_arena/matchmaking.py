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

from shakespeare_arena.games.seating import Match, circular_orders
from shakespeare_arena.ladders.ratings import Lead, ratings_and_fit
from shakespeare_arena.ladders.standings import (
    EQUAL_WITHIN,
    LEVEL,
    SOLO_EQUAL_WITHIN,
    solo_scores,
    verdict,
)
from shakespeare_arena.ladders.summaries import seat_rows

GROWTH = 1.5
"""The factor by which each round is larger than the one before.

Growing rounds keep the number of looks small. A look is an interim verdict on the games so far.
"""
_EVEN_SHARE = 0.2  # the share of all meetings that is spread evenly over all pairs
_EARLY_LOOKS = 10  # the first looks, which together get half of the level


@dataclass(frozen=True)
class Ladder:
    """The ladder at one number of seats after some rounds.

    Attributes:
        order: Digests, strongest first; those without games are last.
        open: The pairs whose order is open, the higher agent first, each with its weight in the
            next round. The weight begins as the information (1 / error²) that games must still add
            for a verdict, if the lead is as estimated. It is divided by the square of the distance
            between the two ranks, so that near neighbours meet most.
    """

    order: tuple[str, ...]
    open: dict[tuple[str, str], float]

    def undecided(self) -> list[tuple[str, str]]:
        """Return the pairs of neighbours on the ladder whose order is open."""
        return [pair for pair in itertools.pairwise(self.order) if pair in self.open]


def level_at_look(look: int, neighbours: int) -> float:
    """Return the significance level of each verdict at a look.

    With these levels, all verdicts at all looks are right together with probability 95 %.
    Looks that are repeated often enough find a lead by chance. So all looks, and at each look all
    pairs of neighbours, share the level `LEVEL` (union bound). Look k gets 10 / ((k + 9) (k + 10))
    of it; over all k this sums to 1.
    """
    share = _EARLY_LOOKS / ((look + _EARLY_LOOKS - 1) * (look + _EARLY_LOOKS))
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
    """Return a ladder for each number of seats, from the games with that many seats alone.

    Args:
        results: The games, `RESULTS`.
        agents: Digests of the agents on the ladders. Games of other agents still count in ratings.
        tables: Numbers of seats. The solo game's ladder ranks by mean score.
        look: The number of this look at the games, from 1.
        equal_within: Elo points; neighbours are equal if they surely differ by less.
        solo_equal_within: Points of mean score, the same bound for the solo game.
    """
    level = level_at_look(look, (len(agents) - 1) * len(tables))
    ladders = {}
    for players in tables:
        games = results.filter(pl.col("players") == players)
        is_solo = players == 1
        estimates = solo_scores(seat_rows(games)) if is_solo else ratings_and_fit(games)[0]
        within = solo_equal_within if is_solo else equal_within
        index = {digest: number for number, digest in enumerate(estimates.digests)}
        order = sorted(agents, key=lambda digest: index.get(digest, math.inf))
        weights = {}
        for (rank, first), (lower, second) in itertools.combinations(enumerate(order), 2):
            lead = Lead(math.nan, math.inf, 0)
            if first in index and second in index:
                lead = estimates.lead(index[first], index[second])
            if verdict(lead, level=level, equal_within=within) == "open":
                # Pairs that no games connect may turn out to be neighbours.
                apart = lower - rank if math.isfinite(lead.error) else 1
                missing = _missing_information(lead, level, within)
                weights[first, second] = missing / apart**2
        ladders[players] = Ladder(tuple(order), weights)
    return ladders


def _missing_information(lead: Lead, level: float, within: float) -> float:
    """Return the information that a verdict on a lead still needs.

    Information is 1 / error², with the standard error of the lead.
    """
    quantile = float(scipy.special.ndtri(1 - level / 2))
    if not math.isfinite(lead.error):  # no games connect the two
        return (quantile / within) ** 2
    if lead.error == 0:
        return 0.0
    # An interval gives a verdict if it excludes 0 or lies within the bound. This is half the width
    # of the widest interval around the lead that does. A tiny early lead may be luck, so a lead
    # counts as at least as large as its error.
    largest_half_width = max(math.hypot(lead.value, lead.error), within - abs(lead.value))
    needed = (quantile / largest_half_width) ** 2
    return max(needed - lead.error**-2, 0.0)


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
    information that a verdict on them still needs. In the solo game all agents play the same
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
        played = results.filter(pl.col("seed") == seed, pl.col("players") == players)
        if players == 1:
            planned += _solo_matches(played, ladder, agents, share)
        else:
            rng = np.random.default_rng([seed, number, players])
            # A match has as many games as seats, since its agents play all rotations.
            matches = max(1, round(share / players))
            lineups = _lineups(ladder, agents, players, matches, rng)
            planned += _seated_matches(played, lineups, players, seed)
    return planned


def _solo_matches(
    played: pl.DataFrame, ladder: Ladder, agents: Sequence[str], games: float
) -> list[Match]:
    next_deal = dict.fromkeys(agents, 0)
    by_agent = played.select("deal", pl.col("digests").list.first()).group_by("digests")
    next_deal |= dict(by_agent.agg(pl.col("deal").max() + 1).iter_rows())
    undecided = set(itertools.chain(*ladder.undecided()))
    active = [agent for agent in agents if agent in undecided] or list(agents)
    planned: list[Match] = []
    while len(planned) < games:
        deal = min(next_deal[agent] for agent in active)
        for agent in active:
            if next_deal[agent] == deal:
                planned.append(Match(1, deal, lineup=(agent,), rotations=(0,)))
                next_deal[agent] += 1
    return planned


def _lineups(
    ladder: Ladder, agents: Sequence[str], players: int, number: int, rng: np.random.Generator
) -> list[list[str]]:
    """Draw line-ups whose pairs meet about as often as wanted."""
    n = len(agents)
    wanted = _shares_of_meetings(ladder, agents) * number * players * (players - 1)
    # How often all agents fit at the table. Each of them first gets that many seats.
    full_sets = players // n
    lineups = []
    seats_held: Counter[int] = Counter()  # by agent, in the line-ups so far
    for _ in range(number):
        # Equal needs are served in random order.
        need = wanted + 1e-6 * rng.random((n, n))
        need = (need + need.T) * (1 - np.eye(n))
        seated: list[int] = list(range(n)) * full_sets
        if not seated:
            # The first two are the pair in most need of a meeting.
            first, second = divmod(int(np.triu(need, 1).argmax()), n)
            seated = [first, second]
        free = [int(i) for i in rng.permutation(n) if full_sets or i not in seated]
        while len(seated) < players:
            best = max(free, key=lambda i: (need[i, seated].sum(), -seats_held[i]))
            free.remove(best)
            seated.append(best)
        seats_held.update(seated)
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
    shares: NDArray[np.float64] = _EVEN_SHARE * even + (1 - _EVEN_SHARE) * weights / weights.sum()
    return shares


def _seated_matches(
    played: pl.DataFrame, lineups: Sequence[Sequence[str]], players: int, seed: int
) -> list[Match]:
    """Plan a match for each line-up. Agents that have met before sit in another order."""
    deal = int(played["deal"].max()) + 1 if len(played) else 0  # type: ignore[arg-type]
    sorted_lineups = played.select(pl.col("digests").list.sort()).to_series().to_list()
    games_of = Counter(map(tuple, sorted_lineups))  # games by the agents at the table
    planned: list[Match] = []
    for lineup in lineups:
        agents = tuple(sorted(lineup))
        cycle, which_order = divmod(games_of[agents] // players, len(circular_orders(agents)))
        games_of[agents] += players
        # A cycle plays all orders once. Each cycle shuffles the agents anew.
        text = " ".join([str(seed), str(cycle), *agents])
        rng = np.random.default_rng(int(hashlib.sha256(text.encode()).hexdigest(), 16))
        shuffled = [agents[i] for i in rng.permutation(players)]
        order = tuple(shuffled[i] for i in circular_orders(shuffled)[which_order])
        # Copies can make rotations equal. Those would repeat games, so more deals are played.
        distinct = next(
            rotation
            for rotation in range(1, players + 1)
            if order[rotation:] + order[:rotation] == order
        )
        for _ in range(players // distinct):
            planned.append(Match(players, deal, lineup=order, rotations=tuple(range(distinct))))
            deal += 1
    return planned
