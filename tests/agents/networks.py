"""Networks of random weights and random situations, for tests that only need some."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.network import Network
from shakespeare_env.game import ObservationLayout


def random_tensors(
    width: int, numbers: int, actions: int, seed: int = 0
) -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng(seed)
    shapes = Network.shapes(width, numbers, actions)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def random_heads(width: int, seats: int, seed: int = 0) -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng([seed, 1])
    shapes = Network.head_shapes(width, seats)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def random_views(
    layout: ObservationLayout, situations: int, actions: int
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Observations within the layout's ranges, and masks with a legal action in every row."""
    rng = np.random.default_rng(0)
    observations = rng.integers(layout.low, layout.high + 1, (situations, layout.size))
    masks = rng.random((situations, actions)) < 0.3
    masks[np.arange(situations), rng.integers(actions, size=situations)] = True
    return observations.astype(np.int8), masks


def same_tensors(one: Network, other: Network) -> bool:
    return one.tensors.keys() == other.tensors.keys() and all(
        np.array_equal(one.tensors[name], other.tensors[name]) for name in one.tensors
    )
