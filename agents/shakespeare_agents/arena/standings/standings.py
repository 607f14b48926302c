"""All that is said of a field, as frames."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Standings:
    """What results say of their agents; intervals are 95 %, shares run from 0 to 1.

    `low` and `high` are an interval's ends, null where there is too little to have one. Agents are
    told apart by `digest` and called by their label `agent`; frames without a digest use labels.
    Frames of which nothing is known are empty. The columns are in `SCHEMAS`.

    Attributes:
        game: Its name.
        games: Played, solo games among them.
        matches: Deals with their line-ups: what the intervals count as independent.
        ladder: Agents with games at two seats or more, strongest first: `rating` in Elo points,
            the mean of the field 0; `lead` above the next one; `verdict` on it: "stronger" (its
            interval, adjusted for the number of neighbours, lies above 0), "equal" (it lies within
            `EQUAL_WITHIN`) or "open"; `ahead`, the share of opponents finished ahead of, ties half;
            `wins`, the share of victory; `forfeits`.
        tables: Agents by number of seats: share of victory and its `parity` of equal agents, mean
            score, rating by these games alone (null where they do not connect all agents).
        pairs: Ordered pairs that met: how often `agent` finished `ahead` of `other`, what the
            ratings expect, and the mean difference of their scores on the same deals.
        cycles: Each finished ahead of the next, and the third of the first; `weakest` is the
            smallest of the three shares and `low` the smallest lower end; `significant` if it
            is above one half.
        scores: How often each final score was reached, forfeited games left out.
        times: Decisions, and the time they took; intervals over matches.
        seats: Share of victory by seat, all agents together.
        deals: By number of seats: the share of the variance of scores that the deal explains for
            all seats alike (null at two seats), and what deal and seat explain together.
        solo: Agents of solo games, best first; `lead` over the next one on the deals both played.
        faults: Forfeited games by kind, with the details of one.
    """

    game: str
    games: int
    matches: int
    ladder: pl.DataFrame
    tables: pl.DataFrame
    pairs: pl.DataFrame
    cycles: pl.DataFrame
    scores: pl.DataFrame
    times: pl.DataFrame
    seats: pl.DataFrame
    deals: pl.DataFrame
    solo: pl.DataFrame
    faults: pl.DataFrame


_WHO: dict[str, type[pl.DataType]] = {"agent": pl.String, "digest": pl.String}
_INTERVAL: dict[str, type[pl.DataType]] = {"low": pl.Float64, "high": pl.Float64}
_LEAD: dict[str, type[pl.DataType]] = {
    "lead": pl.Float64,
    "lead_low": pl.Float64,
    "lead_high": pl.Float64,
    "verdict": pl.String,
}

SCHEMAS: dict[str, dict[str, type[pl.DataType]]] = {
    "ladder": {
        **_WHO,
        "games": pl.Int64,
        "rating": pl.Float64,
        **_INTERVAL,
        **_LEAD,
        "ahead": pl.Float64,
        "wins": pl.Float64,
        "forfeits": pl.Int64,
    },
    "tables": {
        "players": pl.Int64,
        **_WHO,
        "games": pl.Int64,
        "win_rate": pl.Float64,
        **_INTERVAL,
        "parity": pl.Float64,
        "mean_score": pl.Float64,
        "score_low": pl.Float64,
        "score_high": pl.Float64,
        "rating": pl.Float64,
        "rating_low": pl.Float64,
        "rating_high": pl.Float64,
    },
    "pairs": {
        "agent": pl.String,
        "other": pl.String,
        "games": pl.Int64,
        "matches": pl.Int64,
        "ahead": pl.Float64,
        **_INTERVAL,
        "expected": pl.Float64,
        "score_lead": pl.Float64,
        "score_low": pl.Float64,
        "score_high": pl.Float64,
    },
    "cycles": {
        "first": pl.String,
        "second": pl.String,
        "third": pl.String,
        "weakest": pl.Float64,
        "low": pl.Float64,
        "significant": pl.Boolean,
    },
    "scores": {"players": pl.Int64, "agent": pl.String, "score": pl.Int64, "count": pl.Int64},
    "times": {
        **_WHO,
        "decisions": pl.Int64,
        "seconds": pl.Float64,
        "milliseconds": pl.Float64,
        **_INTERVAL,
    },
    "seats": {
        "players": pl.Int64,
        "seat": pl.Int64,
        "games": pl.Int64,
        "win_rate": pl.Float64,
        **_INTERVAL,
        "parity": pl.Float64,
    },
    "deals": {
        "players": pl.Int64,
        "matches": pl.Int64,
        "score_share": pl.Float64,
        "seat_share": pl.Float64,
    },
    "solo": {
        **_WHO,
        "deals": pl.Int64,
        "mean": pl.Float64,
        **_INTERVAL,
        "median": pl.Float64,
        **_LEAD,
        "forfeits": pl.Int64,
    },
    "faults": {"agent": pl.String, "fault": pl.String, "count": pl.Int64, "example": pl.String},
}
"""The columns of each frame."""
