"""Decisions of a group of games on their way from who played them to who learns from them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shakespeare_training.expert_iteration.games import Examples, GameLog

_LEVEL = 1
"""Of zlib: most of an observation is zeros, which any level finds."""


@dataclass(frozen=True)
class Packed:
    """The k decisions of some games: illegal actions, of which nothing is said, are left out.

    Attributes:
        rows: int64[k], the game of each, by its number in the group.
        steps: int64[k], how many decisions that game had behind it.
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
        """Those of a log whose games have these numbers in the group, int64[m]."""
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
    """The decisions of a whole group by step, then by game, whoever played which of them.

    Args:
        parts: At least one.
        observation: The size of one.
        actions: A.
    """
    rows = np.concatenate([part.rows for part in parts])
    steps = np.concatenate([part.steps for part in parts])
    places = np.empty(len(rows), np.int64)
    places[np.lexsort((rows, steps))] = np.arange(len(rows))
    seats = parts[0].shares.shape[1]
    # Filled part by part: together they are most of what a run holds.
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
