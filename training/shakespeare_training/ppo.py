"""PPO (Schulman et al. 2017) by self-play: rollouts, advantages and losses.

After a move it is another seat's turn, so the usual recursion over steps credits the wrong seat.
Here each seat's trajectory is its own decisions. What happens between two of them, whoever caused
it, counts towards the earlier one; what happens before the game ends, towards its last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from shakespeare_env.core.game import Game
from shakespeare_training.games import TOO_LARGE, LearnerGames, one_thread, random_game_length
from shakespeare_training.learner import (
    GamesCallback,
    Learner,
    LearnerSettings,
    Schedule,
    ignore_games,
)
from shakespeare_training.policy import ActionEvaluation, forecast_losses, log_shares

NO_DECISION = -1
"""Stands for the deciding seat in a step in which the learner does not decide."""
SHARE = 0
"""The first forecast of every seat: its share of the victory."""
CHANGE = 1
"""The second: the change of its score until the end, in units of `Game.score_scale`."""
NEAR_CERTAIN = 0.99
"""A decision is near-certain if its move was likelier than this. Most moves of a trained network
are, and teach little: a minibatch holds a part of them and repeats the network's outputs for these
(`Repeated`), so that in expectation every decision counts as before."""


@dataclass(frozen=True, kw_only=True)
class PPOSettings(LearnerSettings):
    """Settings of PPO (`TrainingConfig` describes them), by default without schedules.

    Attributes:
        n_steps: Steps of each game per rollout.
        gae_lambda: Bias against variance in generalised advantage estimation.
        clip_range: Clipping of the probability ratio.
        near_certain_share: Share of the near-certain decisions to learn from.
        score_reward_coef: Coefficient of the change of the score.
        win_reward_coef: Coefficient of the share of the victory.
        ent_coef: Entropy coefficient of the loss.
    """

    n_steps: int
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    near_certain_share: float = 1.0
    score_reward_coef: Schedule = lambda _left: 1.0
    win_reward_coef: float = 0.0
    ent_coef: Schedule = lambda _left: 0.01


class Decisions(NamedTuple):
    """The moves of a step, and the network's outputs where it was asked for one.

    Attributes:
        actions: int64[n], moves of the learner or an opponent.
        asked: The m games in which the network was asked.
        forecasts: float32[m, S, 2], `SHARE` and `CHANGE` of every seat, by its number.
        log_probs: float32[m], of the network's moves.
    """

    actions: torch.Tensor
    asked: torch.Tensor | slice
    forecasts: torch.Tensor
    log_probs: torch.Tensor


class PPO(Learner):
    """Proximal policy optimisation with action masks, along each seat's own decisions."""

    settings: PPOSettings

    def __init__(self, games: LearnerGames, settings: PPOSettings) -> None:
        super().__init__(games, settings)
        self.rollout = Rollout(settings.n_steps, games.players, self.league.batch.game)
        self.open_decisions = self.rollout.open_decisions
        self.entropy_coef = torch.zeros((), device=self.device)  # read by a recorded update
        self._recorded_update: Callable[[Minibatch], None] | None = None

    def collect(self, on_games: GamesCallback = ignore_games) -> None:
        """Play a rollout, and find the targets and advantages of its decisions.

        Raises:
            FloatingPointError: the network's outputs are too large to choose a move by.
        """
        settings = self.settings
        games = self.games
        left = self.left
        self.entropy_coef.fill_(settings.ent_coef(left))

        games.begin_rollout(self.rng)
        if self.num_timesteps == 0:
            self._stagger()
            games.begin_rollout(self.rng)

        self.rollout.begin()
        with one_thread():
            for decisions, finished in games.rollout(self._play_step, settings.n_steps):
                self.num_timesteps += decisions
                self.check_stop()
                on_games(finished)

            score_reward_coef = settings.score_reward_coef(left)
            explained = self.rollout.end(
                settings.gae_lambda, settings.win_reward_coef, score_reward_coef
            )
        for name, share in explained.items():
            self.logger.record(f"explained_variance/{name}", share)

    def _stagger(self) -> None:
        """Play every game up to a moment of its own, so that a rollout sees all parts of a game."""
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
        games = self.games
        rollout = self.rollout
        row = rollout.seats.shape[0] - self.settings.n_steps + step

        kept = {name: store[row] for name, store in rollout.decisions.items()}
        kept["observations"].copy_(games.obs)
        kept["masks"].copy_(games.mask)
        rollout.seats[row] = torch.where(games.learner_to_move, games.to_move, NO_DECISION)
        decided = self._decide(kept["observations"], kept["masks"])
        kept["actions"].copy_(decided.actions)
        kept["forecasts"][decided.asked] = decided.forecasts
        kept["log_probs"][decided.asked] = decided.log_probs

        games.step(decided.actions)
        winners = games.final_winners * games.done[:, None]
        shares = winners / winners.sum(dim=1, keepdim=True).clamp(min=1)
        rollout.gains[row] = torch.stack([shares, games.rewards], dim=2)
        rollout.dones[row] = games.done

    @torch.no_grad()
    def _decide(self, observations: torch.Tensor, masks: torch.Tensor) -> Decisions:
        """Choose a move in every game: the learner's or its opponents'."""
        games = self.games
        asked = games.rows_to_ask()
        outputs = self.policy.outputs(observations[asked], masks[asked])
        chosen = games.sample(outputs.log_probabilities)
        log_probs = outputs.log_probabilities.gather(1, chosen[:, None]).squeeze(1)

        # The network counts seats clockwise from the one to move.
        players = games.players[asked, None]
        to_move = games.to_move[asked, None]
        shares = log_shares(outputs.win_logits, players.squeeze(1)).exp()
        places = torch.arange(shares.shape[1], device=shares.device)
        present = places < players
        clockwise = torch.where(present, (places - to_move) % players, places)
        forecasts = torch.stack([shares, outputs.changes], dim=2)
        forecasts = forecasts.gather(1, clockwise[..., None].expand(-1, -1, 2))
        forecasts = forecasts * present[..., None]

        actions = torch.zeros(len(observations), dtype=torch.int64, device=chosen.device)
        actions[asked] = chosen
        return Decisions(games.fill_in_opponents(actions), asked, forecasts, log_probs)

    def minibatches(self) -> Iterator[Minibatch]:
        """Yield the rollout's closed decisions in random order, for one pass."""
        settings = self.settings
        chance = torch.Generator(self.device)
        chance.manual_seed(int(self.rng.integers(2**62)))
        return self.rollout.minibatches(settings.batch_size, settings.near_certain_share, chance)

    def losses(self, minibatch: Minibatch) -> dict[str, torch.Tensor]:
        """Return the clipped policy gradient with entropy, the forecasts' losses, and statistics."""
        clip_range = self.settings.clip_range
        evaluation = self.policy.evaluate_actions(
            minibatch.observations, minibatch.masks, minibatch.actions
        )
        evaluation = ActionEvaluation._make(map(minibatch.repeated.spread, evaluation))

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
        repeated = minibatch.repeated
        has_usual_shape = (
            repeated.kept == repeated.total and len(minibatch.players) == self.settings.batch_size
        )
        if self.device.type == "cpu" or not has_usual_shape:
            super()._learn_from(minibatch)
            return
        if self._recorded_update is None:
            from shakespeare_training.device import Recorded  # it needs the extra cuda

            self._recorded_update = Recorded(super()._learn_from, before=3)
        self._recorded_update(minibatch)


