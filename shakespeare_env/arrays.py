"""The arrays and settings that kernels work on.

Kernels take them as plain tuples and name the entries themselves: Numba looks up the type of a
named tuple in Python, at every call, which takes longer than a move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.game import Game, Records


class Table(NamedTuple):
    """Games, and what their seats to move see.

    Attributes:
        games: The records, [n].
        mask: bool[n, A], the legal actions of the seat to move.
        obs: int8[n, D], its observation.
        to_move: int8[n], the seat that decides, -1 when over.
    """

    games: Records
    mask: NDArray[np.bool_]
    obs: NDArray[np.int8]
    to_move: NDArray[np.int8]

    @staticmethod
    def of(
        game: Game, n: int
    ) -> tuple[Records, NDArray[np.bool_], NDArray[np.int8], NDArray[np.int8]]:
        """Room for n games, none set up, as the plain tuple that kernels take."""
        return (
            np.zeros(n, game.state),
            np.zeros((n, game.actions.size), np.bool_),
            np.zeros((n, game.layout.size), np.int8),
            np.full(n, -1, np.int8),
        )


class Outcome(NamedTuple):
    """What a step brings.

    Attributes:
        rewards: float32[n, S] of the last step, by seat.
        done: bool[n], the games that the last step ended.
        scores_before: int16[n, S], scratch.
        scores_after: int16[n, S], scratch.
        final_scores: int16[n, S] of the last game to end in each row.
        final_winners: bool[n, S], its winners.
    """

    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    scores_before: NDArray[np.int16]
    scores_after: NDArray[np.int16]
    final_scores: NDArray[np.int16]
    final_winners: NDArray[np.bool_]

    @classmethod
    def of(cls, game: Game, n: int) -> Outcome:
        """Room for n games."""
        by_seat = (n, game.max_seats)
        return cls(
            np.zeros(by_seat, np.float32),
            np.zeros(n, np.bool_),
            np.zeros(by_seat, np.int16),
            np.zeros(by_seat, np.int16),
            np.zeros(by_seat, np.int16),
            np.zeros(by_seat, np.bool_),
        )


class Terms(NamedTuple):
    """What a batch is played for.

    Attributes:
        options: A bit for each variant of the game (`Game.option_bits`).
        autoreset: Whether a step that ends a game sets up the next one.
        reward: A code of `rewards.py`.
        scale: A difference in score that counts as one unit of reward.
        target: The score a game for one seat is measured against; 0 where nobody plays alone.
    """

    options: int
    autoreset: bool
    reward: int
    scale: float
    target: float

    @classmethod
    def of(cls, game: Game, options: int, autoreset: bool, reward: int) -> Terms:
        """The terms of a game."""
        return cls(options, autoreset, reward, float(game.score_scale), game.solo_target or 0.0)
