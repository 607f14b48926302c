"""Standings of a made-up field: what tables and reports are tested on, without a bootstrap."""

import itertools
from collections.abc import Sequence
from typing import Any

import polars as pl

from shakespeare_agents.arena.standings import Standings
from shakespeare_agents.arena.standings.standings import SCHEMAS
from shakespeare_agents.arena.standings.verdicts import with_ranks

STEP = 60
"""Elo points between neighbours, strongest first."""
VERDICTS = ("stronger", "open", "equal")
"""Of the first lead, the second, the third, and so on; `with_ranks` makes ranks of them."""
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}",
    "[bold]x[/bold] [/]",
    "a\x1b[31mred\x07\u202e\r\nb",
    "|`*_[a](b)",
    "y" * 500,
)
"""Names that mean something to HTML, templates, terminals or Markdown, and a long one."""


def made_standings(
    names: Sequence[str], *, tables: Sequence[int] = (2, 4), alone: bool = True, sure: bool = True
) -> Standings:
    """Every figure follows from an agent's place among `names`; without `sure` no intervals."""
    tables = tables if names else ()
    timed = (*([1] if alone else []), *tables)
    rating = [STEP * ((len(names) - 1) / 2 - place) for place in range(len(names))]
    who = [{"agent": name, "digest": f"{place:064x}"} for place, name in enumerate(names)]
    each = list(enumerate(who))

    def ends(value: float, half: float, low: str = "low", high: str = "high") -> dict[str, Any]:
        return {low: value - half if sure else None, high: value + half if sure else None}

    def rate(players: int) -> dict[str, Any]:
        share = 1 / players
        return {"games": 500, "win_rate": share, **ends(share, 0.02), "parity": share}

    def ranked(rows: list[dict[str, Any]], lead: float) -> list[dict[str, Any]]:
        """Each with its lead on the next."""
        for place, row in enumerate(rows[:-1]):
            verdict = VERDICTS[place % len(VERDICTS)]
            row |= {"lead": lead, "verdict": verdict}
            row |= ends(lead, lead / 2, "lead_low", "lead_high")
        return with_ranks(rows, lambda first, second: False)

    def ladder(players: int) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = [
            {"players": players, **one, "games": 1000 + i, "rating": rating[i], "forfeits": i}
            for i, one in each
        ]
        return ranked([row | ends(row["rating"], 20) for row in rows], STEP)

    def pair(i: int, j: int) -> dict[str, Any]:
        chance = float(1 / (1 + 10 ** ((rating[j] - rating[i]) / 400)))
        lead = 2.0 * (j - i)
        return {
            **{"agent": names[i], "other": names[j], "games": 100, "matches": 25},
            **{"effective": 90.0, "ahead": chance, "expected": chance, **ends(chance, 0.05)},
            **{"score_lead": lead, **ends(lead, 1, "score_low", "score_high")},
        }

    means: list[dict[str, Any]] = [
        {**one, "deals": 100, "mean": 30.0 - i, "median": 30.0 - i, "forfeits": 0}
        for i, one in each
    ]
    solo = ranked([row | ends(row["mean"], 0.5) for row in means], 1.0)
    rows: dict[str, Any] = {
        "ladder": [row for players in tables for row in ladder(players)],
        "combined": [
            {**one, "rating": rating[i], **ends(rating[i], 15)}
            for i, one in each
            if len(tables) > 1
        ],
        "tables": [
            {"players": players, **one, **rate(players), "mean_score": 20.0 - i}
            | ends(20.0 - i, 0.5, "score_low", "score_high")
            for players in tables
            for i, one in each
        ],
        "pairs": [
            {"players": players, **pair(i, j)}
            for players in tables
            for i, j in itertools.permutations(range(len(names)), 2)
        ],
        "cycles": [
            {"players": players, "first": first, "second": second, "third": third}
            | {"weakest": 0.53, "p_value": 0.01 + 0.1 * number, "significant": number == 0}
            for players in tables
            for number, (first, second, third) in enumerate(
                list(itertools.combinations(names, 3))[:2]
            )
        ],
        "scores": [
            {"players": players, "agent": name, "score": score, "count": 1 + score % 7}
            for players, name, score in itertools.product(timed, names, range(-8, 48))
        ],
        "times": [
            {"players": players, **one, "decisions": 1000, "seconds": 0.1 * 4.0**i}
            | {"milliseconds": 0.1 * 4.0**i, **ends(0.1 * 4.0**i, 0.05)}
            for players in timed
            for i, one in each
        ],
        "seats": [
            {"players": players, "seat": seat, **rate(players)}
            for players in tables
            for seat in range(players)
        ],
        "deals": [
            {"players": players, "matches": 250, "score_share": 0.1, "seat_share": 0.3}
            for players in tables
        ],
        "solo": solo if alone else [],
        "faults": [
            {"agent": name, "fault": "crash", "count": 2, "example": f"{name} has ended"}
            for name in names[-1:]
        ],
    }
    frames = {name: pl.DataFrame(rows[name], schema=SCHEMAS[name]) for name in SCHEMAS}
    games = 1234 if names else 0
    return Standings("shakespeare" if names else "", games, games // 4, **frames)
