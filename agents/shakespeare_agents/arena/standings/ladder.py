"""Ladders: a table's agents by rating, with each one's lead over the next."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from shakespeare_agents.arena.standings.bootstrap import Ratings
from shakespeare_agents.arena.standings.standings import SCHEMAS
from shakespeare_agents.arena.standings.verdicts import Levels, Verdict, verdict, with_ranks
from shakespeare_agents.intervals import normal_interval


def ladders(
    rated: Mapping[int, Ratings],
    seats: pl.DataFrame,
    called: Mapping[str, str],
    *,
    levels: Levels,
    equal_within: float,
) -> pl.DataFrame:
    """The frame `Standings.ladder`.

    Args:
        rated: Ratings by number of seats, each by the games of that table alone.
        seats: The rows of `seats.seats`.
        called: Labels by digest.
        levels: How often one verdict may be wrong.
        equal_within: Elo points that count as equal.
    """
    played = seats.group_by("players", "digest").agg(
        games=pl.len().cast(pl.Int64),
        matches=pl.col("match").n_unique(),
        forfeits=pl.col("fault").is_not_null().sum().cast(pl.Int64),
    )
    rows: list[dict[str, Any]] = []
    for players, found in rated.items():
        here = played.filter(pl.col("players") == players)
        matches = dict(here.select("digest", "matches").iter_rows())
        own = _rows(found, matches, levels=levels, equal_within=equal_within)
        rows += [{"players": players, **row} for row in own]
    columns = {name: kind for name, kind in SCHEMAS["ladder"].items() if name in _RATED}
    return (
        pl.DataFrame(rows, schema=columns)
        .with_columns(agent=pl.col("digest").replace_strict(called, return_dtype=pl.String))
        .join(played, on=["players", "digest"], how="left", maintain_order="left")
    )


def _rows(
    rated: Ratings, matches: Mapping[str, int], *, levels: Levels, equal_within: float
) -> list[dict[str, Any]]:
    """The rows of a ladder, strongest first."""
    order = np.argsort(-rated.points, kind="stable").tolist()
    errors = rated.errors()
    rows: list[dict[str, Any]] = []
    for i in order:
        rating, error = float(rated.points[i]), float(errors[i])
        low, high = normal_interval(rating, error)
        rows.append({"digest": rated.digests[i], "rating": rating, "low": low, "high": high})

    def shown(i: int, below: int, level: float) -> Verdict:
        fewer = min(matches[rated.digests[i]], matches[rated.digests[below]])
        return verdict(*rated.lead(i, below), fewer, level=level, equal_within=equal_within)

    for row, (i, below) in zip(rows, itertools.pairwise(order), strict=False):
        row["verdict"] = shown(i, below, levels.neighbours)
        lead, error = rated.lead(i, below)
        if math.isfinite(error):
            row["lead"] = lead
            row["lead_low"], row["lead_high"] = normal_interval(lead, error)
    return with_ranks(
        rows,
        lambda first, second: shown(order[first], order[second], levels.pairs) == "stronger",
    )


_RATED = {
    *("players", "digest", "rank", "rating", "low", "high"),
    *("lead", "lead_low", "lead_high", "verdict"),
}


def mean_of_ladders(rated: Mapping[int, Ratings], called: Mapping[str, str]) -> pl.DataFrame:
    """The frame `Standings.combined`."""
    found = [ratings for ratings in rated.values() if not ratings.parts.any()]
    everywhere = set(called).intersection(*(ratings.digests for ratings in found))
    schema = SCHEMAS["combined"]
    if len(rated) < 2 or len(found) < len(rated) or not everywhere:
        return pl.DataFrame(schema=schema)
    digests = sorted(everywhere)
    n = len(digests)
    points, covariance = np.zeros(n), np.zeros((n, n))
    for ratings in found:
        here = [ratings.digests.index(digest) for digest in digests]
        points += ratings.points[here] / len(found)
        # Ladders have no match in common.
        covariance += ratings.covariance[np.ix_(here, here)] / len(found) ** 2
    errors = np.sqrt(np.diag(covariance).clip(0))
    rows = [
        (called[digests[i]], digests[i], float(points[i]), *normal_interval(points[i], errors[i]))
        for i in np.argsort(-points, kind="stable")
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")
