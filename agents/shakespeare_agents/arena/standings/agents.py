"""Figures of single agents: by number of seats, scores, time, faults."""

from __future__ import annotations

import polars as pl

from shakespeare_agents.arena.standings import clusters

_AT = ["players", "digest", "agent"]


def tables(seats: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.tables` of the rows of `seats.seats`."""
    several = seats.filter(pl.col("players") > 1)
    rates = clusters.shares(several, _AT, "won").rename({"count": "games", "mean": "win_rate"})
    scored = clusters.means(several.filter(~pl.col("forfeited")), _AT, "score")
    scored = scored.select(*_AT, mean_score="mean", score_low="low", score_high="high")
    return (
        rates.with_columns(parity=1 / pl.col("players"))
        .join(scored, on=_AT, how="left")
        .sort("players", "win_rate", "digest", descending=[False, True, False])
    )


def score_counts(seats: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.scores`."""
    played = seats.filter(~pl.col("forfeited"))
    by = ["players", "agent", "score"]
    return played.group_by(by).agg(count=pl.len().cast(pl.Int64)).sort(by)


def times(seats: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.times`, the quickest first; agents that decided nothing are left out."""
    sums = seats.group_by(_AT).agg(pl.col("decisions", "seconds").sum())
    per_decision = clusters.means(
        seats.with_columns(milliseconds=1000 * pl.col("seconds")),
        _AT,
        "milliseconds",
        per="decisions",
    )
    return (
        sums.filter(pl.col("decisions") > 0)
        .join(per_decision.rename({"mean": "milliseconds"}), on=_AT)
        .sort("players", "milliseconds", "digest")
    )


def faults(seats: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.faults`."""
    found = seats.drop_nulls("fault").group_by("agent", "fault")
    counted = found.agg(count=pl.len().cast(pl.Int64), example=pl.col("fault_details").min())
    return counted.sort("agent", "fault")
