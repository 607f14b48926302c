"""PPO (Schulman et al. 2017) by self-play: rollouts, advantages and losses.

After a move it is another seat's turn, so the usual recursion over steps credits the wrong seat.
Here each seat's trajectory is its own decisions.  What happens between two of them, whoever caused
it, counts towards the earlier one; what happens before the game ends, towards its last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback

from shakespeare_env.core.game import Game
from shakespeare_training.games import TOO_LARGE, HostGames, one_thread, random_decisions
from shakespeare_training.learner import Learner, Schedule
from shakespeare_training.policy import Judged, forecast_losses, log_shares

if TYPE_CHECKING:
    from shakespeare_training.device import DeviceGames

NO_DECISION = -1  # in a step without a decision of the learner
SHARE, CHANGE = range(2)
"""Forecasts of every seat: its share of the victory, and the change of its score until the end in
units of `Game.score_scale`."""
NEAR_CERTAIN = 0.99
"""A decision is near-certain if its move was likelier than this. Most moves of a trained network
are, and teach little: a minibatch holds a part of them and repeats the network's outputs for these
(`Repeated`), so that in expectation every decision counts as before."""


class PPO(Learner):
    """PPO with masks; arguments are settings (`TrainingConfig`), or as of `Learner`."""

    def __init__(
        self,
        games: HostGames | DeviceGames,
        *,
        n_steps: int,
        gae_lambda: float = 0.95,
        clip_range: float = 0.2,
        near_certain_share: float = 1.0,
        score_reward_coef: Schedule = lambda _: 1.0,
        win_reward_coef: float = 0.0,
        ent_coef: Schedule = lambda _: 0.01,
        **arguments: Any,
    ) -> None:
        super().__init__(games, **arguments)
        self.n_steps, self.gae_lambda, self.clip_range = n_steps, gae_lambda, clip_range
        self.near_certain_share = near_certain_share
        self.score_reward_coef, self.win_reward_coef = score_reward_coef, win_reward_coef
        self.ent_coef = ent_coef
        self.rollout = Rollout(n_steps, games.players, self.league.batch.game)
        self.open_decisions = self.rollout.open_decisions
        self._entropy_weight = torch.zeros((), device=self.device)  # read by a recorded step
        self._step: Callable[[Minibatch], None] | None = None

    def collect(self, callback: BaseCallback) -> bool:
        """Play a rollout, after a callback that may save the run; False if a callback stopped it.

        FloatingPointError if the network's numbers are too large to choose a move by.
        """
        games, rollout, left = self.games, self.rollout, self.left
        self._entropy_weight.fill_(self.ent_coef(left))
        callback.on_rollout_start()
        games.begin_rollout(self.rng)
        if self.num_timesteps == 0:  # the callback saves the run before it begins
            self._stagger()
            games.begin_rollout(self.rng)
        rollout.begin()
        with one_thread():
            for made, ended in games.rollout(self._play_step, self.n_steps):
                self.num_timesteps += made
                callback.update_locals({"ended": ended})
                if not callback.on_step():
                    return False
            coefs = self.win_reward_coef, self.score_reward_coef(left)
            for name, share in rollout.end(self.gae_lambda, *coefs).items():
                self.logger.record(f"explained_variance/{name}", share)
            callback.on_rollout_end()
        return True

    def _stagger(self) -> None:
        """Play every game up to a moment of its own, so that a rollout sees all parts of a game."""
        batch, games = self.league.batch, self.games
        longest = [random_decisions(batch.game.name, players) for players in batch.players.tolist()]
        left = (self.rng.random(batch.n) * longest).astype(np.int64)
        for made in range(int(left.max())):
            self.check_stop()
            rows = np.flatnonzero(left > made)
            actions, *_ = self._decide(games.obs.clone(), games.mask)
            games.step(actions[torch.from_numpy(rows).to(actions.device)], rows)

    def _play_step(self, step: int) -> None:
        games, rollout = self.games, self.rollout
        row = rollout.seats.shape[0] - self.n_steps + step
        kept = {name: store[row] for name, store in rollout.decisions.items()}
        kept["observations"].copy_(games.obs)
        kept["masks"].copy_(games.mask)
        rollout.seats[row] = torch.where(games.own, games.to_move, NO_DECISION)
        actions, asked, forecasts, log_probs = self._decide(kept["observations"], kept["masks"])
        games.step(actions)
        kept["actions"].copy_(actions)
        kept["forecasts"][asked] = forecasts
        kept["log_probs"][asked] = log_probs
        winners = games.final_winners * games.done[:, None]
        shares = winners / winners.sum(dim=1, keepdim=True).clamp(min=1)
        rollout.gains[row] = torch.stack([shares, games.rewards], dim=2)
        rollout.dones[row] = games.done

    @torch.no_grad()
    def _decide(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor | slice, torch.Tensor, torch.Tensor]:
        """Actions, int64[n], the games that the learner is asked about, and what it thinks there.

        That is forecasts by seat as numbered, float32[m, S, 2], and log-probabilities, float32[m].
        """
        games = self.games
        asked = games.asked()
        outputs = self.policy.outputs(observations[asked], masks[asked])
        chosen = games.draw(outputs.log_probabilities)
        log_probs = outputs.log_probabilities.gather(1, chosen[:, None]).squeeze(1)
        players, seats = games.players[asked, None], games.to_move[asked, None]
        shares = log_shares(outputs.win_logits, players.squeeze(1)).exp()
        places = torch.arange(shares.shape[1], device=shares.device)
        present = places < players
        clockwise = torch.where(present, (places - seats) % players, places)
        forecasts = torch.stack([shares, outputs.changes], dim=2)
        forecasts = forecasts.gather(1, clockwise[..., None].expand(-1, -1, 2))
        actions = torch.zeros(len(observations), dtype=torch.int64, device=chosen.device)
        actions[asked] = chosen
        return games.opponents_act(actions), asked, forecasts * present[..., None], log_probs

    def _minibatches(self) -> Iterator[Minibatch]:
        chance = torch.Generator(self.device)
        chance.manual_seed(int(self.rng.integers(2**62)))
        return self.rollout.minibatches(self.batch_size, self.near_certain_share, chance)

    def _losses(self, minibatch: Minibatch) -> dict[str, torch.Tensor]:
        """The clipped policy gradient, forecasts, and what is logged."""
        judged = self.policy.judged(minibatch.observations, minibatch.masks, minibatch.actions)
        spread = minibatch.repeated.spread
        judged = Judged._make(map(spread, judged))
        log_ratio = judged.log_probs - minibatch.log_probs
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1.0 - self.clip_range, 1.0 + self.clip_range)
        gained = torch.minimum(minibatch.advantages * ratio, minibatch.advantages * clipped)
        win_loss, score_loss = forecast_losses(
            judged, minibatch.players, minibatch.shares, minibatch.changes
        )
        gradient_loss = -gained.mean()
        entropy_loss = -judged.entropies.mean()
        return {
            "policy_loss": gradient_loss + self._entropy_weight * entropy_loss,
            "policy_gradient_loss": gradient_loss,
            "entropy_loss": entropy_loss,
            "win_loss": win_loss,
            "score_loss": score_loss,
            "approx_kl": ((ratio - 1.0) - log_ratio).mean().detach(),
            "clip_fraction": ((ratio - 1.0).abs() > self.clip_range).float().mean(),
        }

    def _learn_from(self, minibatch: Minibatch) -> None:
        whole = minibatch.repeated.kept == minibatch.repeated.total
        if self.device.type == "cpu" or not whole or len(minibatch.players) != self.batch_size:
            super()._learn_from(minibatch)
            return
        from shakespeare_training.device import Recorded  # it needs the extra cuda

        self._step = self._step or Recorded(super()._learn_from, before=3)
        self._step(minibatch)


class Repeated(NamedTuple):
    """How many of a minibatch's last rows stand for several decisions, and for how many."""

    kept: int
    total: int

    def spread(self, rows: torch.Tensor) -> torch.Tensor:
        """Results for each row, [k, ...], spread to every decision of the minibatch."""
        if self.kept == self.total:
            return rows
        alone = len(rows) - self.kept
        # Copying a whole block, unlike indexing, sums gradients in a fixed order.
        copies = rows[alone:].repeat(math.ceil(self.total / self.kept), *[1] * (rows.ndim - 1))
        return torch.cat([rows[:alone], copies[: self.total]])


