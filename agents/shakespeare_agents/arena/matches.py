"""Matches: a deal and the agents that play it, from several seats each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Match:
    """A deal played by the same agents in some rotations.

    Attributes:
        players: Seats at the table.
        deal: Its number (see `deals.deal`); with the field's seed it decides all chance.
        lineup: The agents' digests by seat in rotation 0; copies are the same digest twice.
        rotations: Those played; in rotation r the line-up's first agent sits at seat r.
    """

    players: int
    deal: int
    lineup: tuple[str, ...]
    rotations: tuple[int, ...]

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.rotations)
