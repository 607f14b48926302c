"""Games of agents in a loop, for an audience.

A game is played to its end before it is shown, so nothing hidden is shown of a game that goes on,
and all pages follow one clock.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass

from shakespeare_agents.table.live_table import LiveTable, TableError
from shakespeare_agents.table.new_table import agent_seat, agents_for
from shakespeare_agents.table.site import Site
from shakespeare_agents.table.store import TablePlan, new_token
from shakespeare_env.core import registry
from shakespeare_env.core.rng import fresh_seed

RESULT_S = 20.0
"""Seconds for which the end of a game is shown."""
_SEARCH = "search,simulations=256"
_PLAYING = ("network", _SEARCH, "heuristic")
"""Agents of the package that are worth watching."""


@dataclass(frozen=True)
class Shown:
    """A game on show.

    Attributes:
        table: The id of its table.
        moves: The number of its moves.
        began: When its first position was shown, on the clock of `time.monotonic`.
    """

    table: str
    moves: int
    began: float

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began


class Demo:
    """What an audience sees: while a game is shown, the next one is played.

    Args:
        site: The server whose agents play.
        pace: Seconds from one move to the next.
    """

    def __init__(self, site: Site, pace: float) -> None:
        self._site = site
        self.pace = pace
        self._lock = threading.Lock()
        self._owner = new_token()
        self._number = 0
        self._shown: Shown | None = None
        self._next: LiveTable | None = None

    def now(self) -> Shown | None:
        """The game to show; None as long as the first one is not played to its end."""
        with self._lock:
            if self._next is None or self._next.now().fault:
                self._next = self._begun()
            coming, shown = self._next, self._shown
            is_due = shown is None or shown.elapsed > shown.moves * self.pace + RESULT_S
            if is_due and coming is not None and coming.now().is_over:
                self._shown = Shown(coming.id, len(coming.now().moves), time.monotonic())
                self._next = self._begun()
            return self._shown

    def _begun(self) -> LiveTable | None:
        """The next table, at which agents begin to play; None if no game is compiled yet."""
        names = list(registry.names())
        game = names[self._number % len(names)]
        with suppress(TableError):
            self._site.preparing.wait(game)
            plan = self._plan(game)
            digest = registry.box_digest(game)
            table_id, _ = self._site.store.new_table(self._owner, plan, digest, [])
            self._number += 1
            return self._site.tables.get(table_id)
        return None

    def _plan(self, game: str) -> TablePlan:
        settings, counts = self._site.settings, registry.seats(game)
        offered = agents_for(game, settings)
        playing = [*settings.offered] or [name for name in _PLAYING if name in offered] or offered
        if self._number == 0 and len(playing) > 1:  # the first game comes soon
            playing = [name for name in playing if name != _SEARCH]
        several = [count for count in counts if count > 1] or list(counts)
        players = several[(self._number // len(registry.names()) + 1) % len(several)]
        seats = [playing[(self._number + seat) % len(playing)] for seat in range(players)]
        held = tuple(agent_seat(name, game, settings) for name in seats)
        return TablePlan(game, players, (), fresh_seed(), held)
