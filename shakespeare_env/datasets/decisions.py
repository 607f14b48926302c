"""The decisions of recorded games, made by playing these again: a lazy frame, and batches.

Only what a query asks for is made: texts of positions take a thousand times as long as seats.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.frames import DECISIONS, load, load_polars, polars_schema
from shakespeare_env.datasets.reading import read_games
from shakespeare_env.datasets.recorded_columns import NOBODY, RecordedColumns, chunks, seen, whole
from shakespeare_env.errors import DatasetError

if TYPE_CHECKING:
    import polars

BUFFER = 2**16
"""Decisions shuffled together: those of some hundred games."""


@dataclass
class _Columns:
    """The decisions `at`, int64[k], of games; columns are made when asked for."""

    games: RecordedColumns
    at: NDArray[np.int64]
    seen: Mapping[str, NDArray[Any]]

    @cached_property
    def row(self) -> NDArray[np.int64]:
        """The game of each decision, by index."""
        return self.games.row[self.at]

    @property
    def seat(self) -> NDArray[np.int64]:
        """The seat that decides."""
        return self.seen["seats"]

    @cached_property
    def positions(self) -> list[dict[str, Any]]:
        """The positions in notation."""
        return [self.games.game.to_dict(record) for record in self.seen["records"]]

    @cached_property
    def moves(self) -> polars.Series:
        """Texts of the actions chosen."""
        return self.texts(self.games.actions[self.at], np.arange(len(self.at)))

    @cached_property
    def legal(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All legal actions of all decisions: the decision's index, and the action."""
        decisions, actions = self.seen["masks"].nonzero()
        return decisions, actions

    def texts(self, actions: NDArray[Any], decisions: NDArray[np.int64]) -> polars.Series:
        """Texts of some actions, as the deciding seats write them."""
        game = self.games.game
        texts = [
            text
            for players in range(game.max_seats + 1)
            for seat in range(game.max_seats)
            for text in game.actions.texts_for(seat, max(players, 1))
        ]
        whose = self.games.players[self.row[decisions]] * game.max_seats + self.seat[decisions]
        return _gathered(texts, whose * game.actions.size + actions)

    def lists(self, values: Any) -> polars.Series:
        """Values of `legal` in a list for each decision; no list is empty."""
        rows = load_polars().DataFrame({"decision": self.legal[0], "value": values})
        listed = rows.group_by("decision", maintain_order=True).agg("value")
        return listed["value"]  # type: ignore[no-any-return]

    def column(self, name: str) -> polars.Series:
        """A column of `DECISIONS`."""
        dtype = polars_schema(DECISIONS)[name]
        made: polars.Series = load_polars().Series(name, _MAKERS[name](self))
        return made.cast(dtype)


_MAKERS: dict[str, Callable[[_Columns], Any]] = {
    "game_id": lambda some: some.games.game_ids[some.row],
    "number": lambda some: some.at - some.games.starts[some.row],
    "seat": lambda some: some.seat,
    "agent": lambda some: _gathered(some.games.names, some.games.agents[some.row, some.seat]),
    "phase": lambda some: list(map(some.games.game.phase, some.seen["records"])),
    "position": lambda some: [
        json.dumps(position, ensure_ascii=False, separators=(",", ":"))
        for position in some.positions
    ],
    "legal_actions": lambda some: some.lists(some.legal[1]),
    "legal_moves": lambda some: some.lists(some.texts(some.legal[1], some.legal[0])),
    "action": lambda some: some.games.actions[some.at],
    "move": lambda some: some.moves,
    "is_secret": lambda some: list(map(some.games.game.is_secret, some.positions, some.moves)),
    "value": lambda some: load_polars().Series(some.games.values[some.at]).fill_nan(None),
    "score": lambda some: some.games.scores[some.row, some.seat],
    "place": lambda some: some.games.places[some.row, some.seat],
    "won": lambda some: [
        first if players > 1 else None
        for first, players in zip(
            (some.games.places[some.row, some.seat] == 1).tolist(),
            some.games.players[some.row].tolist(),
            strict=True,
        )
    ],
}
_NEEDED = {
    "seats": set(DECISIONS) - {"game_id", "number", "action", "value"},
    "masks": {"legal_actions", "legal_moves"},
    "records": {"phase", "position", "is_secret"},
}
"""What playing the games again has to show, by the columns made of it."""


def read_decisions(folder: str | os.PathLike[str]) -> polars.LazyFrame:
    """All decisions, `DECISIONS`, of a folder's games; errors as of `read_games`."""
    return decisions_of(read_games(folder), str(folder))


