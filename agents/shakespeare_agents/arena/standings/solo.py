"""Solo games: mean scores, compared on the deals that two agents have both played."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_agents.arena.standings.standings import SCHEMAS
from shakespeare_agents.arena.standings.verdicts import Levels, Verdict, verdict, with_ranks
from shakespeare_agents.intervals import mean_interval, normal_interval


@dataclass(frozen=True)
class SoloScores:
    """Scores by deal.

    Attributes:
        digests: The n agents, best first: each is no worse than the next on the deals of both.
        scores: float[d, n], NaN where an agent has not played a deal; a forfeited game counts 0.
    """

    digests: tuple[str, ...]
    scores: NDArray[np.float64]

    def deals(self, agent: int) -> int:
        """The number of deals that an agent has played."""
        return int(np.isfinite(self.scores[:, agent]).sum())

    def lead(self, first: int, second: int) -> tuple[float, float, int]:
        """The mean difference on common deals, its standard error (NaN below two), their number."""
        found = self.scores[:, first] - self.scores[:, second]
        found = found[np.isfinite(found)]
        mean = float(found.mean()) if len(found) else math.nan
        error = float(found.std(ddof=1)) / math.sqrt(len(found)) if len(found) > 1 else math.nan
        return mean, error, len(found)


def solo_scores(seats: pl.DataFrame) -> SoloScores:
    """The scores of all solo games."""
    alone = seats.filter(pl.col("players") == 1).with_columns(
        counted=pl.when(pl.col("forfeited")).then(0).otherwise("score").cast(pl.Float64)
    )
    if not len(alone):
        return SoloScores((), np.zeros((0, 0)))
    table = alone.group_by("digest", "seed", "deal").agg(pl.col("counted").mean())
    table = table.sort("digest", "seed", "deal")
    wide = table.pivot("digest", index=["seed", "deal"], values="counted")
    digests = wide.columns[2:]
    unordered = SoloScores(
        tuple(digests), wide.select(pl.col(digests).fill_null(math.nan)).to_numpy()
    )

    def worse(first: int, second: int) -> int:
        lead, _, deals = unordered.lead(first, second)
        return -int(np.sign(lead)) if deals else 0

    means = np.array([np.nanmean(column) for column in unordered.scores.T])
    # A sort compares all that end up as neighbours, so no lead over the next is negative.
    best = np.argsort(-means, kind="stable").tolist()
    order = sorted(best, key=functools.cmp_to_key(worse))
    return SoloScores(tuple(digests[i] for i in order), unordered.scores[:, order])


def solo_ladder(
    found: SoloScores, seats: pl.DataFrame, *, levels: Levels, equal_within: float
) -> pl.DataFrame:
    """The frame `Standings.solo`; see `ladder.ladders`."""
    rows: list[dict[str, Any]] = []
    for i, digest in enumerate(found.digests):
        scores = found.scores[np.isfinite(found.scores[:, i]), i]
        mean, low, high = mean_interval(scores)
        median = float(np.median(scores))
        rows.append({"digest": digest, "mean": mean, "low": low, "high": high, "median": median})

    def shown(i: int, below: int, level: float) -> Verdict:
        return verdict(*found.lead(i, below), level=level, equal_within=equal_within)

    for row, (i, below) in zip(rows, itertools.pairwise(range(len(rows))), strict=False):
        row["verdict"] = shown(i, below, levels.neighbours)
        lead, error, deals = found.lead(i, below)
        if deals:
            row["lead"] = lead
        if deals > 1:
            row["lead_low"], row["lead_high"] = normal_interval(lead, error)
    columns = {name: kind for name, kind in SCHEMAS["solo"].items() if name not in _COUNTED}
    counts = (
        seats.filter(pl.col("players") == 1)
        .group_by("digest", "agent")
        .agg(
            deals=pl.struct("seed", "deal").n_unique().cast(pl.Int64),
            forfeits=pl.col("forfeited").sum().cast(pl.Int64),
        )
    )
    ranked = with_ranks(rows, lambda i, below: shown(i, below, levels.pairs) == "stronger")
    ladder = pl.DataFrame(ranked, schema=columns)
    return ladder.join(counts, on="digest", how="left", maintain_order="left")


_COUNTED = {"agent", "deals", "forfeits"}
