"""Figures of single agents: by number of seats, scores, time, faults."""

from __future__ import annotations

import polars as pl

from shakespeare_agents.arena.standings import clusters
from shakespeare_agents.arena.standings.bootstrap import Ratings, ratings
from shakespeare_agents.intervals import normal_interval

_AT = ["players", "digest", "agent"]


def tables(
    seats: pl.DataFrame, results: pl.DataFrame, rated: Ratings, *, seed: int
) -> pl.DataFrame:
    """The frame `Standings.tables`.

    Args:
        seats: The rows of `seats.seats`.
        results: The games.
        rated: Ratings by all of them.
        seed: Of the bootstrap.
    """
    several = seats.filter(pl.col("players") > 1)
    rates = clusters.shares(several, _AT, "won").rename({"count": "games", "mean": "win_rate"})
    scored = clusters.means(several.filter(~pl.col("forfeited")), _AT, "score")
    scored = scored.select(*_AT, mean_score="mean", score_low="low", score_high="high")
    rows = []
    sizes = rates["players"].unique(maintain_order=True).to_list()
    for players in sizes:
        games = results.filter(pl.col("players") == players)
        own = rated if len(sizes) == 1 else ratings(games, seed=seed)
        for digest, points, error in zip(own.digests, own.points, own.errors(), strict=True):
            figures = points, *normal_interval(points, error)
            rows.append((players, digest, *(figures if own.connected else (None,) * 3)))
    columns = ["rating", "rating_low", "rating_high"]
    schema = {"players": pl.Int64, "digest": pl.String, **dict.fromkeys(columns, pl.Float64)}
    return (
        rates.with_columns(parity=1 / pl.col("players"))
        .join(scored, on=_AT, how="left")
        .join(pl.DataFrame(rows, schema=schema, orient="row"), on=["players", "digest"], how="left")
        .sort("players", "win_rate", "digest", descending=[False, True, False])
    )


def score_counts(seats: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.scores`."""
    played = seats.filter(~pl.col("forfeited"))
    by = ["players", "agent", "score"]
    return played.group_by(by).agg(count=pl.len().cast(pl.Int64)).sort(by)


def times(seats: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.times`, the quickest first; agents that decided nothing are left out."""
    who = ["digest", "agent"]
    sums = seats.group_by(who).agg(pl.col("decisions", "seconds").sum())
    per_decision = clusters.means(
        seats.with_columns(milliseconds=1000 * pl.col("seconds")),
        who,
        "milliseconds",
        per="decisions",
    )
    return (
        sums.filter(pl.col("decisions") > 0)
        .join(per_decision.rename({"mean": "milliseconds"}), on=who)
        .sort("milliseconds", "digest")
    )


def faults(seats: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.faults`."""
    found = seats.drop_nulls("fault").group_by("agent", "fault")
    counted = found.agg(count=pl.len().cast(pl.Int64), example=pl.col("fault_details").min())
    return counted.sort("agent", "fault")
