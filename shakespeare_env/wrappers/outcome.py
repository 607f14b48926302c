"""What the last info of an episode says, under the same keys in all environments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.game import Game

NO_OFFENDER = -1


def outcomes(
    game: Game,
    seats: NDArray[Any],
    players: NDArray[Any],
    scores: NDArray[np.int16],
    winners: NDArray[np.bool_],
    offenders: NDArray[Any],
) -> dict[str, NDArray[Any]]:
    """How m games ended for one seat of each.

    Args:
        game: The game played.
        seats: int[m], whose outcome it is.
        players: int[m], seats at the table.
        scores: int16[m, L], by seat; L is that of the longest table.
        winners: bool[m, L], none after an illegal action.
        offenders: int[m], the seat whose illegal action ended the game, or `NO_OFFENDER`.

    Returns:
        `seat` and `players`, int64[m]; `won`, float64[m], the seat's share of the victory, alone 1
        for passing the game's solo target and else 0; `is_success`, the same, the name by which
        Stable-Baselines3 logs it; `score`, int64[m]; `rank`, int64[m], 1 for winners, for others
        one more than the seats that did better, the offender last; `final_scores` and `winners`,
        as given; `illegal_action`, bool[m], whether the seat is the offender.
    """
    every_row = np.arange(len(seats))
    seat = np.arange(scores.shape[1])
    rivals = (seat < players[:, None]) & (seat != offenders[:, None])
    own = scores[every_row, seats]
    has_won = winners[every_row, seats]
    illegal = seats == offenders
    won = has_won / np.maximum(winners.sum(axis=1), 1)
    if game.solo_target is not None:
        won = np.where(players == 1, has_won & (own > game.solo_target), won)
    better = (rivals & (winners | (scores > own[:, None]))).sum(axis=1)
    rank = np.where(has_won, 1, 1 + better)
    return {
        "seat": seats.astype(np.int64),
        "players": players.astype(np.int64),
        "won": won.astype(np.float64),
        "is_success": won.astype(np.float64),
        "score": own.astype(np.int64),
        "rank": np.where(illegal, players, rank).astype(np.int64),
        "final_scores": scores,
        "winners": winners,
        "illegal_action": illegal,
    }


def info_of(ends: dict[str, NDArray[Any]], place: int) -> dict[str, Any]:
    """One of the m games: Python numbers, and arrays by seat."""
    return {
        name: values[place].item() if values.ndim == 1 else values[place]
        for name, values in ends.items()
    }
