"""Self-play: MaskablePPO on games in which its network plays several or all seats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from shakespeare_env.core.batch import Batch
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.league import League
from shakespeare_training.ppo.advantages import NO_SEAT
from shakespeare_training.ppo.buffer import Minibatch, Repeated, SeatRolloutBuffer
from shakespeare_training.ppo.device import Recorded
from shakespeare_training.ppo.games import HostGames
from shakespeare_training.ppo.learner import Schedule, SelfPlayLearner
from shakespeare_training.ppo.policy import forecast_losses, log_shares

if TYPE_CHECKING:
    from shakespeare_training.ppo.device_games import DeviceGames

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
        super().__init__(env, league, **arguments)
        # What a recorded update reads is changed in place.
        self._entropy_weight = torch.zeros((), device=self.device)
        self._given: list[torch.Tensor] = []
        self._update = Recorded(self._learn_from_given, before=3)

    def _games(self, device: str, n_steps: int) -> HostGames | DeviceGames:
        if torch.device(device).type == "cpu":
            return HostGames(self.league)
        from shakespeare_training.ppo.device_games import DeviceGames

        return DeviceGames(self.league, n_steps, torch.device(device))

    def _stagger(self) -> None:
        """Play every game up to a moment of its own, as if all had begun at random times.

        Every rollout then sees all parts of a game, not the same fifth of all games.
        """
        batch, games = self.league.batch, self.games
        longest = np.zeros(batch.n)
        for players in np.unique(batch.players):
            longest[batch.players == players] = _random_decisions(batch.game.name, int(players))
        left = (self.rng.random(batch.n) * longest).astype(np.int64)
        for made in range(int(left.max())):
            self.check_stop()
            rows = np.flatnonzero(left > made)
            actions, _, _ = self._decide(games.obs.clone(), games.mask)
            games.step(actions[torch.from_numpy(rows).to(actions.device)], rows)

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
        games = self.games
        assert isinstance(rollout_buffer, SeatRolloutBuffer)
        self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
        self.ent_coef = self._ent_coef_schedule(self._current_progress_remaining)
        self._entropy_weight.fill_(self.ent_coef)
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        games.begin_rollout(self.rng)
        if self.num_timesteps == 0:  # the callback saves the run before it begins
            self._stagger()
            games.begin_rollout(self.rng)
        rollout_buffer.reset()
        with _one_thread():
            for made, ended in games.rollout(self._play_step, n_rollout_steps):
                self.num_timesteps += made
                callback.update_locals({"ended": ended})
                if not callback.on_step():
                    return False
            score_coef = self.score_reward_coef(self._current_progress_remaining)
            for name, share in rollout_buffer.compute(self.win_reward_coef, score_coef).items():
                self.logger.record(f"explained_variance/{name}", share)
            callback.on_rollout_end()
        return True

    def _play_step(self, step: int) -> None:
        """One decision in every game."""
        games, buffer = self.games, self.rollout_buffer
        observations, masks = buffer.look(step, games.obs, games.mask)
        seats = torch.where(games.own, games.to_move, NO_SEAT)
        decision = self._decide(observations, masks)
        games.step(decision[0])
        gains = torch.stack([_shares(games), games.rewards], dim=2)
        buffer.add_step(step, seats, *decision, gains, games.done)

    @torch.no_grad()
    def _decide(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """An action for every game, and what the learner makes of those that it is asked about.

        Returns:
            int64[n]; its forecasts, float32[n, S, 2], of seats as they are numbered; the actions'
            log-probabilities, float32[n].
        """
        games, count = self.games, len(observations)
        games.opponents_think()
        asked = games.asked()
        found = self.policy.outputs(observations[asked], masks[asked])
        chosen = games.draw(found.log_probabilities)
        players, seats = games.players[asked, None], games.to_move[asked, None]
        shares = log_shares(found.win_logits, players.squeeze(1)).exp()
        clockwise = torch.stack([shares, found.changes], dim=2)
        places = torch.arange(clockwise.shape[1], device=clockwise.device)
        present = places < players
        at = torch.where(present, (places - seats) % players, places)
        actions = torch.zeros(count, dtype=torch.int64, device=chosen.device)
        forecasts = clockwise.new_zeros(count, *clockwise.shape[1:])
        log_probs = clockwise.new_zeros(count)
        actions[asked] = chosen
        in_order = clockwise.gather(1, at[..., None].expand(-1, -1, 2))
        forecasts[asked] = in_order * present[..., None]
        log_probs[asked] = found.log_probabilities.gather(1, chosen[:, None]).squeeze(1)
        return games.opponents_act(actions), forecasts, log_probs

    def _learn_from(self, minibatch: Minibatch) -> None:
        whole = minibatch.repeated.kept == minibatch.repeated.total
        if self.device.type == "cpu" or not whole or len(minibatch.players) != self.batch_size:
            super()._learn_from(minibatch)
            return
        tensors = [part for part in minibatch if isinstance(part, torch.Tensor)]
        self._given = self._given or [torch.empty_like(tensor) for tensor in tensors]
        for kept, tensor in zip(self._given, tensors, strict=True):
            kept.copy_(tensor)
        self._update()

    def _learn_from_given(self) -> None:
        observations, masks, actions, *others = self._given
        minibatch = Minibatch(observations, masks, actions, Repeated(0, 0), *others)
        super()._learn_from(minibatch)

    def _minibatches(self) -> Iterator[Minibatch]:
        assert self.batch_size is not None
        chance = torch.Generator(self.rollout_buffer.players.device)
        chance.manual_seed(int(self.rng.integers(2**62)))
        return self.rollout_buffer.minibatches(self.batch_size, chance)

    def _policy_loss(self, losses: Mapping[str, torch.Tensor]) -> torch.Tensor:
        return losses["policy_gradient_loss"] + self._entropy_weight * losses["entropy_loss"]

    def _losses(self, minibatch: Minibatch) -> dict[str, torch.Tensor]:
        """The clipped policy gradient (Schulman et al. 2017), forecasts, and what is logged."""
        found = self.policy.judged(minibatch.observations, minibatch.masks, minibatch.actions)
        spread = minibatch.repeated.spread
        log_ratio = spread(found.log_probs) - minibatch.log_probs
        ratio = log_ratio.exp()
        clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        clipped = ratio.clamp(1.0 - clip, 1.0 + clip)
        gained = torch.minimum(minibatch.advantages * ratio, minibatch.advantages * clipped)
        every = found._replace(win_logits=spread(found.win_logits), changes=spread(found.changes))
        win_loss, score_loss = forecast_losses(
            every, minibatch.players, minibatch.shares, minibatch.changes
        )
        return {
            "policy_gradient_loss": -gained.mean(),
            "entropy_loss": -spread(found.entropies).mean(),
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


def _shares(games: HostGames | DeviceGames) -> torch.Tensor:
    """float32[n, S]: every seat's share of the victory in games just ended; 0 in the others."""
    winners = games.final_winners * games.done[:, None]
    return winners / winners.sum(dim=1, keepdim=True).clamp(min=1)
