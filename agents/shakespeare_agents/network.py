"""A trained network in NumPy, and the agent that plays from it.

`shakespeare_training.ppo.policy` trains the same network in PyTorch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.game import ObservationLayout

if TYPE_CHECKING:
    from shakespeare_env.generators import GameGenerators

Tensors = Mapping[str, NDArray[np.float32]]
"""Weights by name (see `Network.shapes`)."""

ILLEGAL = np.float32(-1e8)
"""An illegal action's logit: its probability is 0 in float32, and differences stay finite."""
LARGEST_WEIGHT = 1e6
"""Larger ones overflow within the network; trained ones stay below 10."""
_EPSILON = 1e-5
"""Of the layer normalisation, PyTorch's default."""


def input_scale(layout: ObservationLayout) -> NDArray[np.float32]:
    """float32[D]: observations' factors, 1 / sqrt(bound).

    Numbers with wide bounds are mostly far from them; dividing by the bound itself would leave them
    too small to matter.
    """
    low, high = layout.low.astype(np.float32), layout.high.astype(np.float32)
    bound = np.maximum(np.maximum(-low, high), np.float32(1.0))
    return np.reciprocal(np.sqrt(bound))


class Network:
    """Policy and value over observations, sharing one normalised layer.

    Args:
        tensors: float32 arrays as in `shapes`; not copied.
        layout: Of the observations.
    """

    def __init__(self, tensors: Tensors, layout: ObservationLayout) -> None:
        self.tensors = tensors
        # Weights of the scaled observation, laid out for the products below.
        self._first = np.ascontiguousarray((tensors["trunk.weight"] * input_scale(layout)).T)

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

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """int8[n, D] -> float32[n, A], of all actions, legal or not."""
        return self._linear("action", _relu(self._linear("policy", self._features(observations))))

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """int8[n, D] -> float32[n], the expectation of the seat to move, in units of the reward."""
        hidden = _relu(self._linear("outlook", self._features(observations)))
        return self._linear("value", hidden)[:, 0]

    def digest(self) -> str:
        """SHA-256 of names, types, shapes and numbers."""
        digest = hashlib.sha256()
        for name, tensor in sorted(self.tensors.items()):
            digest.update(f"{name}{tensor.dtype}{tensor.shape}".encode())
            digest.update(tensor.tobytes())
        return digest.hexdigest()

    def _features(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        hidden = observations.astype(np.float32) @ self._first
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


class NetworkAgent:
    """Plays from a network, all games in one pass.

    Args:
        network: What it plays from.
        greedy: Play the likeliest action, drawing nothing; else sample.
    """

    def __init__(self, network: Network, *, greedy: bool = True) -> None:
        self.network = network
        self.greedy = greedy

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """See `Agent.act`."""
        logits = self._legal_logits(observations, masks)
        if self.greedy:
            likeliest: NDArray[np.int64] = logits.argmax(axis=1)
            return likeliest
        return rng.choose(_weights(logits))

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """The policy's; see `Advisor.probabilities`."""
        weights = _weights(self._legal_logits(observations, masks))
        likely: NDArray[np.float32] = weights / weights.sum(axis=1, keepdims=True)
        return likely

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """See `Network.values`."""
        return self.network.values(observations)

    def _legal_logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        # Infinite, for a poor network's logits may fall below `ILLEGAL`.
        return np.where(masks, self.network.logits(observations), np.float32(-np.inf))


def _weights(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Actions' weights, the likeliest of a row having 1."""
    weights: NDArray[np.float32] = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights
