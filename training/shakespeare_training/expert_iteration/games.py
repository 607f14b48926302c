"""Searched games: their decisions, what searches found, and how the games ended."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch

_LEVEL = 1
"""The level of zlib; any level finds the zeros that these arrays mostly are."""


class Examples(NamedTuple):
    """Decisions to learn from.

    Attributes:
        observations: int8[k, D].
        masks: bool[k, A].
        prior: float32[k, A], the policy before the search; rows add up to 1.
        advantages: float32[k, A] (see `advantages`).
        players: int64[k], seats at the table.
        shares: float32[k, S], of the victory, by seat clockwise of the one that decided; 0 where
            nobody sits, as in `changes`.
        changes: float32[k, S], of the scores from the decision to the end, in units of
            `Game.score_scale`.
    """

    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    prior: NDArray[np.float32]
    advantages: NDArray[np.float32]
    players: NDArray[np.int64]
    shares: NDArray[np.float32]
    changes: NDArray[np.float32]

    @property
    def size(self) -> int:
        """The number of decisions, k."""
        return len(self.players)

    def rows(self, chosen: NDArray[np.int64]) -> Examples:
        """The decisions with the indices int64[m]."""
        return Examples._make(array[chosen] for array in self)


@dataclass(frozen=True)
class Packed:
    """Some decisions of a group of games on their way from a worker to the learner.

    Attributes:
        rows: int64[k], the number of each decision's game in the group.
        steps: int64[k], the number of decisions before it in that game.
        arrays: Each array of `Examples`, deflated.
    """

    rows: NDArray[np.int64]
    steps: NDArray[np.int64]
    arrays: tuple[bytes, ...]


class GameLog:
    """The decisions of games in progress.

    Args:
        batch: The games, played once to their end with `autoreset=False`.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._noted: list[tuple[NDArray[Any], ...]] = []

    def add(
        self,
        step: int,
        rows: NDArray[np.int64],
        prior: NDArray[np.float32],
        advantages: NDArray[np.float32],
    ) -> None:
        """Note the decisions to be made now in the games int64[m]; for the rest see `Examples`.

        `step` is the number of all seats' decisions before these in each game.
        """
        batch = self._batch
        seats, scores = batch.to_move[rows].astype(np.int64), batch.scores(rows).astype(np.float32)
        steps = np.full(len(rows), step)
        seen = (batch.obs[rows], batch.mask[rows])
        self._noted.append((rows, steps, seats, scores, *seen, prior, advantages))

    def decisions(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Examples]:
        """All decisions once the games are over: int64[k] games, int64[k] steps, and the rest."""
        rows, steps, seats, scores, *found = map(np.concatenate, zip(*self._noted, strict=True))
        batch = self._batch
        players = batch.players[rows].astype(np.int64)
        places = np.arange(batch.game.max_seats)
        clockwise = (seats[:, None] + places) % players[:, None]
        present = places < players[:, None]
        winners = batch.final_winners.astype(np.float32)
        winners /= winners.sum(axis=1, keepdims=True).clip(1.0)
        changes = (batch.final_scores[rows] - scores) / np.float32(batch.game.score_scale)
        shares, changes = (
            np.where(present, np.take_along_axis(of_seats, clockwise, 1), np.float32(0.0))
            for of_seats in (winners[rows], changes)
        )
        return rows, steps, Examples._make((*found, players, shares, changes))

    def packed(self, games: NDArray[np.int64]) -> Packed:
        """All decisions, if the games have the numbers int64[m] in their group."""
        rows, steps, examples = self.decisions()
        deflated = tuple(zlib.compress(array.tobytes(), _LEVEL) for array in examples)
        return Packed(games[rows], steps, deflated)


def unpacked(parts: Sequence[Packed], observation: int, actions: int, seats: int) -> Examples:
    """The decisions of a whole group by step, then by game, whichever worker played them.

    Args:
        parts: The parts, at least one.
        observation: The size of an observation.
        actions: The number of actions, A.
        seats: The most seats of the game, S.
    """
    rows = np.concatenate([part.rows for part in parts])
    steps = np.concatenate([part.steps for part in parts])
    count = len(rows)
    places = np.empty(count, np.int64)
    places[np.lexsort((rows, steps))] = np.arange(count)
    # The arrays, most of a run's memory, are filled part by part.
    every = Examples(
        np.empty((count, observation), np.int8),
        np.empty((count, actions), np.bool_),
        np.empty((count, actions), np.float32),
        np.empty((count, actions), np.float32),
        np.empty(count, np.int64),
        np.empty((count, seats), np.float32),
        np.empty((count, seats), np.float32),
    )
    arrays: Sequence[NDArray[Any]] = every
    first = 0
    for part in parts:
        to = places[first : first + len(part.rows)]
        first += len(part.rows)
        for array, deflated in zip(arrays, part.arrays, strict=True):
            flat = np.frombuffer(zlib.decompress(deflated), array.dtype)
            array[to] = flat.reshape(len(to), *array.shape[1:])
    return every
