"""A trained network in NumPy, the reference for two others that compute the same.

`forward_pass.py` is what plays; `shakespeare_training.ppo.policy` trains in PyTorch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any as FactTable

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks import facts
from shakespeare_agents.networks.facts import Tensors
from shakespeare_env.core.game import ObservationLayout

__all__ = ["HEADS", "ILLEGAL", "LARGEST_WEIGHT", "Network", "Tensors", "input_scale"]

HEADS = ("win", "score")
"""The forecasts of some networks for every seat; they have both heads or neither."""

ILLEGAL = np.float32(-1e8)
"""An illegal action's logit: its probability is 0 in float32, and differences stay finite."""
LARGEST_WEIGHT = 1e6
"""Larger weights overflow within the network; trained ones stay below 10."""
_EPSILON = 1e-5
"""The epsilon of the layer normalisation, PyTorch's default."""


def input_scale(layout: ObservationLayout) -> NDArray[np.float32]:
    """float32[D]: observations' factors, 1 / sqrt(bound).

    Numbers with wide bounds are mostly far from them; dividing by the bound itself would leave them
    too small to matter.
    """
    low, high = layout.low.astype(np.float32), layout.high.astype(np.float32)
    bound = np.maximum(np.maximum(-low, high), np.float32(1.0))
    return np.reciprocal(np.sqrt(bound))


def box_numbers(observations: NDArray[np.int8], inputs: int) -> NDArray[np.int64]:
    """int64[n], the boxes of int8[n, D]: what follows the `inputs`, if anything, 0 otherwise."""
    if observations.shape[1] == inputs:
        return np.zeros(len(observations), np.int64)
    hundreds, rest = observations[:, -2:].astype(np.int64).T
    numbers: NDArray[np.int64] = 100 * hundreds + rest
    return numbers


