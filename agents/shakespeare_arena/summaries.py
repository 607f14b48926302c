"""Figures of agents and pairs, with intervals clustered by match: frames of the standings."""

from __future__ import annotations

import polars as pl

from shakespeare_arena.intervals import by_group, score_interval

_BY_SEAT = ("agents", "digests", "scores", "places", "seconds", "decisions")
_KEPT = ("key", "match", "players", "seed", "deal")
_FEWEST = 6  # the fewest characters of a digest in a label
_AT = ["players", "digest", "agent"]


def labels(results: pl.DataFrame) -> dict[str, str]:
    """Labels by digest: the newest name, and the start of the digest where agents share it."""
    seen = results.select("agents", "digests").explode("agents", "digests")
    names = seen.group_by("digests", maintain_order=True).agg(pl.col("agents").last())
    labelled: dict[str, str] = {}
    for (name,), sharing in names.group_by("agents", maintain_order=True):
        digests = sharing["digests"].to_list()
        length = _FEWEST
        while len({digest[:length] for digest in digests}) < len(digests):
            length += 1
        for digest in digests:
            labelled[digest] = f"{name}" if len(digests) == 1 else f"{name} {digest[:length]}"
    return labelled


def seat_rows(results: pl.DataFrame) -> pl.DataFrame:
    """A row per seat of a game.

    Returns:
        `key`, `match`, `players`, `seed`, `deal` as in the results; `seat`, `digest`, `agent` (its
        label), `score`, `place`, `seconds`, `decisions`; `won`, the share of victory, a victory
        shared by k seats being 1/k of one each; `forfeited`, whether the game was; `fault` and
        `fault_details` in the row of the seat that did.
    """
    rows = results.select(
        *(*_KEPT, *_BY_SEAT, "forfeited_by", "fault", "fault_details"),
        seat=pl.int_ranges("players", dtype=pl.Int64),
    ).explode(*_BY_SEAT, "seat")
    first = pl.col("places") == 1
    guilty = pl.col("seat") == pl.col("forfeited_by")
    return rows.select(
        *_KEPT,
        "seat",
        digest="digests",
        agent=pl.col("digests").replace_strict(labels(results), return_dtype=pl.String),
        score=pl.col("scores").cast(pl.Int64),
        place=pl.col("places").cast(pl.Int64),
        seconds=pl.col("seconds").cast(pl.Float64),
        decisions=pl.col("decisions").cast(pl.Int64),
        won=first.cast(pl.Float64) / first.sum().over("key"),
        forfeited=pl.col("forfeited_by").is_not_null(),
        fault=pl.when(guilty).then("fault"),
        fault_details=pl.when(guilty).then("fault_details"),
    ).with_columns(pl.col("players").cast(pl.Int64))


def tables(rows: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.tables` of `seat_rows`."""
    several = rows.filter(pl.col("players") > 1)
    rates = by_group(several, _AT, "match", pl.col("won").sum(), pl.len(), score_interval)
    scored = several.filter(~pl.col("forfeited"))
    scored = by_group(scored, _AT, "match", pl.col("score").sum(), pl.len())
    scored = scored.select(*_AT, mean_score="mean", score_low="low", score_high="high")
    return (
        rates.rename({"rows": "games", "mean": "win_rate"})
        .join(scored, on=_AT, how="left")
        .sort("players", "win_rate", "digest", descending=[False, True, False])
    )


def times(rows: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.times`, the quickest first; agents that decided nothing are left out."""
    timed = rows.filter(pl.col("decisions").sum().over(_AT) > 0)
    sums = timed.group_by(_AT).agg(pl.col("decisions", "seconds").sum())
    taken, decisions = 1000 * pl.col("seconds").sum(), pl.col("decisions").sum()
    each = by_group(timed, _AT, "match", taken, decisions).rename({"mean": "milliseconds"})
    return sums.join(each, on=_AT).sort("players", "milliseconds", "digest")


def faults(rows: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.faults`."""
    lost = rows.drop_nulls("fault").group_by("agent", "fault")
    return lost.agg(count=pl.len(), example=pl.col("fault_details").min()).sort("agent", "fault")


def meetings(rows: pl.DataFrame) -> pl.DataFrame:
    """Every two seats of a game held by different agents, in both orders.

    Returns:
        `key`, `match`, `players`, `digest`, `agent`, `other_digest`, `other`, `ahead` (1, 0, or ½
        for a tie) and `score_lead`. Of a forfeited game there are only the meetings with its loser,
        without a score.
    """
    mine = rows.filter(pl.col("players") > 1).select(
        *("key", "match", "players", "digest", "agent", "place", "score", "forfeited"),
        guilty=pl.col("fault").is_not_null(),
    )
    theirs = mine.select(
        "key",
        pl.col("agent").alias("other"),
        pl.col("digest", "place", "score", "guilty").name.prefix("other_"),
    )
    both = mine.join(theirs, on="key").filter(pl.col("digest") != pl.col("other_digest"))
    both = both.filter(~pl.col("forfeited") | pl.col("guilty") | pl.col("other_guilty"))
    place, other = pl.col("place"), pl.col("other_place")
    return both.select(
        *("key", "match", "players", "digest", "agent", "other_digest", "other"),
        ahead=(place < other) + 0.5 * (place == other),
        score_lead=pl.when(~pl.col("forfeited")).then(pl.col("score") - pl.col("other_score")),
    )


def pairs(rows: pl.DataFrame) -> pl.DataFrame:
    """How often each agent was ahead of each other one, and by what score, by number of seats."""
    by, met = ["players", "digest", "agent", "other_digest", "other"], meetings(rows)
    ahead = by_group(met, by, "match", pl.col("ahead").sum(), pl.len(), score_interval)
    games = met.group_by(by).agg(games=pl.col("key").n_unique())
    leads = met.drop_nulls("score_lead")
    leads = by_group(leads, by, "match", pl.col("score_lead").sum(), pl.len())
    leads = leads.select(*by, score_lead="mean", score_low="low", score_high="high")
    ahead = ahead.rename({"mean": "ahead", "clusters": "matches"})
    return ahead.join(games, on=by).join(leads, on=by, how="left")
