"""What results say of their agents: ladders and everything beside them, with 95 % intervals."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from shakespeare_env.extras import needing

with needing("arena", "the arena needs"):
    import numpy as np
    import polars as pl
    import scipy.special
    from numpy.typing import NDArray

    from shakespeare_arena import summaries
    from shakespeare_arena.intervals import mean_error, mean_interval, student_interval
    from shakespeare_arena.ratings import Ratings, ratings_and_fit
    from shakespeare_env.datasets.frames import check_unique

Verdict = Literal["stronger", "equal", "open"]

LEVEL = 0.05
"""The probability that any verdict on any ladder is wrong."""
EQUAL_WITHIN = 20.0
"""Elo points; a smaller lead counts as equal. 20 points are 52.9 % of meetings."""
SOLO_EQUAL_WITHIN = 0.25
"""Points of mean score; a smaller lead counts as equal."""
FEWEST_MATCHES = 10
"""The fewest matches for a verdict; intervals of fewer would not hold."""


@dataclass(frozen=True)
class Standings:
    """What results say of their agents; intervals are 95 %, shares run from 0 to 1.

    `low` and `high` are an interval's ends, null where there is too little to have one. Agents are
    distinguished by `digest` and shown by their label `agent`; frames without a digest use labels.
    Frames without data are empty. The columns are in `SCHEMAS`.

    Attributes:
        games: Played, solo games among them.
        matches: Deals with their line-ups: what the intervals count as independent.
        ladder: A ladder for each number of seats from two on, by the games of that table alone,
            strongest first: `rank`, "3=" where it is shared because an order is equal or open;
            `rating` in Elo points, the mean of the middle half of the table's field 0; `lead` above
            the next one (null where no games connect the two); `verdict` on it: "stronger" (its
            interval, adjusted for the number of neighbours on all ladders, lies above 0), "equal"
            (it lies within `EQUAL_WITHIN`) or "open"; `forfeits`.
        fits: By number of seats, how well one number an agent explains who finished ahead of whom:
            `chi_square` over `compared` pairs, degrees of `freedom`, `p`, and `widening`, the
            factor of all intervals of ratings: above 1 where p < 1 %, so that the model is false.
        tables: Agents by number of seats: share of victory, mean score.
        pairs: Ordered pairs that met, by number of seats: how often `agent` finished `ahead` of
            `other`, what the table's ratings expect, `z`, the standard errors between the two (null
            where too little is expected of a pair), and the mean difference of their scores on the
            same deals.
        times: By number of seats: decisions, and the time they took; intervals over matches.
        solo: Agents of solo games, best first; `lead` over the next one on the deals both played.
        faults: Forfeited games by kind, with the details of one.
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
        """The rows of `ladder` by number of seats."""
        seats = self.ladder["players"].unique(maintain_order=True)
        return {players: self.ladder.filter(pl.col("players") == players) for players in seats}

    @property
    def misfit(self) -> bool:
        """Whether ratings do not tell the pairs of some table, so that pairs come first."""
        return bool((self.fits["widening"] > 1).any())

    def milliseconds(self, players: int) -> dict[str, float]:
        """Milliseconds a decision at a table, by agents that were timed there."""
        timed = self.times.filter(pl.col("players") == players)
        return dict(timed.select("agent", "milliseconds").iter_rows())


_WHOLE = "players games matches deals seat score count decisions forfeits compared freedom"
_TEXT = "rank agent digest other other_digest verdict fault example"
_TYPES: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(_WHOLE.split(), pl.Int64),
    **dict.fromkeys(_TEXT.split(), pl.String),
}
"""The types of columns; others hold `Float64`."""
_LEAD = "lead lead_low lead_high verdict"
_COLUMNS = {
    "ladder": f"players rank agent digest games rating low high {_LEAD} forfeits",
    "fits": "players compared chi_square freedom p widening",
    "tables": "players agent digest games win_rate low high mean_score score_low score_high",
    "pairs": "players agent other games matches ahead low high expected z "
    "score_lead score_low score_high",
    "times": "players agent digest decisions seconds milliseconds low high",
    "solo": f"rank agent digest deals mean low high median {_LEAD} forfeits",
    "faults": "agent fault count example",
}
SCHEMAS: dict[str, dict[str, type[pl.DataType]]] = {
    frame: {column: _TYPES.get(column, pl.Float64) for column in columns.split()}
    for frame, columns in _COLUMNS.items()
}
"""The columns of each frame."""


def standings_of(results: pl.DataFrame) -> Standings:
    """Compute all that results say of their agents; docs/ratings.md lists what figures assume.

    `results` has a row per game, in the columns `RESULTS`; DatasetError if a key is there twice.
    """
    check_unique(results, "key", "keep each once, as in results.unique('key', maintain_order=True)")
    rows = summaries.seat_rows(results)
    several = results.filter(pl.col("players") > 1)["players"].unique().sort().to_list()
    fitted = {players: ratings_and_fit(results.filter(players=players)) for players in several}
    estimates: dict[int, Ratings | SoloScores] = {1: solo_scores(rows)}
    estimates.update((players, rating) for players, (rating, _) in fitted.items())
    sizes = [len(of.digests) for of in estimates.values()]
    # Bonferroni: over neighbours, and over all pairs, from which those that rank are chosen.
    levels = (
        LEVEL / max(sum(max(n - 1, 0) for n in sizes), 1),
        LEVEL / max(sum(n * (n - 1) // 2 for n in sizes), 1),
    )
    counts = rows.group_by("players", "digest", "agent").agg(
        games=pl.len(),
        deals=pl.struct("seed", "deal").n_unique(),
        forfeits=pl.col("fault").is_not_null().sum(),
    )
    places = [row for players, of in estimates.items() for row in _ladder(players, of, levels)]
    columns = {**SCHEMAS["solo"], **SCHEMAS["ladder"]}
    found = {name: kind for name, kind in columns.items() if name not in counts.columns[2:]}
    ladders = pl.DataFrame(places, schema=found).join(
        counts, on=["players", "digest"], how="left", maintain_order="left"
    )
    fits = [
        (players, fit.compared, fit.chi_square, fit.freedom, fit.p, fit.widening)
        for players, (_, fit) in fitted.items()
    ]
    by = ["players", "digest", "other_digest"]
    schema = {column: _TYPES.get(column, pl.Float64) for column in (*by, "expected", "z")}
    expected = pl.concat([pl.DataFrame(schema=schema), *(fit.pairs for _, fit in fitted.values())])
    paired = summaries.pairs(rows).join(expected, on=by).sort("players", "agent", "other")
    frames = {
        "ladder": ladders.filter(pl.col("players") > 1),
        "solo": ladders.filter(players=1),
        "fits": pl.DataFrame(fits, schema=SCHEMAS["fits"], orient="row"),
        "tables": summaries.tables(rows),
        "pairs": paired,
        "times": summaries.times(rows),
        "faults": summaries.faults(rows),
    }
    return Standings(
        games=len(results),
        matches=results["match"].n_unique(),
        **{
            name: frame.select(pl.col(column).cast(kind) for column, kind in SCHEMAS[name].items())
            for name, frame in frames.items()
        },
    )


# ----------------------------------------------------------------------------------------- ladders


def verdict(
    lead: float, error: float, matches: int, *, level: float, equal_within: float
) -> Verdict:
    """What a lead over an agent shows, if the verdict may be wrong with probability `level`.

    `matches` are those of the agent that has played fewer; a lead below `equal_within` is none.
    """
    if matches < FEWEST_MATCHES or not math.isfinite(error):
        return "open"
    # Standard errors are estimates themselves, hence Student's t on their matches.
    half = error * float(scipy.special.stdtrit(matches - 1, 1 - level / 2))
    if lead - half > 0:
        return "stronger"
    return "equal" if -equal_within < lead - half and lead + half < equal_within else "open"


def with_ranks(
    rows: list[dict[str, Any]], stronger: Callable[[int, int], bool]
) -> list[dict[str, Any]]:
    """A ladder's rows with their `rank`: one more than the agents that are surely stronger.

    An agent surely stronger than another is so than all below that one, and so are all above. A
    shared rank is written "3=". Rows are strongest first, with their `verdict` over the next one;
    `stronger` tells whether the agent at one place is shown to be stronger than one further down.
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


@dataclass(frozen=True)
class SoloScores:
    """Scores of solo games, float[deals, agents], NaN where an agent has not played a deal.

    Best first: each agent is no worse than the next on the deals of both.
    """

    digests: tuple[str, ...]
    scores: NDArray[np.float64]

    def lead(self, first: int, second: int) -> tuple[float, float, int]:
        """The mean difference on common deals, its standard error (NaN below two), their number."""
        leads = self.scores[:, first] - self.scores[:, second]
        leads = leads[np.isfinite(leads)]
        return *(mean_error(leads) if len(leads) else (math.nan, math.nan)), len(leads)

    def figures(self) -> list[dict[str, Any]]:
        """Each agent's mean score, the ends of its interval, and its median."""
        names = "mean", "low", "high", "median"
        played = (column[np.isfinite(column)] for column in self.scores.T)
        found = ((*mean_interval(scores), float(np.median(scores))) for scores in played)
        return [dict(zip(names, of_agent, strict=True)) for of_agent in found]


def solo_scores(rows: pl.DataFrame) -> SoloScores:
    """The scores of all solo games of `summaries.seat_rows`."""
    alone = rows.filter(pl.col("players") == 1).with_columns(
        counted=pl.when(pl.col("forfeited")).then(0).otherwise("score").cast(pl.Float64)
    )
    wide = alone.sort("digest", "seed", "deal", "key").pivot(
        "digest", index=["seed", "deal"], values="counted", aggregate_function="mean"
    )
    digests = wide.columns[2:]
    scores = wide.select(digests).to_numpy()
    unordered = SoloScores(tuple(digests), scores)

    def worse(first: int, second: int) -> int:
        lead, _, deals = unordered.lead(first, second)
        return -int(np.sign(lead)) if deals else 0

    means = np.array([np.nanmean(column) for column in scores.T])
    # A sort compares all that end up as neighbours, so no lead over the next is negative.
    best = np.argsort(-means, kind="stable").tolist()
    order = sorted(best, key=functools.cmp_to_key(worse))
    return SoloScores(tuple(digests[i] for i in order), scores[:, order])


def _ladder(
    players: int, estimates: Ratings | SoloScores, levels: tuple[float, float]
) -> list[dict[str, Any]]:
    """A ladder's rows, strongest first, with rank, lead over the next, and verdict on it.

    `levels` are those of a verdict on neighbours, and on any two of a ladder.
    """
    equal_within = SOLO_EQUAL_WITHIN if players == 1 else EQUAL_WITHIN
    agents = zip(estimates.digests, estimates.figures(), strict=True)
    rows: list[dict[str, Any]] = [
        {"players": players, "digest": digest, **found} for digest, found in agents
    ]
    for place, row in enumerate(rows[:-1]):
        ahead, error, matches = estimates.lead(place, place + 1)
        row["verdict"] = verdict(ahead, error, matches, level=levels[0], equal_within=equal_within)
        if math.isfinite(ahead):
            row["lead"] = ahead
        if math.isfinite(error):
            row["lead_low"], row["lead_high"] = student_interval(ahead, error, matches)

    def stronger(first: int, second: int) -> bool:
        shown = verdict(*estimates.lead(first, second), level=levels[1], equal_within=equal_within)
        return shown == "stronger"

    return with_ranks(rows, stronger)
