"""Networks with random weights, and random observations, for tests in which any will do."""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.checkpoint import save_checkpoint
from shakespeare_agents.networks.network import Network, input_scale
from shakespeare_env.core.game import Game, ObservationLayout

Tensors = dict[str, NDArray[np.float32]]


class PlainNetwork(Network):
    """The forward pass in NumPy, the reference for the compiled one and for PyTorch's."""

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the logits of all actions, legal or not: int8[n, D] -> float32[n, A]."""
        return self._linear("action", self._hidden("policy", observations))

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the values for the seats to move: int8[n, D] -> float32[n]."""
        return self._linear("value", self._hidden("outlook", observations))[:, 0]

    def forecasts(
        self, observations: NDArray[np.int8], players: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return forecasts as `ForwardPass.forecasts` does."""
        hidden = self._hidden("outlook", observations)
        win = self._linear("win", hidden)
        score = self._linear("score", hidden)
        present = np.arange(win.shape[1]) < players[:, None]
        win = np.where(present, win, np.float32(-np.inf))
        shares = np.exp(win - win.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return shares, np.where(present, score, np.float32(0.0))

    def _hidden(self, layer: str, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        scaled = observations.astype(np.float32) * input_scale(self.layout)
        features = self._linear("trunk", scaled)
        features -= features.mean(axis=1, keepdims=True)
        features /= np.sqrt(np.square(features).mean(axis=1, keepdims=True) + np.float32(1e-5))
        features = features * self.tensors["norm.weight"] + self.tensors["norm.bias"]
        return np.maximum(self._linear(layer, np.maximum(features, 0)), np.float32(0.0))

    def _linear(self, name: str, hidden: NDArray[np.float32]) -> NDArray[np.float32]:
        out: NDArray[np.float32] = hidden @ self.tensors[f"{name}.weight"].T
        out += self.tensors[f"{name}.bias"]
        return out


def random_network(
    game: Game, width: int = 4, changed: Tensors | None = None, *, heads: bool = True
) -> PlainNetwork:
    """Return a network for a game with random tensors, except for those in `changed`."""
    tensors = random_tensors(width, game.layout.size, game.actions.size)
    if heads:
        tensors |= random_heads(width, game.max_seats)
    return PlainNetwork(tensors | (changed or {}), game.layout)


def write_checkpoint(folder: Path, game: Game, seed: int = 0) -> Tensors:
    """Save a checkpoint with random weights, and return the weights."""
    tensors = random_tensors(8, game.layout.size, game.actions.size, seed)
    save_checkpoint(
        folder, tensors, game, players=[game.max_seats], command="", settings={}, figures={}
    )
    return tensors


def random_tensors(width: int, numbers: int, actions: int, seed: int = 0) -> Tensors:
    rng = np.random.default_rng(seed)
    shapes = Network.shapes(width, numbers, actions)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def random_heads(width: int, seats: int, seed: int = 0) -> Tensors:
    rng = np.random.default_rng([seed, 1])
    shapes = Network.head_shapes(width, seats)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def random_views(
    layout: ObservationLayout, n: int, actions: int
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Return n observations within the layout's ranges, and masks with a legal action in each."""
    rng = np.random.default_rng(0)
    observations = rng.integers(layout.low, layout.high, (n, layout.size), endpoint=True)
    masks = rng.random((n, actions)) < 0.3
    masks[np.arange(n), rng.integers(actions, size=n)] = True
    return observations.astype(np.int8), masks


def same_tensors(one: Network, other: Network) -> bool:
    return one.tensors.keys() == other.tensors.keys() and all(
        np.array_equal(one.tensors[name], other.tensors[name]) for name in one.tensors
    )


def edit_card(folder, **changes):
    path = folder / "card.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
