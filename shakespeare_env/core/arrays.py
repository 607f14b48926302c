"""The arrays and settings that kernels work on.

Kernels take plain tuples: Numba would look up a named tuple's type at every call, which takes
longer than a move.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.game import Game, Records


def plain(array: NDArray[Any], kind: type[Any]) -> NDArray[Any]:
    """The array, or a copy, contiguous, aligned and writeable.

    Numba would compile a kernel anew for any other.
    """
    found = np.ascontiguousarray(array, kind)
    return found if found.flags.carray else found.copy()


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view of an array that compiled code relies on."""
    view = array.view()
    view.flags.writeable = False
    return view


def taken(games: Records, rows: NDArray[Any]) -> Records:
    """Copies of records, by their bytes.

    NumPy alone copies field by field, 30 times as slowly, and leaves stray memory between them.
    """
    whole = np.dtype((np.void, games.dtype.itemsize))
    copies: Records = games.view(whole)[rows].view(games.dtype)
    return copies


class GameArrays(NamedTuple):
    """Records of n games and what their seats to move see; see `Batch`."""

    games: Records
    mask: NDArray[np.bool_]
    obs: NDArray[np.int8]
    to_move: NDArray[np.int8]

    @staticmethod
    def of(
        game: Game, n: int
    ) -> tuple[Records, NDArray[np.bool_], NDArray[np.int8], NDArray[np.int8]]:
        """Room for n games, as the plain tuple that kernels take."""
        return (
            np.zeros(n, game.state),
            np.zeros((n, game.actions.size), np.bool_),
            np.zeros((n, game.layout.size), np.int8),
            np.full(n, -1, np.int8),
        )


class Outcome(NamedTuple):
    """What a step brings; see `Batch`.  `scores_before` and `scores_after` are scratch."""

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
    """The variants and rewards of a batch.

    Attributes:
        options: A bit per variant (`Game.option_bits`).
        reward: A code of `rewards.py`.
        scale: Points that count as one unit of reward.
        target: The solo game's target; 0 without a solo game.
    """

    options: int
    autoreset: bool
    reward: int
    scale: float
    target: float

    @classmethod
    def of(cls, game: Game, options: int, autoreset: bool, reward: int) -> Terms:
        """A game's terms."""
        return cls(options, autoreset, reward, float(game.score_scale), game.solo_target or 0.0)


@cache
def bytes_per_game(game: Game) -> int:
    """Memory that a game in a batch takes."""
    return sum(array.nbytes for array in (*GameArrays.of(game, 1), *Outcome.of(game, 1)))
