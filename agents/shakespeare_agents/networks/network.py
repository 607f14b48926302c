"""A trained network: its layers, and its weights with their names, shapes and digest.

`inference.py` plays with networks. `shakespeare_training.networks.policy` trains them in PyTorch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.game import ObservationLayout

Tensors = Mapping[str, NDArray[np.float32]]
"""Weights by name (see `Network.shapes` and `Network.head_shapes`)."""


class Layer(NamedTuple):
    """A linear layer of the network.

    A ReLU follows every hidden layer. In the trunk, layer normalisation comes before the ReLU.
    """

    name: str  # the layer's tensors are `<name>.weight`, [outputs, inputs], and `<name>.bias`
    reads: str  # the layer whose output this layer reads, or `observation`
    output: str = ""  # the name of this output of the network; empty for a hidden layer


LAYERS = (
    Layer("trunk", "observation"),
    Layer("policy", "trunk"),
    Layer("action", "policy", "logits"),
    Layer("outlook", "trunk"),
    Layer("value", "outlook", "value"),
    Layer("win", "outlook", "win_logits"),
    Layer("score", "outlook", "changes"),
)
HEADS = ("win", "score")
"""The layers that forecast for every seat. A network has both or neither."""
ILLEGAL = np.float32(-1e8)
"""The logit of an illegal action. It makes its probability 0 in float32, and stays finite."""
LARGEST_WEIGHT = 1e6  # larger weights could overflow in the network; trained ones stay below 10


def input_scale(layout: ObservationLayout) -> NDArray[np.float32]:
    """Return the factors by which observations are multiplied, float32[D]: 1 / sqrt(bound).

    The bound of a number is its largest possible absolute value, or 1 if that is less. Numbers with
    wide bounds rarely come close to them, so dividing by the bound itself would make them too small
    to matter.
    """
    low = layout.low.astype(np.float32)
    high = layout.high.astype(np.float32)
    bound = np.maximum(np.maximum(-low, high), np.float32(1.0))
    return np.reciprocal(np.sqrt(bound))


class Network:
    """A policy, a value and maybe forecasts: their weights, and the layout of observations.

    The weights are float32 tensors with the shapes of `shapes` and, if the network forecasts, of
    `head_shapes`.
    """

    def __init__(self, tensors: Tensors, layout: ObservationLayout) -> None:
        self.tensors = tensors
        self.layout = layout

    @staticmethod
    def shapes(width: int, numbers: int, actions: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all tensors except those of `HEADS`.

        Args:
            width: W, the size of the hidden layers.
            numbers: D, the size of an observation.
            actions: A, the number of actions.
        """
        shapes: dict[str, tuple[int, ...]] = {}
        for name, reads, _ in LAYERS:
            if name not in HEADS:
                size = {"action": actions, "value": 1}.get(name, width)
                inputs = numbers if reads == "observation" else width
                shapes |= {f"{name}.weight": (size, inputs), f"{name}.bias": (size,)}
            if name == "trunk":
                shapes |= {"norm.weight": (width,), "norm.bias": (width,)}
        return shapes

    @staticmethod
    def head_shapes(width: int, seats: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the tensors of `HEADS`.

        Row k forecasts for the k-th seat clockwise from the observing seat. `win` gives logits of
        shares of the victory, and `score` gives expected changes of scores until the end, divided
        by `Game.score_scale`.

        Args:
            width: W, the size of the hidden layers.
            seats: S, the most seats at a table.
        """
        shapes: dict[str, tuple[int, ...]] = {}
        for head in HEADS:
            shapes |= {f"{head}.weight": (seats, width), f"{head}.bias": (seats,)}
        return shapes

    @property
    def layers(self) -> list[Layer]:
        """The network's layers. Each comes after the layer that it reads."""
        return [layer for layer in LAYERS if f"{layer.name}.weight" in self.tensors]

    @property
    def has_heads(self) -> bool:
        """Whether the network forecasts for every seat."""
        return f"{HEADS[0]}.weight" in self.tensors

    def digest(self) -> str:
        """Return the SHA-256 of the tensors' names, types, shapes and numbers."""
        digest = hashlib.sha256()
        for name, tensor in sorted(self.tensors.items()):
            digest.update(f"{name}{tensor.dtype}{tensor.shape}".encode())
            digest.update(tensor.tobytes())
        return digest.hexdigest()


def network_of(agent: object) -> Network | None:
    """Return the network with which an agent decides. Return None if it has no network."""
    network = getattr(agent, "network", None)
    return network if isinstance(network, Network) else None
