"""The compiled forward pass of networks over many situations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.inference import (
    Scratch,
    Weights,
    dot,
    first_sums,
    layer,
    normalised,
    update_sums,
    write_heads,
    write_legal,
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


@kernel(_OWNER, purpose="networks (choices and values)")
def write_policies_and_values(
    observations: Any,
    masks: Any,
    places: Any,
    seen_by: Any,
    sums_of: Any,
    change: Any,
    rows: Any,
    bias: Any,
    hidden: Any,
    network: Any,
    room: Any,
    logits: Any,
    values: Any,
) -> None:
    """Write logits as `write_policies` does, and values into float32[n].

    The first layer's sums are updated from what was seen last at the same place. The hidden layers
    of policy and outlook are computed as one, which reads the features once.

    Args:
        observations: int8[n, D].
        masks: bool[n, A].
        places: int64[n], below k.
        seen_by: int8[k, D], the last observations at k places; replaced.
        sums_of: int32[k, W], the first layer's products of them; replaced.
        change: int16[D], room for a difference.
        rows: float32[W, 2W], the weights of policy and outlook side by side.
        bias: float32[2W].
        hidden: float32[2W], room.
        network: `Weights`.
        room: `Scratch`.
        logits: float32[n, A], written where legal.
        values: float32[n], written.
    """
    weights, scratch = Weights(*network), Scratch(*room)
    width = len(scratch.features)
    policy, outlook = hidden[:width], hidden[width:]
    for i in range(len(observations)):
        before, sums = seen_by[places[i]], sums_of[places[i]]
        update_sums(observations[i], before, change, weights, scratch.inputs, sums)
        normalised(sums, weights, scratch)
        layer(scratch.features, rows, bias, scratch.inputs, hidden)
        write_legal(masks[i], policy, weights, scratch.lanes, logits[i])
        values[i] = dot(outlook, weights.heads[0], scratch.lanes) + weights.heads_bias[0]


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


class RememberingPass(ForwardPass):
    """A forward pass for ongoing games: logits are the same, come faster, and with their values.

    Attributes:
        places: int[m], below k: where the next m observations are seen.
        latest: float32[m], the values of the last ones, as `values` gives them, bit for bit.
    """

    places: NDArray[Any]
    latest: NDArray[np.float32]

    def remember(self, places: int) -> None:
        """Begin with k places, such as the seats of games, at which nothing was seen yet."""
        numbers, width = self.weights.first.shape
        # Zeros have sums of 0.
        seen_by, sums = np.zeros((places, numbers), np.int8), np.zeros((places, width), np.int32)
        rows = plain(np.hstack([self.weights.policy, self.weights.outlook]), np.float32)
        bias = np.concatenate([self.weights.policy_bias, self.weights.outlook_bias])
        change = np.zeros(numbers, np.int16)
        self._kept = seen_by, sums, change, rows, bias, np.zeros_like(bias)

    def legal_logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """See `ForwardPass.legal_logits`; the values are in `latest` then."""
        logits = np.full(masks.shape, -np.inf, np.float32)
        self.latest = np.empty(len(masks), np.float32)
        seen, legal = plain(observations, np.int8), plain(masks, np.bool_)
        at, network = plain(self.places, np.int64), tuple(self.weights)
        write_policies_and_values(
            seen, legal, at, *self._kept, network, self._room(), logits, self.latest
        )
        return logits
