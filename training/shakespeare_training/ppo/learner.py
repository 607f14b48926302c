"""What the learners of self-play share: the network, the league, schedules and updates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.league import League
from shakespeare_training.ppo.buffer import SeatRolloutBuffer
from shakespeare_training.ppo.games import HostGames
from shakespeare_training.ppo.policy import PolicyNetwork, policy_arguments

if TYPE_CHECKING:
    from shakespeare_training.ppo.device_games import DeviceGames

_MOST_MEASURED = 16
Schedule = Callable[[float], float]
"""A number by the share of the run that is left, 1 to 0, as in stable-baselines3."""


def linear(start: float, end: float) -> Schedule:
    """From `start` to `end` over the run."""
    # The last rollout overshoots the end, so that the share left is negative.
    return lambda remaining: end + (start - end) * min(max(remaining, 0.0), 1.0)


class SelfPlayLearner(MaskablePPO):
    """A learner of games that its network plays against itself and a league of opponents.

    A subclass plays (`collect_rollouts`) and says what each minibatch costs.  Nothing is drawn from
    a global generator.  `num_timesteps` counts the learner's decisions.  Schedules follow these or
    the time used, whichever is further.

    Args:
        env: The games.
        league: Who has which seat.
        width: The width of the network's layers.
        win_coef: Coefficient of the loss of the forecast shares.
        near_certain_share: See `SeatRolloutBuffer`.
        **arguments: Arguments of MaskablePPO.

    Attributes:
        league: Who has which seat.
        rng: Draws the learner's actions and shuffles the minibatches.
        time_share: The share of its time that the run has used, 0 to 1; 0 without a limit.
        check_stop: Called where a long rollout can be stopped; it stops it by raising.
    """

    policy: PolicyNetwork
    rollout_buffer: SeatRolloutBuffer  # type: ignore[assignment]

    def __init__(
        self,
        env: SB3SelfPlayVecEnv,
        league: League,
        *,
        width: int = 256,
        win_coef: float = 0.5,
        near_certain_share: float = 1.0,
        **arguments: Any,
    ) -> None:
        self.league = league
        self.win_coef = win_coef
        self.rng = np.random.default_rng(arguments.get("seed"))
        self.time_share: Callable[[], float] = lambda: 0.0
        self.check_stop: Callable[[], None] = lambda: None
        game = env.batch.game
        self.games = self._games(arguments.get("device", "cpu"), arguments["n_steps"])
        super().__init__(
            PolicyNetwork,
            env,
            gamma=1.0,  # games end, and the forecasts are of their ends
            rollout_buffer_class=SeatRolloutBuffer,
            rollout_buffer_kwargs={
                "players": self.games.players,
                "max_seats": game.max_seats,
                "near_certain_share": near_certain_share,
            },
            policy_kwargs=policy_arguments(width, game.layout, game.max_seats),
            **arguments,
        )
        self._last_obs = env.batch.obs  # or `learn` would reset the games
        if self.device.type == "cuda":  # what a recorded update reads is changed in place
            for group in self.policy.optimizer.param_groups:
                group["lr"] = torch.tensor(group["lr"], device=self.device)
                group["capturable"] = True
        self._stopped = torch.zeros((), device=self.device)
        # How many minibatches, and the sums of what is logged of them.
        self._sums = torch.zeros(_MOST_MEASURED, device=self.device)
        self._measured: list[str] = []

    def _games(self, device: str, n_steps: int) -> HostGames | DeviceGames:
        """Where the games are played."""
        return HostGames(self.league)

    def experts(self) -> list[AnyAgent]:
        """The agents that it learns from."""
        return []

    def _setup_model(self) -> None:
        # Layers draw their initial weights from torch's global generator, which is seeded for them
        # and then restored.  `torch.manual_seed` would seed the GPUs' generators as well.
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(int(self.rng.integers(2**62)))
            super()._setup_model()

    def set_random_seed(self, seed: int | None = None) -> None:
        """Nothing: the games have their seed, and the base class would seed global generators."""

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        left = 1.0 - self.time_share()
        self._current_progress_remaining = min(self._current_progress_remaining, left)

    def _update_learning_rate(self, optimizers: Any) -> None:
        rate = self.lr_schedule(self._current_progress_remaining)
        self.logger.record("train/learning_rate", rate)
        for group in optimizers.param_groups:
            if isinstance(group["lr"], torch.Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    def train(self) -> None:
        """Learn from what was played, minibatch by minibatch."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        self._stopped.zero_()
        self._sums.zero_()
        for minibatch in self._passes():
            self._learn_from(minibatch)
            # A GPU is not waited for: the optimiser takes no more steps instead.
            if self._stopped.device.type == "cpu" and self._stopped > 0:
                break
        count, *totals = self._sums.tolist()
        for name, total in zip(self._measured, totals, strict=False):
            self.logger.record(f"train/{name}", total / count)
        self.logger.record("train/minibatches", int(count))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")

    def _learn_from(self, minibatch: Any) -> None:
        """One step of the optimiser, unless the policy has moved too far; nothing waits for it."""
        losses = self._losses(minibatch)
        self._measured = list(losses)
        measured = torch.stack([torch.ones_like(self._stopped), *losses.values()]).detach()
        self._sums[: len(measured)] += measured * (1.0 - self._stopped)
        optimizer = self.policy.optimizer
        if self.target_kl is not None:
            too_far = losses["approx_kl"] > 1.5 * self.target_kl
            self._stopped.copy_(torch.maximum(self._stopped, too_far.float()))
            optimizer.found_inf = self._stopped  # type: ignore[attr-defined]
            if self._stopped.device.type == "cpu" and self._stopped > 0:
                return
        loss = self._policy_loss(losses) + self.vf_coef * losses["score_loss"]
        optimizer.zero_grad()
        loss = loss + self.win_coef * losses["win_loss"]
        loss.backward()  # type: ignore[no-untyped-call]
        # The gradients of each part of the network are clipped by themselves.
        for parameters in self.policy.parts():
            torch.nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
        optimizer.step()

    def _passes(self) -> Iterator[Any]:
        for _ in range(self.n_epochs):
            self._n_updates += 1
            yield from self._minibatches()

    def _minibatches(self) -> Iterator[Any]:
        """All that was played, once, in parts of nearly equal size."""
        raise NotImplementedError

    def _losses(self, minibatch: Any) -> dict[str, torch.Tensor]:
        """`win_loss` and `score_loss`, what `_policy_loss` needs, and what is to be logged."""
        raise NotImplementedError

    def _policy_loss(self, losses: Mapping[str, torch.Tensor]) -> torch.Tensor:
        raise NotImplementedError
