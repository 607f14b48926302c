"""Networks at play: their forward pass, compiled, and the agent that plays from it.

Observations are mostly zeros and few actions are legal, so only what counts is multiplied. Rows do
not share sums, so a result does not depend on how many games are asked for at once, and no BLAS
thread is woken.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.capabilities import NetworkPolicy, Recipe
from shakespeare_agents.networks.checkpoint import NEWEST, bundled_checkpoint, load_to_play
from shakespeare_agents.networks.network import HEADS, Network, Tensors, input_scale
from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core.game import Game
from shakespeare_env.core.kernels import as_kernel_array
from shakespeare_env.play.generators import GameGenerators

_LARGEST_INT16, _LARGEST_INT32 = 2.0**15 - 1, 2.0**31 - 1
_LANES = 32  # the number of partial sums, which the compiler keeps in vector registers
_EPSILON = np.float32(1e-5)
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


class Weights(NamedTuple):
    """A network's weights as compiled code reads them; kernels take plain tuples."""

    first: NDArray[np.int16]
    """int16[D, W], of observations, in units of `unit`; sums of integers are exact, so their order
    does not matter."""
    unit: NDArray[np.float32]  # float32[1]
    first_bias: NDArray[np.float32]  # float32[W]
    ones: NDArray[np.float32]  # float32[W]
    gain: NDArray[np.float32]  # float32[W], of the normalisation, as is `shift`
    shift: NDArray[np.float32]
    policy: NDArray[np.float32]  # float32[W, W], inputs first
    policy_bias: NDArray[np.float32]  # float32[W]
    action: NDArray[np.float32]  # float32[A, W]
    action_bias: NDArray[np.float32]  # float32[A]
    outlook: NDArray[np.float32]  # float32[W, W], inputs first
    outlook_bias: NDArray[np.float32]  # float32[W]
    heads: NDArray[np.float32]
    """float32[H, W]: the value, then, if there are such heads, the share of the victory and the
    change of score of S seats each."""
    heads_bias: NDArray[np.float32]  # float32[H]


class Scratch(NamedTuple):
    """Room for one forward pass."""

    inputs: NDArray[np.int64]  # int64[max(D, W)], the indices of those that count
    sums: NDArray[np.int32]  # int32[W], the first layer's products
    features: NDArray[np.float32]  # float32[W], after it
    hidden: NDArray[np.float32]  # float32[W]
    lanes: NDArray[np.float32]  # float32[32]
    logits: NDArray[np.float32]  # float32[A]
    heads: NDArray[np.float32]  # float32[H]

    @classmethod
    def of(cls, weights: Weights) -> Scratch:
        """Room for these weights."""
        numbers, width = weights.first.shape
        sizes = width, width, _LANES, len(weights.action), len(weights.heads)
        whole = np.zeros(max(numbers, width), np.int64), np.zeros(width, np.int32)
        return cls(*whole, *(np.zeros(size, np.float32) for size in sizes))


def _adding(number: type[np.number[Any]]) -> Callable[..., None]:
    """A rule that adds to number[W] the `count` rows of [k, W] at `index`, times their values."""

    @rule
    def add_rows(values: Any, index: Any, count: int, rows: Any, out: Any) -> None:
        k = 0
        while k + 4 <= count:  # four at a time: reading and writing the sums takes as long as a row
            i0, i1, i2, i3 = index[k], index[k + 1], index[k + 2], index[k + 3]
            x0, x1 = number(values[i0]), number(values[i1])
            x2, x3 = number(values[i2]), number(values[i3])
            row0, row1, row2, row3 = rows[i0], rows[i1], rows[i2], rows[i3]
            for j in range(len(out)):
                out[j] += (x0 * number(row0[j]) + x1 * number(row1[j])) + (
                    x2 * number(row2[j]) + x3 * number(row3[j])
                )
            k += 4
        while k < count:
            x0 = number(values[index[k]])
            row0 = rows[index[k]]
            for j in range(len(out)):
                out[j] += x0 * number(row0[j])
            k += 1

    return add_rows


add_rows, add_whole_rows = _adding(np.float32), _adding(np.int32)


@rule
def write_first_sums(seen: Any, weights: Any, index: Any, sums: Any) -> None:
    """The first layer's products of int8[D], as far as it has weights for it."""
    count = 0
    for i in range(len(weights.first)):
        index[count] = i
        count += seen[i] != 0
    for j in range(len(sums)):
        sums[j] = 0
    add_whole_rows(seen, index, count, weights.first, sums)


