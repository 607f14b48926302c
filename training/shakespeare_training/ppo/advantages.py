"""Advantages along each seat's own decisions, as a pure function of arrays.

After a move it is another seat's turn, so the usual recursion ("the next row is my next state")
credits the wrong seat.  Here every seat of every game has its own trajectory, the rows in which it
decided.  What it receives between two decisions, whoever caused it, counts towards the earlier one,
and what it receives before the game ends, towards its last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

NO_SEAT = -1
"""In `seats`: no decision of this game in this row."""


class SeatAdvantages(NamedTuple):
    """Of each row and game; 0 where `seats` is NO_SEAT.

    Attributes:
        advantages: float32[R, n]; 0 for open decisions.
        returns: float32[R, n], advantage plus value; 0 for open decisions.
        gained: float32[R, n], what the seat received until its next decision, the end of the game
            or the last row.
        closed: bool[R, n], whether it was not the last row; other decisions are *open*.
    """

    advantages: NDArray[np.float32]
    returns: NDArray[np.float32]
    gained: NDArray[np.float32]
    closed: NDArray[np.bool_]


def seat_advantages(
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    seats: NDArray[Any],
    dones: NDArray[np.bool_],
    gamma: float,
    gae_lambda: float,
) -> SeatAdvantages:
    """Generalised advantage estimation (Schulman et al. 2016) along every seat's own decisions.

    All until a seat decides again is one step.  In a game that continues after the last row, each
    seat's latest decision is open and the one before bootstraps from its value: no value is asked
    of a state in which the seat does not decide.

    Args:
        rewards: float32[R, n, S], what each seat received in the row's step.
        values: float32[R, n], the deciding seat's values.
        seats: int[R, n], who decided, or NO_SEAT: such a row may still carry rewards.
        dones: bool[R, n], whether the step ended the game; the next row is another game's.
        gamma: Discount factor, 0 to 1.
        gae_lambda: Bias against variance, 0 to 1.
    """
    n_rows, n, n_seats = rewards.shape
    games = np.arange(n)
    advantages = np.zeros((n_rows, n), np.float32)
    gained = np.zeros((n_rows, n), np.float32)
    closed = np.zeros((n_rows, n), np.bool_)
    # What follows the row, per game and seat: rewards up to its next decision, and that decision.
    ahead = np.zeros((n, n_seats), np.float32)
    next_value = np.zeros((n, n_seats), np.float32)
    next_advantage = np.zeros((n, n_seats), np.float32)
    is_known = np.zeros((n, n_seats), np.bool_)
    for row in range(n_rows - 1, -1, -1):
        ended = dones[row]
        if ended.any():
            ahead[ended] = next_value[ended] = next_advantage[ended] = 0.0
            is_known[ended] = True
        ahead += rewards[row]
        decided = seats[row] != NO_SEAT
        game = games if decided.all() else games[decided]
        at = (game, seats[row, game])
        value = values[row, game]
        gained[row, game] = gain = ahead[at]
        closed[row, game] = known = is_known[at]
        step = gain + gamma * next_value[at] - value + gamma * gae_lambda * next_advantage[at]
        advantages[row, game] = advantage = np.where(known, step, np.float32(0.0))
        ahead[at] = 0.0
        next_value[at] = value
        next_advantage[at] = advantage
        is_known[at] = True
    returns = np.where(closed, advantages + values, np.float32(0.0))
    return SeatAdvantages(advantages, returns, gained, closed)
