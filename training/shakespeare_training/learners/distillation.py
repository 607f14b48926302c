"""Distillation (Hinton et al. 2015): a network learns to decide as an agent, the teacher, does.

The teacher says how likely it is to choose each action, in games of its own and in games that the
network plays. Without the latter, the network would not learn what to do after its own mistakes
(DAgger, Ross et al. 2011).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from shakespeare_agents.making import Entrant
from shakespeare_agents.networks.threads import one_thread
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core.batch import Batch
from shakespeare_env.play.agent import Advisor
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import Lineup, OnStep, noting_failure, play_out
from shakespeare_training.learners.decisions import DecisionArrays, GameBuffer
from shakespeare_training.learners.games import HostGames
from shakespeare_training.learners.learner import (
    GamesCallback,
    LearnerSettings,
    RoundLearner,
    ignore_games,
)
from shakespeare_training.networks.policy import Outputs, forecast_losses

_RANDOM_SHARE = 0.05
"""The share of random moves in half of the games. They lead to situations that only mistakes and
searches lead to otherwise."""


class DemonstrationLineup(Lineup):
    """A line-up that asks the teacher in every decision and keeps its answers.

    Args:
        batch: The games, which have just begun, with `autoreset=False`.
        generators: The generators of the games.
        teacher: The agent that is learned from, which plays some games with itself.
        learner: The network, which plays the other games with itself.
        is_learners: bool[n], whether the network plays the game.
        random_share: float[n], the share of random moves in each game.
        draws: Whether the other moves are drawn by probability. Otherwise the likeliest are played.
    """

    def __init__(
        self,
        batch: Batch,
        generators: GameGenerators,
        teacher: Entrant,
        learner: Advisor,
        *,
        is_learners: NDArray[np.bool_],
        random_share: NDArray[np.float64],
        draws: bool,
    ) -> None:
        seats = np.zeros((batch.n, batch.game.max_seats), np.int32)  # the index of the teacher
        super().__init__([teacher.agent], seats, generators, [teacher.name])
        self._batch = batch
        self._learner = learner
        self._is_learners = is_learners
        self._random_share = random_share
        self._draws = draws
        self._buffer = GameBuffer(batch)
        self._step = 0
        self._last_random = np.full(batch.n, -1)  # the step of each game's last random move

    def decide(self, batch: Batch, rows: NDArray[Any]) -> NDArray[np.int64]:
        """Return int64[m], actions in m games, after asking the teacher about them."""
        observations = batch.obs[rows]
        masks = batch.mask[rows]
        probabilities = self._teachers_probabilities(batch, rows)
        self._buffer.add(self._step, rows, probabilities=probabilities)

        own = self._is_learners[rows]
        policy = probabilities
        if own.any():
            policy = policy.copy()
            policy[own] = self._learner.probabilities(observations[own], masks[own])
        rng = self._generators_for(batch, rows)
        actions: NDArray[np.int64] = rng.choose(policy) if self._draws else policy.argmax(axis=1)

        is_random = rng.random() < self._random_share[rows]
        if is_random.any():
            actions[is_random] = rng[np.flatnonzero(is_random)].choose(masks[is_random])
            self._last_random[rows[is_random]] = self._step
        self._step += 1
        return actions

    def _teachers_probabilities(self, batch: Batch, rows: NDArray[Any]) -> NDArray[np.float32]:
        """Return the probabilities of the teacher's actions in m games, float32[m, A].

        An action of a teacher that has no probabilities counts as certain.

        Raises:
            ValueError: the teacher's probabilities are not valid.
        """
        teacher = self.agents[0]
        masks = batch.mask[rows]
        if isinstance(teacher, Advisor):
            with noting_failure(self.name(0), len(rows)):
                given = np.asarray(teacher.probabilities(batch.obs[rows], masks), np.float32)
                return _checked(given, masks)
        certain = np.zeros(masks.shape, np.float32)
        certain[np.arange(len(rows)), super().decide(batch, rows)] = 1.0
        return certain

    def play(self, on_step: OnStep | None = None) -> DecisionArrays:
        """Play the games to their end, and return the decisions.

        Besides the columns of `GameBuffer.decisions` these have the teacher's `probabilities`,
        float32[k, A], and `has_outcome`, bool[k], which is False if this move or a later one of the
        game was random.

        Args:
            on_step: Called after every step.
        """
        with one_thread():
            play_out(self._batch, self, after_step=on_step)
        self.generators.forget()
        decisions = self._buffer.decisions()
        decisions["has_outcome"] = decisions["steps"] > self._last_random[decisions["games"]]
        return decisions


def _checked(given: NDArray[np.float32], masks: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return an agent's probabilities. Raise ValueError unless they are valid."""
    if given.shape != masks.shape:
        raise ValueError(f"probabilities() returned the shape {given.shape}, not {masks.shape}")
    sums = given.sum(axis=1)
    is_wrong = (given < 0).any(axis=1) | (np.abs(sums - 1.0) > 1e-3)
    is_wrong |= np.isnan(sums) | (given * ~masks).any(axis=1)
    if is_wrong.any():
        row = given[is_wrong.argmax()]
        raise ValueError(
            f"probabilities() returned {short_repr(row.tolist())}; each row must have no negative "
            "number, add up to 1, and be 0 for illegal actions"
        )
    return given


class Distillation(RoundLearner):
    """A learner that plays games with its teacher looking on, and learns to decide as it does."""

    def __init__(self, games: HostGames, teacher: Entrant, settings: LearnerSettings) -> None:
        super().__init__(games, settings)
        self._teacher = teacher

    def play(self, on_games: GamesCallback = ignore_games) -> None:
        """Play a round of games to its end.

        The teacher plays half of them, and the network the other half. Half of the games of each
        have random moves.
        """
        self.decisions = None
        league = self.league
        batch = league.batch
        # The kinds of games are drawn, since the sizes of the tables follow the games' numbers.
        kinds = self.rng.permutation(batch.n)
        lineup = DemonstrationLineup(
            batch,
            league.lineup.generators,
            self._teacher,
            self.policy,
            is_learners=kinds % 2 == 1,
            random_share=np.where(kinds // 2 % 2 == 1, _RANDOM_SHARE, 0.0),
            draws=True,
        )

        def after_step(rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
            self.num_timesteps += len(rows)
            on_games(league.finished_games(rows[batch.done[rows]]))
            self.check_stop()

        self.decisions = lineup.play(after_step)
        batch.restart(np.arange(batch.n))

    def losses(self, minibatch: DecisionArrays) -> dict[str, torch.Tensor]:
        """Return the losses of the policy and the forecasts, and statistics."""
        tensors = {name: self._tensor(array) for name, array in minibatch.items()}
        target = tensors["probabilities"]
        outputs = self.policy.outputs(tensors["observations"], tensors["masks"])
        cross_entropy = -(target * outputs.log_probabilities).sum(dim=1).mean()
        entropy = -torch.special.xlogy(target, target).sum(dim=1).mean()
        agrees = outputs.log_probabilities.argmax(dim=1) == target.argmax(dim=1)
        # The outcomes of games with random moves say nothing about the decisions before these.
        of_outcome = tensors["has_outcome"].nonzero().squeeze(1)
        win_loss, score_loss = forecast_losses(
            Outputs._make(output[of_outcome] for output in outputs),
            tensors["players"][of_outcome],
            tensors["shares"][of_outcome],
            tensors["changes"][of_outcome],
        )
        return {
            "policy_loss": cross_entropy,
            "policy_kl": cross_entropy - entropy,
            "agreement": agrees.float().mean(),
            "win_loss": win_loss,
            "score_loss": score_loss,
        }
