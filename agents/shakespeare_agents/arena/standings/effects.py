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
    """The frame `Standings.deals`, of games played to the end; null where it is unknown.

    Scores are taken less their agent's mean in the same line-up, which removes its opponents'
    strength; a line-up that met once is left out. The shares are covariances of different agents in
    different games of a deal, over the variance: at different seats the deal's effect on all, at
    the same seat also its effect on that seat. At two seats agents of different games and seats are
    always the same; alone at the table a deal has but one seat.
    """
    line_up = ["players", "line_up"]
    rows = seats.filter(~pl.col("forfeited")).with_columns(
        line_up=pl.col("agent").sort().str.join("\0").over("key")
    )
    rows = rows.with_columns(
        off=pl.col("score") - pl.col("score").mean().over(*line_up, "agent"),
        # Subtracting means of m deals shrinks a covariance by 1 - 1 / m.
        left=1 - 1 / pl.struct("seed", "deal").n_unique().over(line_up),
    ).filter(pl.col("left") > 0)
    deal = ["players", "seed", "deal"]
    of_deals = rows.group_by(deal).agg(pl.col("left").mean())
    kinds = {"game": ["key"], "seat": ["seat"], "agent": ["agent"], "both": ["seat", "agent"]}
    for kind, alike in kinds.items():
        of_deals = of_deals.join(_couples(rows, deal, alike, kind), on=deal)
    everything = rows.group_by(deal).agg(
        all_product=pl.col("off").sum() ** 2, all_couples=pl.len().cast(pl.Float64) ** 2
    )
    # Couples of one game, of one seat or of one agent do not count.
    at_a_seat = {part: pl.col(f"seat_{part}") - pl.col(f"both_{part}") for part in _PARTS}
    elsewhere = {
        part: pl.col(f"all_{part}")
        - pl.col(f"game_{part}")
        - pl.col(f"seat_{part}")
        - pl.col(f"agent_{part}")
        + pl.col(f"both_{part}")
        for part in _PARTS
    }
    sums = (
        of_deals.join(everything, on=deal)
        .group_by("players")
        .agg(
            seat_product=at_a_seat["product"].sum(),
            seat_couples=(at_a_seat["couples"] * pl.col("left")).sum(),
            other_product=elsewhere["product"].sum(),
            other_couples=(elsewhere["couples"] * pl.col("left")).sum(),
        )
    )
    variances = rows.group_by("players").agg(
        variance=(pl.col("off") ** 2).sum() / pl.col("left").sum()
    )
    matches = seats.group_by("players").agg(matches=pl.col("match").n_unique().cast(pl.Int64))
    found = matches.join(sums, on="players", how="left").join(variances, on="players", how="left")
    found = found.filter(pl.col("matches") >= FEWEST).join(
        matches, on=["players", "matches"], how="right"
    )
    at_seat = _share("seat")
    return found.sort("players").select(
        "players",
        "matches",
        score_share=pl.when(pl.col("players") == 1).then(at_seat).otherwise(_share("other")),
        seat_share=at_seat,
    )


_PARTS = ("product", "couples")
FEWEST = 30
"""The fewest matches; covariances of fewer are noise."""


def _couples(rows: pl.DataFrame, deal: list[str], alike: list[str], kind: str) -> pl.DataFrame:
    """Products and counts of couples of rows that share `alike`, by deal.

    Within a game (`key`) a row and itself are a couple; otherwise couples are of different games.
    """
    groups = rows.group_by(*deal, *alike).agg(
        sum=pl.col("off").sum(), squares=(pl.col("off") ** 2).sum(), size=pl.len().cast(pl.Float64)
    )
    own = kind != "game"
    return groups.group_by(deal).agg(
        (pl.col("sum") ** 2 - own * pl.col("squares")).sum().alias(f"{kind}_product"),
        (pl.col("size") ** 2 - own * pl.col("size")).sum().alias(f"{kind}_couples"),
    )


def _share(kind: str) -> pl.Expr:
    couples = pl.col(f"{kind}_couples")
    covariance = pl.when(couples > 0).then(pl.col(f"{kind}_product") / couples)
    variance = pl.when(pl.col("variance") > 0).then(pl.col("variance"))
    return (covariance / variance).clip(0, 1)
