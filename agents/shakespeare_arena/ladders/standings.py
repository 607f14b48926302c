"""Ladders, pairings and timings computed from results, with 95 % intervals."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from shakespeare_env.extras import requires_extra

with requires_extra("arena", "the arena needs"):
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from shakespeare_arena.intervals import (
        mean_error,
        mean_interval,
        student_interval,
        student_quantile,
    )
    from shakespeare_arena.ladders import summaries
    from shakespeare_arena.ladders.ratings import Lead, Ratings, ratings_and_fit
    from shakespeare_env.datasets.frames import check_unique

Verdict = Literal["stronger", "equal", "open"]

LEVEL = 0.05
"""The probability that at least one verdict on all ladders is wrong."""
EQUAL_WITHIN = 20.0
"""Elo points; a smaller lead counts as equal. A lead of 20 wins 52.9 % of meetings."""
SOLO_EQUAL_WITHIN = 0.25
"""Points of mean score; a smaller lead counts as equal."""
FEWEST_MATCHES = 10
"""The fewest matches for a verdict; intervals of fewer would not hold."""


@dataclass(frozen=True)
class Standings:
    """Ladders, pairings and timings of the agents of some results, as frames.

    Intervals are 95 %, and shares run from 0 to 1. `low` and `high` are an interval's ends, null if
    there are too few games for one. Agents are distinguished by `digest` and shown by their label
    `agent`; frames without a digest use labels. Frames without data are empty. `SCHEMAS` lists
    their columns.

    Attributes:
        games: The number of games, solo games among them.
        matches: The number of matches, which intervals count as independent.
        ladder: A ladder for each number of seats from two on, from the games with that many seats
            alone, strongest first. `rank` is "3=" if agents share it, since no verdict says which
            one is stronger. `rating` is in Elo points; the mean of the middle half of a ladder's
            agents is 0. `lead` is over the next agent, null if no games connect the two. The
            `verdict` on it is "stronger" (its interval, adjusted for the number of neighbours on
            all ladders, lies above 0), "equal" (it lies within `EQUAL_WITHIN`) or "open".
            `forfeits` counts games lost by faults.
        fits: A row per number of seats: how well one number per agent explains who finished ahead
            of whom. `chi_square` is over `compared` pairs, with its degrees of `freedom` and `p`.
            `widening` is the factor of all intervals of ratings. It is above 1 if p < 1 %, since
            the model is then taken to be false.
        tables: Agents by number of seats: share of the victory, mean score.
        pairs: Ordered pairs that met, by number of seats: how often `agent` finished `ahead` of
            `other`; the share `expected` by the ratings at that number of seats; `z`, the
            difference of these two shares in standard errors (null if either order is expected
            less than once); and the mean difference of their scores on the same deals.
        times: Agents by number of seats: decisions, and the time they took; intervals over matches.
        solo: Agents of solo games, best first, with their `lead` over the next one on the deals
            that both played.
        faults: Counts of forfeited games by agent and kind of fault, with the details of one.
    """

    games: int
    matches: int
    ladder: pl.DataFrame
    fits: pl.DataFrame
    tables: pl.DataFrame
    pairs: pl.DataFrame
    times: pl.DataFrame
    solo: pl.DataFrame
    faults: pl.DataFrame

    def ladders(self) -> dict[int, pl.DataFrame]:
        """Return the rows of `ladder` by number of seats."""
        seats = self.ladder["players"].unique(maintain_order=True)
        return {players: self.ladder.filter(pl.col("players") == players) for players in seats}

    @property
    def misfit(self) -> bool:
        """Whether, at some number of seats, ratings do not explain who finished ahead of whom."""
        return bool((self.fits["widening"] > 1).any())

    def milliseconds(self, players: int) -> dict[str, float]:
        """Return the milliseconds a decision of each agent timed at this number of seats."""
        timed = self.times.filter(pl.col("players") == players)
        return dict(timed.select("agent", "milliseconds").iter_rows())


Types = dict[str, type[pl.DataType]]
"""The types of a frame's columns, by name."""

