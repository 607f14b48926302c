"""What an arena's results say: ratings and everything beside them, with 95 % intervals."""

from __future__ import annotations

from shakespeare_env.extras import needing

with needing("arena", "the arena needs"):
    import polars as pl

    from shakespeare_arena.standings import figures, ladders
    from shakespeare_arena.standings.fit import rated
    from shakespeare_arena.standings.frames import SCHEMAS, Standings
    from shakespeare_arena.standings.ladders import Levels

__all__ = ["Standings", "standings_of"]


def standings_of(results: pl.DataFrame) -> Standings:
    """All that results say of their agents; docs/ratings.md lists what each figure assumes.

    `results` has a row per game, in the columns `RESULTS`; no key twice.
    """
    called = figures.labels(results)
    rows = figures.seats(results, called)
    several = results.filter(pl.col("players") > 1)["players"].unique().sort().to_list()
    found = {players: rated(results.filter(pl.col("players") == players)) for players in several}
    ratings = {players: one.ratings for players, one in found.items()}
    fits = {players: one.fit for players, one in found.items()}
    alone = ladders.solo_scores(rows)
    levels = Levels.of([*(len(one.digests) for one in ratings.values()), len(alone.digests)])
    ladder = ladders.ladders(ratings, rows, levels)
    solo = ladders.solo_ladder(alone, rows, levels)
    paired = figures.pairs(figures.meetings(rows), ladder, {n: fit.z for n, fit in fits.items()})
    frames = {
        "ladder": ladder,
        "combined": ladders.mean_of_ladders(ratings, called),
        "fits": ladders.fits(fits),
        "tables": figures.tables(rows),
        "pairs": paired,
        "times": figures.times(rows),
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