class Repeated(NamedTuple):
    """How the last rows of a minibatch stand for more decisions than they are.

    Attributes:
        kept: The number of these rows.
        total: The number of decisions they stand for.
    """

    kept: int
    total: int

    def spread(self, rows: torch.Tensor) -> torch.Tensor:
        """Return results for each row, [k, ...], repeated for every decision of the minibatch."""
        if self.kept == self.total:
            return rows
        alone = len(rows) - self.kept
        # Copying a whole block, unlike indexing, sums gradients in a fixed order.
        copies = rows[alone:].repeat(math.ceil(self.total / self.kept), *[1] * (rows.ndim - 1))
        return torch.cat([rows[:alone], copies[: self.total]])


class Minibatch(NamedTuple):
    """n decisions to learn from; the network is asked about k of them, which stand for all."""

    observations: torch.Tensor  # int8[k, D]
    masks: torch.Tensor  # bool[k, A]
    actions: torch.Tensor  # int64[k]
    repeated: Repeated
    log_probs: torch.Tensor  # float32[n], of the actions when they were chosen
    advantages: torch.Tensor  # float32[n], normalised among tables of each size
    players: torch.Tensor  # int64[n], seats at the table
    shares: torch.Tensor  # float32[n, S], of the victory, by seat clockwise of the one that decided
    changes: torch.Tensor  # float32[n, S], of scores until the end


