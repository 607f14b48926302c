"""Figures of agents, pairs, seats, deals and cycles: frames of the standings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from shakespeare_arena.intervals import clustered_mean, clustered_share
from shakespeare_arena.standings.ratings import ELO

_BY_SEAT = ("agents", "digests", "scores", "places", "seconds", "decisions")
_FEWEST = 6
"""The fewest characters of a digest in a label."""


def labels(results: pl.DataFrame) -> dict[str, str]:
    """Labels by digest: the newest name, and the start of the digest where agents share it."""
    seen = results.select("agents", "digests").explode("agents", "digests")
    names = seen.group_by("digests", maintain_order=True).agg(pl.col("agents").last())
    called: dict[str, str] = {}
    for (name,), sharing in names.group_by("agents", maintain_order=True):
        digests = sharing["digests"].to_list()
        length = _FEWEST
        while len({digest[:length] for digest in digests}) < len(digests):
            length += 1
        for digest in digests:
            called[digest] = f"{name}" if len(digests) == 1 else f"{name} {digest[:length]}"
    return called


def seats(results: pl.DataFrame, called: dict[str, str]) -> pl.DataFrame:
    """A row per seat of a game.

    Returns:
        `key`, `match`, `players`, `seed`, `deal` as in the results; `seat`, `digest`, `agent` (its
        label), `score`, `place`, `seconds`, `decisions`; `won`, the share of victory, a victory
        shared by k seats being 1/k of one each; `forfeited`, whether the game was; `fault` and
        `fault_details` in the row of the seat that did.
    """
    kept = ["key", "match", "players", "seed", "deal"]
    rows = results.select(
        *kept,
        *_BY_SEAT,
        "forfeited_by",
        "fault",
        "fault_details",
        seat=pl.int_ranges("players", dtype=pl.Int64),
    ).explode(*_BY_SEAT, "seat")
    first = pl.col("places") == 1
    guilty = pl.col("seat") == pl.col("forfeited_by")
    return rows.select(
        *kept,
        "seat",
        digest="digests",
        agent=pl.col("digests").replace_strict(called, return_dtype=pl.String),
        score=pl.col("scores").cast(pl.Int64),
        place=pl.col("places").cast(pl.Int64),
        seconds=pl.col("seconds").cast(pl.Float64),
        decisions=pl.col("decisions").cast(pl.Int64),
        won=first.cast(pl.Float64) / first.sum().over("key"),
        forfeited=pl.col("forfeited_by").is_not_null(),
        fault=pl.when(guilty).then("fault"),
        fault_details=pl.when(guilty).then("fault_details"),
    ).with_columns(pl.col("players").cast(pl.Int64))


_Interval = Callable[[pl.Expr, pl.Expr], tuple[pl.Expr, pl.Expr, pl.Expr]]


def shares(rows: pl.DataFrame, by: Sequence[str], value: str) -> pl.DataFrame:
    """Means of values from 0 to 1 by group, as of `means`."""
    return _grouped(rows, by, pl.col(value), pl.len(), clustered_share)


def means(
    rows: pl.DataFrame, by: Sequence[str], value: str, *, per: str | None = None
) -> pl.DataFrame:
    """Means by group, or the sum of `value` over that of `per`; rows of one match may depend.

    Returns:
        A row per group, ascending: the columns of `by`, `count` (of rows), `matches`, `mean`, `low`
        and `high`, the ends null with a single match.
    """
    counts = pl.len() if per is None else pl.col(per).sum()
    return _grouped(rows, by, pl.col(value), counts, clustered_mean)


def _grouped(
    rows: pl.DataFrame, by: Sequence[str], value: pl.Expr, counts: pl.Expr, interval: _Interval
) -> pl.DataFrame:
    matches = rows.group_by(*by, "match").agg(sum=value.sum(), size=counts, count=pl.len())
    clusters = pl.col("sum"), pl.col("size").cast(pl.Float64)
    mean, low, high = interval(*clusters)
    several = pl.len() > 1
    return (
        matches.sort(*by, "match")
        .group_by(by, maintain_order=True)
        .agg(
            count=pl.col("count").sum().cast(pl.Int64),
            matches=pl.len().cast(pl.Int64),
            mean=mean,
            low=pl.when(several).then(low),
            high=pl.when(several).then(high),
        )
    )


_AT = ["players", "digest", "agent"]


def tables(seats: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.tables` of the rows of `seats.seats`."""
    several = seats.filter(pl.col("players") > 1)
    rates = shares(several, _AT, "won").rename({"count": "games", "mean": "win_rate"})
    scored = means(several.filter(~pl.col("forfeited")), _AT, "score")
    scored = scored.select(*_AT, mean_score="mean", score_low="low", score_high="high")
    return rates.join(scored, on=_AT, how="left").sort(
        "players", "win_rate", "digest", descending=[False, True, False]
    )


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


def pairs(met: pl.DataFrame, rated: pl.DataFrame, fits: Mapping[int, pl.DataFrame]) -> pl.DataFrame:
    """The frame `Standings.pairs` of meetings.

    Args:
        met: The meetings.
        rated: The ratings: `players`, `agent`, `rating`.
        fits: `Fit.z` by number of seats.
    """
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
        .join(_both_ways(fits), on=by, how="left")
        .with_columns(expected=1 / (1 + (-lead / ELO).exp()))
        .rename({"mean": "ahead"})
        .sort(*by)
    )


def _both_ways(fits: Mapping[int, pl.DataFrame]) -> pl.DataFrame:
    """`players`, `agent`, `other` and `z`, which the other one has with the other sign."""
    columns = "players", "agent", "other", "z"
    schema = {"players": pl.Int64, "agent": pl.String, "other": pl.String, "z": pl.Float64}
    found = [pl.DataFrame(schema=schema)]
    for players, z in fits.items():
        table = z.with_columns(players=pl.lit(players, pl.Int64))
        turned = table.with_columns(agent="other", other="agent", z=-pl.col("z"))
        found += [table.select(columns), turned.select(columns)]
    return pl.concat(found)
