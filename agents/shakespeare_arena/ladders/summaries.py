"""Figures of agents and of pairs of agents as frames, with intervals clustered by match."""

from __future__ import annotations

import polars as pl

from shakespeare_arena.intervals import by_group, score_interval

# The columns of results that are lists with an entry per seat, and those kept in every row.
_BY_SEAT = ("agents", "digests", "scores", "places", "seconds", "decisions")
_KEPT = ("key", "match", "players", "seed", "deal")
_SHORTEST = 6  # the fewest characters of a digest in a label
_BY_AGENT = ["players", "digest", "agent"]


def labels(results: pl.DataFrame) -> dict[str, str]:
    """Return labels by digest: the newest name, plus the digest's start if agents share a name."""
    seen = results.select("agents", "digests").explode("agents", "digests")
    names = seen.group_by("digests", maintain_order=True).agg(pl.col("agents").last())
    labelled: dict[str, str] = {}
    for (name,), sharing in names.group_by("agents", maintain_order=True):
        digests = sharing["digests"].to_list()
        length = _SHORTEST
        while len({digest[:length] for digest in digests}) < len(digests):
            length += 1
        for digest in digests:
            labelled[digest] = name if len(digests) == 1 else f"{name} {digest[:length]}"
    return labelled


def seat_rows(results: pl.DataFrame) -> pl.DataFrame:
    """Return a row per seat of each game.

    Returns:
        The columns `key`, `match`, `players`, `seed`, `deal` as in the results; `seat`, `digest`,
        `agent` (its label), `score`, `place`, `seconds`, `decisions`; `won`, the share of the
        victory, 1/k for each of k winners; `forfeited`, whether the game was forfeited; `fault`
        and `fault_details` in the row of the seat that forfeited it.
    """
    columns = [*_KEPT, *_BY_SEAT, "forfeited_by", "fault", "fault_details"]
    rows = results.select(*columns, seat=pl.int_ranges("players", dtype=pl.Int64)).explode(
        *_BY_SEAT, "seat"
    )
    is_winner = pl.col("places") == 1
    is_guilty = pl.col("seat") == pl.col("forfeited_by")
    return rows.select(
        *_KEPT,
        "seat",
        digest="digests",
        agent=pl.col("digests").replace_strict(labels(results), return_dtype=pl.String),
        score=pl.col("scores").cast(pl.Int64),
        place=pl.col("places").cast(pl.Int64),
        seconds=pl.col("seconds").cast(pl.Float64),
        decisions=pl.col("decisions").cast(pl.Int64),
        won=is_winner.cast(pl.Float64) / is_winner.sum().over("key"),
        forfeited=pl.col("forfeited_by").is_not_null(),
        fault=pl.when(is_guilty).then("fault"),
        fault_details=pl.when(is_guilty).then("fault_details"),
    ).with_columns(pl.col("players").cast(pl.Int64))


def tables(rows: pl.DataFrame) -> pl.DataFrame:
    """Return `Standings.tables`: each agent's win rate and mean score, by number of seats.

    Args:
        rows: What `seat_rows` returns.
    """
    several = rows.filter(pl.col("players") > 1)
    rates = by_group(several, _BY_AGENT, "match", pl.col("won").sum(), pl.len(), score_interval)
    scored = several.filter(~pl.col("forfeited"))
    scored = by_group(scored, _BY_AGENT, "match", pl.col("score").sum(), pl.len())
    scored = scored.select(*_BY_AGENT, mean_score="mean", score_low="low", score_high="high")
    return (
        rates.rename({"rows": "games", "mean": "win_rate"})
        .join(scored, on=_BY_AGENT, how="left")
        .sort("players", "win_rate", "digest", descending=[False, True, False])
    )


def times(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the frame `Standings.times`, the quickest first, without agents that never decided."""
    timed = rows.filter(pl.col("decisions").sum().over(_BY_AGENT) > 0)
    sums = timed.group_by(_BY_AGENT).agg(pl.col("decisions", "seconds").sum())
    milliseconds = 1000 * pl.col("seconds").sum()
    means = by_group(timed, _BY_AGENT, "match", milliseconds, pl.col("decisions").sum())
    means = means.rename({"mean": "milliseconds"})
    return sums.join(means, on=_BY_AGENT).sort("players", "milliseconds", "digest")


def faults(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the frame `Standings.faults`."""
    lost = rows.drop_nulls("fault").group_by("agent", "fault")
    return lost.agg(count=pl.len(), example=pl.col("fault_details").min()).sort("agent", "fault")


def meetings(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a row for every two seats of a game held by different agents, in both orders.

    Returns:
        The columns `key`, `match`, `players`, `digest`, `agent`, `other_digest`, `other`, `ahead`
        (1, 0, or ½ for a tie) and `score_lead`. A forfeited game has only its loser's meetings, and
        their `score_lead` is null.
    """
    seats = ["key", "match", "players", "digest", "agent", "place", "score", "forfeited"]
    is_guilty = pl.col("fault").is_not_null()
    own = rows.filter(pl.col("players") > 1).select(*seats, guilty=is_guilty)
    others = own.select(
        "key",
        pl.col("agent").alias("other"),
        pl.col("digest", "place", "score", "guilty").name.prefix("other_"),
    )
    both = own.join(others, on="key").filter(pl.col("digest") != pl.col("other_digest"))
    both = both.filter(~pl.col("forfeited") | pl.col("guilty") | pl.col("other_guilty"))
    place = pl.col("place")
    other_place = pl.col("other_place")
    return both.select(
        "key",
        "match",
        "players",
        "digest",
        "agent",
        "other_digest",
        "other",
        ahead=(place < other_place) + 0.5 * (place == other_place),
        score_lead=pl.when(~pl.col("forfeited")).then(pl.col("score") - pl.col("other_score")),
    )


def pairs(rows: pl.DataFrame) -> pl.DataFrame:
    """Return how often each agent was ahead of each other one, by number of seats.

    The mean difference of their scores is returned beside it, as `score_lead`.
    """
    by = ["players", "digest", "agent", "other_digest", "other"]
    met = meetings(rows)
    ahead = by_group(met, by, "match", pl.col("ahead").sum(), pl.len(), score_interval)
    games = met.group_by(by).agg(games=pl.col("key").n_unique())
    leads = met.drop_nulls("score_lead")
    leads = by_group(leads, by, "match", pl.col("score_lead").sum(), pl.len())
    leads = leads.select(*by, score_lead="mean", score_low="low", score_high="high")
    ahead = ahead.rename({"mean": "ahead", "clusters": "matches"})
    return ahead.join(games, on=by).join(leads, on=by, how="left")
