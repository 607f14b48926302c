"""The rollout buffer of self-play: decisions, each with the seat that made it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import RolloutBuffer

from shakespeare_training.ppo.advantages import (
    CHANGE,
    NO_SEAT,
    SHARE,
    advantages,
    explained_variance,
    seat_targets,
)
from shakespeare_training.ppo.games import TOO_LARGE

NEAR_CERTAIN = 0.99
"""A decision is near-certain if its move was likelier than this when it was made.

Most moves of a trained network are, and teach little, but cost an update as much as the others. A
minibatch keeps a part of them and repeats the network's outputs for these (`Repeated`), so that in
expectation every decision counts as before. The rare decisions in which another move was drawn
teach most, and are not near-certain.
"""


class Repeated(NamedTuple):
    """Which rows of a minibatch stand for several decisions.

    Attributes:
        kept: Their number; they are the last rows.
        total: The number of decisions that they stand for, themselves included.
    """

    kept: int
    total: int

    def spread(self, found: torch.Tensor) -> torch.Tensor:
        """Results for each row, [k, ...], spread to every decision of the minibatch."""
        if self.kept == self.total:
            return found
        alone = len(found) - self.kept
        # Copying a whole block, unlike indexing, sums gradients in a fixed order.
        copies = found[alone:].repeat(math.ceil(self.total / self.kept), *[1] * (found.ndim - 1))
        return torch.cat([found[:alone], copies[: self.total]])


def thinned(near_certain: torch.Tensor, share: float) -> tuple[torch.Tensor, Repeated]:
    """Replace all but a share of the near-certain decisions by repetitions of that share.

    Args:
        near_certain: int64[n], those of a minibatch in random order, so the first are a random
            part.
        share: The share, above 0, up to 1; at least one decision is kept.

    Returns:
        int64[n], and how many of them come first, once each, before the repetitions.
    """
    total = len(near_certain)
    repeated = Repeated(math.ceil(share * total), total)
    return repeated.spread(near_certain[: repeated.kept]), repeated


class Minibatch(NamedTuple):
    """Closed decisions to learn from; S is the most seats of the game.

    Attributes:
        observations: int8[k, D]; some stand for several of the n decisions (`Repeated`).
        masks: bool[k, A].
        actions: int64[k].
        repeated: The rows that stand for several.
        log_probs: float32[n], the actions' log-probabilities when they were chosen.
        advantages: float32[n], normalised among tables of each size.
        players: int64[n], seats at the table.
        shares: float32[n, S], of the victory to forecast, by seat clockwise of the one that
            decided; 0 where nobody sits, as in `changes`.
        changes: float32[n, S], of the scores until the end, in units of `Game.score_scale`.
    """

    observations: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    repeated: Repeated
    log_probs: torch.Tensor
    advantages: torch.Tensor
    players: torch.Tensor
    shares: torch.Tensor
    changes: torch.Tensor


class SeatRolloutBuffer(RolloutBuffer):
    """Decisions of all seats of n games, with advantages along each seat's own decisions.

    A rollout ends in mid-game, before it is known what follows every seat's last decision.  The
    next one carries these open decisions in its first S = `max_seats` rows, row s those of seat s
    (NO_SEAT where there is none), with their gains so far.  So every decision is learned from
    exactly once, when its seat has decided again or the game has ended.  The network has changed
    since a carried decision; its stored log-probability keeps the ratio of PPO right.

    All is in tensors of one device, and nothing waits for it within a rollout.  Observations stay
    int8 and masks bool, which stable-baselines3 would store as float32.

    Args:
        buffer_size: The steps of each game in a rollout.
        observation_space: The observation space of a game.
        action_space: The action space of a game.
        device: Where it is kept.
        gae_lambda: See `seat_targets`.
        gamma: It is not used, as games end.
        n_envs: The number of games.
        players: int64[n], seats at each game's table.
        max_seats: The most seats of the game.
        near_certain_share: The share of near-certain decisions (`NEAR_CERTAIN`) in a minibatch.

    Attributes:
        open_decisions: The decisions to carry over, one row of every tensor each.
        advantages: float32[k], of the k closed decisions, after `compute`.
    """

    observation_space: spaces.Box
    action_space: spaces.Discrete
    open_decisions: dict[str, torch.Tensor]
    advantages: torch.Tensor  # type: ignore[assignment]

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Box,
        action_space: spaces.Discrete,
        device: torch.device | str = "cpu",
        gae_lambda: float = 1.0,
        gamma: float = 1.0,
        n_envs: int = 1,
        *,
        players: torch.Tensor,
        max_seats: int,
        near_certain_share: float = 1.0,
    ) -> None:
        self.players = players
        self.table_sizes = torch.unique(players).tolist()
        self.max_seats = max_seats
        self.near_certain_share = near_certain_share
        shape = max_seats + buffer_size, n_envs

        def zeros(*more: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
            return torch.zeros(*shape, *more, dtype=dtype, device=players.device)

        # Tensors of rows x games are allocated once, where the base class does so in every `reset`:
        # first those of a decision and what is carried over with it.
        self._stores: dict[str, torch.Tensor] = {
            "observations": zeros(*observation_space.shape, dtype=torch.int8),
            "masks": zeros(int(action_space.n), dtype=torch.bool),
            "actions": zeros(dtype=torch.int64),
            "forecasts": zeros(max_seats, 2),
            "log_probs": zeros(),
        }
        self._seats = zeros(dtype=torch.int8).fill_(NO_SEAT)
        self._gains = zeros(max_seats, 2)
        self._carried = zeros(max_seats, 2)[:max_seats].clone()
        self._dones = zeros(dtype=torch.bool)
        self._closed = torch.empty(0, dtype=torch.int64, device=players.device)
        self._carry(torch.zeros_like(self._dones), self._gains)
        super().__init__(
            buffer_size, observation_space, action_space, device, gae_lambda, gamma, n_envs
        )

    def reset(self) -> None:
        """Start a rollout with the open decisions of the last one; none if it was stopped."""
        carried = self.open_decisions
        self.open_decisions = {name: tensor[:0] for name, tensor in carried.items()}
        seats, games = carried["seats"].long(), carried["games"]
        for name, store in self._stores.items():
            store[seats, games] = carried[name]
        first = slice(0, self.max_seats)
        self._seats[first] = NO_SEAT
        self._gains[first] = 0.0
        self._dones[first] = False
        self._seats[seats, games] = carried["seats"]
        self._carried[seats, games] = carried["gained"]

    def _carry(self, is_open: torch.Tensor, gained: torch.Tensor) -> None:
        rows, games = torch.nonzero(is_open, as_tuple=True)
        stores = {**self._stores, "seats": self._seats, "gained": gained}
        self.open_decisions = {name: store[rows, games] for name, store in stores.items()}
        self.open_decisions["games"] = games

    def look(
        self, step: int, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        """Keep what the seats to move see, int8[n, D] and bool[n, A]; returns what is kept."""
        row = self.max_seats + step
        kept = self._stores["observations"][row], self._stores["masks"][row]
        for store, given in zip(kept, (observations, masks), strict=True):
            store.copy_(given)
        return kept

    def add_step(
        self,
        step: int,
        seats: torch.Tensor,
        actions: torch.Tensor,
        forecasts: torch.Tensor,
        log_probs: torch.Tensor,
        gains: torch.Tensor,
        dones: torch.Tensor,
    ) -> None:
        """Store one decision of every game, made on what `look` kept, and what it brought.

        Args:
            step: Its number in the rollout, from 0.
            seats: int8[n], the seats that decided, or NO_SEAT.
            actions: int64[n].
            forecasts: float32[n, S, 2], the deciding seats' of all seats, as they are numbered.
            log_probs: float32[n], of the actions.
            gains: float32[n, S, 2], every seat's share of the victory and change of score.
            dones: bool[n], which games ended.
        """
        row = self.max_seats + step
        for name, given in (
            ("actions", actions),
            ("forecasts", forecasts),
            ("log_probs", log_probs),
        ):
            self._stores[name][row] = given
        self._seats[row] = seats
        self._gains[row] = gains
        self._dones[row] = dones

    def compute(self, win_coef: float, score_coef: float) -> dict[str, float]:
        """Find the closed decisions, what they should have forecast, and their advantages.

        Args:
            win_coef: Coefficient of the share of the victory (`advantages`).
            score_coef: Coefficient of the change of the score.

        Returns:
            Explained variances of the results of games that ended, by name.

        Raises:
            FloatingPointError: a log-probability is not finite.
        """
        forecasts = self._stores["forecasts"]
        if not torch.isfinite(self._stores["log_probs"]).all():
            raise FloatingPointError(TOO_LARGE)
        found = seat_targets(
            self._gains, forecasts, self._seats, self._dones, self._carried, self.gae_lambda
        )
        self._carry((self._seats != NO_SEAT) & ~found.closed, found.gained)
        self._closed = torch.nonzero(found.closed.flatten()).flatten()
        seats = self._seats.flatten()[self._closed].long()
        self._players = players = self.players[self._closed % self.n_envs]
        targets = found.targets.flatten(0, 1)[self._closed]
        own = seats[:, None, None].expand(-1, 1, 2)
        surprise = (targets - self._of(self._closed, "forecasts")).gather(1, own).squeeze(1)
        self.advantages = advantages(surprise, players, self.table_sizes, win_coef, score_coef)
        # Seats are counted clockwise from the one that decided.
        places = torch.arange(self.max_seats, device=seats.device)
        clockwise = (seats[:, None] + places) % players[:, None]
        present = (places < players[:, None])[..., None]
        self._targets = targets.gather(1, clockwise[..., None].expand(-1, -1, 2)) * present
        return self._explained(found.results, found.ended)

    def _explained(self, results: torch.Tensor, ended: torch.Tensor) -> dict[str, float]:
        known = ended & (self._seats != NO_SEAT)
        of = self._seats.long().clamp(min=0)[..., None, None].expand(-1, -1, 1, 2)
        results, forecasts = (
            array.gather(2, of).squeeze(2) for array in (results, self._stores["forecasts"])
        )
        measured = {}
        for count in self.table_sizes:
            mine = known & (self.players == count)
            kinds = {"win": SHARE, "score": CHANGE} if count > 1 else {"score": CHANGE}
            for name, kind in kinds.items():
                share = explained_variance(forecasts[..., kind], results[..., kind], mine)
                measured[f"{name}_{count}_seats"] = share
        return dict(zip(measured, torch.stack([*measured.values()]).tolist(), strict=True))

    def minibatches(self, batch_size: int, chance: torch.Generator) -> Iterator[Minibatch]:
        """The closed decisions in random order, in minibatches of `batch_size`, and the rest.

        The last one has half to one and a half times as many.
        With a `near_certain_share` below 1, they are of equal size, with as many near-certain
        decisions each; the network is asked about a part of these only, which stand for the rest.
        """
        count = len(self._closed)
        parts = max(1, round(count / batch_size))
        device = self._closed.device
        order = torch.randperm(count, generator=chance, device=device)
        if self.near_certain_share == 1.0:
            ends = [batch_size * (part + 1) for part in range(parts - 1)]
            for chosen in order.tensor_split(ends):
                yield self._minibatch(chosen, chosen, Repeated(0, 0))
            return
        log_probs = self._of(self._closed[order], "log_probs")
        is_near_certain = log_probs > math.log(NEAR_CERTAIN)
        kinds = order[~is_near_certain], order[is_near_certain]
        # The longer minibatches of one kind are the shorter ones of the other.
        others, certain = kinds[0].tensor_split(parts), kinds[1].tensor_split(parts)[::-1]
        for other, near_certain in zip(others, certain, strict=True):
            repetitions, repeated = thinned(near_certain, self.near_certain_share)
            asked = torch.cat([other, repetitions[: repeated.kept]])
            yield self._minibatch(asked, torch.cat([other, repetitions]), repeated)

    def _minibatch(
        self, asked: torch.Tensor, chosen: torch.Tensor, repeated: Repeated
    ) -> Minibatch:
        """Some of the closed decisions, int64[n], of which the network is asked int64[k]."""
        rows = self._closed[asked]
        targets = self._targets[chosen]
        return Minibatch(
            observations=self._of(rows, "observations"),
            masks=self._of(rows, "masks"),
            actions=self._of(rows, "actions"),
            repeated=repeated,
            log_probs=self._of(self._closed[chosen], "log_probs"),
            advantages=self.advantages[chosen],
            players=self._players[chosen],
            shares=targets[..., SHARE],
            changes=targets[..., CHANGE],
        )

    def _of(self, places: torch.Tensor, name: str) -> torch.Tensor:
        """The values stored under a name, of some places among all rows and games."""
        return self._stores[name].flatten(0, 1)[places]
