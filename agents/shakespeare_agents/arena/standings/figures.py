"""Figures of agents, pairs, seats and deals: frames of the standings."""

from __future__ import annotations

import polars as pl

from shakespeare_agents.arena.standings.plackett_luce import ELO
from shakespeare_agents.arena.standings.seats import means, shares


def seat_effects(seats: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.seats`, of games played to the end at two seats or more."""
    played = seats.filter((pl.col("players") > 1) & ~pl.col("forfeited"))
    rates = shares(played, ["players", "seat"], "won")
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
    deals = rows.group_by(_DEAL).agg(pl.col("left").mean())
    for kind, alike in _ALIKE.items():
        deals = deals.join(_couples(rows, kind, alike), on=_DEAL)
    sums = {}
    for part, weight in (("product", pl.lit(1.0)), ("couples", pl.col("left"))):
        of = {kind: pl.col(f"{kind}_{part}") for kind in _ALIKE}
        # Couples of one game, of one seat or of one agent do not count.
        elsewhere = of["all"] - of["game"] - of["seat"] - of["agent"] + of["both"]
        sums[f"seat_{part}"] = ((of["seat"] - of["both"]) * weight).sum()
        sums[f"other_{part}"] = (elsewhere * weight).sum()
    variances = rows.group_by("players").agg(
        variance=(pl.col("off") ** 2).sum() / pl.col("left").sum()
    )
    at_seat = _share("seat")
    return (
        seats.group_by("players")
        .agg(matches=pl.col("match").n_unique().cast(pl.Int64))
        .join(deals.group_by("players").agg(**sums), on="players", how="left")
        .join(variances, on="players", how="left")
        .sort("players")
        .select(
            "players",
            "matches",
            score_share=pl.when(pl.col("players") == 1).then(at_seat).otherwise(_share("other")),
            seat_share=at_seat,
        )
    )


FEWEST = 30
"""The fewest matches; covariances of fewer are noise."""
_DEAL = ["players", "seed", "deal"]
_ALIKE = {
    **{"all": [], "game": ["key"], "seat": ["seat"], "agent": ["agent"]},
    "both": ["seat", "agent"],
}
"""Kinds of couples of a deal's rows, by what the two share."""


def _couples(rows: pl.DataFrame, kind: str, alike: list[str]) -> pl.DataFrame:
    """Products and counts of couples of rows that share `alike`, by deal.

    A row and itself are a couple of the kinds `all` and `game`, and of no other.
    """
    groups = rows.group_by(*_DEAL, *alike).agg(
        sum=pl.col("off").sum(), squares=(pl.col("off") ** 2).sum(), size=pl.len().cast(pl.Float64)
    )
    own = kind not in ("all", "game")
    return groups.group_by(_DEAL).agg(
        (pl.col("sum") ** 2 - own * pl.col("squares")).sum().alias(f"{kind}_product"),
        (pl.col("size") ** 2 - own * pl.col("size")).sum().alias(f"{kind}_couples"),
    )


def _share(kind: str) -> pl.Expr:
    """The covariance of couples as a share of the variance; null where it is unknown."""
    couples, variance = pl.col(f"{kind}_couples"), pl.col("variance")
    known = (pl.col("matches") >= FEWEST) & (couples > 0) & (variance > 0)
    return pl.when(known).then((pl.col(f"{kind}_product") / couples / variance).clip(0, 1))


_AT = ["players", "digest", "agent"]


def tables(seats: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.tables` of the rows of `seats.seats`."""
    several = seats.filter(pl.col("players") > 1)
    rates = shares(several, _AT, "won").rename({"count": "games", "mean": "win_rate"})
    scored = means(several.filter(~pl.col("forfeited")), _AT, "score")
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
    per_decision = means(
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
    ahead = shares(met, by, "ahead")
    games = met.group_by(by).agg(games=pl.col("key").n_unique().cast(pl.Int64))
    leads = means(met.drop_nulls("score_lead"), by, "score_lead")
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
