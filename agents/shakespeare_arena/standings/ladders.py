"""Ladders: agents by strength, each one's lead over the next, and what it shows."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import polars as pl
import scipy.special
from numpy.typing import NDArray

from shakespeare_arena.intervals import mean_interval, student_interval
from shakespeare_arena.standings.fit import Fit
from shakespeare_arena.standings.frames import SCHEMAS
from shakespeare_arena.standings.ratings import Ratings

Verdict = Literal["stronger", "equal", "open"]

LEVEL = 0.05
"""The probability that any verdict on any ladder is wrong."""
EQUAL_WITHIN = 20.0
"""Elo points; a smaller lead counts as equal. 20 points are 52.9 % of meetings."""
SOLO_EQUAL_WITHIN = 0.25
"""Points of mean score; a smaller lead counts as equal."""
FEWEST_MATCHES = 10
"""The fewest matches for a verdict; intervals of fewer would not hold."""


def verdict(
    lead: float, error: float, matches: int, *, level: float, equal_within: float
) -> Verdict:
    """What a lead over an agent shows.

    Args:
        lead: The estimate.
        error: Its standard error.
        matches: The matches of the agent that has played fewer.
        level: The probability that this verdict is wrong.
        equal_within: The lead that counts as equal.
    """
    if matches < FEWEST_MATCHES or not math.isfinite(error):
        return "open"
    # Standard errors are estimates themselves, hence Student's t on their matches.
    half = error * float(scipy.special.stdtrit(matches - 1, 1 - level / 2))
    if lead - half > 0:
        return "stronger"
    return "equal" if -equal_within < lead - half and lead + half < equal_within else "open"


@dataclass(frozen=True)
class Levels:
    """How often each verdict may be wrong, by Bonferroni: over neighbours, and over all pairs.

    Attributes:
        neighbours: For two neighbours on one of the ladders.
        pairs: For any two of a ladder, which are chosen from many more.
    """

    neighbours: float
    pairs: float

    @classmethod
    def of(cls, ladders: Iterable[int]) -> Self:
        """The levels for finished ladders, given the number of agents on each."""
        agents = list(ladders)
        neighbours = sum(max(n - 1, 0) for n in agents)
        pairs = sum(n * (n - 1) // 2 for n in agents)
        return cls(LEVEL / max(neighbours, 1), LEVEL / max(pairs, 1))


def with_ranks(
    rows: list[dict[str, Any]], stronger: Callable[[int, int], bool]
) -> list[dict[str, Any]]:
    """A ladder's rows with their `rank`: one more than the agents that are surely stronger.

    An agent surely stronger than another is so than all below that one, and so are all above. A
    shared rank is written "3=".

    Args:
        rows: Strongest first, with their `verdict` over the next one.
        stronger: Whether the agent at the first place is shown to be stronger than the one at the
            second, which is further down than the next.
    """
    above = [0] * len(rows)
    for place in range(1, len(rows)):
        beside = rows[place - 1]["verdict"] == "stronger"
        shown = (other for other in range(place - 1) if stronger(other, place))
        surely = place if beside else max(shown, default=-1) + 1
        above[place] = max(above[place - 1], surely)
    for row, count in zip(rows, above, strict=True):
        row["rank"] = f"{count + 1}=" if above.count(count) > 1 else f"{count + 1}"
    return rows


Lead = Callable[[int, int], tuple[float, float, int]]
"""A lead of one agent over another, its standard error, and the matches that it rests on."""


@dataclass(frozen=True)
class SoloScores:
    """Scores of solo games by deal.

    Attributes:
        digests: The n agents, best first: each is no worse than the next on the deals of both.
        scores: float[d, n], NaN where an agent has not played a deal; a forfeited game counts 0.
    """

    digests: tuple[str, ...]
    scores: NDArray[np.float64]

    @property
    def behind(self) -> dict[str, float]:
        """A number for each agent, the lower the stronger."""
        return {digest: place for place, digest in enumerate(self.digests)}

    def lead(self, first: int, second: int) -> tuple[float, float, int]:
        """The mean difference on common deals, its standard error (NaN below two), their number."""
        found = self.scores[:, first] - self.scores[:, second]
        found = found[np.isfinite(found)]
        mean = float(found.mean()) if len(found) else math.nan
        error = float(found.std(ddof=1)) / math.sqrt(len(found)) if len(found) > 1 else math.nan
        return mean, error, len(found)


def solo_scores(seats: pl.DataFrame) -> SoloScores:
    """The scores of all solo games, given the rows of `seats.seats`."""
    alone = seats.filter(pl.col("players") == 1).with_columns(
        counted=pl.when(pl.col("forfeited")).then(0).otherwise("score").cast(pl.Float64)
    )
    if not len(alone):
        return SoloScores((), np.zeros((0, 0)))
    table = alone.group_by("digest", "seed", "deal").agg(pl.col("counted").mean())
    table = table.sort("digest", "seed", "deal")
    wide = table.pivot("digest", index=["seed", "deal"], values="counted")
    digests = wide.columns[2:]
    scores = wide.select(pl.col(digests).fill_null(math.nan)).to_numpy()
    unordered = SoloScores(tuple(digests), scores)

    def worse(first: int, second: int) -> int:
        lead, _, deals = unordered.lead(first, second)
        return -int(np.sign(lead)) if deals else 0

    means = np.array([np.nanmean(column) for column in scores.T])
    # A sort compares all that end up as neighbours, so no lead over the next is negative.
    best = np.argsort(-means, kind="stable").tolist()
    order = sorted(best, key=functools.cmp_to_key(worse))
    return SoloScores(tuple(digests[i] for i in order), scores[:, order])


def solo_ladder(found: SoloScores, seats: pl.DataFrame, levels: Levels) -> pl.DataFrame:
    """The frame `Standings.solo`; see `ladders`."""
    rows: list[dict[str, Any]] = []
    for digest, column in zip(found.digests, found.scores.T, strict=True):
        scores = column[np.isfinite(column)]
        mean, low, high = mean_interval(scores)
        median = float(np.median(scores))
        rows.append({"digest": digest, "mean": mean, "low": low, "high": high, "median": median})
    counts = (
        seats.filter(pl.col("players") == 1)
        .group_by("digest", "agent")
        .agg(
            deals=pl.struct("seed", "deal").n_unique().cast(pl.Int64),
            forfeits=pl.col("forfeited").sum().cast(pl.Int64),
        )
    )
    ladder = _ladder(rows, found.lead, levels, SOLO_EQUAL_WITHIN)
    return _framed("solo", ladder, counts, on=["digest"])


def ladders(rated: Mapping[int, Ratings], seats: pl.DataFrame, levels: Levels) -> pl.DataFrame:
    """The frame `Standings.ladder`.

    Args:
        rated: Ratings by number of seats, each by the games of that table alone.
        seats: The rows of `seats.seats`.
        levels: How often one verdict may be wrong.
    """
    played = seats.group_by("players", "digest", "agent").agg(
        games=pl.len().cast(pl.Int64), forfeits=pl.col("fault").is_not_null().sum().cast(pl.Int64)
    )
    rows: list[dict[str, Any]] = []
    for players, found in rated.items():
        order = np.argsort(-found.points, kind="stable").tolist()
        points, errors = found.points.tolist(), found.errors().tolist()
        matches = found.matches.tolist()
        here: list[dict[str, Any]] = []
        for i in order:
            low, high = student_interval(points[i], errors[i], matches[i])
            of_agent = {"players": players, "digest": found.digests[i], "rating": points[i]}
            here.append({**of_agent, "low": low, "high": high})

        def lead(
            one: int, other: int, found: Ratings = found, order: list[int] = order
        ) -> tuple[float, float, int]:
            return found.lead(order[one], order[other])

        rows += _ladder(here, lead, levels, EQUAL_WITHIN)
    return _framed("ladder", rows, played, on=["players", "digest"])


def _ladder(
    rows: list[dict[str, Any]], lead: Lead, levels: Levels, equal_within: float
) -> list[dict[str, Any]]:
    """The rows of a ladder, strongest first, with rank, lead over the next, and verdict on it."""

    def said(one: int, other: int, level: float) -> Verdict:
        return verdict(*lead(one, other), level=level, equal_within=equal_within)

    for place, row in enumerate(rows[:-1]):
        row["verdict"] = said(place, place + 1, levels.neighbours)
        ahead, error, matches = lead(place, place + 1)
        if math.isfinite(ahead):
            row["lead"] = ahead
        if math.isfinite(error):
            row["lead_low"], row["lead_high"] = student_interval(ahead, error, matches)
    return with_ranks(rows, lambda one, other: said(one, other, levels.pairs) == "stronger")


def _framed(
    name: str, rows: list[dict[str, Any]], more: pl.DataFrame, on: list[str]
) -> pl.DataFrame:
    """The frame of a ladder's rows, its other columns from `more`."""
    added = set(more.columns) - set(on)
    schema = {column: kind for column, kind in SCHEMAS[name].items() if column not in added}
    return pl.DataFrame(rows, schema=schema).join(more, on=on, how="left", maintain_order="left")


def fits(found: Mapping[int, Fit]) -> pl.DataFrame:
    """The frame `Standings.fits`."""
    rows = [
        (players, fit.z.height, fit.chi_square, fit.freedom, fit.p, fit.widening)
        for players, fit in found.items()
    ]
    return pl.DataFrame(rows, schema=SCHEMAS["fits"], orient="row")


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
    fewest = np.full(n, np.iinfo(np.int64).max)
    for ratings in found:
        here = [ratings.digests.index(digest) for digest in digests]
        points += ratings.points[here] / len(found)
        # Ladders have no match in common.
        covariance += ratings.covariance[np.ix_(here, here)] / len(found) ** 2
        fewest = np.minimum(fewest, ratings.matches[here])
    errors = np.sqrt(np.diag(covariance).clip(0))
    rows = [
        (
            called[digests[i]],
            digests[i],
            points[i],
            *student_interval(points[i], errors[i], fewest[i]),
        )
        for i in np.argsort(-points, kind="stable")
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")
