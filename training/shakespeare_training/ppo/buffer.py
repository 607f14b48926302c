"""The rollout buffer of self-play: decisions, each with the seat that made it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.buffers import RolloutBuffer

from shakespeare_training.ppo.advantages import (
    CHANGE,
    NO_SEAT,
    SHARE,
    advantages,
    explained_variance,
    seat_targets,
)
from shakespeare_training.ppo.near_certain import NEAR_CERTAIN, Repeated, thinned


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

    Observations stay int8 and masks bool, which stable-baselines3 would store as float32.

    Args:
        buffer_size: The steps of each game in a rollout.
        observation_space: The observation space of a game.
        action_space: The action space of a game.
        device: The device of the minibatches.
        gae_lambda: See `seat_targets`.
        gamma: It is not used, as games end.
        n_envs: The number of games.
        players: int[n], seats at each game's table.
        max_seats: The most seats of the game.
        rng: Shuffles the decisions.
        near_certain_share: The share of near-certain decisions (`near_certain`) in a minibatch.

    Attributes:
        open_decisions: The decisions to carry over, one row of every array each.
        advantages: float32[k], of the k closed decisions, after `compute`.
    """

    observation_space: spaces.Box
    action_space: spaces.Discrete
    open_decisions: dict[str, NDArray[Any]]

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
        players: NDArray[Any],
        max_seats: int,
        rng: np.random.Generator,
        near_certain_share: float = 1.0,
    ) -> None:
        self.players = players.astype(np.int64)
        self.max_seats = max_seats
        self.rng = rng
        self.near_certain_share = near_certain_share
        rows = max_seats + buffer_size
        # Arrays of rows x games are allocated once, where the base class does so in every `reset`:
        # first those of a decision and what is carried over with it.
        self._stores: dict[str, NDArray[Any]] = {
            "observations": np.zeros((rows, n_envs, *observation_space.shape), np.int8),
            "masks": np.zeros((rows, n_envs, int(action_space.n)), np.bool_),
            "actions": np.zeros((rows, n_envs), np.int64),
            "forecasts": np.zeros((rows, n_envs, max_seats, 2), np.float32),
            "log_probs": np.zeros((rows, n_envs), np.float32),
        }
        self._seats = np.full((rows, n_envs), NO_SEAT, np.int8)
        self._gains = np.zeros((rows, n_envs, max_seats, 2), np.float32)
        self._carried = np.zeros((max_seats, n_envs, max_seats, 2), np.float32)
        self._dones = np.zeros((rows, n_envs), np.bool_)
        self._closed = np.empty(0, np.intp)
        self._carry(np.zeros_like(self._dones), self._gains)
        super().__init__(
            buffer_size, observation_space, action_space, device, gae_lambda, gamma, n_envs
        )

    def reset(self) -> None:
        """Start a rollout with the open decisions of the last one; none if it was stopped."""
        carried = self.open_decisions
        self.open_decisions = {name: array[:0] for name, array in carried.items()}
        seats, games = carried["seats"], carried["games"]
        for name, store in self._stores.items():
            store[seats, games] = carried[name]
        first = slice(0, self.max_seats)
        self._seats[first] = NO_SEAT
        self._gains[first] = 0.0
        self._dones[first] = False
        self._seats[seats, games] = seats
        self._carried[seats, games] = carried["gained"]
        self.pos = self.max_seats
        self.full = False

    def _carry(self, is_open: NDArray[np.bool_], gained: NDArray[np.float32]) -> None:
        rows, games = np.nonzero(is_open)
        stores = {**self._stores, "seats": self._seats, "gained": gained}
        self.open_decisions = {name: store[rows, games] for name, store in stores.items()}
        self.open_decisions["games"] = games

    def forget(self, games: NDArray[np.bool_]) -> None:
        """Drop the decisions carried over from replaced games, bool[n]."""
        self._seats[: self.max_seats, games] = NO_SEAT

    def add_step(
        self,
        observations: NDArray[np.int8],
        masks: NDArray[np.bool_],
        seats: NDArray[np.int8],
        actions: NDArray[Any],
        forecasts: NDArray[np.float32],
        log_probs: NDArray[np.float32],
        gains: NDArray[np.float32],
        dones: NDArray[np.bool_],
    ) -> None:
        """Store one decision of every game and what it brought.

        Args:
            observations: int8[n, D], what the deciding seats saw.
            masks: bool[n, A].
            seats: int8[n], the seats that decided, or NO_SEAT.
            actions: int[n].
            forecasts: float32[n, S, 2], the deciding seats' of all seats, as they are numbered.
            log_probs: float32[n], of the actions.
            gains: float32[n, S, 2], every seat's share of the victory and change of score.
            dones: bool[n], which games ended.
        """
        row = self.pos
        decision = (observations, masks, actions, forecasts, log_probs)
        for store, given in zip(self._stores.values(), decision, strict=True):
            store[row] = given
        self._seats[row] = seats
        self._gains[row] = gains
        self._dones[row] = dones
        self.pos += 1
        self.full = self.pos == len(self._seats)

    def compute(self, win_coef: float, score_coef: float) -> dict[str, float]:
        """Find the closed decisions, what they should have forecast, and their advantages.

        Args:
            win_coef: Coefficient of the share of the victory (`advantages`).
            score_coef: Coefficient of the change of the score.

        Returns:
            Explained variances of the results of games that ended, by name.

        Raises:
            RuntimeError: the rollout is not full.
        """
        if not self.full:
            missing = len(self._seats) - self.pos
            raise RuntimeError(f"{missing} steps are missing; add them before compute()")
        forecasts = self._stores["forecasts"]
        found = seat_targets(
            self._gains, forecasts, self._seats, self._dones, self._carried, self.gae_lambda
        )
        self._carry((self._seats != NO_SEAT) & ~found.closed, found.gained)
        self._closed = np.flatnonzero(found.closed)
        rows, games = np.nonzero(found.closed)
        seats, players = self._seats[rows, games].astype(np.int64), self.players[games]
        surprise = (found.targets - forecasts)[rows, games, seats]
        self._players = players
        self.advantages = advantages(surprise, players, win_coef, score_coef)
        # Seats are counted clockwise from the one that decided.
        places = np.arange(self.max_seats)
        clockwise = (seats[:, None] + places) % players[:, None]
        present = (places < players[:, None])[..., None]
        targets = found.targets[rows[:, None], games[:, None], clockwise]
        self._targets = np.where(present, targets, np.float32(0.0))
        return self._explained(found.results, found.ended)

    def _explained(
        self, results: NDArray[np.float32], ended: NDArray[np.bool_]
    ) -> dict[str, float]:
        rows, games = np.nonzero(ended & (self._seats != NO_SEAT))
        seats = self._seats[rows, games]
        known, said = (array[rows, games, seats] for array in (results, self._stores["forecasts"]))
        measured = {}
        for count in np.unique(self.players):
            mine = self.players[games] == count
            kinds = {"win": SHARE, "score": CHANGE} if count > 1 else {"score": CHANGE}
            for name, kind in kinds.items():
                if mine.any():
                    share = explained_variance(said[mine, kind], known[mine, kind])
                    measured[f"{name}_{count}_seats"] = share
        return measured

    def minibatches(self, batch_size: int) -> Iterator[Minibatch]:
        """The closed decisions in random order, in minibatches of nearly equal size.

        With a `near_certain_share` below 1, the network is asked about a part of the near-certain
        decisions only, and these stand for the others.
        """
        count = len(self._closed)
        parts = max(1, round(count / batch_size))
        for chosen in np.array_split(self.rng.permutation(count), parts):
            log_probs = self._stores["log_probs"].reshape(-1)[self._closed[chosen]]
            near_certain = log_probs > math.log(NEAR_CERTAIN)
            if self.near_certain_share < 1.0:
                chosen, repeated = thinned(chosen, near_certain, self.near_certain_share)
            else:
                repeated = Repeated(0, 0)
            asked = chosen[: len(chosen) - repeated.total + repeated.kept]
            shares, changes = np.moveaxis(self._targets[chosen], 2, 0)
            yield Minibatch(
                observations=self._of(asked, "observations"),
                masks=self._of(asked, "masks"),
                actions=self._of(asked, "actions"),
                repeated=repeated,
                log_probs=self._of(chosen, "log_probs"),
                advantages=self.to_torch(self.advantages[chosen], copy=False),
                players=self.to_torch(self._players[chosen], copy=False),
                shares=self.to_torch(np.ascontiguousarray(shares), copy=False),
                changes=self.to_torch(np.ascontiguousarray(changes), copy=False),
            )

    def _of(self, chosen: NDArray[np.intp], name: str) -> torch.Tensor:
        """The values stored under a name for some of the closed decisions."""
        store = self._stores[name]
        rows = store.reshape(-1, *store.shape[2:])[self._closed[chosen]]
        return self.to_torch(rows, copy=False)
