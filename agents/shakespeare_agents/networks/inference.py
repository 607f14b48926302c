"""The compiled forward pass of networks, and the agent that plays with it.

Observations are mostly zeros and few actions are legal, so products that do not matter are skipped.
Each row is computed separately and without BLAS. A row's result therefore does not depend on the
other rows, and no BLAS threads are started.
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

_LARGEST_INT16 = 2.0**15 - 1
_LARGEST_INT32 = 2.0**31 - 1
_LANES = 32  # the number of partial sums of a dot product, which fit in vector registers
_EPSILON = np.float32(1e-5)
_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


class Weights(NamedTuple):
    """A network's weights in the form that compiled code reads. Kernels take it as a tuple.

    D is the size of an observation, W the width of the hidden layers, A the number of actions, H
    the number of outputs besides logits, and S the most seats at a table.
    """

    first: NDArray[np.int16]
    """int16[D, W], the first layer in multiples of `unit`.

    Sums of integers are exact, so the order of summation does not matter.
    """
    unit: NDArray[np.float32]  # float32[1]
    first_bias: NDArray[np.float32]  # float32[W]
    ones: NDArray[np.float32]  # float32[W], all 1, so that `dot` computes a sum
    gain: NDArray[np.float32]  # float32[W], the weight of the layer normalisation
    shift: NDArray[np.float32]  # float32[W], the bias of the layer normalisation
    policy: NDArray[np.float32]  # float32[W, W], [inputs, outputs]
    policy_bias: NDArray[np.float32]  # float32[W]
    action: NDArray[np.float32]  # float32[A, W], [outputs, inputs]
    action_bias: NDArray[np.float32]  # float32[A]
    outlook: NDArray[np.float32]  # float32[W, W], [inputs, outputs]
    outlook_bias: NDArray[np.float32]  # float32[W]
    heads: NDArray[np.float32]
    """float32[H, W], [outputs, inputs].

    The first row gives the value. If the network forecasts, S rows for shares of the victory and S
    rows for changes of scores follow.
    """
    heads_bias: NDArray[np.float32]  # float32[H]


class Scratch(NamedTuple):
    """Memory for one forward pass."""

    inputs: NDArray[np.int64]  # int64[max(D, W)], the indices of inputs that are not 0
    sums: NDArray[np.int32]  # int32[W], the first layer's sums
    features: NDArray[np.float32]  # float32[W], the trunk's output
    hidden: NDArray[np.float32]  # float32[W], the output of `policy` or `outlook`
    lanes: NDArray[np.float32]  # float32[32], partial sums of a dot product
    logits: NDArray[np.float32]  # float32[A]
    heads: NDArray[np.float32]  # float32[H]

    @classmethod
    def of(cls, weights: Weights) -> Scratch:
        """Allocate memory for a forward pass with these weights."""
        size, width = weights.first.shape
        return cls(
            inputs=np.zeros(max(size, width), np.int64),
            sums=np.zeros(width, np.int32),
            features=np.zeros(width, np.float32),
            hidden=np.zeros(width, np.float32),
            lanes=np.zeros(_LANES, np.float32),
            logits=np.zeros(len(weights.action), np.float32),
            heads=np.zeros(len(weights.heads), np.float32),
        )


def _row_adder(dtype: type[np.number[Any]]) -> Callable[..., None]:
    """Return a rule that adds some rows, each multiplied by its value, to `out`, dtype[W].

    Only the rows whose numbers are the first `count` entries of `index` are added.
    """

    @rule
    def add_rows(values: Any, index: Any, count: int, rows: Any, out: Any) -> None:
        k = 0
        # Four rows at a time, since updating `out` takes as long as reading a row.
        while k + 4 <= count:
            x0 = dtype(values[index[k]])
            x1 = dtype(values[index[k + 1]])
            x2 = dtype(values[index[k + 2]])
            x3 = dtype(values[index[k + 3]])
            row0 = rows[index[k]]
            row1 = rows[index[k + 1]]
            row2 = rows[index[k + 2]]
            row3 = rows[index[k + 3]]
            for j in range(len(out)):
                out[j] += (x0 * dtype(row0[j]) + x1 * dtype(row1[j])) + (
                    x2 * dtype(row2[j]) + x3 * dtype(row3[j])
                )
            k += 4
        while k < count:
            x0 = dtype(values[index[k]])
            row0 = rows[index[k]]
            for j in range(len(out)):
                out[j] += x0 * dtype(row0[j])
            k += 1

    return add_rows


add_rows = _row_adder(np.float32)
add_int_rows = _row_adder(np.int32)


@rule
def write_first_sums(seen: Any, weights: Any, index: Any, sums: Any) -> None:
    """Write the first layer's sums for an observation, int8[D].

    If the layer has fewer than D inputs, it reads only the beginning of the observation.
    """
    # List the inputs that are not 0, without a branch: each index is written, and the next index
    # overwrites it if its input is 0.
    count = 0
    for i in range(len(weights.first)):
        index[count] = i
        count += seen[i] != 0
    for j in range(len(sums)):
        sums[j] = 0
    add_int_rows(seen, index, count, weights.first, sums)


@rule
def update_sums(seen: Any, before: Any, change: Any, weights: Any, index: Any, sums: Any) -> None:
    """Update the first layer's sums when an observation changes from `before` to `seen`.

    `before` becomes a copy of `seen`. `change`, int16[D], is scratch memory.
    """
    count = 0
    for i in range(len(weights.first)):
        index[count] = i
        count += seen[i] != before[i]
    for k in range(count):
        i = index[k]
        change[i] = np.int16(seen[i]) - np.int16(before[i])
        before[i] = seen[i]
    add_int_rows(change, index, count, weights.first, sums)


@rule
def dot(left: Any, right: Any, lanes: Any) -> np.float32:
    """Return the dot product of two float32[W]. W need not be a multiple of `_LANES`."""
    width = len(left)
    for lane in range(_LANES):
        lanes[lane] = _ZERO
    tail = width // _LANES * _LANES  # where the numbers that do not fill all lanes begin
    for start in range(0, tail, _LANES):
        for lane in range(_LANES):
            lanes[lane] += left[start + lane] * right[start + lane]
    for j in range(tail, width):
        lanes[j - tail] += left[j] * right[j]
    # Add up the 32 partial sums in pairs: first to 16 sums, then to 8, then to one.
    for lane in range(16):
        lanes[lane] += lanes[lane + 16]
    for lane in range(8):
        lanes[lane] += lanes[lane + 8]
    low = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
    high = (lanes[4] + lanes[5]) + (lanes[6] + lanes[7])
    return np.float32(low + high)


@rule
def normalise(sums: Any, weights: Any, scratch: Any) -> None:
    """Write the trunk's output into `scratch.features`: add the bias, normalise, apply the ReLU."""
    width = len(sums)
    lanes = scratch.lanes
    out = scratch.features
    unit = weights.unit[0]
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
    """Write the output of a layer with ReLU, whose inputs are mostly 0."""
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
    """Write the logits of the legal actions from the features. Other logits stay unchanged."""
    layer(scratch.features, weights.policy, weights.policy_bias, scratch.inputs, scratch.hidden)
    for action in range(len(mask)):
        if mask[action]:
            product = dot(scratch.hidden, weights.action[action], scratch.lanes)
            scratch.logits[action] = product + weights.action_bias[action]


