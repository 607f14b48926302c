"""What seats and deals decide."""

from __future__ import annotations

import polars as pl

from shakespeare_agents.arena.standings import clusters


def seat_effects(seats: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.seats`, of games played to the end at two seats or more."""
    played = seats.filter((pl.col("players") > 1) & ~pl.col("forfeited"))
    rates = clusters.shares(played, ["players", "seat"], "won")
    return rates.rename({"count": "games", "mean": "win_rate"}).with_columns(
        parity=1 / pl.col("players")
    )


def deal_effects(seats: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.deals`, of games played to the end; null without a deal played twice.

    Scores less their agent's mean: the covariance of different seats, or of the same seat, in
    different games of a deal over the variance. Alone at the table they are one thing: the
    covariance of different agents' games.
    """
    at = ["players", "agent"]
    off = seats.filter(~pl.col("forfeited")).with_columns(
        off=pl.col("score") - pl.col("score").mean().over(at)
    )
    deal = ["players", "seed", "deal"]
    games = off.group_by(*deal, "key").agg(sum=pl.col("off").sum(), size=pl.len())
    by_seat = off.group_by(*deal, "seat").agg(
        sum=pl.col("off").sum(), squares=(pl.col("off") ** 2).sum(), games=pl.len()
    )
    everywhere = games.group_by(deal).agg(
        product=pl.col("sum").sum() ** 2 - (pl.col("sum") ** 2).sum(),
        couples=pl.col("size").sum() ** 2 - (pl.col("size") ** 2).sum(),
    )
    same_seat = by_seat.group_by(deal).agg(
        seat_product=(pl.col("sum") ** 2 - pl.col("squares")).sum(),
        seat_couples=(pl.col("games") * (pl.col("games") - 1)).sum(),
    )
    variances = off.group_by("players").agg(
        variance=(pl.col("off") ** 2).mean(), matches=pl.col("match").n_unique().cast(pl.Int64)
    )
    covariances = (
        everywhere.join(same_seat, on=deal)
        .group_by("players")
        .agg(pl.col("product", "couples", "seat_product", "seat_couples").sum().cast(pl.Float64))
        .join(variances, on="players")
    )
    same, same_couples = pl.col("seat_product"), pl.col("seat_couples")
    seat_share = _share(same, same_couples)
    other_share = _share(pl.col("product") - same, pl.col("couples") - same_couples)
    return covariances.sort("players").select(
        pl.col("players"),
        pl.col("matches"),
        score_share=pl.when(pl.col("players") == 1).then(seat_share).otherwise(other_share),
        seat_share=seat_share,
    )


def _share(product: pl.Expr, couples: pl.Expr) -> pl.Expr:
    covariance = product / couples.replace(0.0, None)
    return (covariance / pl.col("variance").replace(0.0, None)).clip(0, 1)
