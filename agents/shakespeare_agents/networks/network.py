"""A trained network: its layers, and its weights with their names, shapes and digest.

`inference.py` plays with them; `shakespeare_training.policy` trains them in PyTorch.
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
    """A linear layer of the network."""

    name: str  # its tensors are `<name>.weight`, outputs first, and `<name>.bias`
    reads: str  # the layer whose numbers it reads, or `observation`
    output: str = ""
    """What its numbers are called outside; those of layers within go through a ReLU, and the
    trunk's through a normalisation before."""


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
"""The layers that forecast for every seat; networks have both or neither."""
ILLEGAL = np.float32(-1e8)
"""An illegal action's logit: its probability is 0 in float32, and differences stay finite."""
LARGEST_WEIGHT = 1e6  # larger weights overflow within the network; trained ones stay below 10


def input_scale(layout: ObservationLayout) -> NDArray[np.float32]:
    """float32[D]: observations' factors, 1 / sqrt(bound).

    Numbers with wide bounds are mostly far from them; dividing by the bound itself would leave them
    too small to matter.
    """
    low, high = layout.low.astype(np.float32), layout.high.astype(np.float32)
    bound = np.maximum(np.maximum(-low, high), np.float32(1.0))
    return np.reciprocal(np.sqrt(bound))


class Network:
    """Policy, value and maybe forecasts: float32 tensors as in `shapes` and `head_shapes`."""

    def __init__(self, tensors: Tensors, layout: ObservationLayout) -> None:
        self.tensors = tensors
        self.layout = layout

    @staticmethod
    def shapes(width: int, numbers: int, actions: int) -> dict[str, tuple[int, ...]]:
        """The tensors' shapes, but for heads, for D `numbers` in an observation and A `actions`."""
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
        """The shapes of the heads' tensors, for S `seats` at most at a table.

        Row k is for the k-th seat clockwise of the one that looks. `win` gives logits of shares of
        the victory, `score` expected changes of scores until the end over `Game.score_scale`.
        """
        shapes: dict[str, tuple[int, ...]] = {}
        for head in HEADS:
            shapes |= {f"{head}.weight": (seats, width), f"{head}.bias": (seats,)}
        return shapes

    @property
    def layers(self) -> list[Layer]:
        """Its layers in an order in which they can be computed."""
        return [layer for layer in LAYERS if f"{layer.name}.weight" in self.tensors]

    @property
    def has_heads(self) -> bool:
        """Whether it forecasts for every seat."""
        return f"{HEADS[0]}.weight" in self.tensors

    def digest(self) -> str:
        """SHA-256 of names, types, shapes and numbers."""
        digest = hashlib.sha256()
        for name, tensor in sorted(self.tensors.items()):
            digest.update(f"{name}{tensor.dtype}{tensor.shape}".encode())
            digest.update(tensor.tobytes())
        return digest.hexdigest()


def network_of(agent: object) -> Network | None:
    """Return the network that an agent decides with; None if there is none."""
    network = getattr(agent, "network", None)
    return network if isinstance(network, Network) else None