@rule
def update_sums(seen: Any, before: Any, change: Any, weights: Any, index: Any, sums: Any) -> None:
    """Update the first layer's products of `before`, which becomes a copy of `seen`.

    `change` is int16[D] of scratch memory.
    """
    count = 0
    for i in range(len(weights.first)):
        index[count] = i
        count += seen[i] != before[i]
    for k in range(count):
        i = index[k]
        change[i] = np.int16(seen[i]) - np.int16(before[i])
        before[i] = seen[i]
    add_whole_rows(change, index, count, weights.first, sums)


@rule
def dot(left: Any, right: Any, lanes: Any) -> np.float32:
    """The product of two float32[W], W a multiple of 32 or not."""
    width = len(left)
    for lane in range(_LANES):
        lanes[lane] = _ZERO
    whole = width // _LANES * _LANES
    for start in range(0, whole, _LANES):
        for lane in range(_LANES):
            lanes[lane] += left[start + lane] * right[start + lane]
    for j in range(whole, width):
        lanes[j - whole] += left[j] * right[j]
    for lane in range(16):
        lanes[lane] += lanes[lane + 16]
    for lane in range(8):
        lanes[lane] += lanes[lane + 8]
    low, high = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]), lanes[4] + lanes[5]
    return np.float32(low + (high + (lanes[6] + lanes[7])))


@rule
def normalise(sums: Any, weights: Any, scratch: Any) -> None:
    """Bias, layer normalisation and ReLU: `sums` into the scratch's features."""
    width = len(sums)
    lanes, out, unit = scratch.lanes, scratch.features, weights.unit[0]
    for j in range(width):
        out[j] = np.float32(sums[j]) * unit + weights.first_bias[j]
    mean = dot(out, weights.ones, lanes) / np.float32(width)
    for j in range(width):
        out[j] -= mean
    scale = _ONE / np.sqrt(dot(out, out, lanes) / np.float32(width) + _EPSILON)
    for j in range(width):
        out[j] = max(out[j] * scale * weights.gain[j] + weights.shift[j], _ZERO)


@rule
def layer(features: Any, rows: Any, bias: Any, index: Any, out: Any) -> None:
    """A layer with ReLU of inputs that are mostly 0."""
    count = 0
    for i in range(len(features)):
        index[count] = i
        count += features[i] > _ZERO
    for j in range(len(out)):
        out[j] = bias[j]
    add_rows(features, index, count, rows, out)
    for j in range(len(out)):
        out[j] = max(out[j], _ZERO)


@rule
def write_logits(mask: Any, weights: Any, scratch: Any) -> None:
    """The legal actions' logits from the features; others keep what they were."""
    layer(scratch.features, weights.policy, weights.policy_bias, scratch.inputs, scratch.hidden)
    for action in range(len(mask)):
        if mask[action]:
            product = dot(scratch.hidden, weights.action[action], scratch.lanes)
            scratch.logits[action] = product + weights.action_bias[action]


@rule
def write_heads(weights: Any, scratch: Any) -> None:
    """The heads from the features."""
    layer(scratch.features, weights.outlook, weights.outlook_bias, scratch.inputs, scratch.hidden)
    for head in range(len(weights.heads)):
        product = dot(scratch.hidden, weights.heads[head], scratch.lanes)
        scratch.heads[head] = product + weights.heads_bias[head]


