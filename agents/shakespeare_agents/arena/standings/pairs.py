"""Two agents at a table: who finished ahead, and by how much on the same deals."""

from __future__ import annotations

import polars as pl

from shakespeare_agents.arena.standings import clusters
from shakespeare_agents.arena.standings.plackett_luce import ELO


def meetings(seats: pl.DataFrame) -> pl.DataFrame:
    """Every two seats of a game held by different agents, in both orders.

    Returns:
        `key`, `match`, `players`, `agent`, `other`, `ahead` (1, 0, or ½ for a tie) and
        `score_lead`. Of a forfeited game there are only the meetings with its loser, without a
        score.
    """
    seats = seats.filter(pl.col("players") > 1)
    mine = seats.select(
        *("key", "match", "players", "agent", "place", "score", "forfeited"),
        guilty=pl.col("fault").is_not_null(),
    )
    theirs = mine.select("key", *(pl.col(c).alias(f"other_{c}") for c in _COMPARED))
    both = mine.join(theirs, on="key").filter(pl.col("agent") != pl.col("other_agent"))
    both = both.filter(~pl.col("forfeited") | pl.col("guilty") | pl.col("other_guilty"))
    in_front = (pl.col("place") < pl.col("other_place")).cast(pl.Float64)
    tied = (pl.col("place") == pl.col("other_place")).cast(pl.Float64)
    return both.select(
        "key",
        "match",
        "players",
        "agent",
        other="other_agent",
        ahead=in_front + 0.5 * tied,
        score_lead=pl.when(~pl.col("forfeited")).then(pl.col("score") - pl.col("other_score")),
    )


_COMPARED = ("agent", "place", "score", "guilty")


def pairs(met: pl.DataFrame, rated: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.pairs` of meetings, given the ratings: `players`, `agent`, `rating`."""
    by = ["players", "agent", "other"]
    ahead = clusters.shares(met, by, "ahead")
    games = met.group_by(by).agg(games=pl.col("key").n_unique().cast(pl.Int64))
    leads = clusters.means(met.drop_nulls("score_lead"), by, "score_lead")
    others = rated.select("players", other="agent", other_rating="rating")
    lead = pl.col("rating") - pl.col("other_rating")
    return (
        ahead.join(games, on=by)
        .join(
            leads.select(*by, score_lead="mean", score_low="low", score_high="high"),
            on=by,
            how="left",
        )
        .join(rated.select("players", "agent", "rating"), on=["players", "agent"])
        .join(others, on=["players", "other"])
        .with_columns(expected=1 / (1 + (-lead / ELO).exp()))
        .rename({"mean": "ahead"})
        .sort(*by)
    )
