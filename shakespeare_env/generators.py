"""What agents draw from: a generator for each game, drawn from together.

A game's agents draw from that game's generator, so what they do depends neither on how many games
are played together nor on the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.rng import GOLDEN, check_seed, mixed, streams

_AGENTS = np.uint64(0xA6E275)
"""Parts what agents draw from the chance of the games of the same seed."""
_11, _TO_UNIT = np.uint64(11), 2.0**-53


class GameGenerators:
    """Generators of m games (SplitMix64 each); selections share the state of the whole.

    Args:
        states: uint64[n], the state of each generator; kept and advanced in place.
        rows: int[m], which of them these are; None means all.
    """

    def __init__(self, states: NDArray[np.uint64], rows: NDArray[Any] | None = None) -> None:
        self.states = states
        self.rows = np.arange(len(states)) if rows is None else rows

    @classmethod
    def of_games(cls, seed: int, games: NDArray[Any]) -> GameGenerators:
        """The generators of the games with these numbers, int[n], under a seed."""
        return cls(streams(int(check_seed(seed) ^ _AGENTS), games))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, places: NDArray[Any]) -> GameGenerators:
        """Those of some of the games, each at most once."""
        return GameGenerators(self.states, self.rows[places])

    def random(self) -> NDArray[np.float64]:
        """float64[m]: one number of each generator, uniform from 0 up to 1."""
        states = self.states[self.rows] + GOLDEN
        self.states[self.rows] = states
        return to_unit(mixed(states))

    def words(self, places: NDArray[Any]) -> NDArray[np.uint64]:
        """Random words, each of the generator of one game.

        Args:
            places: int[k], which of the m games each is for, in any order and any number of times.

        Returns:
            uint64[k].
        """
        counts = np.bincount(places, minlength=len(self.rows)).astype(np.uint64)
        order = np.argsort(places, kind="stable")
        first = np.cumsum(counts, dtype=np.int64) - counts.astype(np.int64)
        rank = np.empty(len(places), np.uint64)
        rank[order] = np.arange(len(places)) - first[places[order]] + 1
        words: NDArray[np.uint64] = mixed(self.states[self.rows[places]] + rank * GOLDEN)
        self.states[self.rows] += counts * GOLDEN
        return words

    def numpy(self, place: int) -> np.random.Generator:
        """A NumPy generator for one of the m games, seeded from its own."""
        return np.random.default_rng(int(self.words(np.array([place]))[0]))

    def choose(self, weights: NDArray[Any]) -> NDArray[np.int64]:
        """Draw one column of each row.

        Args:
            weights: float or bool[m, k], not negative, a positive sum in every row; a column is as
                likely as its share of the sum.

        Returns:
            int64[m]; a column of weight 0 is never drawn.
        """
        return draw_columns(weights, self.random())


def to_unit(words: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Random words as numbers uniform from 0 up to 1."""
    return (words >> _11).astype(np.float64) * _TO_UNIT


def draw_columns(weights: NDArray[Any], numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """The column of each row that a number from 0 up to 1 falls on.

    Args:
        weights: float or bool[m, k]; see `GameGenerators.choose`.
        numbers: float64[m].

    Returns:
        int64[m].
    """
    sums = weights.cumsum(axis=1, dtype=np.float64)
    total = sums[:, -1]
    # Rounding could lift the threshold to the total, which no sum exceeds.
    threshold = np.minimum(numbers * total, np.nextafter(total, 0.0))
    columns: NDArray[np.int64] = (sums > threshold[:, None]).argmax(axis=1)
    return columns
