"""The compiled forward pass of networks over many situations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.inference import (
    Scratch,
    Weights,
    first_sums,
    normalised,
    write_heads,
    write_logits,
)
from shakespeare_agents.networks.network import HEADS, Network, input_scale
from shakespeare_env.compile.decorators import kernel
from shakespeare_env.core.kernels import plain

_OWNER = "network"
_LARGEST_INT16, _LARGEST_INT32 = 2.0**15 - 1, 2.0**31 - 1


def weights_of(network: Network) -> Weights:
    """A network's weights, laid out for compiled code."""
    tensors = network.tensors
    first, unit = _whole(network)
    heads = ["value", *(HEADS if network.has_heads else ())]

    def copied(name: str) -> NDArray[np.float32]:
        return plain(tensors[name].copy(), np.float32)

    def inputs_first(name: str) -> NDArray[np.float32]:
        return plain(tensors[f"{name}.weight"].T.copy(), np.float32)

    return Weights(
        first=plain(first, np.int16),
        unit=np.full(1, unit, np.float32),
        first_bias=copied("trunk.bias"),
        gain=copied("norm.weight"),
        shift=copied("norm.bias"),
        policy=inputs_first("policy"),
        policy_bias=copied("policy.bias"),
        action=copied("action.weight"),
        action_bias=copied("action.bias"),
        outlook=inputs_first("outlook"),
        outlook_bias=copied("outlook.bias"),
        heads=plain(np.concatenate([tensors[f"{name}.weight"] for name in heads]), np.float32),
        heads_bias=plain(np.concatenate([tensors[f"{name}.bias"] for name in heads]), np.float32),
    )


def _whole(network: Network) -> tuple[NDArray[Any], float]:
    """A network's first layer in whole numbers, [D, W], and their unit."""
    layout = network.layout
    first = (network.tensors["trunk.weight"] * input_scale(layout)).T.astype(np.float64)
    bound = np.maximum(np.abs(layout.low.astype(float)), np.abs(layout.high.astype(float)))
    # Neither a weight nor any sum may overflow; the difference of two observations is summed too.
    largest_sum = 2.0 * (np.abs(first) * bound[:, None]).sum(axis=0).max()
    unit = max(np.abs(first).max() / _LARGEST_INT16, largest_sum / _LARGEST_INT32, 1e-30)
    return np.rint(first / unit), unit


@kernel(_OWNER, purpose="networks (choices)")
def write_policies(observations: Any, masks: Any, network: Any, room: Any, logits: Any) -> None:
    """Write the legal actions' logits into float32[n, A]; others keep what they were."""
    weights, scratch = Weights(*network), Scratch(*room)
    for i in range(len(observations)):
        first_sums(observations[i], weights, scratch.inputs, scratch.sums)
        normalised(scratch.sums, weights, scratch)
        write_logits(masks[i], weights, scratch)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                logits[i, action] = scratch.logits[action]


@kernel(_OWNER, purpose="networks (values)")
def write_outlooks(observations: Any, network: Any, room: Any, heads: Any) -> None:
    """Write all heads into float32[n, H]."""
    weights, scratch = Weights(*network), Scratch(*room)
    for i in range(len(observations)):
        first_sums(observations[i], weights, scratch.inputs, scratch.sums)
        normalised(scratch.sums, weights, scratch)
        write_heads(weights, scratch)
        for head in range(heads.shape[1]):
            heads[i, head] = scratch.heads[head]


class ForwardPass:
    """A network's answers; each depends on its own situation alone.

    Args:
        network: Its weights are copied.
    """

    def __init__(self, network: Network) -> None:
        self.weights = weights_of(network)

    def legal_logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """int8[n, D] and bool[n, A] -> float32[n, A], -inf for illegal actions."""
        logits = np.full(masks.shape, -np.inf, np.float32)
        seen, legal = plain(observations, np.int8), plain(masks, np.bool_)
        write_policies(seen, legal, tuple(self.weights), self._room(), logits)
        return logits

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """int8[n, D] -> float32[n], the expectation of the seat to move, in units of the reward."""
        return self._heads(observations)[:, 0]

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
            ValueError: the network has no heads.
        """
        seats = (len(self.weights.heads) - 1) // len(HEADS)
        if not seats:
            raise ValueError(
                "this network values only the seat to move; give one whose card.json lists heads"
            )
        heads = self._heads(observations)
        present = np.arange(seats) < players[:, None]
        logits = np.where(present, heads[:, 1 : 1 + seats], np.float32(-np.inf))
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return shares, np.where(present, heads[:, 1 + seats :], np.float32(0.0))

    def _heads(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        heads = np.empty((len(observations), len(self.weights.heads)), np.float32)
        write_outlooks(plain(observations, np.int8), tuple(self.weights), self._room(), heads)
        return heads

    def _room(self) -> tuple[Any, ...]:
        # It is made anew, as several threads may ask at once.
        return tuple(Scratch.of(self.weights))
