"""Cycles: three agents at a table each ahead of the next, and the third of the first."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import polars as pl
import scipy.special

from shakespeare_agents.arena.standings.standings import SCHEMAS
from shakespeare_agents.arena.standings.verdicts import FEWEST_MATCHES, LEVEL

_Pair = tuple[str, str]


def cycles(pairs: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.cycles`, the surest first; each begins with its first label by name.

    A cycle is as sure as the least sure of its three sides (intersection-union test: Berger 1982,
    "Multiparameter hypothesis testing and acceptance sampling"). Every three agents that have all
    met at a table are looked at in both directions; Holm's correction (1979, "A simple sequentially
    rejective multiple test procedure") makes up for that over all tables together.

    Args:
        pairs: The frame `Standings.pairs`.
    """
    examined = 0
    rows: list[dict[str, Any]] = []
    for players in pairs["players"].unique().sort().to_list():
        met = pairs.filter(pl.col("players") == players).to_dicts()
        sides = {(row["agent"], row["other"]): row for row in met}
        for one, two, three in itertools.combinations(sorted({pair[0] for pair in sides}), 3):
            for way in ((one, two, three), (one, three, two)):
                around = list(zip(way, (*way[1:], way[0]), strict=True))
                if all(pair in sides for pair in around):
                    examined += 1
                    rows += _cycle(players, around, sides)
    order = ("p_value", "players", "first", "second", "third")
    rows.sort(key=lambda row: [row[column] for column in order])
    largest = 0.0
    for before, row in enumerate(rows):
        largest = row["p_value"] = max(largest, min(1.0, (examined - before) * row["p_value"]))
        row["significant"] = largest <= LEVEL
    return pl.DataFrame(rows, schema=SCHEMAS["cycles"])


def _cycle(
    players: int, around: list[_Pair], sides: Mapping[_Pair, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The cycle's row with an uncorrected p-value; empty if an agent is not ahead of the next."""
    weakest = min(sides[pair]["ahead"] for pair in around)
    if weakest <= _HALF:
        return []
    names = dict(zip(("first", "second", "third"), (pair[0] for pair in around), strict=True))
    chance = max(_chance(sides[pair]) for pair in around)
    return [{"players": players, **names, "weakest": weakest, "p_value": chance}]


_HALF = 0.5


def _chance(side: Mapping[str, Any]) -> float:
    """The p-value of a share if the two were equal: Wilson's score, by Student's t over matches."""
    if side["matches"] < FEWEST_MATCHES:
        return 1.0
    score = (side["ahead"] - _HALF) / _HALF * math.sqrt(side["effective"])
    return float(scipy.special.stdtr(side["matches"] - 1, -score))