class Rollout:
    """Steps of n games, in tensors [S + steps, n, ...] on the games' device.

    A rollout ends in mid-game, before it is known what follows every seat's last decision. The next
    one carries these open decisions in its first S = `max_seats` rows, row s those of seat s, with
    their gains so far. So every decision is learned from exactly once. The network has changed
    since a carried decision; its stored log-probability keeps the ratio of PPO right.
    """

    def __init__(self, steps: int, players: torch.Tensor, game: Game) -> None:
        self.players = players
        self._max_seats = seats = game.max_seats

        def zeros(*more: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
            shape = seats + steps, len(players), *more
            return torch.zeros(shape, dtype=dtype, device=players.device)

        self.decisions = {
            "observations": zeros(game.layout.size, dtype=torch.int8),
            "masks": zeros(game.actions.size, dtype=torch.bool),
            "actions": zeros(dtype=torch.int64),
            "forecasts": zeros(seats, 2),  # the deciding seat's, of seats as they are numbered
            "log_probs": zeros(),
        }
        self.seats = zeros(dtype=torch.int8).fill_(NO_DECISION)  # that decided
        self.gains = zeros(seats, 2)  # every seat's share of the victory and change of score
        self.dones = zeros(dtype=torch.bool)  # whether the next row is another game's
        self._carried = self.gains[:seats].clone()
        self.open_decisions: dict[str, torch.Tensor] = {}
        self._carry(self.dones, self.gains)

    def begin(self) -> None:
        """Start with the open decisions of the last rollout; with none if it was stopped."""
        carried = self.open_decisions.copy()
        self.open_decisions.update({name: tensor[:0] for name, tensor in carried.items()})
        rows = carried["seats"].long()
        games = carried["games"]
        for name, store in self.decisions.items():
            store[rows, games] = carried[name]
        self.seats[: self._max_seats] = NO_DECISION
        self.seats[rows, games] = carried["seats"]
        self._carried[rows, games] = carried["gained"]

    def _carry(self, is_open: torch.Tensor, gained: torch.Tensor) -> None:
        rows, games = torch.nonzero(is_open, as_tuple=True)
        stores = {**self.decisions, "seats": self.seats, "gained": gained}
        opened = {name: store[rows, games] for name, store in stores.items()}
        self.open_decisions.update(opened, games=games)

    def end(self, gae_lambda: float, win_coef: float, score_coef: float) -> dict[str, float]:
        """Find the closed decisions, their targets and their advantages.

        Returns:
            The share of the targets' variance that forecasts explain, by kind and table.

        Raises:
            FloatingPointError: a log-probability is not finite.
        """
        if not torch.isfinite(self.decisions["log_probs"]).all():
            raise FloatingPointError(TOO_LARGE)
        forecasts = self.decisions["forecasts"]
        found = seat_targets(
            self.gains, forecasts, self.seats, self.dones, self._carried, gae_lambda
        )
        self._carry((self.seats != NO_DECISION) & ~found.closed, found.gained)

        self._closed = torch.nonzero(found.closed.flatten()).flatten()
        self._players = players = self.players[self._closed % len(self.players)]
        seats = self.seats.flatten()[self._closed].long()
        targets = found.targets.flatten(0, 1)[self._closed]
        errors = targets - forecasts.flatten(0, 1)[self._closed]
        own = seats[:, None, None].expand(-1, 1, 2)
        own_errors = errors.gather(1, own).squeeze(1)
        self.advantages = normalised_advantages(own_errors, players, win_coef, score_coef)

        # Seats are counted clockwise from the one that decided.
        places = torch.arange(self._max_seats, device=seats.device)
        clockwise = (seats[:, None] + places) % players[:, None]
        present = (places < players[:, None])[..., None]
        self._targets = targets.gather(1, clockwise[..., None].expand(-1, -1, 2)) * present
        return self._explained_variance(own_errors)

    def _explained_variance(self, own_errors: torch.Tensor) -> dict[str, float]:
        explained = {}
        for size in torch.unique(self._players).tolist():
            at_table = self._players == size
            variance = self._targets[at_table, 0].var(dim=0, correction=0)
            shares = 1.0 - own_errors[at_table].square().mean(dim=0) / variance
            explained[f"win_{size}_seats"] = shares[SHARE].item()
            explained[f"score_{size}_seats"] = shares[CHANGE].item()
        return explained

    def minibatches(
        self, batch_size: int, near_certain_share: float, chance: torch.Generator
    ) -> Iterator[Minibatch]:
        """Yield the closed decisions in random order, in minibatches of `batch_size`, and the rest.

        With a `near_certain_share` below 1 they are of equal size, with as many near-certain
        decisions each, of which that share stands for all.
        """
        count = len(self._closed)
        parts = max(1, round(count / batch_size))
        order = torch.randperm(count, generator=chance, device=self._closed.device)
        if near_certain_share == 1.0:
            ends = [batch_size * (part + 1) for part in range(parts - 1)]
            for chosen in order.tensor_split(ends):
                yield self._minibatch(chosen, chosen, Repeated(0, 0))
            return

        log_probs = self.decisions["log_probs"].flatten()[self._closed[order]]
        is_near_certain = log_probs > math.log(NEAR_CERTAIN)
        # The longer minibatches of one kind are the shorter ones of the other.
        others = order[~is_near_certain].tensor_split(parts)
        certain = order[is_near_certain].tensor_split(parts)[::-1]
        for other, near_certain in zip(others, certain, strict=True):
            kept = math.ceil(near_certain_share * len(near_certain))
            repeated = Repeated(kept, len(near_certain))
            asked = near_certain[:kept]
            chosen = torch.cat([other, repeated.spread(asked)])
            yield self._minibatch(torch.cat([other, asked]), chosen, repeated)

    def _minibatch(
        self, asked: torch.Tensor, chosen: torch.Tensor, repeated: Repeated
    ) -> Minibatch:
        """Return the closed decisions int64[n], of which the network is asked about int64[k]."""
        stores = {name: store.flatten(0, 1) for name, store in self.decisions.items()}
        asked_rows = self._closed[asked]
        targets = self._targets[chosen]
        return Minibatch(
            observations=stores["observations"][asked_rows],
            masks=stores["masks"][asked_rows],
            actions=stores["actions"][asked_rows],
            repeated=repeated,
            log_probs=stores["log_probs"][self._closed[chosen]],
            advantages=self.advantages[chosen],
            players=self._players[chosen],
            shares=targets[..., SHARE],
            changes=targets[..., CHANGE],
        )


class SeatTargets(NamedTuple):
    """Targets of the forecasts in R rows of n games (`seat_targets`).

    Attributes:
        targets: float32[R, n, S, 2], the forecasts that would have been right.
        gained: float32[R, n, S, 2], gains until the deciding seat's next decision or the end.
        closed: bool[R, n], whether the row's decision is followed by one of these.
    """

    targets: torch.Tensor
    gained: torch.Tensor
    closed: torch.Tensor


def seat_targets(
    gains: torch.Tensor,
    forecasts: torch.Tensor,
    seats: torch.Tensor,
    dones: torch.Tensor,
    carried: torch.Tensor,
    gae_lambda: float,
) -> SeatTargets:
    """Compute the targets of forecasts by TD(lambda) along each seat's own decisions.

    A target less its forecast is the generalised advantage estimate (Schulman et al. 2016), in
    shares of the victory and in scores, without discount. In a game that continues after the last
    row, each seat's latest decision is open and the one before bootstraps from its forecast.

    Args:
        gains: float32[R, n, S, 2], every seat's gains in each row.
        forecasts: float32[R, n, S, 2], the deciding seat's forecasts.
        seats: int8[R, n], the seat that decided, or `NO_DECISION`.
        dones: bool[R, n], whether the next row is another game's.
        carried: float32[C, n, S, 2], earlier gains after the decisions of the first C rows.
        gae_lambda: Bias against variance.
    """
    n_rows, n, n_seats, _ = gains.shape
    every_game = torch.arange(n, device=gains.device)
    places = torch.arange(n_seats, device=gains.device)
    targets = torch.zeros_like(gains)
    gained = torch.zeros_like(gains)
    closed = torch.zeros_like(dones)

    # What follows a row, for each seat that may decide in it: all seats' gains until its next
    # decision, that decision's forecast and target, and whether there is one, or an end.
    ahead = gains.new_zeros(n, n_seats, n_seats, 2)
    forecast = torch.zeros_like(ahead)
    target = torch.zeros_like(ahead)
    known = dones.new_zeros(n, n_seats)
    for row in reversed(range(n_rows)):
        known = known | dones[row][:, None]
        for following in (ahead, forecast, target):
            following.masked_fill_(dones[row][:, None, None, None], 0.0)
        ahead += gains[row][:, None]
        is_mover = seats[row][:, None] == places
        mover = is_mover.long().argmax(dim=1)

        # In double precision, to be rounded once.
        gain = ahead[every_game, mover].double()
        if row < len(carried):
            gain += carried[row]
        value = gain + forecast[every_game, mover].double() * (1.0 - gae_lambda)
        value += target[every_game, mover].double() * gae_lambda
        gained[row] = gain
        closed[row] = (known & is_mover).any(dim=1)
        # The target of an open decision is its forecast.
        targets[row] = torch.where(closed[row][:, None, None], value.float(), forecasts[row])

        movers = is_mover[..., None, None]
        ahead.masked_fill_(movers, 0.0)
        forecast = torch.where(movers, forecasts[row][:, None], forecast)
        target = torch.where(movers, targets[row][:, None], target)
        known = known | is_mover
    return SeatTargets(targets, gained, closed)


def normalised_advantages(
    own_errors: torch.Tensor, players: torch.Tensor, win_coef: float, score_coef: float
) -> torch.Tensor:
    """Return advantages in units of the reward, float32[k], normalised for each table size.

    The reward is the share of the victory, scaled so that all of it is +1 and its expectation among
    equals 0, times `win_coef`, and the change of the score times `score_coef`; in solo games, the
    change of the score times the sum of both.

    Args:
        own_errors: float32[k, 2], targets less forecasts of the deciding seats.
        players: int64[k], seats at their tables.
        win_coef: Coefficient of the share of the victory.
        score_coef: Coefficient of the change of the score.
    """
    several = players > 1
    win = win_coef * torch.where(several, players / (players - 1).clamp(min=1), 0.0)
    score = torch.where(several, score_coef, score_coef + win_coef)
    reward = win * own_errors[:, SHARE] + score * own_errors[:, CHANGE]
    for size in torch.unique(players):
        here = players == size
        number = here.sum().clamp(min=1)
        mean = (reward * here).sum() / number
        deviation = (((reward - mean) * here).square().sum() / number).sqrt()
        # A single advantage has deviation 0.
        reward = torch.where(here, (reward - mean) / (deviation + 1e-8), reward)
    return reward
