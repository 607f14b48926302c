"""Self-play: MaskablePPO on games in which its network plays several or all seats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from shakespeare_env.agent import AnyAgent
from shakespeare_env.batch import Batch
from shakespeare_env.game import Game
from shakespeare_env.generators import draw_columns
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.league import League
from shakespeare_training.ppo.advantages import NO_SEAT
from shakespeare_training.ppo.buffer import SeatRolloutBuffer
from shakespeare_training.ppo.policy import PolicyNetwork, policy_arguments

Schedule = Callable[[float], float]
"""A number by the share of the run that is left, 1 to 0, as in stable-baselines3."""


def linear(start: float, end: float) -> Schedule:
    """From `start` to `end` over the run."""
    # The last rollout overshoots the end: what is left of the run is then negative.
    return lambda remaining: end + (start - end) * min(max(remaining, 0.0), 1.0)


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO for games played by one network and a league of opponents.

    Advantages run along each seat's own decisions (`SeatRolloutBuffer`), opponents' are not learned
    from; coefficients of entropy and reward follow schedules; nothing is drawn from a global
    generator.  The update is the stock one.  `num_timesteps` counts the learner's decisions.
    Schedules follow these or the time used, whichever is further.

    Attributes:
        league: Who has which seat.
        score_reward_coef: Coefficient of the batch's rewards.
        win_reward_coef: Coefficient of `outcomes`, added when a game ends.
        rng: Draws the learner's actions and shuffles the minibatches.
        time_share: The share of its time that the run has used, 0 to 1; 0 without a limit.
        check_stop: Called where a rollout that takes long can be stopped, by what it raises.
    """

    network: ClassVar[type[PolicyNetwork]] = PolicyNetwork
    log_every: ClassVar[int] = 10
    """Rollouts between log entries."""
    policy: PolicyNetwork
    rollout_buffer: SeatRolloutBuffer  # type: ignore[assignment]

    def __init__(
        self,
        env: SB3SelfPlayVecEnv,
        league: League,
        *,
        width: int = 256,
        score_reward_coef: Schedule = lambda _: 1.0,
        win_reward_coef: float = 0.0,
        ent_coef: Schedule = lambda _: 0.01,
        near_certain_share: float = 1.0,
        **arguments: Any,
    ) -> None:
        self.league = league
        self.score_reward_coef = score_reward_coef
        self.win_reward_coef = win_reward_coef
        self._ent_coef_schedule = ent_coef
        self.rng = np.random.default_rng(arguments.get("seed"))
        self.time_share: Callable[[], float] = lambda: 0.0
        self.check_stop: Callable[[], None] = lambda: None
        self._opponents_thread = ThreadPoolExecutor(1, "opponents")
        super().__init__(
            self.network,
            env,
            rollout_buffer_class=SeatRolloutBuffer,
            rollout_buffer_kwargs={
                "max_seats": env.seat_rewards.shape[1],
                "rng": self.rng,
                "near_certain_share": near_certain_share,
            },
            policy_kwargs=self.network_arguments(width, env.batch.game),
            **arguments,
        )

    def network_arguments(self, width: int, game: Game) -> dict[str, Any]:
        """The `policy_kwargs` of the network."""
        return policy_arguments(width, game.layout)

    def experts(self) -> list[AnyAgent]:
        """Agents that it learns from."""
        return []

    def _setup_model(self) -> None:
        # Layers draw their initial weights from torch's global generator: seed it for them, then
        # put it back.  Only the CPU's: `torch.manual_seed` would seed those of the GPUs as well.
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(int(self.rng.integers(2**62)))
            super()._setup_model()

    def set_random_seed(self, seed: int | None = None) -> None:
        """Seed the games; the base class would seed the global generators as well."""
        if seed is not None and self.env is not None:
            self.env.seed(seed)

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        left = 1.0 - self.time_share()
        self._current_progress_remaining = min(self._current_progress_remaining, left)

    def continue_from(self, observations: NDArray[np.int8]) -> None:
        """Let `learn` continue games, observed as int8[n, D], instead of resetting them."""
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
        """Fill the rollout buffer, after a callback that may save the run.

        Returns:
            False if the callback stopped it.

        Raises:
            TypeError: `env`, unwrapped, or the buffer is not one of self-play.
            ValueError: `use_masking` is False.
            FloatingPointError: the network's numbers are too large to choose a move by.
        """
        games = env.unwrapped
        if not isinstance(games, SB3SelfPlayVecEnv):
            raise TypeError(f"env is {games!r}; self-play needs an SB3SelfPlayVecEnv")
        if not isinstance(rollout_buffer, SeatRolloutBuffer):
            raise TypeError(f"{rollout_buffer!r}: self-play needs a SeatRolloutBuffer")
        if not use_masking:
            raise ValueError("use_masking=False: games have illegal moves; leave it at True")
        assert self._last_episode_starts is not None
        self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
        self.ent_coef = self._ent_coef_schedule(self._current_progress_remaining)
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        rollout_buffer.reset()
        # Games that have just begun have no decisions behind them, nor have those that learn()
        # has reset.
        rollout_buffer.forget(self._last_episode_starts)
        with _one_thread():
            for _ in range(n_rollout_steps):
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
                begun = np.flatnonzero(dones)
                ended = self.league.ended(begun)
                callback.update_locals(locals())
                proceed = callback.on_step()
                if len(begun):
                    self.league.record_results(ended)
                    self.league.assign_seats(begun)
                if not proceed:
                    return False
            rollout_buffer.compute()
            callback.on_rollout_end()
        return True

    def _decide(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], own: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """An action for every game; the learner's values and log-probabilities, 0 elsewhere.

        Opponents, who share no generator and no network with it, decide in a second thread.
        """
        count = len(own)
        others = np.flatnonzero(~own)
        chosen = self._opponents_thread.submit(self.league.decide, others) if len(others) else None
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
            weights = found.softmax(dim=-1).cpu().numpy()
            actions[rows] = drawn = draw_columns(weights, self.rng.random(len(rows)))
            values[rows] = value.cpu().numpy()
            log_probs[rows] = found.cpu().numpy()[np.arange(len(rows)), drawn]
            # Weights that have exploded exceed even the logit of illegal moves.
            if not (np.isfinite(log_probs).all() and masks[rows, drawn].all()):
                raise FloatingPointError("the network's numbers are too large to choose a move by")
        if chosen is not None:
            actions[others] = chosen.result()
        return actions, values, log_probs

    def _seat_rewards(
        self, games: SB3SelfPlayVecEnv, dones: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """float32[n, S]: each seat's reward for the last step, with coefficients applied."""
        coef = np.float32(self.score_reward_coef(self._current_progress_remaining))
        rewards = games.seat_rewards * coef
        if self.win_reward_coef and dones.any():
            won = outcomes(games.batch, np.flatnonzero(dones))
            rewards[dones] += np.float32(self.win_reward_coef) * won
        return rewards


@contextmanager
def _one_thread() -> Iterator[None]:
    """Keep PyTorch to one thread: it finishes a step's rows before a second one is awake."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def outcomes(batch: Batch, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """float32[m, S]: the reward `win`, whatever the batch's own, in games just ended, int64[m].

    Winners share +1 and losers -1; solo, the score minus the game's target in units of its scale.
    """
    players = batch.players[rows]
    winners = batch.final_winners[rows]
    losers = (np.arange(winners.shape[1]) < players[:, None]) & ~winners
    shares: list[NDArray[np.float32]] = [
        side / side.sum(axis=1, keepdims=True, dtype=np.float32).clip(1)
        for side in (winners, losers)
    ]
    rewards = shares[0] - shares[1]
    solo = players == 1
    if solo.any():
        scores = batch.final_scores[rows[solo], 0]
        rewards[solo, 0] = (scores - batch.game.solo_target) / batch.game.score_scale
    return rewards
