"""Networks of random weights and random situations, for tests that only need some."""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.checkpoint import save_checkpoint
from shakespeare_agents.networks.network import Network
from shakespeare_env.core.game import Game, ObservationLayout

Tensors = dict[str, NDArray[np.float32]]


def random_network(
    game: Game, width: int = 4, changed: Tensors | None = None, *, heads: bool = True
) -> Network:
    """A network for a game, with some tensors in place of random ones."""
    tensors = random_tensors(width, game.layout.size, game.actions.size)
    if heads:
        tensors |= random_heads(width, game.max_seats)
    return Network(tensors | (changed or {}), game.layout)


def write_checkpoint(folder: Path, game: Game, seed: int = 0) -> Tensors:
    """Save a checkpoint of random weights."""
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
    layout: ObservationLayout, situations: int, actions: int
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Observations within the layout's ranges, and masks with a legal action in every row."""
    rng = np.random.default_rng(0)
    observations = rng.integers(layout.low, layout.high, (situations, layout.size), endpoint=True)
    masks = rng.random((situations, actions)) < 0.3
    masks[np.arange(situations), rng.integers(actions, size=situations)] = True
    return observations.astype(np.int8), masks


def same_tensors(one: Network, other: Network) -> bool:
    return one.tensors.keys() == other.tensors.keys() and all(
        np.array_equal(one.tensors[name], other.tensors[name]) for name in one.tensors
    )


def edit_card(folder, **changes):
    path = folder / "card.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