def weights_of(network: Network) -> Weights:
    """A network's weights, laid out for compiled code."""
    tensors = network.tensors
    first, unit = _whole(network)
    heads = ["value", *(HEADS if network.has_heads else ())]

    def copied(name: str) -> NDArray[np.float32]:
        return as_kernel_array(tensors[name].copy(), np.float32)

    def inputs_first(name: str) -> NDArray[np.float32]:
        return as_kernel_array(tensors[f"{name}.weight"].T.copy(), np.float32)

    return Weights(
        first=as_kernel_array(first, np.int16),
        unit=np.full(1, unit, np.float32),
        first_bias=copied("trunk.bias"),
        ones=np.ones_like(tensors["norm.weight"]),
        gain=copied("norm.weight"),
        shift=copied("norm.bias"),
        policy=inputs_first("policy"),
        policy_bias=copied("policy.bias"),
        action=copied("action.weight"),
        action_bias=copied("action.bias"),
        outlook=inputs_first("outlook"),
        outlook_bias=copied("outlook.bias"),
        heads=as_kernel_array(
            np.concatenate([tensors[f"{name}.weight"] for name in heads]), np.float32
        ),
        heads_bias=as_kernel_array(
            np.concatenate([tensors[f"{name}.bias"] for name in heads]), np.float32
        ),
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


@kernel("network", purpose="networks (choices)")
def write_policies(observations: Any, masks: Any, network: Any, room: Any, logits: Any) -> None:
    """Write the legal actions' logits into float32[n, A]; others keep what they were."""
    weights, scratch = Weights(*network), Scratch(*room)
    for i in range(len(observations)):
        write_first_sums(observations[i], weights, scratch.inputs, scratch.sums)
        normalise(scratch.sums, weights, scratch)
        write_logits(masks[i], weights, scratch)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                logits[i, action] = scratch.logits[action]


@kernel("network", purpose="networks (values)")
def write_outlooks(observations: Any, network: Any, room: Any, heads: Any) -> None:
    """Write all heads into float32[n, H]."""
    weights, scratch = Weights(*network), Scratch(*room)
    for i in range(len(observations)):
        write_first_sums(observations[i], weights, scratch.inputs, scratch.sums)
        normalise(scratch.sums, weights, scratch)
        write_heads(weights, scratch)
        for head in range(heads.shape[1]):
            heads[i, head] = scratch.heads[head]


class ForwardPass:
    """A network's answers, each of which depends on its own situation alone; weights are copied."""

    def __init__(self, network: Network) -> None:
        self.weights = weights_of(network)

    def legal_logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """int8[n, D] and bool[n, A] -> float32[n, A], -inf for illegal actions."""
        logits = np.full(masks.shape, -np.inf, np.float32)
        seen, legal = as_kernel_array(observations, np.int8), as_kernel_array(masks, np.bool_)
        # Room is made anew, here and below, as several threads may ask at once.
        write_policies(seen, legal, tuple(self.weights), tuple(Scratch.of(self.weights)), logits)
        return logits

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """int8[n, D] -> float32[n], the expectation of the seat to move, in units of the reward."""
        return self._heads(observations)[:, 0]

    def forecasts(
        self, observations: NDArray[np.int8], players: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What every seat may expect, in the eyes of the seats that look: int8[n, D], int[n] seats.

        Shares of the victory, rows adding up to 1, and changes of scores until the end in units of
        `Game.score_scale`: each float32[n, S], by seat clockwise of the one that looks, 0 where
        nobody sits. ValueError if the network has no heads.
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
        seen, room = as_kernel_array(observations, np.int8), tuple(Scratch.of(self.weights))
        write_outlooks(seen, tuple(self.weights), room, heads)
        return heads


class NetworkAgent:
    """Plays a network's likeliest action, drawing nothing; else (`greedy=False`) it samples."""

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

    def identity(self) -> list[Any]:
        """Return the digest of the weights, and whether the likeliest action is played."""
        return ["network", self.network.digest(), self.greedy]

    def recipe(self) -> Recipe:
        """Return a recipe that holds the weights."""
        return partial(_from_tensors, self.network.tensors, self.greedy)

    def device_policy(self) -> NetworkPolicy:
        """Return the weights, and whether the likeliest action is played."""
        return NetworkPolicy(self.network.tensors, self.greedy)


def _from_tensors(tensors: Tensors, greedy: bool, game: Game) -> NetworkAgent:
    return NetworkAgent(Network(tensors, game.layout), greedy=greedy)


def _weights(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.exp(logits - logits.max(axis=1, keepdims=True))  # type: ignore[no-any-return]


def checkpoint_agent(folder: Path, game: Game, *, greedy: bool = True) -> NetworkAgent:
    """The agent that plays from a checkpoint's folder; errors as of `load_checkpoint`."""
    return NetworkAgent(load_to_play(folder, game), greedy=greedy)


def network_agent(game: Game, *, greedy: bool = True, version: int = NEWEST) -> NetworkAgent:
    """The agent `network`, from a bundled checkpoint."""
    return checkpoint_agent(bundled_checkpoint(game, version), game, greedy=greedy)
