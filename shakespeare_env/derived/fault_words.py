"""Faults of a record: numbers from compiled checks, put into words from a game's `words.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.core.records import StateField

Words = tuple[str, str, str]
"""Place, fault and remedy."""
Fact = Callable[[Record, int, int], object]
"""(record, a, b) -> what stands in the words, where a and b are those of `tell`."""

AT_ODDS = "at_odds"
"""The fault of a field, number `a` of the record's, that does not follow from the others."""
_AT_ODDS = (
    "{field}",
    "{held} is at odds with other fields",
    "use records that `save` or `record` gave",
)
_BYTE = 0xFF


@rule
def tell(fault: int, a: int, b: int) -> int:
    """A fault and where it is, as one number."""
    return fault | (a << 8) | (b << 16)


def explaining(
    file: Path, names: tuple[str, ...], fields: tuple[StateField, ...], facts: Mapping[str, Fact]
) -> Callable[[Record, int], Words]:
    """`Game.explain` for what `tell` wrote.

    Args:
        file: Holds place, fault and remedy under `faults`, by name; braces stand for facts, fields
            of the record, and the numbers `a` and `b` of `tell`.
        names: Of the faults 1, 2, ...
        fields: The fields of the record.
        facts: By name.
    """

    @cache
    def words() -> Mapping[str, list[str]]:
        found: Mapping[str, list[str]] = tomllib.loads(file.read_text("utf-8"))["faults"]
        return found

    def explain(game: Record, fault: int) -> Words:
        a, b, name = fault >> 8 & _BYTE, fault >> 16 & _BYTE, names[(fault & _BYTE) - 1]

        class Known(dict[str, object]):
            def __missing__(self, key: str) -> object:
                return facts[key](game, a, b) if key in facts else game[key]

        known = Known(a=a, b=b)
        if name == AT_ODDS:
            known["field"] = fields[a].name
            known["held"] = np.asarray(game[fields[a].name]).tolist()
        place, found, remedy = _AT_ODDS if name == AT_ODDS else words()[name]
        return place.format_map(known), found.format_map(known), remedy.format_map(known)

    return explain
