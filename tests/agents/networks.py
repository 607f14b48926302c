"""Networks of random weights, for tests that only need some network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.network import Network


def random_tensors(
    width: int, numbers: int, actions: int, seed: int = 0
) -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng(seed)
    shapes = Network.shapes(width, numbers, actions)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def same_tensors(one: Network, other: Network) -> bool:
    return one.tensors.keys() == other.tensors.keys() and all(
        np.array_equal(one.tensors[name], other.tensors[name]) for name in one.tensors
    )
