"""Distillation (Hinton et al. 2015): a network learns to decide as an agent, the teacher, does.

The teacher says how likely it is to choose each action, in games of its own and in games that the
network plays. Without the latter, the network would not learn what to do after its own mistakes
(DAgger, Ross et al. 2011).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from shakespeare_agents.networks.threads import one_thread
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core.batch import Batch
from shakespeare_env.errors import AgentNote
from shakespeare_env.play.agent import Advisor, AnyAgent, decide
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import Lineup, OnStep, play_out
from shakespeare_training.learners.games import HostGames
from shakespeare_training.learners.learner import (
    GamesCallback,
    Learner,
    LearnerSettings,
    ignore_games,
)
from shakespeare_training.learners.outcomes import outcomes_for_deciders
from shakespeare_training.networks.policy import Outputs, forecast_losses

Probabilities = NDArray[np.float32]
Policy = Callable[[NDArray[np.int8], NDArray[np.bool_]], Probabilities]
"""A function from observations, int8[m, D], and masks, bool[m, A], to probabilities [m, A]."""


class Teacher:
    """The agent that a network learns from.

    Args:
        agent: The agent.
        name: Its name in errors.
    """

    def __init__(self, agent: AnyAgent, name: str) -> None:
        self.agent = agent
        self.name = name

    @property
    def has_probabilities(self) -> bool:
        """Whether the agent says how likely its actions are, rather than only acts."""
        return isinstance(self.agent, Advisor)

    def probabilities(
        self, batch: Batch, rows: NDArray[np.int64], rng: GameGenerators
    ) -> Probabilities:
        """Return the probabilities of the agent's actions in the games `rows`, float32[m, A].

        An action of an agent that has no probabilities counts as certain.

        Raises:
            ValueError: the agent's probabilities are not valid.
        """
        masks = batch.mask[rows]
        try:
            if isinstance(self.agent, Advisor):
                given = np.asarray(self.agent.probabilities(batch.obs[rows], masks), np.float32)
                return _checked(given, masks)
            actions = decide(self.agent, batch, rows, rng)
        except Exception as fault:
            fault.add_note(AgentNote(f"The agent {self.name} failed to decide."))
            raise
        certain = np.zeros(masks.shape, np.float32)
        certain[np.arange(len(rows)), actions] = 1.0
        return certain


def _checked(given: Probabilities, masks: NDArray[np.bool_]) -> Probabilities:
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


class Demonstrations(NamedTuple):
    """k decisions with the teacher's probabilities, and how their games ended."""

    observations: NDArray[np.int8]  # [k, D]
    masks: NDArray[np.bool_]  # [k, A]
    probabilities: Probabilities  # [k, A], the teacher's
    games: NDArray[np.int64]  # [k], the game of the batch
    players: NDArray[np.int64]  # [k], seats at the table
    # Seats are counted clockwise from the one that decided.
    shares: NDArray[np.float32]  # [k, S], shares of the victory
    changes: NDArray[np.float32]  # [k, S], changes of scores until the end, by `score_scale`
    has_outcome: NDArray[np.bool_]  # [k], False if this move or a later one was random

    def take(self, indices: NDArray[np.int64]) -> Demonstrations:
        """Return the decisions with the indices int64[m]."""
        return Demonstrations._make(array[indices] for array in self)


class _Step(NamedTuple):
    """The m decisions in one step of a batch."""

    rows: NDArray[np.int64]  # [m], the games
    steps: NDArray[np.int64]  # [m], the number of decisions before these in each game
    seats: NDArray[np.int64]  # [m], the seats that decided
    scores: NDArray[np.float32]  # [m, S], the scores before
    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    probabilities: Probabilities


