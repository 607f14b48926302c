"""Making standings from results."""

from __future__ import annotations

import polars as pl

from shakespeare_agents.arena.standings import figures, ladders
from shakespeare_agents.arena.standings.cycles import cycles
from shakespeare_agents.arena.standings.ratings import ratings
from shakespeare_agents.arena.standings.seats import labels, seats
from shakespeare_agents.arena.standings.standings import SCHEMAS, Standings
from shakespeare_agents.arena.standings.verdicts import EQUAL_WITHIN, SOLO_EQUAL_WITHIN, Levels


def standings_of(
    results: pl.DataFrame,
    *,
    seed: int = 0,
    equal_within: float = EQUAL_WITHIN,
    solo_equal_within: float = SOLO_EQUAL_WITHIN,
) -> Standings:
    """All that results say of their agents; docs/ratings.md lists what each figure assumes.

    Args:
        results: A row per game, in the columns `RESULTS`; no key twice.
        seed: The seed of the bootstrap; the same results and seed give the same standings.
        equal_within: Elo points that count as equal.
        solo_equal_within: Points of mean solo score that count as equal.
    """
    called = labels(results)
    rows = seats(results, called)
    several = results.filter(pl.col("players") > 1)["players"].unique().sort().to_list()
    rated = {
        players: ratings(results.filter(pl.col("players") == players), seed=seed)
        for players in several
    }
    alone = ladders.solo_scores(rows)
    levels = Levels.of([*(len(one.digests) for one in rated.values()), len(alone.digests)])
    ladder = ladders.ladders(rated, rows, levels=levels, equal_within=equal_within)
    solo = ladders.solo_ladder(alone, rows, levels=levels, equal_within=solo_equal_within)
    paired = figures.pairs(figures.meetings(rows), ladder)
    frames = {
        "ladder": ladder,
        "combined": ladders.mean_of_ladders(rated, called),
        "tables": figures.tables(rows),
        "pairs": paired,
        "cycles": cycles(paired),
        "scores": figures.score_counts(rows),
        "times": figures.times(rows),
        "seats": figures.seat_effects(rows),
        "deals": figures.deal_effects(rows),
        "solo": solo,
        "faults": figures.faults(rows),
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
