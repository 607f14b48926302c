"""Standings of a made-up field: what tables and reports are tested on, without a bootstrap."""

from __future__ import annotations

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
    places = range(len(names))
    tables = tables if names else ()

    def ends(value: float, half: float, low: str = "low", high: str = "high") -> dict[str, Any]:
        return {low: value - half if sure else None, high: value + half if sure else None}

    def lead(place: int, value: float) -> dict[str, Any]:
        if place == len(names) - 1:
            return {}
        verdict = {"verdict": VERDICTS[place % len(VERDICTS)]}
        return {"lead": value, **ends(value, value / 2, "lead_low", "lead_high"), **verdict}

    rating = [STEP * ((len(names) - 1) / 2 - place) for place in places]
    who = [{"agent": name, "digest": f"{place:064x}"} for place, name in enumerate(names)]
    seats = [(players, seat) for players in tables for seat in range(players)]
    rows: dict[str, list[dict[str, Any]]] = {
        "ladder": [
            row
            for players in tables
            for row in with_ranks(
                [
                    {"players": players, **who[i], "games": 1000 + i, "rating": rating[i]}
                    | {**ends(rating[i], 20), **lead(i, STEP), "forfeits": i}
                    for i in places
                ],
                _never,
            )
        ],
        "combined": [
            {**who[i], "rating": rating[i], **ends(rating[i], 15)}
            for i in places
            if len(tables) > 1
        ],
        "tables": [
            {"players": players, **who[i], "games": 500, "win_rate": 1 / players}
            | {**ends(1 / players, 0.02), "parity": 1 / players, "mean_score": 20.0 - i}
            | ends(20.0 - i, 0.5, "score_low", "score_high")
            for players in tables
            for i in places
        ],
        "pairs": [
            {"players": players, "agent": names[i], "other": names[j], "games": 100}
            | {"matches": 25, "effective": 90.0}
            | {"ahead": _chance(rating[i] - rating[j]), "expected": _chance(rating[i] - rating[j])}
            | {**ends(_chance(rating[i] - rating[j]), 0.05), "score_lead": 2.0 * (j - i)}
            | ends(2.0 * (j - i), 1, "score_low", "score_high")
            for players in tables
            for i, j in itertools.permutations(places, 2)
        ],
        "cycles": [
            {"players": players, **dict(zip(("first", "second", "third"), three, strict=True))}
            | {"weakest": 0.53, "p_value": 0.01 + 0.1 * number, "significant": number == 0}
            for players in tables
            for number, three in enumerate(list(itertools.combinations(names, 3))[:2])
        ],
        "scores": [
            {"players": players, "agent": name, "score": score, "count": 1 + score % 7}
            for players in (*([1] if alone else []), *tables)
            for name in names
            for score in range(-8, 48)
        ],
        "times": [
            {"players": players, **who[i], "decisions": 1000, "seconds": 0.1 * 4.0**i}
            | {"milliseconds": 0.1 * 4.0**i, **ends(0.1 * 4.0**i, 0.05)}
            for players in (*([1] if alone else []), *tables)
            for i in places
        ],
        "seats": [
            {"players": players, "seat": seat, "games": 500, "win_rate": 1 / players}
            | {**ends(1 / players, 0.02), "parity": 1 / players}
            for players, seat in seats
        ],
        "deals": [
            {"players": players, "matches": 250, "score_share": 0.1, "seat_share": 0.3}
            for players in tables
        ],
        "solo": [
            row
            for row in with_ranks(
                [
                    {**who[i], "deals": 100, "mean": 30.0 - i, **ends(30.0 - i, 0.5)}
                    | {"median": 30.0 - i, **lead(i, 1.0), "forfeits": 0}
                    for i in places
                ],
                _never,
            )
            if alone
        ],
        "faults": [
            {"agent": name, "fault": "crash", "count": 2, "example": f"{name} has ended"}
            for name in names[-1:]
        ],
    }
    frames = {name: pl.DataFrame(rows[name], schema=SCHEMAS[name]) for name in SCHEMAS}
    games = 1234 if names else 0
    return Standings("shakespeare" if names else "", games, games // 4, **frames)


def _chance(lead: float) -> float:
    return float(1 / (1 + 10 ** (-lead / 400)))


def _never(first: int, second: int) -> bool:
    return False