_COUNT = pl.Int64
_TEXT = pl.String
_REAL = pl.Float64
_LEAD: Types = {"lead": _REAL, "lead_low": _REAL, "lead_high": _REAL, "verdict": _TEXT}
_INTERVAL: Types = {"low": _REAL, "high": _REAL}
SCHEMAS: dict[str, Types] = {
    "ladder": {
        "players": _COUNT,
        "rank": _TEXT,
        "agent": _TEXT,
        "digest": _TEXT,
        "games": _COUNT,
        "rating": _REAL,
        **_INTERVAL,
        **_LEAD,
        "forfeits": _COUNT,
    },
    "fits": {
        "players": _COUNT,
        "compared": _COUNT,
        "chi_square": _REAL,
        "freedom": _COUNT,
        "p": _REAL,
        "widening": _REAL,
    },
    "tables": {
        "players": _COUNT,
        "agent": _TEXT,
        "digest": _TEXT,
        "games": _COUNT,
        "win_rate": _REAL,
        **_INTERVAL,
        "mean_score": _REAL,
        "score_low": _REAL,
        "score_high": _REAL,
    },
    "pairs": {
        "players": _COUNT,
        "agent": _TEXT,
        "other": _TEXT,
        "games": _COUNT,
        "matches": _COUNT,
        "ahead": _REAL,
        **_INTERVAL,
        "expected": _REAL,
        "z": _REAL,
        "score_lead": _REAL,
        "score_low": _REAL,
        "score_high": _REAL,
    },
    "times": {
        "players": _COUNT,
        "agent": _TEXT,
        "digest": _TEXT,
        "decisions": _COUNT,
        "seconds": _REAL,
        "milliseconds": _REAL,
        **_INTERVAL,
    },
    "solo": {
        "rank": _TEXT,
        "agent": _TEXT,
        "digest": _TEXT,
        "deals": _COUNT,
        "mean": _REAL,
        **_INTERVAL,
        "median": _REAL,
        **_LEAD,
        "forfeits": _COUNT,
    },
    "faults": {"agent": _TEXT, "fault": _TEXT, "count": _COUNT, "example": _TEXT},
}
"""The columns of each frame of `Standings`."""
_PAIR: Types = {"players": _COUNT, "digest": _TEXT, "other_digest": _TEXT}


def standings_of(results: pl.DataFrame) -> Standings:
    """Compute the standings of results. docs/ratings.md lists the assumptions of the figures.

    Args:
        results: A row per game, in the columns `RESULTS`.

    Raises:
        DatasetError: several games have one key.
    """
    check_unique(results, "key", "keep each once, as in results.unique('key', maintain_order=True)")
    rows = summaries.seat_rows(results)
    several = results.filter(pl.col("players") > 1)["players"].unique().sort().to_list()
    fitted = {players: ratings_and_fit(results.filter(players=players)) for players in several}
    estimates: dict[int, Ratings | SoloScores] = {1: solo_scores(rows)}
    estimates.update((players, ratings) for players, (ratings, _) in fitted.items())
    ladders = _ladders(rows, estimates)

    fits = [
        (players, fit.compared, fit.chi_square, fit.freedom, fit.p, fit.widening)
        for players, (_, fit) in fitted.items()
    ]
    # Polars concatenates no empty list, so an empty frame comes first.
    nothing_expected = pl.DataFrame(schema={**_PAIR, "expected": _REAL, "z": _REAL})
    expected = pl.concat([nothing_expected] + [fit.pairs for _, fit in fitted.values()])
    pairs = summaries.pairs(rows).join(expected, on=list(_PAIR))
    frames = {
        "ladder": ladders.filter(pl.col("players") > 1),
        "solo": ladders.filter(players=1),
        "fits": pl.DataFrame(fits, schema=SCHEMAS["fits"], orient="row"),
        "tables": summaries.tables(rows),
        "pairs": pairs.sort("players", "agent", "other"),
        "times": summaries.times(rows),
        "faults": summaries.faults(rows),
    }
    return Standings(
        games=len(results),
        matches=results["match"].n_unique(),
        **{name: _in_schema(frame, SCHEMAS[name]) for name, frame in frames.items()},
    )


def _in_schema(frame: pl.DataFrame, schema: Types) -> pl.DataFrame:
    return frame.select(pl.col(column).cast(kind) for column, kind in schema.items())


