"""Random generators and memories for agents, by game."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core.kernels import as_kernel_array
from shakespeare_env.core.rng import GOLDEN, check_seed, mix_array, next_in, streams

_AGENTS = np.uint64(0xA6E275)
"""Separates the draws of agents from those of games with the same seed."""
_LOW_BITS = np.uint64(11)
_TO_UNIT = 2.0**-53
"""A float64 in [0, 1) has room for 53 bits of a word, so the low 11 bits are dropped."""
Memories = dict[tuple[int, int], dict[str, Any]]
"""The memories of agents, by game and seat."""
Saved = tuple[NDArray[np.uint64], Memories]
"""States and memories to restore when moves are taken back or asked for again."""


class GameGenerators:
    """SplitMix64 generators, and the memories of agents, for m of n games.

    All selections of the n games share their states and memories.

    Args:
        states: uint64[n], one per game, which draws advance in place.
        rows: int[m], the games selected. None selects all.
        seats: int[m], the seats that are asked, each with a memory of its own. None stands for one
            memory per game.
        memories: The memories so far.
    """

    def __init__(
        self,
        states: NDArray[np.uint64],
        rows: NDArray[Any] | None = None,
        seats: NDArray[Any] | None = None,
        memories: Memories | None = None,
    ) -> None:
        self.states = states
        self.rows = np.arange(len(states)) if rows is None else rows
        self._seats = np.full(len(self.rows), -1) if seats is None else seats
        self._memories: Memories = {} if memories is None else memories

    @classmethod
    def of_games(cls, seed: int, games: NDArray[Any]) -> GameGenerators:
        """Return the generators of numbered games, int[n], for a seed."""
        return cls(streams(int(check_seed(seed) ^ _AGENTS), games))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, places: NDArray[Any]) -> GameGenerators:
        """Return the generators of some games, each at most once."""
        return self.for_seats(self._seats[places], places)

    def for_seats(self, seats: NDArray[Any], places: NDArray[Any]) -> GameGenerators:
        """Return the generators of some games, with the memories of the seats asked, int[m].

        `places` are indices of the games selected here, each at most once.
        """
        return GameGenerators(self.states, self.rows[places], seats, self._memories)

    def memory(self, place: int) -> dict[str, Any]:
        """Return the memory of the seat asked in one game, which is empty at first.

        The agent may change it.
        """
        key = int(self.rows[place]), int(self._seats[place])
        return self._memories.setdefault(key, {})

    def forget(self) -> None:
        """Delete all memories of these games, for games that begin anew."""
        self.restore((self.states[self.rows], {}))  # the same states, and no memories

    def saved(self) -> Saved:
        """Return the states of these games' generators and copies of all seats' memories."""
        return self.states[self.rows], self._remembered(self._memories)

    def restore(self, saved: Saved) -> None:
        """Restore the states and memories that `saved` returned for the same games."""
        states, memories = saved
        self.states[self.rows] = states
        for key in self._remembered(self._memories):
            del self._memories[key]
        self._memories.update(self._remembered(memories))

    def _remembered(self, memories: Memories) -> Memories:
        """Return copies of those memories that belong to the selected games."""
        rows = set(self.rows.tolist()) if memories else ()
        return {key: deepcopy(kept) for key, kept in memories.items() if key[0] in rows}

    def random(self) -> NDArray[np.float64]:
        """Draw float64[m], uniform in [0, 1), one per generator."""
        # SplitMix64 adds `GOLDEN` to the state, and mixes the bits of the sum into a random word.
        states = self.states[self.rows] + GOLDEN
        self.states[self.rows] = states
        return to_unit(mix_array(states))

    def words(self, places: NDArray[Any]) -> NDArray[np.uint64]:
        """Draw uint64[k], one random word for each game of `places`, int[k].

        Games may be in any order and repeated. k words drawn for a game at once are the same as k
        words drawn one after the other.
        """
        counts = np.bincount(places, minlength=len(self.rows)).astype(np.uint64)
        order = np.argsort(places, kind="stable")
        first = np.cumsum(counts, dtype=np.int64) - counts.astype(np.int64)
        rank = np.empty(len(places), np.uint64)  # each word's number among those of its game
        rank[order] = np.arange(len(places)) - first[places[order]] + 1
        words: NDArray[np.uint64] = mix_array(self.states[self.rows[places]] + rank * GOLDEN)
        self.states[self.rows] += counts * GOLDEN
        return words

    def numpy(self, place: int) -> np.random.Generator:
        """Return a NumPy generator that one game's generator seeds."""
        return np.random.default_rng(int(self.words(np.array([place]))[0]))

    def choose(self, weights: NDArray[Any]) -> NDArray[np.int64]:
        """Draw int64[m], a column for each row of weights, [m, k].

        A column's chance is its share of the row's weights. A weight of 0 is never drawn.
        """
        return draw_columns(weights, self.random())


def to_unit(words: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return random words as float64 numbers, uniform in [0, 1)."""
    return (words >> _LOW_BITS).astype(np.float64) * _TO_UNIT


def draw_columns(weights: NDArray[Any], numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return int64[m], the column of each row of weights that a number in [0, 1) selects."""
    columns = np.zeros(len(weights), np.int64)  # weights that are NaN also select 0
    kind = np.float32 if weights.dtype == np.float32 else np.float64
    _write_columns(as_kernel_array(weights, kind), as_kernel_array(numbers, np.float64), columns)
    return columns


@rule
def next_unit(states: Any, i: int) -> float:
    """Draw a number from generator i, uniform in [0, 1), as `GameGenerators.random` does."""
    return np.float64(next_in(states, i) >> _LOW_BITS) * _TO_UNIT


@rule
def drawn_column(weights: Any, number: float) -> int:
    """Return the column of weights, [k], that a number in [0, 1) selects."""
    total = 0.0
    last = 0  # the last column that can be drawn, so that rounding never leads past it
    for column in range(len(weights)):
        if weights[column] > 0:  # most are 0, and a comparison costs less than a sum
            total += weights[column]
            last = column
    target = number * total
    partial = 0.0
    for column in range(last):
        if weights[column] > 0:
            partial += weights[column]
            if partial > target:
                return column
    return last


@kernel("play", purpose="draws by weight")
def _write_columns(weights: Any, numbers: Any, columns: Any) -> None:
    for row in range(len(weights)):
        columns[row] = drawn_column(weights[row], numbers[row])
