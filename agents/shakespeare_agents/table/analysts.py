"""Agents that judge positions: each is made once and asked by one thread at a time."""

from __future__ import annotations

import threading

from shakespeare_agents.analysis.analyst import Analyst
from shakespeare_env.game import Game


class Analysts:
    """Analysts by game and name."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[tuple[str, str], tuple[threading.Lock, Analyst]] = {}

    def get(self, name: str, game: Game) -> tuple[threading.Lock, Analyst]:
        """An analyst, and the lock to hold while it thinks; errors as of `make`."""
        with self._lock:
            if (game.name, name) not in self._made:
                self._made[game.name, name] = threading.Lock(), Analyst(game, name)
            return self._made[game.name, name]
