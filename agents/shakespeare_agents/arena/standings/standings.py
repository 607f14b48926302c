"""All figures of a field, as frames."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Standings:
    """What results say of their agents; intervals are 95 %, shares run from 0 to 1.

    `low` and `high` are an interval's ends, null where there is too little to have one. Agents are
    distinguished by `digest` and shown by their label `agent`; frames without a digest use labels.
    Frames without data are empty. The columns are in `SCHEMAS`.

    Attributes:
        game: Its name.
        games: Played, solo games among them.
        matches: Deals with their line-ups: what the intervals count as independent.
        ladder: A ladder for each number of seats from two on, by the games of that table alone,
            strongest first: `rank`, "3=" where it is shared because an order is equal or open;
            `rating` in Elo points, the mean of the middle half of the table's field 0; `lead` above
            the next one (null where no games connect the two); `verdict` on it: "stronger" (its
            interval, adjusted for the number of neighbours on all ladders, lies above 0), "equal"
            (it lies within `EQUAL_WITHIN`) or "open"; `forfeits`.
        combined: Where there are several such ladders, their mean, each with the same weight
            however many games it has, of the agents that stand on all of them. Empty where a
            table's games do not connect its agents.
        tables: Agents by number of seats: share of victory and its `parity` of equal agents, mean
            score.
        pairs: Ordered pairs that met, by number of seats: how often `agent` finished `ahead` of
            `other`, what the table's ratings expect, and the mean difference of their scores on the
            same deals; `effective`, how many independent games `ahead` is worth.
        cycles: By number of seats: each finished ahead of the next, and the third of the first;
            `weakest` is the smallest of the three shares; `p_value`, corrected for the number of
            triples of all tables; `significant` if it is at most 0.05.
        scores: How often each final score was reached, forfeited games left out.
        times: By number of seats: decisions, and the time they took; intervals over matches.
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
    combined: pl.DataFrame
    tables: pl.DataFrame
    pairs: pl.DataFrame
    cycles: pl.DataFrame
    scores: pl.DataFrame
    times: pl.DataFrame
    seats: pl.DataFrame
    deals: pl.DataFrame
    solo: pl.DataFrame
    faults: pl.DataFrame

    def ladders(self) -> dict[int, pl.DataFrame]:
        """The rows of `ladder` by number of seats."""
        seats = self.ladder["players"].unique(maintain_order=True)
        return {players: self.ladder.filter(pl.col("players") == players) for players in seats}

    def milliseconds(self, players: int) -> dict[str, float]:
        """Milliseconds a decision at a table, by agents that were timed there."""
        timed = self.times.filter(pl.col("players") == players)
        return dict(timed.select("agent", "milliseconds").iter_rows())


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
        "players": pl.Int64,
        "rank": pl.String,
        **_WHO,
        "games": pl.Int64,
        "rating": pl.Float64,
        **_INTERVAL,
        **_LEAD,
        "forfeits": pl.Int64,
    },
    "combined": {**_WHO, "rating": pl.Float64, **_INTERVAL},
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
    },
    "pairs": {
        "players": pl.Int64,
        "agent": pl.String,
        "other": pl.String,
        "games": pl.Int64,
        "matches": pl.Int64,
        "ahead": pl.Float64,
        **_INTERVAL,
        "effective": pl.Float64,
        "expected": pl.Float64,
        "score_lead": pl.Float64,
        "score_low": pl.Float64,
        "score_high": pl.Float64,
    },
    "cycles": {
        "players": pl.Int64,
        "first": pl.String,
        "second": pl.String,
        "third": pl.String,
        "weakest": pl.Float64,
        "p_value": pl.Float64,
        "significant": pl.Boolean,
    },
    "scores": {"players": pl.Int64, "agent": pl.String, "score": pl.Int64, "count": pl.Int64},
    "times": {
        "players": pl.Int64,
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
        "rank": pl.String,
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
