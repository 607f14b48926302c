"""The agent that plays from a network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.inference import ForwardPass
from shakespeare_agents.networks.network import Network
from shakespeare_env.play.generators import GameGenerators


class NetworkAgent:
    """Plays from a network.

    Args:
        network: The network.
        greedy: Play the likeliest action, drawing nothing; else sample.
    """

    def __init__(self, network: Network, *, greedy: bool = True) -> None:
        self.network = network
        self.greedy = greedy
        self._forward = ForwardPass(network)

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """See `Agent.act`."""
        logits = self._forward.legal_logits(observations, masks)
        if self.greedy:
            likeliest: NDArray[np.int64] = logits.argmax(axis=1)
            return likeliest
        return rng.choose(_weights(logits))

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """The policy's probabilities; see `Advisor.probabilities`."""
        weights = _weights(self._forward.legal_logits(observations, masks))
        likely: NDArray[np.float32] = weights / weights.sum(axis=1, keepdims=True)
        return likely

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """See `Network.values`."""
        return self._forward.values(observations)


def _weights(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Actions' weights, the likeliest of a row having 1."""
    weights: NDArray[np.float32] = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights
