"""The rollout buffer of self-play: decisions, each with the seat that made it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples
from stable_baselines3.common.buffers import RolloutBuffer

from shakespeare_training.ppo.advantages import NO_SEAT, seat_advantages
from shakespeare_training.ppo.near_certain import NEAR_CERTAIN, Repeated, thinned


class SeatRolloutBuffer(RolloutBuffer):
    """Decisions of all seats of n games, with advantages along each seat's own decisions.

    A rollout ends in mid-game, before it is known what follows every seat's last decision.  The
    next one carries these open decisions in its first S = `max_seats` rows, row s those of seat s
    (NO_SEAT where there is none), with the rewards so far.  So every decision is learned from
    exactly once, when its seat has decided again or the game has ended.  The network has changed
    since a carried decision; its stored log-probability keeps the ratio of PPO right.

    Observations stay int8 and masks bool, which stable-baselines3 would store as float32.

    Attributes:
        near_certain_share: Of the near-certain decisions (`near_certain`), to be in a minibatch.
        open_decisions: Those to carry over, one row of every array each.
        values: float32[k], of the k closed decisions, after `compute`; so are `returns` and
            `advantages`.
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
        max_seats: int,
        rng: np.random.Generator,
        near_certain_share: float = 1.0,
    ) -> None:
        self.max_seats = max_seats
        self.rng = rng
        self.near_certain_share = near_certain_share
        rows = max_seats + buffer_size
        # Rows x games, allocated once; the base class does so in every `reset`.  First what a
        # decision is made of, and what is carried over with it.
        self._stores: dict[str, NDArray[Any]] = {
            "observations": np.zeros((rows, n_envs, *observation_space.shape), np.int8),
            "masks": np.zeros((rows, n_envs, int(action_space.n)), np.bool_),
            "actions": np.zeros((rows, n_envs), np.int64),
            "values": np.zeros((rows, n_envs), np.float32),
            "log_probs": np.zeros((rows, n_envs), np.float32),
        }
        self._seats = np.full((rows, n_envs), NO_SEAT, np.int8)
        self._rewards = np.zeros((rows, n_envs, max_seats), np.float32)
        self._dones = np.zeros((rows, n_envs), np.bool_)
        self._closed = np.empty(0, np.intp)
        self._carry(np.zeros_like(self._dones), np.zeros((rows, n_envs), np.float32))
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
        self._rewards[first] = 0.0
        self._dones[first] = False
        self._seats[seats, games] = seats
        self._rewards[seats, games, seats] = carried["gained"]
        self.pos = self.max_seats
        self.full = False

    def _carry(self, is_open: NDArray[np.bool_], gained: NDArray[np.float32]) -> None:
        rows, games = np.nonzero(is_open)
        stores = {**self._stores, "seats": self._seats, "gained": gained}
        self.open_decisions = {name: store[rows, games] for name, store in stores.items()}
        self.open_decisions["games"] = games

    def forget(self, games: NDArray[np.bool_]) -> None:
        """Drop the decisions carried over from games since replaced, bool[n]."""
        self._seats[: self.max_seats, games] = NO_SEAT
        self._rewards[: self.max_seats, games] = 0.0

    def add_step(
        self,
        observations: NDArray[np.int8],
        masks: NDArray[np.bool_],
        seats: NDArray[np.int8],
        actions: NDArray[Any],
        values: NDArray[np.float32],
        log_probs: NDArray[np.float32],
        seat_rewards: NDArray[np.float32],
        dones: NDArray[np.bool_],
    ) -> None:
        """Store one decision of every game and its outcome.

        Args:
            observations: int8[n, D], what the deciding seats saw.
            masks: bool[n, A].
            seats: int8[n], who decided, or NO_SEAT.
            actions: int[n].
            values: float32[n].
            log_probs: float32[n], of the actions.
            seat_rewards: float32[n, S], what each seat received.
            dones: bool[n], which games ended.
        """
        row = self.pos
        decision = (observations, masks, actions, values, log_probs)
        for store, given in zip(self._stores.values(), decision, strict=True):
            store[row] = given
        self._seats[row] = seats
        self._rewards[row] = seat_rewards
        self._dones[row] = dones
        self.pos += 1
        self.full = self.pos == len(self._seats)

    def compute(self) -> None:
        """Find the closed decisions and compute their advantages.

        Raises:
            RuntimeError: the rollout is not full.
        """
        if not self.full:
            missing = len(self._seats) - self.pos
            raise RuntimeError(f"{missing} steps are missing; add them before compute()")
        values = self._stores["values"]
        found = seat_advantages(
            self._rewards, values, self._seats, self._dones, self.gamma, self.gae_lambda
        )
        self._carry((self._seats != NO_SEAT) & ~found.closed, found.gained)
        self._closed = np.flatnonzero(found.closed)
        self.values = values.reshape(-1)[self._closed]
        self.returns = found.returns.reshape(-1)[self._closed]
        self.advantages = found.advantages.reshape(-1)[self._closed]

    def get(self, batch_size: int | None = None) -> Iterator[MaskableRolloutBufferSamples]:  # type: ignore[override]
        """The closed decisions in random order, in minibatches of about `batch_size`, None for all.

        They are of nearly equal size: advantages of a small remainder could not be normalised.

        With a `near_certain_share` below 1, observations are `Repeated`, and actions and masks are
        without repetitions, too.
        """
        count = len(self._closed)
        # At least two each: the standard deviation of one advantage is NaN.
        parts = max(1, min(round(count / batch_size), count // 2)) if batch_size else 1
        for chosen in np.array_split(self.rng.permutation(count), parts):
            asked, kept, total = chosen, 0, 0
            if self.near_certain_share < 1.0:
                log_probs = self._stores["log_probs"].reshape(-1)[self._closed[chosen]]
                near_certain = log_probs > math.log(NEAR_CERTAIN)
                chosen, kept, total = thinned(chosen, near_certain, self.near_certain_share)
                asked = chosen[: len(chosen) - total + kept]
            rows = self._of(asked, "observations")
            yield MaskableRolloutBufferSamples(
                # Only `PolicyNetwork.evaluate_actions` looks into it.
                observations=Repeated(rows, kept, total) if kept < total else rows,  # type: ignore[arg-type]
                actions=self._of(asked, "actions"),
                old_values=self._of(chosen, "values"),
                old_log_prob=self._of(chosen, "log_probs"),
                advantages=self.to_torch(self.advantages[chosen], copy=False),
                returns=self.to_torch(self.returns[chosen], copy=False),
                action_masks=self._of(asked, "masks"),
            )

    def _of(self, chosen: NDArray[np.intp], name: str) -> torch.Tensor:
        """What is stored by that name of some of the closed decisions."""
        store = self._stores[name]
        rows = store.reshape(-1, *store.shape[2:])[self._closed[chosen]]
        return self.to_torch(rows, copy=False)
