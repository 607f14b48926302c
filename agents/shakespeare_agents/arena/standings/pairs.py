"""Two agents at a time: who finished ahead, and by how much on the same deals; and cycles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from shakespeare_agents.arena.standings import clusters
from shakespeare_agents.arena.standings.plackett_luce import ELO
from shakespeare_agents.arena.standings.standings import SCHEMAS


def meetings(seats: pl.DataFrame) -> pl.DataFrame:
    """Every two seats of a game held by different agents, in both orders.

    Returns:
        `key`, `match`, `agent`, `other`, `ahead` (1, 0, or ½ for a tie) and `score_lead`. Of a
        forfeited game there are only the meetings with its loser, without a score.
    """
    seats = seats.filter(pl.col("players") > 1)
    mine = seats.select(
        "key", "match", "agent", "place", "score", "forfeited", guilty=pl.col("fault").is_not_null()
    )
    theirs = mine.select("key", *(pl.col(c).alias(f"other_{c}") for c in _COMPARED))
    both = mine.join(theirs, on="key").filter(pl.col("agent") != pl.col("other_agent"))
    both = both.filter(~pl.col("forfeited") | pl.col("guilty") | pl.col("other_guilty"))
    in_front = (pl.col("place") < pl.col("other_place")).cast(pl.Float64)
    tied = (pl.col("place") == pl.col("other_place")).cast(pl.Float64)
    return both.select(
        "key",
        "match",
        "agent",
        other="other_agent",
        ahead=in_front + 0.5 * tied,
        score_lead=pl.when(~pl.col("forfeited")).then(pl.col("score") - pl.col("other_score")),
    )


_COMPARED = ("agent", "place", "score", "guilty")


def pairs(met: pl.DataFrame, rating: Mapping[str, float]) -> pl.DataFrame:
    """The frame `Standings.pairs` of meetings, given the ratings by label."""
    by = ["agent", "other"]
    ahead = clusters.shares(met, by, "ahead")
    games = met.group_by(by).agg(games=pl.col("key").n_unique().cast(pl.Int64))
    leads = clusters.means(met.drop_nulls("score_lead"), by, "score_lead")
    rated = pl.DataFrame(
        list(rating.items()), schema={"agent": pl.String, "mine": pl.Float64}, orient="row"
    )
    lead = pl.col("mine") - pl.col("theirs")
    return (
        ahead.join(games, on=by)
        .join(
            leads.select(*by, score_lead="mean", score_low="low", score_high="high"),
            on=by,
            how="left",
        )
        .join(rated, on="agent")
        .join(rated.rename({"agent": "other", "mine": "theirs"}), on="other")
        .with_columns(expected=1 / (1 + (-lead / ELO).exp()))
        .rename({"mean": "ahead"})
        .sort(*by)
    )


def cycles(pairs: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.cycles`, the surest first, each once: from its label first by name."""
    half = 0.5
    ahead = {
        (row["agent"], row["other"]): (row["ahead"], row["low"])
        for row in pairs.iter_rows(named=True)
        if row["ahead"] > half
    }
    rows: list[dict[str, Any]] = []
    for first, second in ahead:
        for third in {other for agent, other in ahead if agent == second}:
            if (third, first) in ahead and first < min(second, third):
                sides = [ahead[side] for side in ((first, second), (second, third), (third, first))]
                low = min(half if end is None else end for _, end in sides)
                rows.append(
                    {
                        "first": first,
                        "second": second,
                        "third": third,
                        "weakest": min(share for share, _ in sides),
                        "low": low,
                        "significant": low > half,
                    }
                )
    surest = sorted(rows, key=lambda row: (-row["low"], row["first"], row["second"], row["third"]))
    return pl.DataFrame(surest, schema=SCHEMAS["cycles"])
