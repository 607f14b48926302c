"""A network's forward pass, compiled, for one observation at a time.

Observations are mostly zeros and few actions are legal, so only what counts is multiplied. Rows do
not share sums, so a result does not depend on how many games are asked for at once, and no BLAS
thread is woken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.compile.decorators import rule

_LANES = 32
"""The number of partial sums, which the compiler keeps in vector registers."""
_EPSILON = np.float32(1e-5)
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


class Weights(NamedTuple):
    """A network's weights as compiled code reads them; kernels take plain tuples.

    Attributes:
        first: int16[D, W], of observations, in units of `unit`; sums of integers are exact, so
            their order does not matter.
        unit: float32[1].
        first_bias: float32[W].
        gain: float32[W], of the normalisation, as is `shift`.
        policy: float32[W, W], inputs first.
        policy_bias: float32[W].
        action: float32[A, W].
        action_bias: float32[A].
        outlook: float32[W, W], inputs first.
        outlook_bias: float32[W].
        heads: float32[H, W]: the value, then, if there are such heads, the share of the victory and
            the change of score of S seats each.
        heads_bias: float32[H].
    """

    first: NDArray[np.int16]
    unit: NDArray[np.float32]
    first_bias: NDArray[np.float32]
    gain: NDArray[np.float32]
    shift: NDArray[np.float32]
    policy: NDArray[np.float32]
    policy_bias: NDArray[np.float32]
    action: NDArray[np.float32]
    action_bias: NDArray[np.float32]
    outlook: NDArray[np.float32]
    outlook_bias: NDArray[np.float32]
    heads: NDArray[np.float32]
    heads_bias: NDArray[np.float32]


class Scratch(NamedTuple):
    """Room for one forward pass.

    Attributes:
        inputs: int64[max(D, W)], the indices of those that count.
        sums: int32[W], the first layer's products.
        features: float32[W], after it.
        hidden: float32[W].
        lanes: float32[32].
        logits: float32[A].
        heads: float32[H].
    """

    inputs: NDArray[np.int64]
    sums: NDArray[np.int32]
    features: NDArray[np.float32]
    hidden: NDArray[np.float32]
    lanes: NDArray[np.float32]
    logits: NDArray[np.float32]
    heads: NDArray[np.float32]

    @classmethod
    def of(cls, weights: Weights) -> Scratch:
        """Room for these weights."""
        numbers, width = weights.first.shape
        return cls(
            np.zeros(max(numbers, width), np.int64),
            np.zeros(width, np.int32),
            np.zeros(width, np.float32),
            np.zeros(width, np.float32),
            np.zeros(_LANES, np.float32),
            np.zeros(len(weights.action), np.float32),
            np.zeros(len(weights.heads), np.float32),
        )


@rule
def add_rows(values: Any, index: Any, count: int, rows: Any, out: Any) -> None:
    """Add to float32[W] the `count` rows of float32[k, W] at `index`, times their values."""
    width = len(out)
    k = 0
    while k + 4 <= count:  # four at a time: reading and writing the sums takes as long as a row
        i0, i1, i2, i3 = index[k], index[k + 1], index[k + 2], index[k + 3]
        x0, x1 = np.float32(values[i0]), np.float32(values[i1])
        x2, x3 = np.float32(values[i2]), np.float32(values[i3])
        row0, row1, row2, row3 = rows[i0], rows[i1], rows[i2], rows[i3]
        for j in range(width):
            out[j] += (x0 * row0[j] + x1 * row1[j]) + (x2 * row2[j] + x3 * row3[j])
        k += 4
    while k < count:
        x0 = np.float32(values[index[k]])
        row0 = rows[index[k]]
        for j in range(width):
            out[j] += x0 * row0[j]
        k += 1


@rule
def add_whole_rows(values: Any, index: Any, count: int, rows: Any, out: Any) -> None:
    """`add_rows` for whole numbers: int8 values, int16 rows, int32[W] sums."""
    width = len(out)
    k = 0
    while k + 4 <= count:
        i0, i1, i2, i3 = index[k], index[k + 1], index[k + 2], index[k + 3]
        x0, x1 = np.int32(values[i0]), np.int32(values[i1])
        x2, x3 = np.int32(values[i2]), np.int32(values[i3])
        row0, row1, row2, row3 = rows[i0], rows[i1], rows[i2], rows[i3]
        for j in range(width):
            out[j] += (x0 * np.int32(row0[j]) + x1 * np.int32(row1[j])) + (
                x2 * np.int32(row2[j]) + x3 * np.int32(row3[j])
            )
        k += 4
    while k < count:
        x0 = np.int32(values[index[k]])
        row0 = rows[index[k]]
        for j in range(width):
            out[j] += x0 * np.int32(row0[j])
        k += 1


@rule
def first_sums(seen: Any, weights: Any, index: Any, sums: Any) -> None:
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
    """`first_sums`, updated from those of `before`, which is replaced; `change` is int16[D]."""
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
def lanes_total(lanes: Any) -> np.float32:
    """The sum of float32[32]."""
    for lane in range(16):
        lanes[lane] += lanes[lane + 16]
    for lane in range(8):
        lanes[lane] += lanes[lane + 8]
    left, right = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]), lanes[4] + lanes[5]
    return np.float32(left + (right + (lanes[6] + lanes[7])))


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
    return lanes_total(lanes)


@rule
def total(values: Any, lanes: Any) -> np.float32:
    """The sum of float32[W]."""
    width = len(values)
    for lane in range(_LANES):
        lanes[lane] = _ZERO
    whole = width // _LANES * _LANES
    for start in range(0, whole, _LANES):
        for lane in range(_LANES):
            lanes[lane] += values[start + lane]
    for j in range(whole, width):
        lanes[j - whole] += values[j]
    return lanes_total(lanes)


@rule
def normalised(sums: Any, weights: Any, scratch: Any) -> None:
    """Bias, layer normalisation and ReLU: `sums` into the scratch's features."""
    width = len(sums)
    lanes, out, unit = scratch.lanes, scratch.features, weights.unit[0]
    for j in range(width):
        out[j] = np.float32(sums[j]) * unit + weights.first_bias[j]
    mean = total(out, lanes) / np.float32(width)
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
