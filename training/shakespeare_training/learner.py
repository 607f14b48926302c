"""What learners share: a network, its league, and the loop of playing and learning."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.logger import Logger

from shakespeare_env.play.agent import AnyAgent
from shakespeare_training.games import adopt_threads
from shakespeare_training.league import League
from shakespeare_training.policy import PolicyNetwork

_MAX_GRADIENT = 0.5  # the norm at which the gradients of each part of the network are clipped
_MOST_LOGGED = 16
Schedule = Callable[[float], float]
"""A number by the share of the run that is left, 1 to 0."""


def linear(start: float, end: float) -> Schedule:
    """From `start` to `end` over the run."""
    # The last rollout overshoots the end, so that the share left is negative.
    return lambda left: end + (start - end) * min(max(left, 0.0), 1.0)


def no_limit() -> float:
    """Return the share of its time that a run without a limit has used."""
    return 0.0


class Learner:
    """A learner of games that its network plays against itself and a league of opponents.

    A subclass plays (`collect`) and says what each minibatch costs (`_losses`).  Nothing is drawn
    from a global generator.

    Args:
        games: The games that it plays, `HostGames` or `DeviceGames`.
        seed: Decides the initial weights and all that is drawn.
        width: The width of the network's layers.
        batch_size: Decisions per minibatch, approximately.
        n_epochs: Passes over what was played.
        learning_rate: Of Adam.
        vf_coef: Coefficient of the loss of the forecast changes.
        win_coef: Coefficient of the loss of the forecast shares.
        target_kl: An update ends early at 1.5 times this divergence.
        device: Of the network.

    Attributes:
        league: Who has which seat.
        num_timesteps: The learner's decisions.
        open_decisions: Those whose consequences are not known yet, one row of every tensor each.
        left: The share of the run that is left, by decisions or time; below 0 past the end.
        rng: Draws actions and shuffles minibatches.
        time_share: The share of its time that the run has used, 0 to 1; 0 without a limit.
        check_stop: Called where a long rollout can be stopped; it stops it by raising.
        logger: Of what is measured, as are callbacks, Stable-Baselines3's.
    """

    def __init__(
        self,
        games: Any,
        *,
        seed: int,
        width: int,
        batch_size: int,
        n_epochs: int,
        learning_rate: Schedule,
        vf_coef: float = 0.5,
        win_coef: float = 0.5,
        target_kl: float | None = None,
        device: str = "cpu",
    ) -> None:
        self.games = games
        self.league: League = games.league
        self.open_decisions: dict[str, torch.Tensor] = {}
        self.batch_size, self.n_epochs = batch_size, n_epochs
        self.learning_rate = learning_rate
        self.vf_coef, self.win_coef, self.target_kl = vf_coef, win_coef, target_kl
        self.device = torch.device(device)
        self.rng = np.random.default_rng(seed)
        self.num_timesteps, self.updates, self.left = 0, 0, 1.0
        self.time_share: Callable[[], float] = no_limit
        self.check_stop: Callable[[], None] = lambda: None
        self.logger = Logger(folder=None, output_formats=[])
        game = self.league.batch.game
        adopt_threads()  # to draw the weights takes as many threads as to train them
        weights_rng = torch.Generator().manual_seed(int(self.rng.integers(2**62)))
        policy = PolicyNetwork(
            game.layout,
            actions=game.actions.size,
            seats=game.max_seats,
            width=width,
            rng=weights_rng,
        )
        self.policy = policy.to(self.device)
        # What a recorded update reads is changed in place.
        on_gpu = self.device.type == "cuda"
        self._rate = torch.tensor(learning_rate(1.0), device=self.device)
        rate = self._rate if on_gpu else learning_rate(1.0)
        self.optimizer = torch.optim.Adam(
            policy.parameters(), lr=rate, eps=1e-5, fused=True, capturable=on_gpu
        )
        self._stopped = torch.zeros((), device=self.device)
        # How many minibatches, and the sums of what is logged of them.
        self._sums = torch.zeros(_MOST_LOGGED, device=self.device)
        self._logged: list[str] = []

    def experts(self) -> list[AnyAgent]:
        """The agents that it learns from."""
        return []

    def learn(self, decisions: int, callback: BaseCallback | None = None) -> None:
        """Learn from so many more decisions, or until a callback stops it."""
        callback = callback or CallbackList([])
        goal, first, began = self.num_timesteps + decisions, self.num_timesteps, time.monotonic()
        callback.init_callback(self)  # type: ignore[arg-type]
        callback.on_training_start({}, {})
        while self.num_timesteps < goal:
            self.left = min(1.0 - self.num_timesteps / goal, 1.0 - self.time_share())
            if not self.collect(callback):
                break
            self.left = min(1.0 - self.num_timesteps / goal, 1.0 - self.time_share())
            rate = (self.num_timesteps - first) / max(time.monotonic() - began, 1e-9)
            self.logger.record("time/decisions_per_second", rate)
            self.logger.dump(self.num_timesteps)
            self.train()
        callback.on_training_end()

    def collect(self, callback: BaseCallback) -> bool:
        """Play what is learned from next, after a callback; False if a callback stopped it."""
        raise NotImplementedError

    def train(self) -> None:
        """Learn from what was played, minibatch by minibatch."""
        rate = self.learning_rate(self.left)
        self.logger.record("train/learning_rate", rate)
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate.fill_(rate) if self.device.type == "cuda" else rate
        self._stopped.zero_()
        self._sums.zero_()
        for minibatch in self._passes():
            self._learn_from(minibatch)
            # A GPU is not waited for: the optimiser takes no more steps instead.
            if self._stopped.device.type == "cpu" and self._stopped > 0:
                break
        count, *totals = self._sums.tolist()
        for name, total in zip(self._logged, totals, strict=False):
            self.logger.record(f"train/{name}", total / count)
        self.logger.record("train/minibatches", int(count))

    def _passes(self) -> Iterator[Any]:
        for _ in range(self.n_epochs):
            self.updates += 1
            yield from self._minibatches()

    def _learn_from(self, minibatch: Any) -> None:
        losses = self._losses(minibatch)
        self._logged = list(losses)
        measured = torch.stack([torch.ones_like(self._stopped), *losses.values()]).detach()
        self._sums[: len(measured)] += measured * (1.0 - self._stopped)
        if self.target_kl is not None:
            too_far = losses["approx_kl"] > 1.5 * self.target_kl
            self._stopped.copy_(torch.maximum(self._stopped, too_far.float()))
            self.optimizer.found_inf = self._stopped  # type: ignore[attr-defined]
            if self._stopped.device.type == "cpu" and self._stopped > 0:
                return
        loss = losses["policy_loss"] + self.vf_coef * losses["score_loss"]
        self.optimizer.zero_grad()
        loss = loss + self.win_coef * losses["win_loss"]
        loss.backward()  # type: ignore[no-untyped-call]
        for parameters in self.policy.parts():
            torch.nn.utils.clip_grad_norm_(parameters, _MAX_GRADIENT)
        self.optimizer.step()

    def _minibatches(self) -> Iterator[Any]:
        raise NotImplementedError

    def _losses(self, minibatch: Any) -> dict[str, torch.Tensor]:
        """`policy_loss`, `win_loss` and `score_loss`, and what else is to be logged."""
        raise NotImplementedError
