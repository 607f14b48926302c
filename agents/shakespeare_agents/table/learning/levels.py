"""Opponents by level, as the leaderboards have measured them."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Level:
    """An opponent of measured strength.

    Attributes:
        number: Its place from the weakest on, from 1.
        name: Its name in a word.
        agent: As `make` takes it.
        measured: What the leaderboards call it.
    """

    number: int
    name: str
    agent: str
    measured: str

    @property
    def needs_network(self) -> bool:
        """Whether a bundled network plays, which was trained for the bundled box."""
        return self.agent.startswith(("network", "search"))


@cache
def levels_of(game: str) -> Sequence[Level]:
    """The levels of a game, the weakest first; none if nobody has measured any."""
    text = (files(__package__) / "levels.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text).get(game, [])
    return [Level(number, **level) for number, level in enumerate(found, 1)]
