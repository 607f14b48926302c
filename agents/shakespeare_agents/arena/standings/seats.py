"""Results by seat: one row per seat of a game, agents called by their labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from shakespeare_agents.intervals import clustered_mean, clustered_share, effective_games

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
    """Means of values from 0 to 1 by group (see `means`), and the games they are worth.

    `effective` is `intervals.effective_games`, null with a single match.
    """
    return _grouped(rows, by, pl.col(value), pl.len(), clustered_share, effective=effective_games)


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
    rows: pl.DataFrame,
    by: Sequence[str],
    value: pl.Expr,
    counts: pl.Expr,
    interval: _Interval,
    **more: Callable[[pl.Expr, pl.Expr], pl.Expr],
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
            **{name: pl.when(several).then(figure(*clusters)) for name, figure in more.items()},
        )
    )
