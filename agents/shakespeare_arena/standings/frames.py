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

    game: str
    games: int
    matches: int
    ladder: pl.DataFrame
    combined: pl.DataFrame
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
_TEXT = "rank agent digest other verdict fault example"
_TYPES: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(_WHOLE.split(), pl.Int64),
    **dict.fromkeys(_TEXT.split(), pl.String),
}
"""The types of columns; others hold `Float64`."""
_LEAD = "lead lead_low lead_high verdict"
_COLUMNS = {
    "ladder": f"players rank agent digest games rating low high {_LEAD} forfeits",
    "combined": "agent digest rating low high",
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
