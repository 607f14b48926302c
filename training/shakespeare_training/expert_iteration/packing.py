"""Decisions of a group of games on their way from the workers to the learner."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shakespeare_training.expert_iteration.games import Examples, GameLog

_LEVEL = 1
"""The level of zlib; any level finds the zeros that observations mostly are."""


@dataclass(frozen=True)
class Packed:
    """The k decisions of some games, without values for illegal actions.

    Attributes:
        rows: int64[k], the number of each decision's game in the group.
        steps: int64[k], the number of decisions before it in that game.
        observations: See `Examples`; deflated, in rows of as many bytes as an observation has.
        masks: uint8[k, (A + 7) / 8], eight actions a byte.
        prior: float32[legal actions of all].
        advantages: float32[legal actions of all].
        players: See `Examples`, as are `shares` and `changes`.
    """

    rows: NDArray[np.int64]
    steps: NDArray[np.int64]
    observations: bytes
    masks: NDArray[np.uint8]
    prior: NDArray[np.float32]
    advantages: NDArray[np.float32]
    players: NDArray[np.int64]
    shares: NDArray[np.float32]
    changes: NDArray[np.float32]

    @classmethod
    def of(cls, log: GameLog, games: NDArray[np.int64]) -> Packed:
        """The decisions of a log whose games have these numbers in the group, int64[m]."""
        examples = log.examples()
        legal = examples.masks
        return cls(
            games[log.rows],
            log.steps,
            zlib.compress(examples.observations.tobytes(), _LEVEL),
            np.packbits(legal, axis=1),
            examples.prior[legal],
            examples.advantages[legal],
            examples.players,
            examples.shares,
            examples.changes,
        )


def unpacked(parts: Sequence[Packed], observation: int, actions: int) -> Examples:
    """The decisions of a whole group by step, then by game, whichever worker played them.

    Args:
        parts: The parts, at least one.
        observation: The size of an observation.
        actions: The number of actions, A.
    """
    rows = np.concatenate([part.rows for part in parts])
    steps = np.concatenate([part.steps for part in parts])
    places = np.empty(len(rows), np.int64)
    places[np.lexsort((rows, steps))] = np.arange(len(rows))
    seats = parts[0].shares.shape[1]
    # The arrays, most of a run's memory, are filled part by part.
    every = Examples(
        np.empty((len(rows), observation), np.int8),
        np.empty((len(rows), actions), np.bool_),
        np.zeros((len(rows), actions), np.float32),
        np.zeros((len(rows), actions), np.float32),
        np.empty(len(rows), np.int64),
        np.empty((len(rows), seats), np.float32),
        np.empty((len(rows), seats), np.float32),
    )
    first = 0
    for part in parts:
        to = places[first : first + len(part.rows)]
        first += len(part.rows)
        legal = np.unpackbits(part.masks, axis=1, count=actions).view(np.bool_)
        seen = np.frombuffer(zlib.decompress(part.observations), np.int8)
        every.observations[to] = seen.reshape(-1, observation)
        every.masks[to] = legal
        of, action = legal.nonzero()
        every.prior[to[of], action] = part.prior
        every.advantages[to[of], action] = part.advantages
        every.players[to] = part.players
        every.shares[to] = part.shares
        every.changes[to] = part.changes
    return every