class Network:
    """Policy and value over observations, sharing one normalised layer.

    Some networks also have heads that forecast every seat's share of the victory and score.

    Args:
        tensors: float32 arrays as in `shapes`, and in `head_shapes` if it has heads, and in
            `facts.shapes` if it is for any box; not copied.
        layout: The layout of what it sees of the observations (`Game.inputs`).
        tables: Printed facts (`Game.facts`), for a network that is for any box.

    Raises:
        ValueError: the weights are for facts, and no tables are given.
    """

    def __init__(
        self, tensors: Tensors, layout: ObservationLayout, tables: Sequence[FactTable] = ()
    ) -> None:
        self.tensors = tensors
        self.layout = layout
        self._tables = tables if facts.are_in(tensors) else ()
        if facts.are_in(tensors) and not tables:
            raise ValueError("these weights are for printed facts; give the game's, `()`")
        # Weights of the scaled observation, laid out for the products below.
        self._first = np.ascontiguousarray((tensors["trunk.weight"] * input_scale(layout)).T)

    @property
    def count(self) -> int:
        """The number of boxes that it has weights for; 1 if they are all the same to it."""
        return len(self._tables[0].facts) if self._tables else 1

    def in_box(self, number: int) -> Network:
        """The plain network for a box in force; itself if all are the same to it."""
        if not self._tables:
            return self
        return Network(facts.folded(self.tensors, self._tables, number), self.layout)

    @staticmethod
    def shapes(width: int, numbers: int, actions: int) -> dict[str, tuple[int, ...]]:
        """The tensors' shapes for D `numbers` in an observation and A `actions`."""
        return {
            "trunk.weight": (width, numbers),
            "trunk.bias": (width,),
            "norm.weight": (width,),
            "norm.bias": (width,),
            "policy.weight": (width, width),
            "policy.bias": (width,),
            "action.weight": (actions, width),
            "action.bias": (actions,),
            "outlook.weight": (width, width),
            "outlook.bias": (width,),
            "value.weight": (1, width),
            "value.bias": (1,),
        }

    @staticmethod
    def head_shapes(width: int, seats: int) -> dict[str, tuple[int, ...]]:
        """The shapes of the heads' tensors, for S `seats` at most at a table.

        Row k is for the k-th seat clockwise of the one that looks. `win` gives logits of shares of
        the victory, `score` expected changes of scores until the end over `Game.score_scale`.
        """
        shapes: dict[str, tuple[int, ...]] = {}
        for head in HEADS:
            shapes |= {f"{head}.weight": (seats, width), f"{head}.bias": (seats,)}
        return shapes

    @property
    def has_heads(self) -> bool:
        """Whether it has `forecasts`."""
        return f"{HEADS[0]}.weight" in self.tensors

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """int8[n, D] -> float32[n, A], of all actions, legal or not."""
        return self._in_boxes(
            observations,
            len(self.tensors["action.bias"]),
            lambda plain, seen: plain._linear(
                "action", _relu(plain._linear("policy", plain._features(seen)))
            ),
        )

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """int8[n, D] -> float32[n], the expectation of the seat to move, in units of the reward."""
        return self._linear("value", self._outlook(observations))[:, 0]

    def _in_boxes(
        self,
        observations: NDArray[np.int8],
        size: int,
        answer: Callable[[Network, NDArray[np.int8]], NDArray[np.float32]],
    ) -> NDArray[np.float32]:
        """Answers, float32[n, size], each of the plain network for its box."""
        if not self._tables:
            return answer(self, observations)
        found = np.empty((len(observations), size), np.float32)
        boxes = box_numbers(observations, self.layout.size)
        for number in np.unique(boxes):
            rows = boxes == number
            found[rows] = answer(self.in_box(int(number)), observations[rows])
        return found

    def forecasts(
        self, observations: NDArray[np.int8], players: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What every seat may expect, in the eyes of the seats that look.

        Args:
            observations: int8[n, D].
            players: int[n], seats at the tables, 1 to S.

        Returns:
            Shares of the victory, rows adding up to 1, and changes of scores until the end in units
            of `Game.score_scale`: each float32[n, S], by seat clockwise of the one that looks,
            0 where nobody sits.

        Raises:
            ValueError: the network has no heads, or there are no such tables.
        """
        if not self.has_heads:
            raise ValueError(
                "this network values only the seat to move; give one whose card.json lists heads"
            )
        seats = len(self.tensors["win.bias"])
        if (wrong := (players < 1) | (players > seats)).any():
            raise ValueError(f"players = {players[wrong][0]}: tables have 1 to {seats} seats")
        present = np.arange(seats) < players[:, None]
        hidden = self._outlook(observations)
        shares = _weights(np.where(present, self._linear("win", hidden), np.float32(-np.inf)))
        shares /= shares.sum(axis=1, keepdims=True)
        return shares, np.where(present, self._linear("score", hidden), np.float32(0.0))

    def digest(self) -> str:
        """SHA-256 of names, types, shapes and numbers."""
        digest = hashlib.sha256()
        for name, tensor in sorted(self.tensors.items()):
            digest.update(f"{name}{tensor.dtype}{tensor.shape}".encode())
            digest.update(tensor.tobytes())
        return digest.hexdigest()

    def _outlook(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        return self._in_boxes(
            observations,
            len(self.tensors["outlook.bias"]),
            lambda plain, seen: _relu(plain._linear("outlook", plain._features(seen))),
        )

    def _features(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        seen = observations[:, : len(self._first)]  # without the number of the box
        hidden = seen.astype(np.float32) @ self._first
        hidden += self.tensors["trunk.bias"]
        hidden -= hidden.mean(axis=1, keepdims=True)
        hidden /= np.sqrt(np.square(hidden).mean(axis=1, keepdims=True) + np.float32(_EPSILON))
        hidden *= self.tensors["norm.weight"]
        hidden += self.tensors["norm.bias"]
        return _relu(hidden)

    def _linear(self, name: str, hidden: NDArray[np.float32]) -> NDArray[np.float32]:
        out: NDArray[np.float32] = hidden @ self.tensors[f"{name}.weight"].T
        out += self.tensors[f"{name}.bias"]
        return out


def _relu(hidden: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.maximum(hidden, np.float32(0.0), out=hidden)


def _weights(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Softmax up to a factor: the likeliest of a row has 1."""
    weights: NDArray[np.float32] = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights
