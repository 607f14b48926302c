"""Self-play: MaskablePPO on games in which its network plays several or all seats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from shakespeare_env.core.batch import Batch
from shakespeare_env.play.generators import draw_columns
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.league import League
from shakespeare_training.ppo.advantages import NO_SEAT
from shakespeare_training.ppo.buffer import Minibatch, SeatRolloutBuffer
from shakespeare_training.ppo.learner import Schedule, SelfPlayLearner
from shakespeare_training.ppo.policy import Outputs, forecast_losses, log_shares

_MEASURED = 16
"""Random games that are played to measure how long one is."""


class SelfPlayPPO(SelfPlayLearner):
    """MaskablePPO for games played by one network and a league of opponents.

    Expectations are the network's forecasts of shares of the victory and scores.  Advantages run
    along each seat's own decisions (`SeatRolloutBuffer`); opponents' decisions are not learned
    from.  Coefficients of entropy and reward follow schedules.

    Args:
        env: The games.
        league: Who has which seat.
        score_reward_coef: Coefficient of the change of the score.
        win_reward_coef: Coefficient of the share of the victory (`advantages`).
        ent_coef: Coefficient of the entropy in the loss.
        **arguments: Arguments of `SelfPlayLearner`.
    """

    def __init__(
        self,
        env: SB3SelfPlayVecEnv,
        league: League,
        *,
        score_reward_coef: Schedule = lambda _: 1.0,
        win_reward_coef: float = 0.0,
        ent_coef: Schedule = lambda _: 0.01,
        **arguments: Any,
    ) -> None:
        self.score_reward_coef = score_reward_coef
        self.win_reward_coef = win_reward_coef
        self._ent_coef_schedule = ent_coef
        self._opponents_thread = ThreadPoolExecutor(1, "opponents")
        super().__init__(env, league, **arguments)

    def _stagger(self) -> None:
        """Play every game up to a moment of its own, as if all had begun at random times.

        Every rollout then sees all parts of a game, not the same fifth of all games.
        """
        batch, league = self.league.batch, self.league
        longest = np.zeros(batch.n)
        for players in np.unique(batch.players):
            longest[batch.players == players] = _random_decisions(batch.game.name, int(players))
        left = (self.rng.random(batch.n) * longest).astype(np.int64)
        while len(rows := np.flatnonzero(left)):
            self.check_stop()
            actions, _, _ = self._decide(
                batch.obs.copy(), batch.mask.copy(), league.learner_decides()
            )
            batch.step(actions[rows], rows)
            left[rows] -= 1
            ended = rows[batch.done[rows]]
            if len(ended):
                batch.restart(ended)
                league.assign_seats(ended)
                left[ended] = 0
        self.continue_from(batch.obs)

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
            FloatingPointError: the network's numbers are too large to choose a move by.
        """
        games = env.unwrapped
        assert isinstance(games, SB3SelfPlayVecEnv)
        assert isinstance(rollout_buffer, SeatRolloutBuffer)
        assert self._last_episode_starts is not None
        self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
        self.ent_coef = self._ent_coef_schedule(self._current_progress_remaining)
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        if self.num_timesteps == 0:  # the callback saves the run before it begins
            self._stagger()
        rollout_buffer.reset()
        # New games, and those that learn() has reset, have no decisions behind them.
        rollout_buffer.forget(self._last_episode_starts)
        with _one_thread():
            for _ in range(n_rollout_steps):
                own = self.league.learner_decides()
                observations, masks = self._last_obs, games.action_masks()
                assert isinstance(observations, np.ndarray)
                seats = np.where(own, games.seats, NO_SEAT).astype(np.int8)
                actions, forecasts, log_probs = self._decide(observations, masks, own)
                self._last_obs, _, dones, _ = env.step(actions)  # type: ignore[assignment]
                self._last_episode_starts = dones
                gains = np.stack([_shares(games.batch, dones), games.seat_rewards], axis=2)
                rollout_buffer.add_step(
                    observations, masks, seats, actions, forecasts, log_probs, gains, dones
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
            score_coef = self.score_reward_coef(self._current_progress_remaining)
            for name, share in rollout_buffer.compute(self.win_reward_coef, score_coef).items():
                self.logger.record(f"explained_variance/{name}", share)
            callback.on_rollout_end()
        return True

    def _decide(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], own: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """An action for every game; the learner's forecasts and log-probabilities, 0 elsewhere.

        Opponents, which share no generator or network with it, decide in a second thread.

        Returns:
            int64[n]; float32[n, S, 2], of seats as they are numbered; float32[n].
        """
        batch, count = self.league.batch, len(own)
        others = np.flatnonzero(~own)
        chosen = self._opponents_thread.submit(self.league.decide, others) if len(others) else None
        actions = np.empty(count, np.int64)
        forecasts = np.zeros((count, batch.game.max_seats, 2), np.float32)
        log_probs = np.zeros(count, np.float32)
        rows = np.flatnonzero(own)
        if len(rows):
            every = len(rows) == count
            players = batch.players[rows].astype(np.int64)
            with torch.no_grad():
                found = self.policy.outputs(
                    torch.as_tensor(observations if every else observations[rows]).to(self.device),
                    torch.as_tensor(masks if every else masks[rows]).to(self.device),
                )
                at_tables = torch.as_tensor(players).to(self.device)
                shares = log_shares(found.win_logits, at_tables).exp()
                clockwise = torch.stack([shares, found.changes], dim=2).cpu().numpy()
                weights = found.log_probabilities.softmax(dim=-1).cpu().numpy()
                actions[rows] = drawn = draw_columns(weights, self.rng.random(len(rows)))
                taken = torch.as_tensor(drawn).to(self.device).unsqueeze(1)
                logs = found.log_probabilities.gather(1, taken).squeeze(1)
                log_probs[rows] = logs.cpu().numpy()
            places = np.arange(batch.game.max_seats)
            seats = batch.to_move[rows].astype(np.int64)[:, None]
            at = np.where(places < players[:, None], (places - seats) % players[:, None], places)
            forecasts[rows] = np.take_along_axis(clockwise, at[..., None], axis=1)
            forecasts[rows] *= (places < players[:, None])[..., None]
            # Weights that have exploded exceed even the logit of illegal moves.
            if not (np.isfinite(log_probs).all() and masks[rows, drawn].all()):
                raise FloatingPointError("the network's numbers are too large to choose a move by")
        if chosen is not None:
            actions[others] = chosen.result()
        return actions, forecasts, log_probs

    def _minibatches(self) -> Iterator[Minibatch]:
        assert self.batch_size is not None
        return self.rollout_buffer.minibatches(self.batch_size)

    def _policy_loss(self, losses: Mapping[str, torch.Tensor]) -> torch.Tensor:
        return losses["policy_gradient_loss"] + self.ent_coef * losses["entropy_loss"]

    def _losses(self, minibatch: Minibatch) -> dict[str, torch.Tensor]:
        """The clipped policy gradient (Schulman et al. 2017), forecasts, and what is logged."""
        found = self.policy.outputs(minibatch.observations, minibatch.masks)
        logs = found.log_probabilities
        taken = logs.gather(1, minibatch.actions.unsqueeze(1)).squeeze(1)
        # An illegal action adds 0 * -1e8 = -0.  The softmax of log-probabilities equals their
        # exponential, but exp() takes three times as long on -1e8.
        entropies = -(logs.softmax(dim=-1) * logs).sum(dim=-1)
        spread = minibatch.repeated.spread
        log_ratio = spread(taken) - minibatch.log_probs
        ratio = log_ratio.exp()
        clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        clipped = ratio.clamp(1.0 - clip, 1.0 + clip)
        gained = torch.minimum(minibatch.advantages * ratio, minibatch.advantages * clipped)
        every = Outputs(logs, spread(found.win_logits), spread(found.changes))
        win_loss, score_loss = forecast_losses(
            every, minibatch.players, minibatch.shares, minibatch.changes
        )
        return {
            "policy_gradient_loss": -gained.mean(),
            "entropy_loss": -spread(entropies).mean(),
            "win_loss": win_loss,
            "score_loss": score_loss,
            "approx_kl": ((ratio - 1.0) - log_ratio).mean().detach(),
            "clip_fraction": ((ratio - 1.0).abs() > clip).float().mean(),
        }


@contextmanager
def _one_thread() -> Iterator[None]:
    """Keep PyTorch to one thread, which finishes a step's rows before a second one is awake."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@cache
def _random_decisions(game: str, players: int) -> float:
    """Decisions of all seats in a random game; games of skilled players are about as long."""
    batch = Batch(game, n=_MEASURED, players=players, autoreset=False)
    made = 0
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        made += rows.size
        batch.step(batch.random_actions()[rows], rows)
    return made / _MEASURED


def _shares(batch: Batch, dones: NDArray[np.bool_]) -> NDArray[np.float32]:
    """float32[n, S]: every seat's share of the victory in games just ended; 0 in the others."""
    winners = batch.final_winners * dones[:, None]
    shares: NDArray[np.float32] = winners / winners.sum(axis=1, keepdims=True).clip(1)
    return shares.astype(np.float32)
