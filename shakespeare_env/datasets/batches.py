"""The decisions of recorded games as NumPy arrays, for learners."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.reading import read_games
from shakespeare_env.datasets.recorded_columns import NOBODY, RecordedColumns, seen, whole
from shakespeare_env.errors import DatasetError

if TYPE_CHECKING:
    import polars

BUFFER = 2**16
"""Decisions shuffled together: those of some hundred games."""


class Decisions(NamedTuple):
    """n decisions, as the seats that made them saw them, and what became of them.

    S is the most seats of the game; columns by seat begin with the one that decides and go on
    clockwise, as in its observation, with 0 where nobody sits.

    Attributes:
        observations: int8[n, D], of the seat that decides.
        masks: bool[n, A], its legal actions.
        actions: int64[n], what it chose.
        values: float32[n], the return that its agent expected, in units of its training reward; NaN
            where it gave none.
        scores_before: int16[n, S], the scores at the decision.
        scores: int16[n, S], those at the end of the game.
        shares: float32[n, S], of the victory; 1 alone.
        players: int64[n], seats at the table.
        seats: int64[n], the seat that decides.
        agents: int64[n], the agent at that seat, by index in `Batches.agents`.
        game_ids: int64[n].
        numbers: int64[n], the decision's number in its game, from 0.
    """

    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    values: NDArray[np.float32]
    scores_before: NDArray[np.int16]
    scores: NDArray[np.int16]
    shares: NDArray[np.float32]
    players: NDArray[np.int64]
    seats: NDArray[np.int64]
    agents: NDArray[np.int64]
    game_ids: NDArray[np.int64]
    numbers: NDArray[np.int64]

    @property
    def size(self) -> int:
        """The number of decisions, n."""
        return len(self.actions)

    def rows(self, chosen: NDArray[np.int64] | slice) -> Decisions:
        """Decisions by indices, int64[k], or by a slice, which copies nothing."""
        return Decisions._make(column[chosen] for column in self)


class Batches:
    """The decisions of recorded games, batch by batch, for any number of epochs.

    Iterating gives epoch 0. The object holds the games' actions and values, 6 bytes a decision, and
    the shuffled buffer. It can be pickled and, once made, calls nothing of Polars, so that it
    survives a fork.

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
        """All decisions once, in an order of its own if there is a seed.

        Args:
            number: The number of the epoch, from 0.
            part: k and n: only every n-th game from the k-th on, for the k-th of n processes.

        Raises:
            DatasetError: a game cannot have been played so (`play_again`).
            ValueError: there is no such epoch or part.
        """
        if number < 0 or not 0 <= part[0] < part[1]:
            raise ValueError(
                f"epoch {number}, part={part}: number epochs from 0, and give (k, n), the k-th of "
                "n parts, from 0"
            )
        rows, chance = self._rows, None
        if self._seed is not None:
            # All parts are dealt from one order of the games, so that they differ.
            rows = np.random.default_rng([self._seed, number]).permutation(rows)
            chance = np.random.default_rng([self._seed, number, *part])
        return _cut(self._buffers(rows[part[0] :: part[1]], chance), self._size)

    @cached_property
    def decisions(self) -> int:
        """The number of decisions in an epoch; counting one agent's plays the games."""
        return sum(len(self._chosen(games)) for games in self._parts(self._rows))

    def _chosen(self, games: RecordedColumns) -> NDArray[np.int64]:
        """The indices of the decisions that are asked for."""
        if self._agent is None or np.isin(games.agents, (self._agent, NOBODY)).all():
            return np.arange(len(games.actions))
        found, _ = seen(games, np.arange(len(games.actions)), ("seats",))
        return np.flatnonzero(games.agents[games.row, found["seats"]] == self._agent)

    def _buffers(
        self, rows: NDArray[np.int64], chance: np.random.Generator | None
    ) -> Iterator[Decisions]:
        """The decisions of some games, a buffer at a time, each shuffled if there is chance."""
        for games in self._parts(rows):
            chosen = self._chosen(games)
            yield _decisions(games, chosen if chance is None else chance.permutation(chosen))

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


def _cut(buffers: Iterable[Decisions], size: int) -> Iterator[Decisions]:
    """Batches of one size; one may begin in a buffer and end in the next."""
    begun: list[Decisions] = []
    for some in buffers:
        first = 0
        while first < some.size:
            missing = size - sum(one.size for one in begun)
            begun.append(some.rows(slice(first, first + missing)))
            first += begun[-1].size
            if begun[-1].size == missing:
                yield _joined(begun)
                begun = []
    if begun:
        yield _joined(begun)


def _joined(parts: Sequence[Decisions]) -> Decisions:
    if len(parts) == 1:
        return parts[0]
    return Decisions._make(map(np.concatenate, zip(*parts, strict=True)))


def _decisions(games: RecordedColumns, chosen: NDArray[np.int64]) -> Decisions:
    """Some of the games' decisions, in that order."""
    found, _ = seen(games, chosen, ("seats", "observations", "masks", "scores"))
    seats = found["seats"]
    row = games.row[chosen]
    players = games.players[row]
    clockwise = np.arange(games.game.max_seats)
    by_seat = (seats[:, None] + clockwise) % players[:, None]
    present = clockwise < players[:, None]

    def turned(values: NDArray[np.int16]) -> NDArray[np.int16]:
        return np.where(present, np.take_along_axis(values, by_seat, 1), np.int16(0))

    first = turned((games.places == 1).astype(np.int16)[row]).astype(np.float32)
    return Decisions(
        found["observations"],
        found["masks"],
        games.actions[chosen].astype(np.int64),
        games.values[chosen],
        turned(found["scores"]),
        turned(games.scores[row]),
        first / np.maximum(first.sum(1, keepdims=True), np.float32(1.0)),
        players,
        seats,
        games.agents[row, seats],
        games.game_ids[row],
        chosen - games.starts[row],
    )