def decisions_of(games: polars.LazyFrame, source: str = "") -> polars.LazyFrame:
    """The decisions, `DECISIONS`, of recorded games, perhaps some of a folder's (`source`).

    Queries raise DatasetError for invalid games.
    """
    schema = polars_schema(DECISIONS)

    def rows(
        columns: list[str] | None, predicate: polars.Expr | None, most: int | None, _: int | None
    ) -> Iterator[polars.DataFrame]:
        wanted = list(schema) if columns is None else columns
        made = {*wanted, *([] if predicate is None else predicate.meta.root_names())}
        needed = [what for what, names in _NEEDED.items() if names & made]
        for chunk in chunks(games, source):
            at = np.arange(len(chunk.actions))[:most]
            some = _Columns(chunk, at, seen(chunk, at, needed)[0] if needed else {})
            frame = load_polars().DataFrame([some.column(name) for name in made])
            yield (frame if predicate is None else frame.filter(predicate)).select(wanted)
            if most is not None:
                most -= len(at)
            if most == 0:
                return

    query: polars.LazyFrame = load("polars.io.plugins").register_io_source(
        lambda *asked: _finished_before_exit(rows(*asked)),
        schema=schema,
        is_pure=True,
        explain_name="games played again",
    )
    return query


_changed = threading.Condition()
_in_progress = 0
_HAND_OVER = 0.05
"""Seconds for Polars to take the last frame, for which it needs the interpreter."""


def _finished_before_exit(frames: Iterator[polars.DataFrame]) -> Iterator[polars.DataFrame]:
    """Frames; Python does not end while one is made.

    A query that needs no more rows leaves a thread behind that still makes a frame. Python ends
    such a thread in the middle, and Polars then aborts the process.
    """
    global _in_progress
    while True:
        with _changed:
            _in_progress += 1
        try:
            frame = next(frames, None)
        finally:
            with _changed:
                _in_progress -= 1
                _changed.notify_all()
        if frame is None:
            return
        yield frame


@atexit.register
def _wait() -> None:
    with _changed:
        if not _in_progress:
            return
        _changed.wait_for(lambda: not _in_progress)
    time.sleep(_HAND_OVER)


def _gathered(texts: Sequence[str], indices: NDArray[np.int64]) -> polars.Series:
    pl = load_polars()
    series: polars.Series = pl.Series(texts, dtype=pl.String).gather(indices)
    return series


class Decisions(NamedTuple):
    """n decisions, as the seats that made them saw them, and what became of them.

    S is the most seats of the game; columns by seat begin with the one that decides and go on
    clockwise, as in its observation, with 0 where nobody sits.
    """

    observations: NDArray[np.int8]  # [n, D], of the seat that decides
    masks: NDArray[np.bool_]  # [n, A], its legal actions
    actions: NDArray[np.int64]  # [n], what it chose
    values: NDArray[np.float32]  # [n], the return that its agent expected, NaN where it gave none
    scores_before: NDArray[np.int16]  # [n, S], the scores at the decision
    scores: NDArray[np.int16]  # [n, S], those at the end of the game
    shares: NDArray[np.float32]  # [n, S], of the victory; 1 alone
    players: NDArray[np.int64]  # [n], seats at the table
    seats: NDArray[np.int64]  # [n], the seat that decides
    agents: NDArray[np.int64]  # [n], the agent at that seat, by index in `Batches.agents`
    game_ids: NDArray[np.int64]  # [n]
    numbers: NDArray[np.int64]  # [n], the decision's number in its game, from 0

    @property
    def size(self) -> int:
        """The number of decisions, n."""
        return len(self.actions)

    def rows(self, chosen: NDArray[np.int64] | slice) -> Decisions:
        """Decisions by indices, int64[k], or by a slice, which copies nothing."""
        return Decisions._make(column[chosen] for column in self)


