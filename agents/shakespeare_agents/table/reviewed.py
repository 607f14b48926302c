"""Games to look back on, and what agents say of them."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable, Sequence

from shakespeare_agents.analysis import (
    Analyst,
    Verdict,
    forecasts_of,
    of_all_seats,
    refined,
    verdicts,
    worst,
)
from shakespeare_env.cli.recorded import Recorded
from shakespeare_env.film import Film, Forecasts, Mistake, page_of
from shakespeare_env.position import Position

_FEWER_PLAYOUTS = 8
"""Playouts of a position for an early graph where no network forecasts."""
_AT_ONCE = 0.3
"""Seconds of judging before progress is reported."""


class Reviewed:
    """A game that may be looked back on: all of it is open.

    Args:
        game: What was played.
        title: The title of its page; by default the game and its players.
    """

    def __init__(self, game: Recorded, title: str = "") -> None:
        self.game = game
        self.film = Film(game.positions, game.moves, game.agents or (), ending=game.forfeit)
        self.title = title
        self._drawing, self._lock = threading.Lock(), threading.Lock()
        self._data: bytes | None = None
        self._judgings: dict[str, Judging] = {}

    def data(self) -> bytes:
        """What `film.js` plays, gzipped; drawn when it is asked for first."""
        with self._drawing:
            if self._data is None:
                self._data = gzip.compress(self.film.data().encode(), 6)
            return self._data

    def page(self, judging: Judging | None) -> str:
        """The page to share, with what has been judged so far."""
        if judging is None:
            return page_of(self.film, title=self.title)
        return page_of(self.film, judging.forecasts(), judging.mistakes(), self.title)

    def judging(self, name: str, analyst: Callable[[], tuple[threading.Lock, Analyst]]) -> Judging:
        """What an agent says, begun if it has not been asked yet; errors as of `make`."""
        with self._lock:
            if name not in self._judgings:
                self._judgings[name] = Judging(self.game.positions, self.game.moves, *analyst())
            return self._judgings[name]

    def judged(self, name: str) -> Judging | None:
        """The agent's judging if it has been asked."""
        with self._lock:
            return self._judgings.get(name)


class Judging:
    """What an agent has found in a game so far; it goes on while somebody asks.

    Args:
        positions: The n + 1 positions.
        moves: The n moves between them.
        lock: Held while the agent thinks.
        analyst: The analyst that judges.
    """

    def __init__(
        self,
        positions: Sequence[Position],
        moves: Sequence[str],
        lock: threading.Lock,
        analyst: Analyst,
    ) -> None:
        self._positions = positions
        self._thinking = lock
        self._lock = threading.Lock()
        self._analyst = analyst
        self._coming = verdicts(positions, moves, analyst)
        self._found: list[Verdict] = []
        self._first: Forecasts | None = None

    def more(self, known: int) -> int:
        """Judge until more than `known` decisions are judged, or all; how many are."""
        with self._lock:
            began = time.monotonic()
            while len(self._found) <= known or time.monotonic() - began < _AT_ONCE:
                with self._thinking:
                    verdict = next(self._coming, None)
                if verdict is None:
                    break
                self._found.append(verdict)
            return len(self._found)

    def forecasts(self) -> Forecasts:
        """Every seat's chances over the game, as well as they are known."""
        with self._lock:
            if self._first is None:
                with self._thinking:
                    self._first = forecasts_of(
                        self._positions, self._analyst, playouts=_FEWER_PLAYOUTS
                    )
            found = refined(self._first, self._found, self._analyst.name)
        return of_all_seats(found, self._positions)

    def mistakes(self) -> list[Mistake]:
        """The decisions that lost most, of those judged."""
        with self._lock:
            return worst(self._found, self._positions[0].players)
