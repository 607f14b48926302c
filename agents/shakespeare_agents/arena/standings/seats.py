"""Results by seat: one row per seat of a game, agents called by their labels."""

from __future__ import annotations

import polars as pl

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