class Batches:
    """The decisions of recorded games, batch by batch, for any number of epochs, by itself epoch 0.

    It holds 6 bytes a decision and the shuffled buffer, can be pickled and calls nothing of Polars,
    so that it survives a fork.

    Args:
        games: Rows with `game_id` and `RECORDED`, perhaps `values` and `forfeited_by`.
        size: Decisions in a batch; the last may have fewer.
        seed: Decides the order; None means as recorded.
        agent: The agent whose decisions to read; None means all.
        buffer: The approximate number of decisions shuffled together.
        source: Where the games come from, for errors.

    Attributes:
        agents: Every agent's name, sorted.
        games: The number of games read.

    Raises:
        DatasetError: there are no games, none of that agent, or invalid ones.
        TypeError, ValueError: a number is not whole or out of range.
    """

    def __init__(
        self,
        games: polars.LazyFrame,
        *,
        size: int,
        seed: int | None = None,
        agent: str | None = None,
        buffer: int = BUFFER,
        source: str = "",
    ) -> None:
        self._size = checked_count("size", size)
        self._buffer = checked_count("buffer", buffer)
        self._seed = None if seed is None else int(check_seed(seed))
        self._columns = whole(games, source)
        self.agents = self._columns.names
        self._agent: int | None = None
        self._rows = np.arange(self._columns.size)
        if agent is not None:
            if agent not in self.agents:
                known = ", ".join(map(repr, self.agents))
                raise DatasetError(
                    f"{source or 'the frame'} has no agent {agent!r}; its agents: {known}"
                )
            self._agent = self.agents.index(agent)
            self._rows = np.flatnonzero((self._columns.agents == self._agent).any(1))
        self.games = len(self._rows)

    def __iter__(self) -> Iterator[Decisions]:
        return self.epoch(0)

    def epoch(self, number: int, part: tuple[int, int] = (0, 1)) -> Iterator[Decisions]:
        """All decisions once, in an order of the epoch's own if there is a seed.

        Args:
            number: The number of the epoch, from 0.
            part: k and n: only every n-th game from the k-th on, for the k-th of n processes.
        """
        if number < 0 or not 0 <= part[0] < part[1]:
            raise ValueError(f"epoch {number}, part={part}: number epochs, and parts of n, from 0")
        rows, chance = self._rows, None
        if self._seed is not None:
            # All parts are dealt from one order of the games, so that they differ.
            rows = np.random.default_rng([self._seed, number]).permutation(rows)
            chance = np.random.default_rng([self._seed, number, *part])
        return self._cut(rows[part[0] :: part[1]], chance)

    @cached_property
    def decisions(self) -> int:
        """The number of decisions in an epoch; counting one agent's plays the games."""
        return sum(len(self._chosen(games)) for games in self._parts(self._rows))

    def _cut(
        self, rows: NDArray[np.int64], chance: np.random.Generator | None
    ) -> Iterator[Decisions]:
        """Batches of one size; one may begin in a buffer and end in the next."""
        begun: list[Decisions] = []
        for games in self._parts(rows):
            chosen = self._chosen(games)
            buffer = _decisions(games, chosen if chance is None else chance.permutation(chosen))
            first = 0
            while first < buffer.size:
                missing = self._size - sum(part.size for part in begun)
                begun.append(buffer.rows(slice(first, first + missing)))
                first += begun[-1].size
                if begun[-1].size == missing:
                    yield _joined(begun)
                    begun = []
        if begun:
            yield _joined(begun)

    def _chosen(self, games: RecordedColumns) -> NDArray[np.int64]:
        """The indices of the decisions that are asked for."""
        every = np.arange(len(games.actions))
        if self._agent is None or np.isin(games.agents, (self._agent, NOBODY)).all():
            return every
        seats = seen(games, every, ("seats",))[0]["seats"]
        return np.flatnonzero(games.agents[games.row, seats] == self._agent)

    def _parts(self, rows: NDArray[np.int64]) -> Iterator[RecordedColumns]:
        """Some of the games, in parts with as many decisions as a buffer holds."""
        ends = self._columns.lengths[rows].cumsum()
        first = 0
        while first < len(rows):
            room = (ends[first - 1] if first else 0) + self._buffer
            last = max(int(np.searchsorted(ends, room, side="right")), first + 1)
            yield self._columns.taken(rows[first:last])
            first = last


def read_batches(
    folder: str | os.PathLike[str],
    *,
    size: int,
    seed: int | None = None,
    agent: str | None = None,
    buffer: int = BUFFER,
) -> Batches:
    """All decisions of a folder's games; arguments and errors as of `Batches`, `read_games`."""
    games = read_games(folder)
    return Batches(games, size=size, seed=seed, agent=agent, buffer=buffer, source=str(folder))


def _joined(parts: list[Decisions]) -> Decisions:
    if len(parts) == 1:
        return parts[0]
    return Decisions._make(map(np.concatenate, zip(*parts, strict=True)))


def _decisions(games: RecordedColumns, chosen: NDArray[np.int64]) -> Decisions:
    """Some of the games' decisions, in that order."""
    views, _ = seen(games, chosen, ("seats", "observations", "masks", "scores"))
    seats = views["seats"]
    row = games.row[chosen]
    players = games.players[row]
    clockwise = np.arange(games.game.max_seats)
    by_seat = (seats[:, None] + clockwise) % players[:, None]
    present = clockwise < players[:, None]

    def turned(values: NDArray[np.int16]) -> NDArray[np.int16]:
        return np.where(present, np.take_along_axis(values, by_seat, 1), np.int16(0))

    first = turned((games.places == 1).astype(np.int16)[row]).astype(np.float32)
    return Decisions(
        views["observations"],
        views["masks"],
        games.actions[chosen].astype(np.int64),
        games.values[chosen],
        turned(views["scores"]),
        turned(games.scores[row]),
        first / np.maximum(first.sum(1, keepdims=True), np.float32(1.0)),
        players,
        seats,
        games.agents[row, seats],
        games.game_ids[row],
        chosen - games.starts[row],
    )
