"""From results to standings."""

from __future__ import annotations

import polars as pl

from shakespeare_agents.arena.standings.agents import faults, score_counts, tables, times
from shakespeare_agents.arena.standings.bootstrap import ratings
from shakespeare_agents.arena.standings.effects import deal_effects, seat_effects
from shakespeare_agents.arena.standings.ladder import ladder
from shakespeare_agents.arena.standings.pairs import cycles, meetings, pairs
from shakespeare_agents.arena.standings.seats import labels, seats
from shakespeare_agents.arena.standings.solo import solo_ladder, solo_scores
from shakespeare_agents.arena.standings.standings import SCHEMAS, Standings
from shakespeare_agents.arena.standings.verdicts import EQUAL_WITHIN, SOLO_EQUAL_WITHIN


def standings_of(
    results: pl.DataFrame,
    *,
    seed: int = 0,
    equal_within: float = EQUAL_WITHIN,
    solo_equal_within: float = SOLO_EQUAL_WITHIN,
) -> Standings:
    """All that results say of their agents; docs/ratings.md tells what each figure assumes.

    Args:
        results: A row per game, in the columns `RESULTS`; no key twice.
        seed: Of the bootstrap; the same results and seed give the same standings.
        equal_within: Elo points that count as equal.
        solo_equal_within: Points of mean solo score, likewise.
    """
    called = labels(results)
    rows = seats(results, called)
    met = meetings(rows)
    rated = ratings(results, seed=seed)
    of_agents = {called[d]: float(p) for d, p in zip(rated.digests, rated.points, strict=True)}
    paired = pairs(met, of_agents)
    frames = {
        "ladder": ladder(rated, rows, met, called, equal_within=equal_within),
        "tables": tables(rows, results, rated, seed=seed),
        "pairs": paired,
        "cycles": cycles(paired),
        "scores": score_counts(rows),
        "times": times(rows),
        "seats": seat_effects(rows),
        "deals": deal_effects(rows),
        "solo": solo_ladder(solo_scores(rows), rows, equal_within=solo_equal_within),
        "faults": faults(rows),
    }
    return Standings(
        game=results["game"][0] if len(results) else "",
        games=len(results),
        matches=results["match"].n_unique(),
        **{
            name: frame.select(pl.col(column).cast(kind) for column, kind in SCHEMAS[name].items())
            for name, frame in frames.items()
        },
    )
