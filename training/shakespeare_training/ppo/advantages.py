"""The consequences of each seat's decisions, along each seat's own trajectory.

After a move it is another seat's turn, so the usual recursion over rows credits the wrong seat.
Here each seat's trajectory is its own decisions.  What happens between two of them, whoever caused
it, counts towards the earlier one; what happens before the game ends, towards its last.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import torch

from shakespeare_env.compile.decorators import kernel, rule

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

    targets: torch.Tensor
    gained: torch.Tensor
    closed: torch.Tensor
    results: torch.Tensor
    ended: torch.Tensor


class Ahead(NamedTuple):
    """What follows a row, for every game and each of its seats.

    Attributes:
        gains: float32[n, S, S, 2], before the seat's next decision.
        forecast: float32[n, S, S, 2], that decision's, and its target.
        target: float32[n, S, S, 2].
        rest: float32[n, S, 2], gains before the end.
        known: bool[n, S], whether there is such a decision, or an end.
    """

    gains: torch.Tensor
    forecast: torch.Tensor
    target: torch.Tensor
    rest: torch.Tensor
    known: torch.Tensor


@rule
def write_targets(game: int, given: Any, trace_decay: float, ahead: Any, found: Any) -> None:
    """The targets of one game, row by row from the last; see `seat_targets`."""
    gains, forecasts, seats, dones, carried = given
    gained_ahead, next_forecast, next_target, rest, known = ahead
    targets, gained, closed, results, ended = found
    n_seats = gains.shape[2]
    is_over = False
    for row in range(gains.shape[0] - 1, -1, -1):
        if dones[row, game]:
            is_over = True
            for seat in range(n_seats):
                known[game, seat] = True
                for other in range(n_seats):
                    for kind in range(2):
                        gained_ahead[game, seat, other, kind] = 0.0
                        next_forecast[game, seat, other, kind] = 0.0
                        next_target[game, seat, other, kind] = 0.0
                for kind in range(2):
                    rest[game, seat, kind] = 0.0
        for other in range(n_seats):
            for kind in range(2):
                gain = gains[row, game, other, kind]
                rest[game, other, kind] += gain
                for seat in range(n_seats):
                    gained_ahead[game, seat, other, kind] += gain
        seat = seats[row, game]
        if seat == NO_SEAT:
            continue
        closed[row, game], ended[row, game] = known[game, seat], is_over
        for other in range(n_seats):
            for kind in range(2):
                before = carried[row, game, other, kind] if row < carried.shape[0] else 0.0
                gain = gained_ahead[game, seat, other, kind] + before
                forecast = forecasts[row, game, other, kind]
                target = forecast
                if known[game, seat]:
                    target = gain + next_forecast[game, seat, other, kind] * (1.0 - trace_decay)
                    target += next_target[game, seat, other, kind] * trace_decay
                targets[row, game, other, kind] = target
                gained[row, game, other, kind] = gain
                results[row, game, other, kind] = rest[game, other, kind] + before
                gained_ahead[game, seat, other, kind] = 0.0
                next_forecast[game, seat, other, kind] = forecast
                next_target[game, seat, other, kind] = target
        known[game, seat] = True


@kernel("training", purpose="advantages")
def _write_all_targets(given: Any, trace_decay: float, ahead: Any, found: Any) -> None:
    for game in range(given[0].shape[1]):
        write_targets(game, given, trace_decay, ahead, found)


def seat_targets(
    gains: torch.Tensor,
    forecasts: torch.Tensor,
    seats: torch.Tensor,
    dones: torch.Tensor,
    carried: torch.Tensor,
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
        seats: int8[R, n], who decided, or NO_SEAT: such a row may still have gains.
        dones: bool[R, n], whether the step ended the game; the next row is another game's.
        carried: float32[C, n, S, 2], earlier gains after the decisions of the first rows.
        gae_lambda: Bias against variance, 0 to 1.
    """
    _, n, n_seats, _ = gains.shape
    pairs = n, n_seats, n_seats, 2
    ahead = Ahead(
        gains=gains.new_zeros(pairs),
        forecast=gains.new_zeros(pairs),
        target=gains.new_zeros(pairs),
        rest=gains.new_zeros((n, n_seats, 2)),
        known=dones.new_zeros((n, n_seats)),
    )
    numbers = [torch.zeros_like(gains) for _ in range(3)]
    flags = [torch.zeros_like(dones) for _ in range(2)]
    found = SeatTargets(numbers[0], numbers[1], flags[0], numbers[2], flags[1])
    given = (gains, forecasts, seats, dones, carried)
    if gains.device.type == "cpu":
        arrays = [tuple(tensor.numpy() for tensor in part) for part in (given, ahead, found)]
        _write_all_targets(arrays[0], gae_lambda, arrays[1], arrays[2])
    else:
        from shakespeare_env.compile.device import launch

        arguments = given, gae_lambda, tuple(ahead), tuple(found)
        launch(write_targets, "training", "advantages", n, gains.device, *arguments)
    return found


def advantages(
    surprise: torch.Tensor,
    players: torch.Tensor,
    sizes: Iterable[int],
    win_coef: float,
    score_coef: float,
) -> torch.Tensor:
    """float32[k]: advantages in units of the reward, normalised among tables of each size.

    The reward is the share of the victory, scaled so that all of it is +1 and its expectation among
    equals 0, times `win_coef`, and the change of the score times `score_coef`; alone, the change of
    the score times both.

    Args:
        surprise: float32[k, 2], the deciding seats' targets less forecasts.
        players: int64[k], seats at the table.
        sizes: The sizes of tables.
        win_coef: Coefficient of the share of the victory.
        score_coef: Coefficient of the change of the score.
    """
    several = players > 1
    win = win_coef * torch.where(several, players / (players - 1).clamp(min=1), 0.0)
    score = torch.where(several, score_coef, score_coef + win_coef)
    found = win * surprise[:, SHARE] + score * surprise[:, CHANGE]
    for count in sizes:
        here = players == count
        number = here.sum().clamp(min=1)
        mean = (found * here).sum() / number
        deviation = (((found - mean) * here).square().sum() / number).sqrt()
        # A single advantage has deviation 0.
        found = torch.where(here, (found - mean) / (deviation + 1e-8), found)
    return found


def explained_variance(
    forecasts: torch.Tensor, results: torch.Tensor, among: torch.Tensor
) -> torch.Tensor:
    """float32[]: the share of the results' variance that forecasts explain; below 0 if they harm.

    No mean is subtracted, so a forecast that is too high everywhere explains less.

    Args:
        forecasts: float32[...].
        results: float32[...].
        among: bool[...], those that count.
    """
    number = among.sum().clamp(min=1)
    mean = (results * among).sum() / number
    variance = ((results - mean).square() * among).sum()
    missed = ((results - forecasts).square() * among).sum()
    return torch.where(variance > 0, 1.0 - missed / variance, 0.0)
