"""Rewards of users' own: functions of the standing before and after each step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import NamedTuple

import torch

from shakespeare_agents.making import checked_options
from shakespeare_agents.naming import AgentSpec
from shakespeare_agents.python_names import load
from shakespeare_env.checks.values import short_repr
from shakespeare_env.errors import AgentNote, TrainingError
from shakespeare_training.learners.games import LearnerGames


class Standing(NamedTuple):
    """The standing in n games of at most S seats, in tensors on the device of the games.

    Seats are numbered as at the table. Entries of absent seats are 0 or False.

    Attributes:
        scores: float32[n, S], scores in points.
        ranks: int64[n, S], ranks by score from 1 for the best; equal scores share the better rank.
        shares: float32[n, S], shares of the victory; all are 0 until the game is over.
        present: bool[n, S], the seats at the table.
        over: bool[n], whether the game is over.
    """

    scores: torch.Tensor
    ranks: torch.Tensor
    shares: torch.Tensor
    present: torch.Tensor
    over: torch.Tensor


class OwnReward:
    """A user's function of the standings before and after a step, which returns float[n, S].

    Args:
        name: The function's name, such as `my.py:reward`, perhaps with options.

    Raises:
        TypeError: it is no function, or has no such option.
        ValueError, ImportError: it cannot be imported.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        spec = AgentSpec.parse(name)
        assert spec.python is not None  # `TrainingConfig` has checked it
        function = load(spec.python)
        if not callable(function):
            raise TypeError(
                f"{name} is {short_repr(function)}; name a function of the standings before and "
                "after a step"
            )
        checked = checked_options(spec.name, signature(function), spec.maker_options())
        self.function: Callable[[Standing, Standing], torch.Tensor] = partial(function, **checked)

    def __call__(self, before: Standing, after: Standing) -> torch.Tensor:
        """Return the rewards of all seats, float32[n, S].

        Raises:
            TrainingError: the function returns something else.
        """
        try:
            rewards = self.function(before, after)
        except Exception as fault:
            fault.add_note(AgentNote(f"The reward {self.name} failed."))
            raise
        shape = before.present.shape
        if not isinstance(rewards, torch.Tensor) or rewards.shape != shape:
            given = tuple(rewards.shape) if isinstance(rewards, torch.Tensor) else type(rewards)
            raise TrainingError(
                f"the reward {self.name} returned {given}; return a tensor {tuple(shape)} with a "
                "number for each seat of each game"
            )
        return rewards.float() * before.present

    def check_finite(self, rewards: torch.Tensor) -> None:
        """Raise TrainingError if a reward is not finite."""
        if not torch.isfinite(rewards).all():
            raise TrainingError(
                f"the reward {self.name} returned numbers that are not finite, and nothing more "
                "was saved; correct it, and start again"
            )


def current_standing(games: LearnerGames) -> Standing:
    """Return the standing in games in progress."""
    scores = games.scores()
    nothing = torch.zeros_like(games.final_winners)
    return _standing(games, scores, nothing, torch.zeros_like(games.done))


def standing_after_step(games: LearnerGames) -> Standing:
    """Return the standing after the last step, also in the games that it ended."""
    over = games.done.clone()
    scores = torch.where(over[:, None], games.final_scores, games.scores())
    return _standing(games, scores, games.final_winners * over[:, None], over)


def _standing(
    games: LearnerGames, scores: torch.Tensor, winners: torch.Tensor, over: torch.Tensor
) -> Standing:
    places = torch.arange(scores.shape[1], device=scores.device)
    present = places < games.players[:, None]
    is_better = (scores[:, None, :] > scores[:, :, None]) & present[:, None, :]
    return Standing(
        scores=scores.float() * present,
        ranks=(1 + is_better.sum(dim=2)) * present,
        shares=victory_shares(winners),
        present=present,
        over=over,
    )


def victory_shares(winners: torch.Tensor) -> torch.Tensor:
    """Return shares of the victory, float32[n, S], from bool[n, S]; all 0 where nobody has won."""
    return winners / winners.sum(dim=1, keepdim=True).clamp(min=1)
