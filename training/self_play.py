"""Self-play: MaskablePPO on games in which the learner's network plays every seat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from agents.network import PolicyNetwork, draw_actions, policy_arguments
from shakespeare_env.wrappers.sb3 import BatchVecEnv
from training.rollout import SeatRolloutBuffer


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO for games whose seats are all played by one network.

    Two things differ from the base class: the rollout follows each seat's own decisions
    (`SeatRolloutBuffer`), and every random number comes from generators of its own, seeded with
    `seed`; the global ones are left alone. The update itself is the stock one; it normalises the
    advantages of each minibatch.

    Args:
        env: The games.
        width: Width of the network's layers.
        reward_scale: The batch's rewards are multiplied by it.
        win_bonus: Added at the end of a game: +`win_bonus` shared by the winners, -`win_bonus`
            by the others.
        **arguments: As MaskablePPO takes them, but for `policy`, `policy_kwargs` and the rollout
            buffer.

    Attributes:
        rng: Draws the actions and shuffles the minibatches.
        remaining: If set, tells how much of the run is left, 1 to 0, in place of the count of
            steps; schedules of a run that is limited by time follow it.
    """

    policy: PolicyNetwork
    rollout_buffer: SeatRolloutBuffer  # type: ignore[assignment]

    def __init__(
        self,
        env: BatchVecEnv,
        *,
        width: int = 256,
        reward_scale: float = 1.0,
        win_bonus: float = 0.0,
        **arguments: Any,
    ) -> None:
        self.reward_scale = reward_scale
        self.win_bonus = win_bonus
        self.rng = np.random.default_rng(arguments.get("seed"))
        self.remaining: Callable[[], float] | None = None
        super().__init__(
            PolicyNetwork,
            env,
            rollout_buffer_class=SeatRolloutBuffer,
            rollout_buffer_kwargs={"max_seats": env.seat_rewards.shape[1], "rng": self.rng},
            policy_kwargs=policy_arguments(width),
            **arguments,
        )

    def _setup_model(self) -> None:
        # The layers draw their first weights from torch's global generator: lend it a seed, then
        # put it back.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(self.rng.integers(2**62)))
            super()._setup_model()

    def set_random_seed(self, seed: int | None = None) -> None:
        """Seed the games; the base class would seed the global generators, too."""
        if seed is not None and self.env is not None:
            self.env.seed(seed)

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        if self.remaining is not None:
            self._current_progress_remaining = self.remaining()

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play on in all games until the store is full.

        Args:
            env: A `BatchVecEnv`, wrapped or not.
            callback: Asked after every step whether to go on.
            rollout_buffer: A `SeatRolloutBuffer`.
            n_rollout_steps: Steps, one decision of every game each.
            use_masking: Must be True: games have illegal moves.

        Returns:
            False if the callback broke the rollout off.
        """
        games = env.unwrapped
        if not isinstance(games, BatchVecEnv) or not isinstance(rollout_buffer, SeatRolloutBuffer):
            raise TypeError("self-play needs a BatchVecEnv and a SeatRolloutBuffer")
        if not use_masking:
            raise ValueError("use_masking=False: games have illegal moves; leave it at True")
        assert self._last_episode_starts is not None
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        # A game that has just begun has no decisions behind it; this also covers games set up anew
        # by learn().
        rollout_buffer.forget(self._last_episode_starts)
        callback.on_rollout_start()
        rows = np.arange(env.num_envs)
        for _ in range(n_rollout_steps):
            observations = self._last_obs
            assert isinstance(observations, np.ndarray)
            masks = games.action_masks()
            seats = games.seats.copy()
            with torch.no_grad():
                log_probabilities, values = self.policy.masked_log_probabilities(
                    torch.as_tensor(observations, device=self.device),
                    torch.as_tensor(masks, device=self.device),
                )
            actions = draw_actions(log_probabilities.exp().cpu().numpy(), self.rng)
            self._last_obs, _, dones, _ = env.step(actions)  # type: ignore[assignment]
            self._last_episode_starts = dones
            rollout_buffer.add_step(
                observations,
                masks,
                seats,
                actions,
                values.cpu().numpy(),
                log_probabilities.cpu().numpy()[rows, actions],
                self._seat_rewards(games, dones),
                dones,
            )
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        rollout_buffer.compute()
        callback.on_rollout_end()
        return True

    def _seat_rewards(self, games: BatchVecEnv, dones: NDArray[np.bool_]) -> NDArray[np.float32]:
        """float32[n, S], what the last step was worth to each seat, in the learner's terms."""
        rewards = games.seat_rewards * np.float32(self.reward_scale)
        if self.win_bonus and dones.any():
            winners = games.batch.final_winners[dones]
            at_table = np.arange(winners.shape[1]) < games.batch.players[dones, None]
            losers = at_table & ~winners
            shares = winners / winners.sum(axis=1, keepdims=True).clip(1)
            shares = shares - losers / losers.sum(axis=1, keepdims=True).clip(1)
            rewards[dones] += np.float32(self.win_bonus) * shares.astype(np.float32)
        return rewards
