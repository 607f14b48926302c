"""What is compiled once on a computer, while somebody reads the lobby."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from shakespeare_agents.registry import default, make
from shakespeare_agents.session import choose
from shakespeare_agents.table.live_table import TableError
from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.core.kernels import compile_each

_PATIENCE_S = 10.0
"""Seconds that a request waits for code, which is enough to load what was compiled before."""
_FIRST, _RULES = 0.65, 0.95
"""The shares of a game's compiling that are done with its first entry point, and with them all."""
_THINKING = "search,simulations=16"
"""An agent that uses all that thinking aloud does."""


class Preparing:
    """Compiles the rules and agents of all games, one after the other."""

    def __init__(self) -> None:
        self._shares: dict[str, float] = {}
        self._began = 0.0
        self._ready = {name: threading.Event() for name in registry.names()}

    def start(self) -> None:
        """Begin, on a thread of its own."""
        self._began = time.monotonic()
        self._shares = dict.fromkeys(self._ready, 0.0)
        threading.Thread(target=self._prepare, name="compiling", daemon=True).start()

    def share(self, game: str) -> float:
        """The share of a game's code that is ready, 0 to 1."""
        return self._shares.get(game, 1.0)

    @property
    def seconds(self) -> float:
        """The seconds since the beginning."""
        return time.monotonic() - self._began

    def wait(self, game: str) -> None:
        """Wait until a game can be played; TableError if that takes long."""
        if self.share(game) < 1 and not self._ready[game].wait(_PATIENCE_S):
            raise TableError(
                f"the rules of {game.capitalize()} are being compiled for this computer, which is "
                f"done once ({self.share(game):.0%} so far); try again in a minute"
            )

    def _prepare(self) -> None:
        for name in self._ready:
            with suppress(Exception):  # opening a table of this game shows the fault
                game = registry.game(name)
                for done in compile_each(game):
                    self._shares[name] = _FIRST + (_RULES - _FIRST) * done
                _try(game, default(game))
            self._shares[name] = 1.0
            self._ready[name].set()
        for name in self._ready:
            with suppress(Exception):
                _try(registry.game(name), _THINKING)


def _try(game: Game, agent: str) -> None:
    """Let an agent decide once, which compiles what it needs."""
    choose(make(agent, game), Position.new(game.name, players=game.min_seats))
