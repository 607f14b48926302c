"""Self-play: MaskablePPO on games in which the learner's network plays several or all seats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from shakespeare_agents.network import draw_actions
from shakespeare_env.batch import Batch
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.league import League
from shakespeare_training.ppo.advantages import NO_SEAT
from shakespeare_training.ppo.buffer import SeatRolloutBuffer
from shakespeare_training.ppo.policy import PolicyNetwork, policy_arguments

Schedule = Callable[[float], float]
"""A number by the share of the run that is left, 1 to 0, as stable-baselines3 has it."""


def linear(start: float, end: float) -> Schedule:
    """From `start` as the run begins to `end` as it ends."""
    # A rollout overshoots the end of a run: what is left of it may be less than nothing.
    return lambda remaining: end + (start - end) * min(max(remaining, 0.0), 1.0)


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO for games whose seats are played by one network, and by a league of opponents.

    Three things differ from the base class: the rollout follows each seat's own decisions
    (`SeatRolloutBuffer`) and leaves out what opponents decide; the weights of entropy and shaping
    follow schedules; and every random number comes from generators of its own, seeded with `seed`;
    the global ones are left alone. The update itself is the stock one; it normalises the advantages
    of each minibatch. `num_timesteps` counts the learner's own decisions.

    Args:
        env: The games.
        league: Who plays which seat of them.
        width: Width of the network's layers.
        shaping: What the batch's rewards are multiplied by.
        win: Weight of `outcomes`, added as a game ends.
        entropy: Weight of the entropy in the loss.
        half_precision: Whether matrices are multiplied in bfloat16.
        **arguments: As MaskablePPO takes them, but for `policy`, `policy_kwargs`, `ent_coef` and
            the rollout buffer.

    Attributes:
        league: As given.
        rng: Draws the actions and shuffles the minibatches.
    """

    policy: PolicyNetwork
    rollout_buffer: SeatRolloutBuffer  # type: ignore[assignment]

    def __init__(
        self,
        env: SB3SelfPlayVecEnv,
        league: League,
        *,
        width: int = 256,
        shaping: Schedule = lambda _: 1.0,
        win: float = 0.0,
        entropy: Schedule = lambda _: 0.01,
        half_precision: bool = False,
        **arguments: Any,
    ) -> None:
        self.league = league
        self.shaping = shaping
        self.win = win
        self.entropy = entropy
        self.rng = np.random.default_rng(arguments.get("seed"))
        self._aside = ThreadPoolExecutor(1, "league")
        super().__init__(
            PolicyNetwork,
            env,
            rollout_buffer_class=SeatRolloutBuffer,
            rollout_buffer_kwargs={"max_seats": env.seat_rewards.shape[1], "rng": self.rng},
            policy_kwargs=policy_arguments(width, env.batch.game.layout),
            **arguments,
        )
        self.policy.half_precision = half_precision

    def _setup_model(self) -> None:
        # The layers draw their first weights from torch's global generator: lend it a seed, then
        # put it back.
        with torch.random.fork_rng(devices=[]):
            # The generator of the CPU alone: `torch.manual_seed` would seed those of GPUs as well.
            torch.default_generator.manual_seed(int(self.rng.integers(2**62)))
            super()._setup_model()

    def set_random_seed(self, seed: int | None = None) -> None:
        """Seed the games; the base class would seed the global generators, too."""
        if seed is not None and self.env is not None:
            self.env.seed(seed)

    def go_on(self, observations: NDArray[np.int8]) -> None:
        """Take games as they stand, int8[n, D]: `learn` will not begin new ones."""
        self._last_obs = observations.copy()
        self._last_episode_starts = np.zeros(len(observations), np.bool_)

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
            env: A `SB3SelfPlayVecEnv`, wrapped or not.
            callback: Told before anything is done, when a run may be saved; asked after every step
                whether to go on.
            rollout_buffer: A `SeatRolloutBuffer`.
            n_rollout_steps: Steps, one decision of every game each.
            use_masking: Must be True: games have illegal moves.

        Returns:
            False if the callback broke the rollout off.
        """
        games = env.unwrapped
        if not isinstance(games, SB3SelfPlayVecEnv) or not isinstance(rollout_buffer, SeatRolloutBuffer):
            raise TypeError("self-play needs a SB3SelfPlayVecEnv and a SeatRolloutBuffer")
        if not use_masking:
            raise ValueError("use_masking=False: games have illegal moves; leave it at True")
        assert self._last_episode_starts is not None
        self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
        self.ent_coef = self.entropy(self._current_progress_remaining)
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        rollout_buffer.reset()
        # A game that has just begun has no decisions behind it; this also covers games set up anew
        # by learn().
        rollout_buffer.forget(self._last_episode_starts)
        with _one_thread():
            return self._play(games, env, callback, rollout_buffer, n_rollout_steps)

    def _play(
        self,
        games: SB3SelfPlayVecEnv,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: SeatRolloutBuffer,
        steps: int,
    ) -> bool:
        """Fill the store; False if the callback broke the rollout off."""
        for _ in range(steps):
            own = self.league.learner_decides()
            observations, masks = self._last_obs, games.action_masks()
            assert isinstance(observations, np.ndarray)
            seats = np.where(own, games.seats, NO_SEAT).astype(np.int8)
            actions, values, log_probs = self._decide(observations, masks, own)
            self._last_obs, _, dones, _ = env.step(actions)  # type: ignore[assignment]
            self._last_episode_starts = dones
            rewards = self._seat_rewards(games, dones)
            rollout_buffer.add_step(
                observations, masks, seats, actions, values, log_probs, rewards, dones
            )
            self.num_timesteps += int(np.count_nonzero(own))
            callback.update_locals(locals())
            goes_on = callback.on_step()
            if dones.any():
                ended = np.flatnonzero(dones)
                self.league.finish(ended)
                self.league.sit_down(ended)
            if not goes_on:
                return False
        rollout_buffer.compute()
        callback.on_rollout_end()
        return True

    def _decide(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], own: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """One action a game; values and log-probabilities of the learner's, 0 for the others'.

        The opponents decide in a thread of their own, with generators and networks of their own, so
        that it makes no difference which of the two is done first.
        """
        count = len(own)
        others = np.flatnonzero(~own)
        opponents = self._aside.submit(self.league.decide, others) if len(others) else None
        actions = np.empty(count, np.int64)
        values, log_probs = np.zeros(count, np.float32), np.zeros(count, np.float32)
        rows = np.flatnonzero(own)
        if len(rows):
            every = len(rows) == count
            with torch.no_grad():
                found, value = self.policy.masked_log_probabilities(
                    torch.as_tensor(observations if every else observations[rows]).to(self.device),
                    torch.as_tensor(masks if every else masks[rows]).to(self.device),
                )
            drawn = draw_actions(found.softmax(dim=-1).cpu().numpy(), self.rng)
            actions[rows] = drawn
            values[rows] = value.cpu().numpy()
            log_probs[rows] = found.cpu().numpy()[np.arange(len(rows)), drawn]
        if opponents is not None:
            actions[others] = opponents.result()
        return actions, values, log_probs

    def _seat_rewards(self, games: SB3SelfPlayVecEnv, dones: NDArray[np.bool_]) -> NDArray[np.float32]:
        """float32[n, S], what the last step was worth to each seat, in the learner's terms."""
        rewards = games.seat_rewards * np.float32(self.shaping(self._current_progress_remaining))
        if self.win and dones.any():
            rewards[dones] += np.float32(self.win) * outcomes(games.batch, np.flatnonzero(dones))
        return rewards


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let PyTorch work on one thread: the few rows of a step are done before a second is awake."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def outcomes(batch: Batch, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """What games that have ended were worth, float32[m, S]: the reward `win` of a batch.

    The winners share +1, the others share -1; alone, it is the score's difference to the game's
    target in units of its scale.

    Args:
        batch: With any reward.
        rows: int64[m], games that the last step ended.
    """
    players = batch.players[rows]
    winners = batch.final_winners[rows]
    losers = (np.arange(winners.shape[1]) < players[:, None]) & ~winners
    worth: NDArray[np.float32] = winners / winners.sum(
        axis=1, keepdims=True, dtype=np.float32
    ).clip(1) - losers / losers.sum(axis=1, keepdims=True, dtype=np.float32).clip(1)
    alone = players == 1
    if alone.any():
        game = batch.game
        scores = batch.final_scores[rows[alone], 0]
        worth[alone, 0] = (scores - game.solo_target) / game.score_scale
    return worth
