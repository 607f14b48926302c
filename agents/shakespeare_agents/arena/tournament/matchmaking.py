"""The choice of agents that meet: what is least known is played most."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_agents.arena.games.seat_orders import circular_orders
from shakespeare_agents.arena.games.seating import Match
from shakespeare_agents.arena.tournament.settling import Ladder

GROWTH = 1.5
"""The factor by which each round is larger than the one before, so that looks stay few."""
_EVENLY = 0.2
"""The part of all meetings that is spread over all pairs alike."""


def round_games(number: int, first: int) -> int:
    """The number of games in a round: `first` in round 0, half as many again in each later one."""
    return round(first * GROWTH**number)


def plan_round(
    results: pl.DataFrame,
    ladders: Mapping[int, Ladder],
    *,
    agents: Sequence[str],
    seed: int,
    number: int,
    games: int,
    rotations: int | None = None,
) -> list[Match]:
    """The matches of a round, the same for the same arguments.

    Games are shared out evenly among the tables. At two seats or more a part of the meetings is
    spread over all pairs; the others go to pairs whose order is open, by the information that a
    verdict on them still takes (`settling.Comparison.missing`). Alone at the table all agents play
    the same deals; those with open neighbours play more of them. Each table has a ladder of its
    own; one that is settled leaves its games to the others.

    Args:
        results: All games so far.
        ladders: What they say (`settling.look_at`), by numbers of players, 1 for solo games.
        agents: Digests of those that play.
        seed: The seed of the field's deals.
        number: The number of the round, from 0.
        games: The approximate number of games.
        rotations: Rotations per deal, None for all. The deals of the same agents go on through
            orders and rotations, so that everyone sits everywhere, and behind everyone, equally
            often.

    Raises:
        ValueError: there is one agent for a table of several seats.
    """
    if len(agents) < 2 and max(ladders) > 1:
        raise ValueError(
            f"a table of {max(ladders)} needs two different agents, the field has {len(agents)}; "
            "add one, or play solo: tables = [1]"
        )
    mine = results.filter(pl.col("seed") == seed)
    undecided = {players: ladder for players, ladder in ladders.items() if ladder.undecided()}
    planned = []
    for players, ladder in (undecided or ladders).items():
        share = games / len(undecided or ladders)
        here = mine.filter(pl.col("players") == players)
        if players == 1:
            planned += _solo(here, ladder, agents, share)
        else:
            rng = np.random.default_rng([seed, number, players])
            each = min(rotations or players, players)
            lineups = _lineups(ladder, agents, players, max(1, round(share / each)), rng)
            planned += _seated(here, lineups, players, each, seed)
    return planned


def _solo(here: pl.DataFrame, known: Ladder, agents: Sequence[str], games: float) -> list[Match]:
    """The next deals of agents with an open neighbour, those who are behind first."""
    played = here.select("deal", pl.col("digests").list.first())
    # Deals are played in order, so an agent's count of deals is the number of its next one.
    following = Counter(dict.fromkeys(agents, 0))
    for digest, deals in played.group_by("digests").agg(pl.col("deal").max() + 1).iter_rows():
        following[digest] = deals
    undecided = {agent for pair in known.undecided() for agent in (pair.first, pair.second)}
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
    known: Ladder, agents: Sequence[str], players: int, number: int, rng: np.random.Generator
) -> list[list[str]]:
    """Line-ups of the pairs that are furthest from their share of meetings."""
    n = len(agents)
    wanted = _wanted(known, agents) * number * players * (players - 1)
    full = players // n
    lineups = []
    held: Counter[int] = Counter()
    for _ in range(number):
        # Equal needs are served in random order.
        need = wanted + 1e-6 * rng.random((n, n))
        need = (need + need.T) * (1 - np.eye(n))
        seated: list[int] = list(range(n)) * full
        if not seated:
            seated = [*divmod(int(np.triu(need, 1).argmax()), n)]
        free = [int(i) for i in rng.permutation(n) if full or i not in seated]
        while len(seated) < players:
            best = max(free, key=lambda i: (need[i, seated].sum(), -held[i]))
            free.remove(best)
            seated.append(best)
        held.update(seated)
        for one, other in itertools.permutations(seated, 2):
            if one != other:
                wanted[one, other] -= 1
        lineups.append([agents[i] for i in seated])
    return lineups


def _wanted(known: Ladder, agents: Sequence[str]) -> NDArray[np.float64]:
    """Shares of the round's meetings, float[n, n], symmetric, their sum 1."""
    n = len(agents)
    even = (1 - np.eye(n)) / (n * (n - 1))
    missing = np.zeros((n, n))
    at = {agent: i for i, agent in enumerate(agents)}
    rank = {agent: i for i, agent in enumerate(known.order)}
    for (first, second), pair in known.pairs.items():
        # Pairs further apart, or that have never met, may turn out to be neighbours.
        apart = 1 if math.isinf(pair.error) else rank[second] - rank[first]
        i, j = at[first], at[second]
        missing[i, j] = missing[j, i] = pair.missing / apart**2
    if not missing.any():
        return even
    shares: NDArray[np.float64] = _EVENLY * even + (1 - _EVENLY) * missing / missing.sum()
    return shares


def _seated(
    here: pl.DataFrame, lineups: Sequence[Sequence[str]], players: int, each: int, seed: int
) -> list[Match]:
    """Deals and rotations for the line-ups."""
    deal = 0 if not len(here) else int(here["deal"].max()) + 1  # type: ignore[arg-type]
    before = here.unique("match").select(pl.col("digests").list.sort()).to_series().to_list()
    met = Counter(map(tuple, before))
    period = players // math.gcd(each, players)
    planned = []
    for number, lineup in enumerate(lineups, deal):
        company = tuple(sorted(lineup))
        step, phase = divmod(met[company], period)
        turn, which = divmod(step, len(circular_orders(company)))
        met[company] += 1
        # When everyone has sat everywhere the order changes; after the last all change places.
        text = " ".join([str(seed), str(turn), *company])
        drawn = np.random.default_rng(int(hashlib.sha256(text.encode()).hexdigest(), 16))
        mixed = [company[i] for i in drawn.permutation(players)]
        around = tuple(mixed[i] for i in circular_orders(mixed)[which])
        start = phase * each
        turns = sorted((start + r) % players for r in range(each))
        planned.append(Match(players, number, around, tuple(turns)))
    return planned
