"""Simulated results of agents of known strengths, for tests of an arena's statistics."""

import hashlib
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from shakespeare_arena.games.seating import Match
from shakespeare_env.datasets.frames import RESULTS, frame

ELO = 400 / math.log(10)
"""Elo points in a unit of the logistic distribution."""


def digest_of(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def plan(names: Sequence[str], players: int, matches: int, seed: int) -> list[Match]:
    """Draw the line-ups of matches, with copies only if there are too few agents.

    In the solo game every agent plays `matches` deals.
    """
    rng = np.random.default_rng(seed)
    digests = [digest_of(name) for name in names]
    rotations = tuple(range(players))
    if players == 1:
        return [
            Match(1, deal, (digest,), rotations) for deal in range(matches) for digest in digests
        ]
    planned = []
    for deal in range(matches):
        lineup = [digests[i] for i in rng.permutation(len(digests))][:players]
        pool = digests * math.ceil(players / len(digests))
        copies = rng.choice(pool, players - len(lineup), replace=False)
        planned.append(Match(players, deal, (*lineup, *map(str, copies)), rotations))
    return planned


def played(
    matches: Iterable[Match],
    strengths: Mapping[str, float],
    *,
    seed: int = 0,
    points: float = 5.0,
    deal_luck: float = 2.0,
    seat_luck: float = 0.0,
    forfeits: Mapping[str, float] | None = None,
) -> pl.DataFrame:
    """Simulate the games of matches, in the columns `RESULTS`.

    Without `seat_luck`, ties and forfeits, finishing orders follow a Plackett-Luce model exactly.

    Args:
        matches: The matches.
        strengths: Elo points by name.
        seed: Decides everything.
        points: Points of score per 174 Elo points. The fewer, the more ties.
        deal_luck: The standard deviation of the points that a deal gives to all seats.
        seat_luck: The standard deviation of a seat's luck in a deal, in units of 174 Elo points.
        forfeits: The chance of a forfeit in a game, by name.
    """
    rng = np.random.default_rng([seed, 1])
    names = {digest_of(name): name for name in strengths}
    slowness = {digest: 0.5 * (1 + i) for i, digest in enumerate(names)}
    rows: dict[str, list[object]] = {name: [] for name in RESULTS}
    for match in matches:
        luck = seat_luck * rng.standard_normal(match.players)
        identity = f"{seed}-{match.players}-{match.deal}-{'-'.join(match.lineup)}"
        level = 12 + deal_luck * np.random.default_rng([seed, match.deal]).standard_normal()
        for rotation in match.rotations:
            digests = [match.lineup[(s - rotation) % match.players] for s in range(match.players)]
            agents = [names[digest] for digest in digests]
            skill = np.array([strengths[agent] for agent in agents]) / ELO
            scores = np.rint(level + points * (skill + luck + rng.gumbel(size=match.players)))
            chances = [(forfeits or {}).get(agent, 0.0) for agent in agents]
            faulty = np.flatnonzero(rng.random(match.players) < chances)
            decisions = rng.integers(10, 30, match.players)
            pace = np.array([slowness[digest] for digest in digests]) / 1000
            values = {
                "key": digest_of(f"{identity}-{rotation}"),
                "match": digest_of(identity),
                "game": "figaro",
                "box_digest": "b0",
                "package_version": "0.1.0",
                "variants": [],
                "players": match.players,
                "seed": seed,
                "deal": match.deal,
                "rotation": rotation,
                "agents": agents,
                "digests": digests,
                "scores": scores.astype(int).tolist(),
                "places": [1 + int((scores > score).sum()) for score in scores],
                "forfeited_by": None,
                "fault": None,
                "fault_details": None,
                "seconds": (decisions * pace * rng.gamma(20, 1 / 20, match.players)).tolist(),
                "decisions": decisions.tolist(),
                "actions": rng.integers(0, 50, decisions.sum()).tolist(),
                "values": None,
            }
            if len(faulty):
                loser = int(faulty[0])
                values |= {
                    "places": [match.players if s == loser else 1 for s in range(match.players)],
                    "forfeited_by": loser,
                    "fault": ("crash", "time", "illegal")[int(rng.integers(3))],
                    "fault_details": f"{agents[loser]} failed",
                }
            for column, value in values.items():
                rows[column].append(value)
    return frame(RESULTS, rows)


def simulated(
    strengths: Mapping[str, float],
    *,
    tables: Sequence[int] = (4,),
    matches: int = 100,
    seed: int = 0,
    **options: Any,
) -> pl.DataFrame:
    """Simulate matches at each table between agents drawn at random (see `plan` and `played`)."""
    plans = (plan(list(strengths), players, matches, seed) for players in tables)
    return played(itertools.chain(*plans), strengths, seed=seed, **options)