class Minibatch(NamedTuple):
    """n decisions to learn from, some of them by an answer of the network to another one."""

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

    It ends in mid-game, before it is known what follows every seat's last decision.  The next one
    carries these open decisions in its first S = `max_seats` rows, row s those of seat s, with
    their gains so far.  So every decision is learned from exactly once.  The network has changed
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
        self.dones = zeros(dtype=torch.bool)  # the next row is another game's
        self._carried = self.gains[:seats].clone()
        self.open_decisions: dict[str, torch.Tensor] = {}
        self._carry(self.dones, self.gains)

    def begin(self) -> None:
        """Start with the open decisions of the last rollout; with none if it was stopped."""
        carried = self.open_decisions.copy()
        self.open_decisions.update({name: tensor[:0] for name, tensor in carried.items()})
        rows, games = carried["seats"].long(), carried["games"]
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
        """Find the closed decisions, their targets and advantages.

        Returns what share of the targets' variance forecasts explain, by kind and table.
        """
        if not torch.isfinite(self.decisions["log_probs"]).all():
            raise FloatingPointError(TOO_LARGE)
        forecasts = self.decisions["forecasts"]
        given = self.gains, forecasts, self.seats, self.dones, self._carried
        targets, gained, closed = seat_targets(*given, gae_lambda)
        self._carry((self.seats != NO_DECISION) & ~closed, gained)
        self._closed = torch.nonzero(closed.flatten()).flatten()
        seats = self.seats.flatten()[self._closed].long()
        self._players = players = self.players[self._closed % len(self.players)]
        targets = targets.flatten(0, 1)[self._closed]
        own = seats[:, None, None].expand(-1, 1, 2)
        missed = targets - forecasts.flatten(0, 1)[self._closed]
        surprise = missed.gather(1, own).squeeze(1)
        self.advantages = advantages(surprise, players, win_coef, score_coef)
        # Seats are counted clockwise from the one that decided.
        places = torch.arange(self._max_seats, device=seats.device)
        clockwise = (seats[:, None] + places) % players[:, None]
        present = (places < players[:, None])[..., None]
        self._targets = targets.gather(1, clockwise[..., None].expand(-1, -1, 2)) * present
        explained = {}
        for size in torch.unique(players).tolist():
            at_table = players == size
            variance = self._targets[at_table, 0].var(dim=0, correction=0)
            shares = 1.0 - surprise[at_table].square().mean(dim=0) / variance
            explained[f"win_{size}_seats"], explained[f"score_{size}_seats"] = shares.tolist()
        return explained

    def minibatches(
        self, batch_size: int, near_certain_share: float, chance: torch.Generator
    ) -> Iterator[Minibatch]:
        """The closed decisions in random order, in minibatches of `batch_size`, and the rest.

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
            repeated, asked = Repeated(kept, len(near_certain)), near_certain[:kept]
            chosen = torch.cat([other, repeated.spread(asked)])
            yield self._minibatch(torch.cat([other, asked]), chosen, repeated)

    def _minibatch(
        self, asked: torch.Tensor, chosen: torch.Tensor, repeated: Repeated
    ) -> Minibatch:
        """Some of the closed decisions, int64[n], of which the network is asked int64[k]."""
        stores = {name: store.flatten(0, 1) for name, store in self.decisions.items()}
        seen = (stores[of][self._closed[asked]] for of in ("observations", "masks", "actions"))
        log_probs = stores["log_probs"][self._closed[chosen]]
        known = log_probs, self.advantages[chosen], self._players[chosen]
        return Minibatch._make([*seen, repeated, *known, *self._targets[chosen].unbind(dim=-1)])


def seat_targets(
    gains: torch.Tensor,
    forecasts: torch.Tensor,
    seats: torch.Tensor,
    dones: torch.Tensor,
    carried: torch.Tensor,
    gae_lambda: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What decisions should have forecast, by TD(lambda) along each seat's own decisions.

    A target less its forecast is the generalised advantage estimate (Schulman et al. 2016), in
    shares of the victory and in scores, without discount.  In a game that continues after the last
    row, each seat's latest decision is open and the one before bootstraps from its forecast.

    Rows are as in `Rollout`; `carried`, float32[C, n, S, 2], are earlier gains after the decisions
    of the first C.  Returns targets, float32[R, n, S, 2], gains until the seat's next decision or
    the end, float32[R, n, S, 2], and whether the rows have that, bool[R, n].
    """
    n_rows, n, n_seats, _ = gains.shape
    every, places = (torch.arange(size, device=gains.device) for size in (n, n_seats))
    targets, gained, closed = *(torch.zeros_like(gains) for _ in range(2)), torch.zeros_like(dones)
    # What follows a row, for each seat that may decide in it: all seats' gains until its next
    # decision, that decision's forecast and target, and whether there is one, or an end.
    ahead, forecast, target = (gains.new_zeros(n, n_seats, n_seats, 2) for _ in range(3))
    known = dones.new_zeros(n, n_seats)
    for row in reversed(range(n_rows)):
        known = known | dones[row][:, None]
        for following in (ahead, forecast, target):
            following.masked_fill_(dones[row][:, None, None, None], 0.0)
        ahead += gains[row][:, None]
        is_mover = seats[row][:, None] == places
        mover = is_mover.long().argmax(dim=1)
        # In double precision, to be rounded once.
        gain = ahead[every, mover].double()
        if row < len(carried):
            gain += carried[row]
        value = gain + forecast[every, mover].double() * (1.0 - gae_lambda)
        value += target[every, mover].double() * gae_lambda
        gained[row], closed[row] = gain, (known & is_mover).any(dim=1)
        # The target of an open decision is its forecast.
        targets[row] = torch.where(closed[row][:, None, None], value.float(), forecasts[row])
        movers = is_mover[..., None, None]
        ahead.masked_fill_(movers, 0.0)
        forecast = torch.where(movers, forecasts[row][:, None], forecast)
        target = torch.where(movers, targets[row][:, None], target)
        known = known | is_mover
    return targets, gained, closed


def advantages(
    surprise: torch.Tensor, players: torch.Tensor, win_coef: float, score_coef: float
) -> torch.Tensor:
    """float32[k]: advantages in units of the reward, normalised among tables of each size.

    The reward is the share of the victory, scaled so that all of it is +1 and its expectation among
    equals 0, times `win_coef`, and the change of the score times `score_coef`; alone, the change of
    the score times both.  `surprise`, float32[k, 2], are targets less forecasts of the deciding
    seats, `players`, int64[k], seats at their tables.
    """
    several = players > 1
    win = win_coef * torch.where(several, players / (players - 1).clamp(min=1), 0.0)
    score = torch.where(several, score_coef, score_coef + win_coef)
    reward = win * surprise[:, SHARE] + score * surprise[:, CHANGE]
    for count in torch.unique(players):
        here = players == count
        number = here.sum().clamp(min=1)
        mean = (reward * here).sum() / number
        deviation = (((reward - mean) * here).square().sum() / number).sqrt()
        # A single advantage has deviation 0.
        reward = torch.where(here, (reward - mean) / (deviation + 1e-8), reward)
    return reward