def _ladders(rows: pl.DataFrame, estimates: Mapping[int, Ratings | SoloScores]) -> pl.DataFrame:
    """Return all ladders in one frame, by number of seats, with agents' counts of games."""
    sizes = [len(estimate.digests) for estimate in estimates.values()]
    neighbours = sum(max(n - 1, 0) for n in sizes)
    pairs = sum(n * (n - 1) // 2 for n in sizes)
    # Bonferroni's correction: verdicts compare neighbours only, but ranks compare any two agents.
    levels = _Levels(neighbours=LEVEL / max(neighbours, 1), pairs=LEVEL / max(pairs, 1))
    ladder_rows = [
        row for players, estimate in estimates.items() for row in _ladder(players, estimate, levels)
    ]
    counts = rows.group_by("players", "digest", "agent").agg(
        games=pl.len(),
        deals=pl.struct("seed", "deal").n_unique(),
        forfeits=pl.col("fault").is_not_null().sum(),
    )
    counted = {"agent", "games", "deals", "forfeits"}  # these columns come from `counts`
    columns = {**SCHEMAS["solo"], **SCHEMAS["ladder"]}
    schema = {name: kind for name, kind in columns.items() if name not in counted}
    return pl.DataFrame(ladder_rows, schema=schema).join(
        counts, on=["players", "digest"], how="left", maintain_order="left"
    )


# ----------------------------------------------------------------------------------------- ladders


def verdict(lead: Lead, *, level: float, equal_within: float) -> Verdict:
    """Return the verdict on a lead, which is wrong with probability `level` at most.

    A lead of less than `equal_within` counts as none.
    """
    if lead.matches < FEWEST_MATCHES or not math.isfinite(lead.error):
        return "open"
    # Standard errors are estimates themselves, hence Student's t on their matches.
    half = lead.error * student_quantile(lead.matches - 1, level)
    low = lead.value - half
    high = lead.value + half
    if low > 0:
        return "stronger"
    if -equal_within < low and high < equal_within:
        return "equal"
    return "open"


def with_ranks(
    rows: list[dict[str, Any]], stronger: Callable[[int, int], bool]
) -> list[dict[str, Any]]:
    """Return a ladder's rows with their `rank`: one more than the agents that are surely stronger.

    If one agent is surely stronger than another, then it and all agents above it count as surely
    stronger than that other agent and all below. A shared rank is written "3=".

    Args:
        rows: The rows, strongest agent first, with the `verdict` on the lead over the next one.
        stronger: Whether the agent at one place is surely stronger than one two or more below.
    """
    above = [0] * len(rows)  # how many agents are surely stronger than each
    for place in range(1, len(rows)):
        if rows[place - 1]["verdict"] == "stronger":
            surely_stronger = place
        else:
            others = [other for other in range(place - 1) if stronger(other, place)]
            surely_stronger = max(others, default=-1) + 1
        above[place] = max(above[place - 1], surely_stronger)
    for row, count in zip(rows, above, strict=True):
        row["rank"] = f"{count + 1}=" if above.count(count) > 1 else f"{count + 1}"
    return rows


@dataclass(frozen=True)
class SoloScores:
    """Scores of solo games, by deal and agent, best agent first.

    Each agent is at least as good as the next one on the deals that both have played.

    Attributes:
        digests: The agents.
        scores: float[deals, agents], NaN if the agent has not played the deal.
    """

    digests: tuple[str, ...]
    scores: NDArray[np.float64]

    def lead(self, first: int, second: int) -> Lead:
        """Return the mean lead of the first agent over the second on the deals of both.

        Its `matches` are these deals. The standard error is NaN with fewer than two of them.
        """
        leads = self.scores[:, first] - self.scores[:, second]
        leads = leads[np.isfinite(leads)]
        if not len(leads):
            return Lead(math.nan, math.nan, 0)
        mean, error = mean_error(leads)
        return Lead(mean, error, len(leads))

    def columns(self) -> list[dict[str, float | None]]:
        """Return each agent's columns of a ladder: `mean` score, `low`, `high`, and `median`."""
        ladder: list[dict[str, float | None]] = []
        for column in self.scores.T:
            scores = column[np.isfinite(column)]
            mean, low, high = mean_interval(scores)
            median = float(np.median(scores))
            ladder.append({"mean": mean, "low": low, "high": high, "median": median})
        return ladder


def solo_scores(rows: pl.DataFrame) -> SoloScores:
    """Return the scores of all solo games among `summaries.seat_rows`."""
    # A forfeited game counts as a score of 0.
    alone = rows.filter(pl.col("players") == 1).with_columns(
        counted=pl.when(pl.col("forfeited")).then(0).otherwise("score").cast(pl.Float64)
    )
    index = ["seed", "deal"]
    by_deal = alone.sort("digest", *index, "key").pivot(
        "digest", index=index, values="counted", aggregate_function="mean"
    )
    digests = by_deal.columns[len(index) :]
    scores = by_deal.select(digests).to_numpy()
    unordered = SoloScores(tuple(digests), scores)

    def compare(first: int, second: int) -> int:
        lead = unordered.lead(first, second)
        return -int(np.sign(lead.value)) if lead.matches else 0

    means = np.array([np.nanmean(column) for column in scores.T])
    # Leads may be circular: a over b, b over c, and c over a. Yet a sort compares any two agents
    # that end up as neighbours, so no agent's lead over the next one is negative.
    by_mean = np.argsort(-means, kind="stable").tolist()
    order = sorted(by_mean, key=functools.cmp_to_key(compare))
    return SoloScores(tuple(digests[i] for i in order), scores[:, order])


class _Levels(NamedTuple):
    """The levels of a verdict on two neighbours, and of one on any two agents of a ladder."""

    neighbours: float
    pairs: float


def _ladder(players: int, estimates: Ratings | SoloScores, levels: _Levels) -> list[dict[str, Any]]:
    """Return a ladder's rows, strongest first, with rank, lead over the next, and verdict on it."""
    equal_within = SOLO_EQUAL_WITHIN if players == 1 else EQUAL_WITHIN
    rows: list[dict[str, Any]] = [
        {"players": players, "digest": digest, **columns}
        for digest, columns in zip(estimates.digests, estimates.columns(), strict=True)
    ]
    for place, row in enumerate(rows[:-1]):
        lead = estimates.lead(place, place + 1)
        row["verdict"] = verdict(lead, level=levels.neighbours, equal_within=equal_within)
        if math.isfinite(lead.value):
            row["lead"] = lead.value
        if math.isfinite(lead.error):
            low, high = student_interval(lead.value, lead.error, lead.matches)
            row["lead_low"] = low
            row["lead_high"] = high

    def stronger(first: int, second: int) -> bool:
        lead = estimates.lead(first, second)
        return verdict(lead, level=levels.pairs, equal_within=equal_within) == "stronger"

    return with_ranks(rows, stronger)