class DemonstrationLineup(Lineup):
    """A line-up that asks the teacher in every decision and keeps its answers.

    Args:
        batch: The games, which have just begun, with `autoreset=False`.
        generators: The generators of the games.
        teacher: The teacher, which plays some games with itself.
        learner: The policy of the network that plays the other games with itself.
        is_learners: bool[n], whether the network plays the game.
        random_share: float[n], the share of random moves in each game.
        draws: Whether the other moves are drawn by probability. Otherwise the likeliest are played.
    """

    def __init__(
        self,
        batch: Batch,
        generators: GameGenerators,
        teacher: Teacher,
        learner: Policy,
        *,
        is_learners: NDArray[np.bool_],
        random_share: NDArray[np.float64],
        draws: bool,
    ) -> None:
        seats = np.zeros((batch.n, batch.game.max_seats), np.int32)  # the index of the teacher
        super().__init__([teacher.agent], seats, generators, [teacher.name])
        self._batch = batch
        self._teacher = teacher
        self._learner = learner
        self._is_learners = is_learners
        self._random_share = random_share
        self._draws = draws
        self._steps: list[_Step] = []
        self._last_random = np.full(batch.n, -1)  # the step of each game's last random move

    def decide(self, batch: Batch, rows: NDArray[Any]) -> NDArray[np.int64]:
        """Return int64[m], actions in m games, after asking the teacher about them."""
        step = len(self._steps)
        rng = self._generators_for(batch, rows)
        observations = batch.obs[rows]
        masks = batch.mask[rows]
        probabilities = self._teacher.probabilities(batch, rows, rng)
        self._steps.append(
            _Step(
                rows=rows,
                steps=np.full(len(rows), step),
                seats=batch.to_move[rows].astype(np.int64),
                scores=batch.scores(rows).astype(np.float32),
                observations=observations,
                masks=masks,
                probabilities=probabilities,
            )
        )

        own = self._is_learners[rows]
        policy = probabilities
        if own.any():
            policy = policy.copy()
            policy[own] = self._learner(observations[own], masks[own])
        actions: NDArray[np.int64] = rng.choose(policy) if self._draws else policy.argmax(axis=1)

        is_random = rng.random() < self._random_share[rows]
        if is_random.any():
            actions[is_random] = rng[np.flatnonzero(is_random)].choose(masks[is_random])
            self._last_random[rows[is_random]] = step
        return actions

    def play(self, on_step: OnStep | None = None) -> Demonstrations:
        """Play the games to their end, and return the decisions.

        Args:
            on_step: Called after every step.
        """
        with one_thread():
            play_out(self._batch, self, after_step=on_step)
        self.generators.forget()
        return self._demonstrations()

    def _demonstrations(self) -> Demonstrations:
        batch = self._batch
        # All steps joined, field by field.
        joined = _Step._make(np.concatenate(arrays) for arrays in zip(*self._steps, strict=True))
        rows = joined.rows
        outcomes = outcomes_for_deciders(batch, rows, joined.seats, joined.scores)
        return Demonstrations(
            observations=joined.observations,
            masks=joined.masks,
            probabilities=joined.probabilities,
            games=rows,
            players=outcomes.players,
            shares=outcomes.shares,
            changes=outcomes.changes,
            has_outcome=joined.steps > self._last_random[rows],
        )


@dataclass(frozen=True, kw_only=True)
class DistillationSettings(LearnerSettings):
    """Settings of distillation.

    Attributes:
        random_share: The share of random moves in half of the games. They lead to situations that
            only mistakes and searches lead to otherwise.
    """

    random_share: float


class Distillation(Learner):
    """A learner that plays games with its teacher looking on, and learns to decide as it does.

    A group of games is played to its end before the network learns from it.

    Attributes:
        teacher: The teacher.
        demonstrations: The group to learn from; None before one is played.
    """

    settings: DistillationSettings

    def __init__(self, games: HostGames, teacher: Teacher, settings: DistillationSettings) -> None:
        super().__init__(games, settings)
        self.teacher = teacher
        self.demonstrations: Demonstrations | None = None

    def collect(self, on_games: GamesCallback = ignore_games) -> None:
        """Play a group of games to its end.

        The teacher plays half of them, and the network the other half. Half of the games of each
        have random moves.
        """
        self.demonstrations = None
        league = self.league
        batch = league.batch
        # The kinds of games are drawn, since the sizes of the tables follow the games' numbers.
        kinds = self.rng.permutation(batch.n)
        lineup = DemonstrationLineup(
            batch,
            league.lineup.generators,
            self.teacher,
            self.probabilities,
            is_learners=kinds % 2 == 1,
            random_share=np.where(kinds // 2 % 2 == 1, self.settings.random_share, 0.0),
            draws=True,
        )

        def after_step(rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
            self.num_timesteps += len(rows)
            on_games(league.finished_games(rows[batch.done[rows]]))
            self.check_stop()

        self.demonstrations = lineup.play(after_step)
        batch.restart(np.arange(batch.n))

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> Probabilities:
        """Return the network's probabilities of actions, float32[m, A] (see `Advisor`)."""
        with torch.no_grad():
            outputs = self.policy.outputs(self._tensor(observations), self._tensor(masks))
            return outputs.log_probabilities.exp().cpu().numpy()

    def minibatches(self) -> Iterator[Demonstrations]:
        """Yield the group's decisions in random order, in minibatches of about equal size."""
        demonstrations = self.demonstrations
        assert demonstrations is not None
        for indices in self._random_minibatches(len(demonstrations.players)):
            yield demonstrations.take(indices)

    def losses(self, minibatch: Demonstrations) -> dict[str, torch.Tensor]:
        """Return the losses of the policy and the forecasts, and statistics."""
        target = self._tensor(minibatch.probabilities)
        outputs = self.policy.outputs(
            self._tensor(minibatch.observations), self._tensor(minibatch.masks)
        )
        cross_entropy = -(target * outputs.log_probabilities).sum(dim=1).mean()
        entropy = -torch.special.xlogy(target, target).sum(dim=1).mean()
        agrees = outputs.log_probabilities.argmax(dim=1) == target.argmax(dim=1)
        # The outcomes of games with random moves say nothing about the decisions before these.
        of_outcome = self._tensor(np.flatnonzero(minibatch.has_outcome))
        win_loss, score_loss = forecast_losses(
            Outputs._make(output[of_outcome] for output in outputs),
            self._tensor(minibatch.players)[of_outcome],
            self._tensor(minibatch.shares)[of_outcome],
            self._tensor(minibatch.changes)[of_outcome],
        )
        return {
            "policy_loss": cross_entropy,
            "policy_kl": cross_entropy - entropy,
            "agreement": agrees.float().mean(),
            "win_loss": win_loss,
            "score_loss": score_loss,
        }