@rule
def write_heads(weights: Any, scratch: Any) -> None:
    """Write the value and the forecasts from the features."""
    layer(scratch.features, weights.outlook, weights.outlook_bias, scratch.inputs, scratch.hidden)
    for head in range(len(weights.heads)):
        product = dot(scratch.hidden, weights.heads[head], scratch.lanes)
        scratch.heads[head] = product + weights.heads_bias[head]


def weights_of(network: Network) -> Weights:
    """Return a network's weights in the form that compiled code reads."""
    tensors = network.tensors
    first, unit = _quantised_first_layer(network)
    heads = ["value", *(HEADS if network.has_heads else ())]

    def copied(name: str) -> NDArray[np.float32]:
        return as_kernel_array(tensors[name].copy(), np.float32)

    def inputs_first(name: str) -> NDArray[np.float32]:
        return as_kernel_array(tensors[f"{name}.weight"].T.copy(), np.float32)

    def stacked(kind: str) -> NDArray[np.float32]:
        parts = [tensors[f"{name}.{kind}"] for name in heads]
        return as_kernel_array(np.concatenate(parts), np.float32)

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
        heads=stacked("weight"),
        heads_bias=stacked("bias"),
    )


def _quantised_first_layer(network: Network) -> tuple[NDArray[Any], float]:
    """Return a network's first layer, [D, W], rounded to multiples of a unit, and the unit."""
    layout = network.layout
    first = (network.tensors["trunk.weight"] * input_scale(layout)).T.astype(np.float64)
    bound = np.maximum(np.abs(layout.low.astype(float)), np.abs(layout.high.astype(float)))
    # Neither weights nor sums may overflow. A sum over the difference of two observations may be
    # twice as large as one over an observation. The unit must not be 0, even if all weights are.
    largest_sum = 2.0 * (np.abs(first) * bound[:, None]).sum(axis=0).max()
    unit = max(np.abs(first).max() / _LARGEST_INT16, largest_sum / _LARGEST_INT32, 1e-30)
    return np.rint(first / unit), unit


@kernel("network", purpose="networks (choices)")
def write_policies(observations: Any, masks: Any, network: Any, memory: Any, logits: Any) -> None:
    """Write the logits of legal actions into `logits`, float32[n, A]. Others stay unchanged."""
    weights = Weights(*network)
    scratch = Scratch(*memory)
    for i in range(len(observations)):
        write_first_sums(observations[i], weights, scratch.inputs, scratch.sums)
        normalise(scratch.sums, weights, scratch)
        write_logits(masks[i], weights, scratch)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                logits[i, action] = scratch.logits[action]


