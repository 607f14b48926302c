"""Decisions to learn from, collected while games are played to their end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch, victory_shares

DecisionArrays = dict[str, NDArray[Any]]
"""Arrays of k decisions by name, with a row for each decision (see `GameBuffer.decisions`)."""


class GameBuffer:
    """Collects decisions while a batch's games are played to their end.

    The batch must have `autoreset=False`.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._steps: list[DecisionArrays] = []

    def add(
        self, steps: int | NDArray[np.int64], rows: NDArray[np.int64], **columns: NDArray[Any]
    ) -> None:
        """Add the decisions that are about to be made in some games.

        Args:
            steps: The number of decisions before these in each game, by all seats, int64[m], or
                one number for all of them.
            rows: int64[m], the games.
            **columns: More arrays by name, with a row for each game.
        """
        batch = self._batch
        self._steps.append(
            {
                "games": rows,
                "steps": np.full(len(rows), steps),
                "seats": batch.to_move[rows].astype(np.int64),
                "scores": batch.scores(rows).astype(np.float32),
                "observations": batch.obs[rows],
                "masks": batch.mask[rows],
                **columns,
            }
        )

    def decisions(self) -> DecisionArrays:
        """Return the decisions, once the games are over. At least one step must have been added.

        Returns:
            What was added, sorted by step, then by game: `games`, `steps` and `seats` (those that
            decided), int64[k]; `observations`, int8[k, D]; `masks`, bool[k, A]; and the other
            columns. Besides these, the outcomes: `players`, int64[k], the seats at the table;
            `shares`,
            float32[k, S], of the victory; and `changes`, float32[k, S], of scores until the end, in
            units of `Game.score_scale`. The last two count seats clockwise from the one that
            decided, and are 0 where nobody sits.
        """
        batch = self._batch
        decisions = join(self._steps)
        games = decisions["games"]
        seats = decisions["seats"]
        scores: NDArray[np.float32] = decisions.pop("scores")
        players = batch.players[games].astype(np.int64)
        places = np.arange(batch.game.max_seats)
        clockwise = (seats[:, None] + places) % players[:, None]
        is_present = places < players[:, None]

        def from_decider(by_seat: NDArray[np.float32]) -> NDArray[np.float32]:
            rotated = np.take_along_axis(by_seat, clockwise, 1)
            return np.where(is_present, rotated, np.float32(0.0))

        shares = victory_shares(batch.final_winners).astype(np.float32)
        changes = (batch.final_scores[games] - scores) / np.float32(batch.game.score_scale)
        decisions["players"] = players
        decisions["shares"] = from_decider(shares[games])
        decisions["changes"] = from_decider(changes)
        return decisions


def advantage_estimates(
    errors: NDArray[np.float32], decisions: DecisionArrays, gae_lambda: float
) -> NDArray[np.float32]:
    """Return generalised advantage estimates along each seat's own decisions, float32[k, ...].

    These are the errors of the targets that `rollout.seat_targets` finds. Here games are complete,
    so they follow from the outcomes alone: the gain until the seat's next decision is the outcome
    of this decision less that of the next.

    Args:
        errors: float32[k, ...], outcomes less forecasts, for the seat that decided.
        decisions: The decisions, as `GameBuffer.decisions` or `join` return them.
        gae_lambda: The lambda of the estimate (Schulman et al. 2016), from 0 (least variance) to 1
            (no bias).
    """
    games, numbers = np.unique(decisions["games"], return_inverse=True)
    seats = decisions["seats"]
    advantages = np.zeros_like(errors)
    # By game and seat, for its next decision; 0 if the game ends before.
    shape = (len(games), seats.max(initial=-1) + 1, *errors.shape[1:])
    next_error = np.zeros(shape, errors.dtype)
    next_advantage = np.zeros(shape, errors.dtype)
    # A game has at most one decision in each step.
    ends_of_steps = np.flatnonzero(np.diff(decisions["steps"])) + 1
    for rows in reversed(np.split(np.arange(len(errors)), ends_of_steps)):
        seat = numbers[rows], seats[rows]
        temporal_difference = errors[rows] - next_error[seat]
        advantages[rows] = temporal_difference + gae_lambda * next_advantage[seat]
        next_error[seat] = errors[rows]
        next_advantage[seat] = advantages[rows]
    return advantages


def take(decisions: DecisionArrays, indices: NDArray[np.int64]) -> DecisionArrays:
    """Return the decisions with the indices int64[m]."""
    return {name: array[indices] for name, array in decisions.items()}


def join(parts: list[DecisionArrays]) -> DecisionArrays:
    """Return the decisions of all parts, sorted by step, then by game."""
    games = np.concatenate([part["games"] for part in parts])
    steps = np.concatenate([part["steps"] for part in parts])
    order = np.lexsort((games, steps))  # the last key is the first to sort by
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    places_of_parts = np.split(places, np.cumsum([len(part["games"]) for part in parts])[:-1])
    joined = {}
    for name, first in parts[0].items():
        # One copy rather than two, because the decisions of a round may fill much memory.
        joined[name] = np.empty((len(order), *first.shape[1:]), first.dtype)
        for places_of_part, part in zip(places_of_parts, parts, strict=True):
            joined[name][places_of_part] = part[name]
    return joined
