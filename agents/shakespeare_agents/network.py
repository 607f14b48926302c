"""A trained network in plain arrays, and the agent that plays from it; PyTorch is not needed.

The learner trains the same network in PyTorch: `shakespeare_training.ppo.policy`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.game import ObservationLayout
from shakespeare_env.generators import GameGenerators

Tensors = Mapping[str, NDArray[np.float32]]
"""Weights by name, as `Network.shapes` lists them."""

ILLEGAL = np.float32(-1e8)
"""Logit of an illegal action: its probability is 0 in float32, and differences stay finite."""
_EPSILON = 1e-5
"""In the layer normalisation, as PyTorch has it."""


def input_scale(layout: ObservationLayout) -> NDArray[np.float32]:
    """float32[D]: what each number of an observation is multiplied by.

    One over the root of its bound: numbers with wide bounds are mostly far from them, and dividing
    by the bound itself would leave them too small to matter.
    """
    low, high = layout.low.astype(np.float32), layout.high.astype(np.float32)
    bound = np.maximum(np.maximum(-low, high), np.float32(1.0))
    return np.reciprocal(np.sqrt(bound))


class Network:
    """A policy and a value over the contract's observation.

    One normalised layer is shared; policy and value have a layer of their own each.

    Args:
        tensors: float32 arrays as `shapes` says; they are kept, not copied.
        layout: What the observations hold.
    """

    def __init__(self, tensors: Tensors, layout: ObservationLayout) -> None:
        self.tensors = tensors
        # Weights of the scaled observation, laid out for the products below.
        self._first = np.ascontiguousarray((tensors["trunk.weight"] * input_scale(layout)).T)

    @staticmethod
    def shapes(width: int, numbers: int, actions: int) -> dict[str, tuple[int, ...]]:
        """What tensors a network has.

        Args:
            width: Of its layers.
            numbers: In an observation, D.
            actions: In the action table, A.
        """
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
        """int8[n, D] -> float32[n], what the seat to move may expect, in the training's units."""
        hidden = _relu(self._linear("outlook", self._features(observations)))
        return self._linear("value", hidden)[:, 0]

    def digest(self) -> str:
        """SHA-256 of the weights: names, types, shapes and numbers."""
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
        network: The network to play from.
        greedy: True plays the likeliest action, False draws by probability.
    """

    def __init__(self, network: Network, *, greedy: bool = True) -> None:
        self.network = network
        self.greedy = greedy

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """Choose an action in each game (see `Agent.act`); a greedy agent draws nothing."""
        logits = np.where(masks, self.network.logits(observations), ILLEGAL)
        if self.greedy:
            likeliest: NDArray[np.int64] = logits.argmax(axis=1)
            return likeliest
        logits -= logits.max(axis=1, keepdims=True)
        return rng.choose(np.exp(logits))

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """int8[n, D] -> float32[n], what it expects to get (see `Network.values`)."""
        return self.network.values(observations)
