"""Advantages along each seat's own decisions, as a pure function of arrays.

In a game of several seats the situation after a move belongs to somebody else, so the usual
recursion ("the next row is my next state") credits the wrong seat.  Here every seat of every game
has its own trajectory: the rows in which it decided.  What a seat receives between two of its
decisions, whoever's move caused it, belongs to the earlier one; what it receives until the game
ends belongs to its last one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

NO_SEAT = -1
"""In `seats`: this row holds no decision for this game."""


class SeatAdvantages(NamedTuple):
    """What `seat_advantages` finds for each row and game; zero where `seats` is NO_SEAT.

    Attributes:
        advantages: float32[R, n], generalised advantage of the decision; 0 where it is not
            `closed`.
        returns: float32[R, n], advantage plus value: the target of the value network; 0 where not
            `closed`.
        gained: float32[R, n], what the deciding seat received from this decision until its next
            one, until the end of the game, or, where the decision is not `closed`, until the last
            row.
        closed: bool[R, n], whether the rows hold what followed the decision: the same seat's next
            decision in the same game, or the end of the game.  An open decision has no advantage
            yet.
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
    """Generalised advantage estimation on every seat's own decisions.

    Discount and lambda count own decisions: whatever happens until a seat decides again is one step
    for it. A seat whose game goes on after the last row has one open decision, its latest; the
    decision before that one bootstraps from the value of the open one, so no value is ever asked of
    a situation in which the seat does not decide.

    Args:
        rewards: float32[R, n, S], what each seat of each game received by the move of the row.
        values: float32[R, n], the deciding seat's value of its situation in that row.
        seats: int[R, n], who decided, NO_SEAT for nobody.  Rows are in order of time; a row of
            NO_SEAT may still carry rewards.
        dones: bool[R, n], whether the move of the row ended the game; the next row is then another
            game.
        gamma: Discount per own decision, 0 to 1.
        gae_lambda: Trade of bias against variance, 0 to 1.

    Returns:
        The `SeatAdvantages`.  The cost is one pass over the rows, vectorised over the games.
    """
    n_rows, n, n_seats = rewards.shape
    games = np.arange(n)
    advantages = np.zeros((n_rows, n), np.float32)
    gained = np.zeros((n_rows, n), np.float32)
    closed = np.zeros((n_rows, n), np.bool_)
    # What lies ahead of the row, per game and seat: rewards until its next decision, then that
    # decision.
    ahead = np.zeros((n, n_seats), np.float32)
    next_value = np.zeros((n, n_seats), np.float32)
    next_advantage = np.zeros((n, n_seats), np.float32)
    is_known = np.zeros((n, n_seats), np.bool_)
    for row in range(n_rows - 1, -1, -1):
        ended = dones[row]
        if ended.any():
            ahead[ended] = 0.0
            next_value[ended] = 0.0
            next_advantage[ended] = 0.0
            is_known[ended] = True
        ahead += rewards[row]
        decided = seats[row] != NO_SEAT
        game = games if decided.all() else games[decided]
        seat = seats[row, game]
        at = (game, seat)
        value = values[row, game]
        gain = ahead[at]
        known = is_known[at]
        step = gain + gamma * next_value[at] - value + gamma * gae_lambda * next_advantage[at]
        advantage = np.where(known, step, np.float32(0.0))
        gained[row, game] = gain
        closed[row, game] = known
        advantages[row, game] = advantage
        ahead[at] = 0.0
        next_value[at] = value
        next_advantage[at] = advantage
        is_known[at] = True
    returns = np.where(closed, advantages + values, np.float32(0.0))
    return SeatAdvantages(advantages, returns, gained, closed)
