"""A trained network in plain arrays, and the player that plays from it; PyTorch is not needed.

The same network in PyTorch, which the learner trains, is `training/policy.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.game import ObservationLayout

Tensors = Mapping[str, NDArray[np.float32]]
"""Weights by name, as `Network.shapes` lists them."""

ILLEGAL = np.float32(-1e8)
"""Logit of an illegal action: its probability is 0 in float32, and differences stay finite."""
_EPSILON = 1e-5
"""In the layer normalisation, as PyTorch has it."""


def input_scale(layout: ObservationLayout) -> NDArray[np.float32]:
    """float32[D]: what each number of an observation is multiplied by.

    One over the root of its bound: numbers with wide bounds are mostly far from them, and divided
    by the bound itself they would hardly be felt.
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
        """int8[n, D] -> float32[n], what the deciding seat may expect, in the training's units."""
        hidden = _relu(self._linear("outlook", self._features(observations)))
        return self._linear("value", hidden)[:, 0]

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
    """Plays from a network, all situations in one pass.

    Args:
        network: The network to play from.
        greedy: True plays the likeliest action, False draws by probability.
    """

    def __init__(self, network: Network, *, greedy: bool = True) -> None:
        self.network = network
        self.greedy = greedy

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Choose an action for each row.

        Args:
            observations: int8[n, D].
            masks: bool[n, A].
            rng: Drawn from unless greedy.

        Returns:
            int64[n], legal action ids.
        """
        logits = np.where(masks, self.network.logits(observations), ILLEGAL)
        if self.greedy:
            likeliest: NDArray[np.int64] = logits.argmax(axis=1)
            return likeliest
        logits -= logits.max(axis=1, keepdims=True)
        return draw_actions(np.exp(logits), rng)

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """int8[n, D] -> float32[n], what it expects to get (see `Network.values`)."""
        return self.network.values(observations)


def draw_actions(weights: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw one action a row.

    Args:
        weights: float32[n, A], not negative, a positive sum in every row; an action is as likely as
            its share of the sum.
        rng: One number a row is drawn from it.

    Returns:
        int64[n]; an action of weight 0 is never drawn.
    """
    sums = weights.cumsum(axis=1, dtype=np.float64)
    total = sums[:, -1]
    # Rounding could lift the threshold to the total, which no sum exceeds.
    threshold = np.minimum(rng.random(len(sums)) * total, np.nextafter(total, 0.0))
    actions: NDArray[np.int64] = (sums > threshold[:, None]).argmax(axis=1)
    return actions
