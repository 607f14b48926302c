"""PPO (Schulman et al. 2017) by self-play and against a league of opponents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from shakespeare_training.group import ALONE, ProcessGroup
from shakespeare_training.learners.games import LearnerGames, random_game_length
from shakespeare_training.learners.learner import (
    GamesCallback,
    Learner,
    LearnerSettings,
    Schedule,
    ignore_games,
)
from shakespeare_training.learners.reward import (
    OwnReward,
    current_standing,
    standing_after_step,
    victory_shares,
)
from shakespeare_training.learners.rollout import (
    NO_DECISION,
    ClosedDecisions,
    Minibatch,
    Rollout,
    explained_variance,
    rotate_seats,
)
from shakespeare_training.networks.policy import ActionEvaluation, forecast_losses, log_shares


@dataclass(frozen=True, kw_only=True)
class PPOSettings(LearnerSettings):
    """Settings of PPO, which `TrainingConfig` describes in more detail.

    Attributes:
        n_steps: Steps of each game per rollout.
        gae_lambda: Bias against variance in generalised advantage estimation.
        clip_range: Clipping of the probability ratio.
        near_certain_share: Share of the near-certain decisions to learn from.
        score_reward_coef: Coefficient of the change of the score.
        win_reward_coef: Coefficient of the share of the victory.
        ent_coef: Entropy coefficient of the loss.
        reward: A reward of the user's own, in place of the change of the score.
    """

    n_steps: int
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    near_certain_share: float = 1.0
    score_reward_coef: Schedule = lambda _progress_remaining: 1.0
    win_reward_coef: float = 0.0
    ent_coef: Schedule = lambda _progress_remaining: 0.01
    reward: OwnReward | None = None


class Decisions(NamedTuple):
    """The moves of one step in n games, with the network's outputs in m of these games.

    Attributes:
        actions: int64[n], moves of the learner or an opponent.
        network_rows: The m games in which the network was run.
        forecasts: float32[m, S, 2], the network's outputs `win_logits` and `changes` (`Outputs`).
        log_probs: float32[m], log-probabilities of the moves that were drawn from the network.
    """

    actions: torch.Tensor
    network_rows: torch.Tensor | slice
    forecasts: torch.Tensor
    log_probs: torch.Tensor


class PPO(Learner):
    """Proximal policy optimisation with action masks. Each seat's own decisions are a trajectory.

    A decision is closed, and can be learned from, once the rollout also holds the seat's next
    decision or the end of the game. Until then it is open, and later rollouts carry it along.

    Attributes:
        rollout: The rollout that is played, and learned from.
        closed: The closed decisions of the last rollout; None before the first rollout is complete.
        entropy_coef: float32[], the present entropy coefficient.
    """

    settings: PPOSettings

    def __init__(
        self, games: LearnerGames, settings: PPOSettings, group: ProcessGroup = ALONE
    ) -> None:
        super().__init__(games, settings, group)
        self.rollout = Rollout(settings.n_steps, games.players, self.league.batch.game)
        self.open_decisions = self.rollout.open_decisions
        self.closed: ClosedDecisions | None = None
        # A tensor, because an update recorded as a CUDA graph reads it at a fixed address.
        self.entropy_coef = torch.zeros((), device=self.device)
        self._recorded_update: Callable[[Minibatch], None] | None = None
        if settings.reward is not None:  # so that faults show early
            standing = current_standing(games)
            settings.reward(standing, standing)

    def play(self, on_games: GamesCallback = ignore_games) -> None:
        """Play a rollout of this process's games, and find its decisions' targets and advantages.

        Raises:
            FloatingPointError: the network's outputs are too large to choose a move by.
            TrainingError: the user's own reward is not finite.
        """
        settings = self.settings
        games = self.games
        remaining = self.progress_remaining
        self.entropy_coef.fill_(settings.ent_coef(remaining))

        games.begin_rollout(self.rng)
        if self.num_timesteps == 0:
            self._stagger()
            games.begin_rollout(self.rng)  # again, because staggering can change the league

        self.rollout.begin()
        with self.policy.keep_weights():
            for decisions, finished in games.play_steps(self._play_step, settings.n_steps):
                self.num_timesteps += decisions
                self.check_stop()
                on_games(finished)
        self._read_forecasts()

        self.closed = self.rollout.end(
            settings.gae_lambda,
            win_coef=settings.win_reward_coef,
            score_coef=settings.score_reward_coef(remaining),
            group=self.group,
        )
        if settings.reward is not None:
            settings.reward.check_finite(self.rollout.gains)
        change = "score" if settings.reward is None else "reward"
        for name, share in explained_variance(self.closed, change).items():
            self.logger.record(f"explained_variance/{name}", share)

    def _stagger(self) -> None:
        """Play each game up to a random moment, so that a rollout sees all parts of a game."""
        batch = self.league.batch
        games = self.games
        lengths = [random_game_length(batch.game.name, seats) for seats in batch.players.tolist()]
        steps = (self.rng.random(batch.n) * lengths).astype(np.int64)
        for step in range(int(steps.max())):
            self.check_stop()
            rows = np.flatnonzero(steps > step)
            actions = self._decide(games.obs.clone(), games.mask).actions
            games.step(actions[torch.from_numpy(rows).to(actions.device)], rows)

    def _play_step(self, step: int) -> None:
        """Play a step of every game, and store it in the rollout."""
        games = self.games
        rollout = self.rollout
        row = rollout.row(step)

        # These are views, so writing to them writes to the rollout.
        stored = {name: store[row] for name, store in rollout.decisions.items()}
        stored["observations"].copy_(games.obs)
        stored["masks"].copy_(games.mask)
        rollout.seats[row] = torch.where(games.learner_to_move, games.to_move, NO_DECISION)
        decisions = self._decide(stored["observations"], stored["masks"])
        stored["actions"].copy_(decisions.actions)
        stored["forecasts"][decisions.network_rows] = decisions.forecasts
        stored["log_probs"][decisions.network_rows] = decisions.log_probs

        reward = self.settings.reward
        if reward is None:
            games.step(decisions.actions)
            changes = games.rewards
        else:
            before = current_standing(games)
            games.step(decisions.actions)
            changes = reward(before, standing_after_step(games))
        shares = victory_shares(games.final_winners * games.done[:, None])
        rollout.gains[row] = torch.stack([shares, changes], dim=2)
        rollout.dones[row] = games.done

    @torch.no_grad()
    def _decide(self, observations: torch.Tensor, masks: torch.Tensor) -> Decisions:
        """Choose a move in every game, by the network or by an opponent."""
        games = self.games
        rows = games.network_rows()
        if isinstance(rows, torch.Tensor):
            # On the CPU this is twenty times as fast as an index.
            observations = observations.index_select(0, rows)
            masks = masks.index_select(0, rows)
        outputs = self.policy.outputs(observations, masks)
        drawn = games.sample(outputs.log_probabilities)
        log_probs = outputs.log_probabilities.gather(1, drawn[:, None]).squeeze(1)

        forecasts = torch.stack([outputs.win_logits, outputs.changes], dim=2)
        actions = torch.zeros(len(games.players), dtype=torch.int64, device=drawn.device)
        actions[rows] = drawn
        return Decisions(games.fill_in_opponents(actions), rows, forecasts, log_probs)

    def _read_forecasts(self) -> None:
        """Turn the network's outputs in the rollout's steps into forecasts (`Rollout`).

        All steps are turned at once, because in each step by itself the calls of PyTorch would take
        far longer than the numbers.
        """
        steps = slice(self.rollout.row(0), None)
        forecasts = self.rollout.decisions["forecasts"][steps]
        players = self.games.players.expand(len(forecasts), -1).flatten()
        win_logits, changes = forecasts.flatten(0, 1).unbind(dim=2)
        shares = log_shares(win_logits, players).exp()
        # The network counts seats clockwise from the seat to move. A rollout uses seat numbers.
        movers = self.rollout.seats[steps].flatten()
        by_seat = rotate_seats(torch.stack([shares, changes], dim=2), players, -movers)
        forecasts.copy_(by_seat.view_as(forecasts))

    def minibatches(self) -> Iterator[Minibatch]:
        """Yield the rollout's closed decisions in random order, for one pass."""
        assert self.closed is not None
        settings = self.settings
        generator = torch.Generator(self.device)
        generator.manual_seed(int(self.rng.integers(2**62)))
        return self.rollout.minibatches(
            self.closed,
            self._minibatches_of(len(self.closed.rows)),
            settings.batch_size if self.group.size == 1 else None,
            settings.near_certain_share,
            generator,
        )

    def count(self, minibatch: Minibatch) -> int:
        """Return the number of decisions of a minibatch."""
        return len(minibatch.players)

    def losses(self, minibatch: Minibatch) -> dict[str, torch.Tensor]:
        """Return the clipped policy gradient, the losses of the forecasts, and statistics."""
        clip_range = self.settings.clip_range
        evaluation = self.policy.evaluate_actions(
            minibatch.observations, minibatch.masks, minibatch.actions
        )
        # A row of the minibatch can stand for several near-certain decisions (see `Repetition`).
        # Its outputs are repeated, so that there is one value for each decision.
        evaluation = ActionEvaluation._make(map(minibatch.repetition.repeat, evaluation))

        log_ratio = evaluation.log_probs - minibatch.log_probs
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1.0 - clip_range, 1.0 + clip_range)
        advantages = minibatch.advantages
        gradient_loss = -torch.minimum(advantages * ratio, advantages * clipped).mean()
        entropy_loss = -evaluation.entropies.mean()
        win_loss, score_loss = forecast_losses(
            evaluation, minibatch.players, minibatch.shares, minibatch.changes
        )
        return {
            "policy_loss": gradient_loss + self.entropy_coef * entropy_loss,
            "policy_gradient_loss": gradient_loss,
            "entropy_loss": entropy_loss,
            "win_loss": win_loss,
            "score_loss": score_loss,
            "approx_kl": ((ratio - 1.0) - log_ratio).mean().detach(),
            "clip_fraction": ((ratio - 1.0).abs() > clip_range).float().mean(),
        }

    def _learn_from(self, minibatch: Minibatch) -> None:
        # On a GPU, updates of the usual shape are recorded once and replayed as a CUDA graph.
        has_usual_shape = (
            minibatch.repetition.repeats_nothing
            and len(minibatch.players) == self.settings.batch_size
        )
        if self.device.type == "cpu" or self.group.size > 1 or not has_usual_shape:
            super()._learn_from(minibatch)
            return
        if self._recorded_update is None:
            from shakespeare_training.learners.device import Recorded  # it needs the extra cuda

            self._recorded_update = Recorded(super()._learn_from, warmup_calls=3)
        self._recorded_update(minibatch)
