"""Games to look back on, and what agents say of them."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from starlette.exceptions import HTTPException
from starlette.requests import Request

from shakespeare_agents.analysis import Line, Verdict, of_all_seats, refined
from shakespeare_agents.table.new_table import allowed_agent, strongest
from shakespeare_agents.table.recent import Recent
from shakespeare_agents.table.site import Site
from shakespeare_agents.table.thinking.jobs import FindLine, Forecast, Judge
from shakespeare_agents.table.thinking.thinkers import Thinkers
from shakespeare_env.cli.recorded import Recorded, from_bytes, from_folder
from shakespeare_env.errors import DatasetError
from shakespeare_env.film import Film, Forecasts, default_title, page_of

_MOST_LOADED = 12
_NAMING = ("table", "record", "folder", "game")
"""The parts of an address that name a game."""
_PASTED = "the game given"
"""The name that errors give to lines from a form."""
_FEWER_PLAYOUTS = 8
"""Playouts of a position for an early graph where no network forecasts."""
_MOST_LINES = 64
_AT_ONCE = 0.3
"""Seconds of judging before progress is reported."""


class Reviewed:
    """A game that may be looked back on: all of it is open.

    Args:
        game: What was played.
        title: The title of its page; by default the game and its players.
    """

    def __init__(self, game: Recorded, title: str = "") -> None:
        # Each position is made once, and travels to the agents by itself.
        self.game = replace(game, positions=list(game.positions))
        self.film = Film(self.game.positions, game.moves, game.names or (), ending=game.forfeit)
        self.title = title or default_title(self.film)
        self._data: Recent[bytes] = Recent()
        self._judgings: dict[str, Judging] = {}
        self._lock = threading.Lock()

    def data(self) -> bytes:
        """What `film.js` plays, gzipped; drawn when it is asked for first."""
        return self._data.get("", lambda: gzip.compress(self.film.data().encode(), 6))

    def page(self, agent: str) -> str:
        """The page to share, with what the agent has judged so far."""
        with self._lock:
            judging = self._judgings.get(agent)
        if judging is None:
            return page_of(self.film, title=self.title)
        return page_of(self.film, judging.forecasts(), judging.judged(), self.title)

    def judging(self, name: str, agent: str, analysts: Thinkers) -> Judging:
        """What an agent says, begun if it has not been asked yet."""
        with self._lock:
            return self._judgings.setdefault(name, Judging(self.game, name, agent, analysts))


class Judging:
    """What an agent has found in a game so far; it goes on while somebody asks.

    Args:
        game: What was played.
        name: What pages call the agent.
        agent: Its name, as `make` takes it.
        analysts: Where it thinks; `more` and `forecasts` run on their threads.
    """

    def __init__(self, game: Recorded, name: str, agent: str, analysts: Thinkers) -> None:
        self._positions, self._moves = game.positions, game.moves
        self.name, self.agent = name, agent
        self._analysts = analysts
        self._lock = threading.Lock()
        self._found: list[Verdict] = []
        self._first: Forecasts | None = None
        self._lines: Recent[Line] = Recent(_MOST_LINES)

    def more(self, known: int) -> int:
        """Judge until more than `known` decisions are judged, or all; how many are."""
        with self._lock:
            began = time.monotonic()
            while (number := len(self._found)) < len(self._moves):
                if number > known and time.monotonic() - began > _AT_ONCE:
                    break
                position, move = self._positions[number], self._moves[number]
                self._found.append(self._analysts.result(Judge(self.agent, position, move, number)))
            return len(self._found)

    def forecasts(self) -> Forecasts:
        """Every seat's chances over the game, as well as they are known."""
        return of_all_seats(self._by_movers(), self._positions)

    def judged(self) -> list[Verdict]:
        """The decisions judged."""
        with self._lock:
            return list(self._found)

    def tried(self, number: int, move: str) -> Verdict:
        """What another move would have been worth in decision `number`, from 0."""
        job = Judge(self.agent, self._positions[number], move, number)
        return self._analysts.threads.submit(self._analysts.result, job).result()

    def line(self, number: int) -> Line:
        """The best line from a position on; its forecasts go on from those of the game."""

        def found() -> Line:
            threads, position = self._analysts.threads, self._positions[number]
            job = FindLine(self.agent, position, number)
            line = threads.submit(self._analysts.result, job).result()
            game, own = threads.submit(self._by_movers).result(), line.forecasts
            whole = Forecasts(
                np.concatenate([game.chances[:number], own.chances]),
                np.concatenate([game.scores[:number], own.scores]),
                self.name,
            )
            every = [*self._positions[:number], *line.course.positions]
            seen = of_all_seats(whole, every)
            return Line(
                line.course, Forecasts(seen.chances[number:], seen.scores[number:], self.name)
            )

        return self._lines.get(number, found)

    def _by_movers(self) -> Forecasts:
        """What each seat to move expected, refined where its decision is judged."""
        with self._lock:
            if self._first is None:
                self._first = self._analysts.result(
                    Forecast(self.agent, self._positions, _FEWER_PLAYOUTS)
                )
            return refined(self._first, self._found, self.name)


class Reviews:
    """The games of a server that may be looked back on, found by their addresses.

    Args:
        site: The site whose games it finds.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._loaded: Recent[Reviewed] = Recent(_MOST_LOADED)

    def get(self, place: Mapping[str, Any]) -> Reviewed:
        """A game by the parts of its address.

        Raises:
            HTTPException: there is none, or it is still being played.
        """
        key = tuple(place.get(name) for name in _NAMING)
        try:
            return self._loaded.get(key, lambda: self._found(place))
        except (DatasetError, ModuleNotFoundError) as fault:
            raise HTTPException(404, str(fault)) from fault

    def keep(self, owner: str, lines: bytes) -> str:
        """Keep a game given as JSON lines, gzipped or not; its id.

        Raises:
            DatasetError: what is wrong with it.
        """
        reviewed = Reviewed(from_bytes(lines, _PASTED))
        packed = lines if lines.startswith(b"\x1f\x8b") else gzip.compress(lines)
        return self._site.store.keep_record(owner, reviewed.title, packed)

    def _found(self, place: Mapping[str, Any]) -> Reviewed:
        if "folder" in place:
            folder = self._site.settings.watched(place["folder"])
            return Reviewed(from_folder(folder, place["game"]))
        if "record" in place:
            record = self._site.store.record(place["record"])
            if record is None:
                raise HTTPException(404, "There is no such game.")
            return Reviewed(from_bytes(record[1], _PASTED), record[0])
        table = self._site.tables.get(place["table"])
        if table is None:
            raise HTTPException(404, "There is no such table.")
        now = table.now()
        if not now.is_over:
            # A review shows every secret.
            raise HTTPException(
                403, "This game is still being played; it is open to review once it is over."
            )
        return Reviewed(Recorded(now.positions, now.moves, now.names))


def judging_of(site: Site, request: Request, reviewed: Reviewed) -> Judging:
    """What the agent says that is asked for, by default the game's own; TableError if it cannot."""
    game = reviewed.film.game
    asked = request.query_params.get("agent") or strongest(game)
    agent = allowed_agent(asked, game.name, site.settings)
    name = site.settings.called(agent) if agent in site.settings.agents else asked
    return reviewed.judging(name, agent, site.analysts)