@kernel("network", purpose="networks (values)")
def write_outlooks(observations: Any, network: Any, memory: Any, heads: Any) -> None:
    """Write the value and the forecasts of each row into `heads`, float32[n, H]."""
    weights = Weights(*network)
    scratch = Scratch(*memory)
    for i in range(len(observations)):
        write_first_sums(observations[i], weights, scratch.inputs, scratch.sums)
        normalise(scratch.sums, weights, scratch)
        write_heads(weights, scratch)
        for head in range(heads.shape[1]):
            heads[i, head] = scratch.heads[head]


class ForwardPass:
    """The forward pass of a network, with a copy of its weights.

    The outputs for a row depend on this row alone.
    """

    def __init__(self, network: Network) -> None:
        self.weights = weights_of(network)

    def legal_logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return the policy's logits, float32[n, A], which are -inf for illegal actions.

        Args:
            observations: int8[n, D].
            masks: bool[n, A], the legal actions.
        """
        logits = np.full(masks.shape, -np.inf, np.float32)
        seen = as_kernel_array(observations, np.int8)
        legal = as_kernel_array(masks, np.bool_)
        # Every call has scratch memory of its own, since several threads may call at once.
        write_policies(seen, legal, tuple(self.weights), tuple(Scratch.of(self.weights)), logits)
        return logits

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the values of the observing seats, float32[n], in units of the reward.

        Args:
            observations: int8[n, D].
        """
        return self._heads(observations)[:, 0]

    def forecasts(
        self, observations: NDArray[np.int8], players: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return forecasts of the outcome for every seat.

        Args:
            observations: int8[n, D].
            players: int[n], the number of seats at each table.

        Returns:
            Shares of the victory, whose rows add up to 1, and changes of scores until the end in
            units of `Game.score_scale`. Both are float32[n, S]. Seats are counted clockwise from
            the observing seat; empty seats have 0.

        Raises:
            ValueError: the network has no heads that forecast.
        """
        # The first row of the heads gives the value. Each of `HEADS` has a row for each seat.
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
        seen = as_kernel_array(observations, np.int8)
        write_outlooks(seen, tuple(self.weights), tuple(Scratch.of(self.weights)), heads)
        return heads


class NetworkAgent:
    """Plays the likeliest action of a network's policy, or samples one if `greedy` is False."""

    def __init__(self, network: Network, *, greedy: bool = True) -> None:
        self.network = network
        self.greedy = greedy
        self._forward = ForwardPass(network)

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """Choose an action in each game, as `Agent.act` asks."""
        logits = self._forward.legal_logits(observations, masks)
        if self.greedy:
            likeliest: NDArray[np.int64] = logits.argmax(axis=1)
            return likeliest
        return rng.choose(_relative_probabilities(logits))

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return the policy's probabilities, as `Advisor.probabilities` asks."""
        relative = _relative_probabilities(self._forward.legal_logits(observations, masks))
        probabilities: NDArray[np.float32] = relative / relative.sum(axis=1, keepdims=True)
        return probabilities

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the network's values, as `Estimator.values` asks."""
        return self._forward.values(observations)

    def forecasts(
        self, observations: NDArray[np.int8], players: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the network's forecasts, as `Forecaster.forecasts` asks."""
        return self._forward.forecasts(observations, players)

    def identity(self) -> list[Any]:
        """Return the agent's kind, the digest of its weights, and `greedy`."""
        return ["network", self.network.digest(), self.greedy]

    def recipe(self) -> Recipe:
        """Return a recipe that holds the weights."""
        return partial(_from_tensors, self.network.tensors, self.greedy)

    def device_policy(self) -> NetworkPolicy:
        """Return the weights and `greedy`."""
        return NetworkPolicy(self.network.tensors, self.greedy)


def _from_tensors(tensors: Tensors, greedy: bool, game: Game) -> NetworkAgent:
    return NetworkAgent(Network(tensors, game.layout), greedy=greedy)


def _relative_probabilities(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.exp(logits - logits.max(axis=1, keepdims=True))  # type: ignore[no-any-return]


def checkpoint_agent(folder: Path, game: Game, *, greedy: bool = True) -> NetworkAgent:
    """Make the agent that plays with a checkpoint's network.

    Raises:
        CheckpointError: the checkpoint is damaged, or made for another game or version.
    """
    return NetworkAgent(load_to_play(folder, game), greedy=greedy)


def network_agent(game: Game, *, greedy: bool = True, version: int = NEWEST) -> NetworkAgent:
    """Make the agent `network`, which plays with a bundled checkpoint's network."""
    return checkpoint_agent(bundled_checkpoint(game, version), game, greedy=greedy)
