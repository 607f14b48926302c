"""How long games take, and how many to play together in a given time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shakespeare_agents.arena.seating import Seating

if TYPE_CHECKING:
    import polars as pl

_MOST_TOGETHER = 16_384
"""The most games played together."""
_GUESS_S = 0.25
"""Seconds that a game of a new agent is assumed to take; its first batch is small."""


class Pace:
    """How long agents take for a game.

    Args:
        results: Games so far.
        seconds: What games played together are to take.
    """

    def __init__(self, results: pl.DataFrame, seconds: float) -> None:
        self.seconds = seconds
        self._spent: Counter[str] = Counter()
        self._games: Counter[str] = Counter()
        self.note(results)

    def note(self, rows: pl.DataFrame) -> None:
        """Some games are over."""
        import polars as pl

        seats = rows.select("digests", "seconds").explode("digests", "seconds")
        of_each = seats.group_by("digests").agg(pl.col("seconds").sum(), games=pl.len())
        for digest, seconds, games in of_each.iter_rows():
            self._spent[digest] += seconds
            self._games[digest] += games

    def first_of(self, seatings: Sequence[Seating]) -> int:
        """The number of some games, at least one, to play together."""
        total = 0.0
        for number, one in enumerate(seatings[:_MOST_TOGETHER]):
            total += sum(map(self._expected, one.digests))
            if total > self.seconds:
                return max(number, 1)
        return min(len(seatings), _MOST_TOGETHER)

    def _expected(self, digest: str) -> float:
        games = self._games[digest]
        return self._spent[digest] / games if games else _GUESS_S
