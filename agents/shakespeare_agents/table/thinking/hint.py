"""Hints, thought about in a process of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from shakespeare_agents.analysis import Analyst
from shakespeare_agents.analysis.reasons import Reasons, reasons
from shakespeare_env import Position
from shakespeare_env.core import registry


@dataclass(frozen=True)
class Hint:
    """Why the move that looks best to the game's strongest agent of the package.

    Attributes:
        seen: The position as its seat sees it.
        seed: Decides what is drawn.
        number: The number of the decision.
    """

    seen: Position
    seed: int
    number: int

    def prepare(self) -> None:
        """Make the analyst."""
        _analyst(self.seen.game.name)

    def results(self) -> Iterator[Reasons]:
        """The reasons, ever better."""
        analyst = _analyst(self.seen.game.name)
        return reasons(self.seen, analyst, seed=self.seed, number=self.number)


@cache
def _analyst(game: str) -> Analyst:
    return Analyst(registry.game(game))
