"""What is compiled once on a computer, while somebody reads the lobby."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from shakespeare_agents.registry import default, make
from shakespeare_agents.session import choose
from shakespeare_agents.table.live_table import TableError
from shakespeare_agents.table.thinking.thinker import Thinker, ThinkerError
from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.core.kernels import compile_each, is_kept

PATIENCE_S = 10.0
"""Seconds that a request waits for code, which is enough to load what was compiled before."""
_LONGEST_S = 900.0
"""The most seconds for one entry point."""
_FIRST, _RULES = 0.65, 0.95
"""The shares of a game's compiling that are done with its first entry point, and with them all."""
_THINKING = "search,simulations=16"
"""An agent that uses all that thinking aloud does."""


@dataclass(frozen=True)
class Compile:
    """Compiles a game's rules, and what agents add to them; a process of its own keeps the code."""

    game: str
    agent: str

    def prepare(self) -> None:
        """Nothing to make."""

    def results(self) -> Iterator[float]:
        """The share that is done."""
        game = registry.game(self.game)
        for done in compile_each(game):
            yield _FIRST + (_RULES - _FIRST) * done
        _try(game, self.agent)


class NotReadyError(TableError):
    """A game cannot be played yet.

    Attributes:
        game: Its name.
    """

    def __init__(self, game: str, share: float) -> None:
        super().__init__(
            f"the rules of {game.capitalize()} are being compiled for this computer, which is done "
            f"once ({share:.0%} so far); try again in a minute"
        )
        self.game = game


class Preparing:
    """Compiles the rules and agents of all games, one after the other.

    A process does that which can be ended at any moment, and keeps no page waiting.
    """

    def __init__(self) -> None:
        self._shares: dict[str, float] = {}
        self._began = 0.0
        self._ready = {name: threading.Event() for name in registry.names()}
        self._compiler = Thinker()
        self._is_closed = False

    def start(self) -> None:
        """Begin, on a thread of its own."""
        self._began = time.monotonic()
        self._shares = dict.fromkeys(self._ready, 0.0)
        threading.Thread(target=self._prepare, name="compiling", daemon=True).start()

    def close(self) -> None:
        """Compile no more."""
        self._is_closed = True
        self._compiler.close()

    @property
    def seconds(self) -> float:
        """The seconds since the beginning."""
        return time.monotonic() - self._began

    def share(self, game: str) -> float:
        """The share of a game's code that is ready, 0 to 1."""
        return self._shares.get(game, 1.0)

    def wait(self, game: str, seconds: float = PATIENCE_S) -> None:
        """Wait until a game can be played; NotReadyError if that takes longer."""
        if self.share(game) < 1 and not self._ready[game].wait(seconds):
            raise NotReadyError(game, self.share(game))

    def _prepare(self) -> None:
        compiled = []
        for name in self._ready:
            with suppress(Exception):  # opening a table of this game shows the fault
                game = registry.game(name)
                if not is_kept(game):
                    compiled.append(name)
                    self._compile(name, default(game))
                if self._is_closed:
                    return
                for _ in compile_each(game):  # loads it
                    pass
                _try(game, default(game))
            self._shares[name] = 1.0
            self._ready[name].set()
        with suppress(Exception):
            for name in compiled:
                self._compile(name, _THINKING)
        self.close()

    def _compile(self, name: str, agent: str) -> None:
        with suppress(ThinkerError):  # without such a process it is compiled here
            for share in self._compiler.ask(Compile(name, agent), _LONGEST_S):
                self._shares[name] = max(share, self._shares[name])


def _try(game: Game, agent: str) -> None:
    """Let an agent decide once, which compiles what it needs."""
    choose(make(agent, game), Position.new(game.name, players=game.min_seats))
