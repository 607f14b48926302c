"""The compiled forward pass of networks over many situations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.inference import (
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
from shakespeare_agents.network import HEADS, Network, input_scale
from shakespeare_env.arrays import plain
from shakespeare_env.compiled import kernel

_OWNER = "network"
_LARGEST_INT16, _LARGEST_INT32 = 2.0**15 - 1, 2.0**31 - 1


def weights_of(network: Network) -> Weights:
    """A network's weights, laid out for compiled code."""
    tensors, layout = network.tensors, network.layout
    first = (tensors["trunk.weight"] * input_scale(layout)).T.astype(np.float64)
    bound = np.maximum(np.abs(layout.low.astype(float)), np.abs(layout.high.astype(float)))
    # Neither a weight nor any sum may overflow; the difference of two observations is summed too.
    largest_sum = 2.0 * (np.abs(first) * bound[:, None]).sum(axis=0).max()
    unit = max(np.abs(first).max() / _LARGEST_INT16, largest_sum / _LARGEST_INT32, 1e-30)
    heads = ["value", *(HEADS if network.has_heads else ())]

    def copied(name: str) -> NDArray[np.float32]:
        return plain(tensors[name].copy(), np.float32)

    def inputs_first(name: str) -> NDArray[np.float32]:
        return plain(tensors[f"{name}.weight"].T.copy(), np.float32)

    return Weights(
        first=plain(np.rint(first / unit), np.int16),
        unit=np.array([unit], np.float32),
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
    memory: Any,
    side_by_side: Any,
    network: Any,
    room: Any,
    logits: Any,
    values: Any,
) -> None:
    """Write logits as `write_policies` does, and values into float32[n].

    The first layer's sums are updated from what was seen last at the same place.
    """
    weights, scratch, kept = Weights(*network), Scratch(*room), Memory(*memory)
    joint = SideBySide(*side_by_side)
    width = len(scratch.features)
    policy, outlook = joint.hidden[:width], joint.hidden[width:]
    for i in range(len(observations)):
        before, sums = kept.before[places[i]], kept.sums[places[i]]
        update_sums(observations[i], before, kept.change, weights, scratch.inputs, sums)
        normalised(sums, weights, scratch)
        layer(scratch.features, joint.rows, joint.bias, scratch.inputs, joint.hidden)
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

    def _heads(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        heads = np.empty((len(observations), len(self.weights.heads)), np.float32)
        seen = plain(observations, np.int8)
        write_outlooks(seen, tuple(self.weights), self._room(), heads)
        return heads

    def _room(self) -> tuple[Any, ...]:
        # It is made anew, as several threads may ask at once.
        return tuple(Scratch.of(self.weights))


class Memory(NamedTuple):
    """The last observations of a network at k places, such as the seats of games.

    Attributes:
        before: int8[k, D], the observations.
        sums: int32[k, W], the first layer's products of them.
        change: int16[D], room for a difference.
    """

    before: NDArray[np.int8]
    sums: NDArray[np.int32]
    change: NDArray[np.int16]

    @classmethod
    def of(cls, weights: Weights, places: int) -> Memory:
        """The memory of places at which nothing was seen yet."""
        numbers, width = weights.first.shape
        # Zeros have sums of 0.
        return cls(
            np.zeros((places, numbers), np.int8),
            np.zeros((places, width), np.int32),
            np.zeros(numbers, np.int16),
        )


class SideBySide(NamedTuple):
    """The hidden layers of policy and outlook as one, which reads the features once.

    Attributes:
        rows: float32[W, 2W], inputs first.
        bias: float32[2W].
        hidden: float32[2W], room for the policy's, then the outlook's.
    """

    rows: NDArray[np.float32]
    bias: NDArray[np.float32]
    hidden: NDArray[np.float32]

    @classmethod
    def of(cls, weights: Weights) -> SideBySide:
        """The layers of these weights."""
        bias = np.concatenate([weights.policy_bias, weights.outlook_bias])
        rows = np.hstack([weights.policy, weights.outlook])
        return cls(plain(rows, np.float32), plain(bias, np.float32), np.zeros_like(bias))


class RememberingPass(ForwardPass):
    """A forward pass for ongoing games: its answers are the same, but come faster."""

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self._side_by_side = SideBySide.of(self.weights)

    def remember(self, places: int) -> None:
        """Begin with k places at which nothing was seen yet."""
        self._memory = Memory.of(self.weights, places)

    def logits_and_values(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], places: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What `legal_logits` and `values` give, bit for bit; `places` is int[n], below k."""
        logits = np.full(masks.shape, -np.inf, np.float32)
        values = np.empty(len(masks), np.float32)
        seen, legal = plain(observations, np.int8), plain(masks, np.bool_)
        at = plain(places, np.int64)
        memory, joint = tuple(self._memory), tuple(self._side_by_side)
        network, room = tuple(self.weights), self._room()
        write_policies_and_values(seen, legal, at, memory, joint, network, room, logits, values)
        return logits, values
