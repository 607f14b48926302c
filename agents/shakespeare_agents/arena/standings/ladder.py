"""The ladder: agents by rating, and what is known of each one's lead over the next."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import polars as pl

from shakespeare_agents.arena.standings.bootstrap import Ratings
from shakespeare_agents.arena.standings.standings import SCHEMAS
from shakespeare_agents.arena.standings.verdicts import shared_level, verdict
from shakespeare_agents.intervals import normal_interval


def ladder(
    rated: Ratings,
    seats: pl.DataFrame,
    met: pl.DataFrame,
    called: Mapping[str, str],
    *,
    equal_within: float,
) -> pl.DataFrame:
    """The frame `Standings.ladder`, of ratings, seats and meetings."""
    order = np.argsort(-rated.points, kind="stable").tolist()
    several = seats.filter(pl.col("players") > 1)
    played = several.group_by("digest").agg(
        games=pl.len().cast(pl.Int64),
        matches=pl.col("match").n_unique(),
        wins=pl.col("won").mean(),
        forfeits=pl.col("fault").is_not_null().sum().cast(pl.Int64),
    )
    matches = dict(played.select("digest", "matches").iter_rows())
    level = shared_level(len(order) - 1)
    rows = []
    for i in order:
        rating, error = float(rated.points[i]), float(rated.errors()[i])
        low, high = normal_interval(rating, error)
        digest = rated.digests[i]
        rows.append(
            {"agent": called[digest], "digest": digest, "rating": rating, "low": low, "high": high}
        )
    for row, (i, below) in zip(rows, itertools.pairwise(order), strict=False):
        lead, error = rated.lead(i, below)
        fewer = min(matches[rated.digests[i]], matches[rated.digests[below]])
        low, high = normal_interval(lead, error)
        said = verdict(lead, error, fewer, level=level, equal_within=equal_within)
        row |= {"lead": lead, "lead_low": low, "lead_high": high, "verdict": said}
    ahead = met.group_by("agent").agg(pl.col("ahead").mean())
    columns = {name: kind for name, kind in SCHEMAS["ladder"].items() if name in _RATED}
    return (
        pl.DataFrame(rows, schema=columns)
        .join(played, on="digest", how="left", maintain_order="left")
        .join(ahead, on="agent", how="left", maintain_order="left")
    )


_RATED = {"agent", "digest", "rating", "low", "high", "lead", "lead_low", "lead_high", "verdict"}
