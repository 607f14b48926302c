"""The consequences of each seat's decisions, as a pure function of arrays.

After a move it is another seat's turn, so the usual recursion over rows credits the wrong seat.
Here each seat's trajectory is its own decisions.  What happens between two of them, whoever caused
it, counts towards the earlier one; what happens before the game ends, towards its last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

NO_SEAT = -1
"""Stands in `seats` where a game has no decision in a row."""
SHARE, CHANGE = range(2)
"""Forecasts of every seat: its share of the victory, and the change of its score until the end in
units of `Game.score_scale`."""


class SeatTargets(NamedTuple):
    """Every seat's share and change by row and game; 0 where `seats` is NO_SEAT.

    Attributes:
        targets: float32[R, n, S, 2], what the deciding seat should have forecast; its own forecast
            for an open decision.
        gained: float32[R, n, S, 2], what came until the deciding seat's next decision, the end of
            the game or the last row.
        closed: bool[R, n], whether that was not the last row; other decisions are *open*.
        results: float32[R, n, S, 2], what came until the end of the game, if it `ended`.
        ended: bool[R, n], whether the game ended within the rows.
    """

    targets: NDArray[np.float32]
    gained: NDArray[np.float32]
    closed: NDArray[np.bool_]
    results: NDArray[np.float32]
    ended: NDArray[np.bool_]


def seat_targets(
    gains: NDArray[np.float32],
    forecasts: NDArray[np.float32],
    seats: NDArray[Any],
    dones: NDArray[np.bool_],
    carried: NDArray[np.float32],
    gae_lambda: float,
) -> SeatTargets:
    """TD(lambda) along every seat's own decisions, without discount, for all seats' prospects.

    A target less its forecast is the generalised advantage estimate (Schulman et al. 2016), in
    shares of the victory and in scores.  In a game that continues after the last row, each seat's
    latest decision is open and the one before bootstraps from its forecast, so that no state counts
    in which the seat does not decide.

    Args:
        gains: float32[R, n, S, 2], every seat's share of the victory, at the end of a game, and
            the change of its score in the row's step.
        forecasts: float32[R, n, S, 2], the deciding seat's, of seats as they are numbered.
        seats: int[R, n], who decided, or NO_SEAT: such a row may still have gains.
        dones: bool[R, n], whether the step ended the game; the next row is another game's.
        carried: float32[C, n, S, 2], earlier gains after the decisions of the first rows.
        gae_lambda: Bias against variance, 0 to 1.
    """
    n_rows, n, n_seats, _ = gains.shape
    games = np.arange(n)
    targets, gained, results = (np.zeros_like(gains) for _ in range(3))
    closed, over = np.zeros((n_rows, n), np.bool_), np.zeros((n_rows, n), np.bool_)
    # For every game, what follows the row: each seat's gains before its next decision, and that
    # decision; then the gains before the end.
    ahead, next_forecast, next_target = np.zeros((3, n, n_seats, n_seats, 2), np.float32)
    is_known = np.zeros((n, n_seats), np.bool_)
    rest = np.zeros((n, n_seats, 2), np.float32)
    is_over = np.zeros(n, np.bool_)
    for row in range(n_rows - 1, -1, -1):
        ended = dones[row]
        if ended.any():
            ahead[ended] = next_forecast[ended] = next_target[ended] = rest[ended] = 0.0
            is_known[ended] = is_over[ended] = True
        ahead += gains[row][:, None]
        rest += gains[row]
        game = games[seats[row] != NO_SEAT]
        at = (game, seats[row, game])
        forecast = forecasts[row, game]
        before = carried[row, game] if row < len(carried) else np.float32(0.0)
        gained[row, game] = gain = ahead[at] + before
        closed[row, game] = known = is_known[at]
        target = gain + (1.0 - gae_lambda) * next_forecast[at] + gae_lambda * next_target[at]
        target = np.where(known[:, None, None], target, forecast)
        targets[row, game] = target
        results[row, game], over[row, game] = rest[game] + before, is_over[game]
        ahead[at] = 0.0
        next_forecast[at] = forecast
        next_target[at] = target
        is_known[at] = True
    return SeatTargets(targets, gained, closed, results, over)


def advantages(
    surprise: NDArray[np.float32], players: NDArray[Any], win_coef: float, score_coef: float
) -> NDArray[np.float32]:
    """float32[k]: advantages in units of the reward, normalised among tables of each size.

    The reward is the share of the victory, scaled so that all of it is +1 and its expectation among
    equals 0, times `win_coef`, and the change of the score times `score_coef`; alone, the change of
    the score times both.

    Args:
        surprise: float32[k, 2], the deciding seats' targets less forecasts.
        players: int[k], seats at the table.
        win_coef: Coefficient of the share of the victory.
        score_coef: Coefficient of the change of the score.
    """
    several = players > 1
    win = win_coef * np.where(several, players / np.maximum(players - 1, 1), 0.0)
    score = np.where(several, score_coef, score_coef + win_coef)
    found = (win * surprise[:, SHARE] + score * surprise[:, CHANGE]).astype(np.float32)
    for count in np.unique(players):
        rows = players == count
        # A single advantage has deviation 0.
        found[rows] = (found[rows] - found[rows].mean()) / (found[rows].std() + 1e-8)
    return found


def explained_variance(forecasts: NDArray[np.float32], results: NDArray[np.float32]) -> float:
    """The share of the results' variance that forecasts, float32[k], explain; below 0 if they harm.

    No mean is subtracted, so a forecast that is too high everywhere explains less.
    """
    variance = float(results.var())
    if not variance:
        return 0.0
    return 1.0 - float(np.square(results - forecasts).mean()) / variance
