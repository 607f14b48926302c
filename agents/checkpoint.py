"""Trained weights on disk: a safetensors file and a JSON card that says what they are.

The card names its weights file, whose name and digest come from its content, and is written last.
Whatever happens in between, the folder holds either the old checkpoint or the new one, never a
mixture.  Nothing is unpickled, so a checkpoint from a stranger cannot run code.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import safetensors.torch
import torch
from safetensors import SafetensorError

from agents.network import PolicyNetwork, build_network
from shakespeare_env.errors import CheckpointError
from shakespeare_env.game import Game

FORMAT = 1
CARD_NAME = "card.json"
MAX_WIDTH = 4096
"""A card that asks for a wider network is taken to be damaged, before the memory is asked for."""


@dataclass(frozen=True)
class Card:
    """What the weights are for and where they come from.

    Attributes:
        game: Name of the game.
        players: Seats of the games they were trained on.
        actions: Number of actions.
        actions_digest: Digest of the action table's texts in order.
        observation: Numbers in an observation.
        layout_digest: Digest of the observation's fields in order.
        width: Width of the network's layers.
        settings: How it was trained.
        figures: What came out: decisions, games, win rates and the like.
        weights: Name of the weights file, in the card's folder.
        weights_digest: SHA-256 of the weights file.
        format: Version of this card's form.
    """

    game: str
    players: int
    actions: int
    actions_digest: str
    observation: int
    layout_digest: str
    width: int
    settings: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    weights: str = ""
    weights_digest: str = ""
    format: int = FORMAT


def actions_digest(game: Game) -> str:
    """SHA-256 of the action texts in order: what the network's outputs mean."""
    return hashlib.sha256("\n".join(game.actions.texts).encode()).hexdigest()


def layout_digest(game: Game) -> str:
    """SHA-256 of the observation's fields, places and bounds: what the network's inputs mean."""
    lines = [f"{f.name} {f.start} {f.size} {f.low} {f.high}" for f in game.layout]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def save_checkpoint(
    folder: Path,
    network: PolicyNetwork,
    game: Game,
    *,
    players: int,
    width: int,
    settings: Mapping[str, Any],
    figures: Mapping[str, Any],
) -> Card:
    """Write a network into a folder, in place of the checkpoint that was there.

    Args:
        folder: Made if it does not exist.
        network: Its weights are written.
        game: What it plays.
        players: Seats of the games it was trained on.
        width: Width of its layers.
        settings: How it was trained; must be JSON.
        figures: What came out; must be JSON.

    Returns:
        The card as written.
    """
    content = safetensors.torch.save(
        {name: tensor.detach().contiguous() for name, tensor in _tensors(network).items()}
    )
    digest = hashlib.sha256(content).hexdigest()
    card = Card(
        game=game.name,
        players=players,
        actions=game.actions.size,
        actions_digest=actions_digest(game),
        observation=game.layout.size,
        layout_digest=layout_digest(game),
        width=width,
        settings=dict(settings),
        figures=dict(figures),
        weights=f"weights-{digest[:16]}.safetensors",
        weights_digest=digest,
    )
    text = json.dumps(asdict(card), indent=2, allow_nan=False) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / card.weights, content)
    write_atomically(folder / CARD_NAME, text.encode())
    for old in folder.glob("weights-*.safetensors"):
        if old.name != card.weights:
            old.unlink(missing_ok=True)
    return card


def load_checkpoint(folder: Path, game: Game) -> tuple[PolicyNetwork, Card]:
    """Read a network back.

    Args:
        folder: Where `save_checkpoint` wrote it.
        game: What it is to play.

    Returns:
        The network and its card.

    Raises:
        CheckpointError: the card or the weights are missing or damaged, or were made for another
            game, box or version of the observation.
    """
    card = read_card(folder)
    _check_fits(card, game, folder)
    path = folder / card.weights
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read ({error}); put it back") from error
    if hashlib.sha256(content).hexdigest() != card.weights_digest:
        raise CheckpointError(f"{path}: is not the file its card describes; copy both again")
    try:
        tensors = safetensors.torch.load(content)
    except SafetensorError as error:
        raise CheckpointError(f"{path}: is not a safetensors file ({error})") from error
    space = gymnasium.spaces.Box(game.layout.low, game.layout.high, dtype=np.int8)
    network = build_network(space, game.actions.size, card.width)
    _check_tensors(tensors, network, path)
    with torch.no_grad():
        for name, tensor in _tensors(network).items():
            tensor.copy_(tensors[name])
    network.set_training_mode(False)
    return network, card


def read_card(folder: Path) -> Card:
    """Read and check the card of a checkpoint, without its weights.

    Raises:
        CheckpointError: there is no card, or it is not one.
    """
    path = folder / CARD_NAME
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read ({error}); is it a checkpoint?") from error
    except ValueError as error:
        raise CheckpointError(f"{path}: is not JSON ({error})") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        found = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise CheckpointError(f"{path}: format {found!r}, this version reads {FORMAT}; train again")
    for name, kind in _CARD_FIELDS.items():
        if type(data.get(name)) is not kind:
            found = repr(data.get(name))[:80]
            raise CheckpointError(f"{path}: {name!r} is {found}, not of type {kind.__name__}")
    if unknown := data.keys() - _CARD_FIELDS.keys():
        raise CheckpointError(f"{path}: unknown entries {sorted(unknown)}")
    if Path(data["weights"]).name != data["weights"]:
        raise CheckpointError(f"{path}: weights {data['weights']!r} must be a file beside the card")
    return Card(**data)


_CARD_FIELDS: dict[str, type] = {
    **dict.fromkeys(("game", "actions_digest", "layout_digest", "weights", "weights_digest"), str),
    **dict.fromkeys(("players", "actions", "observation", "width", "format"), int),
    **dict.fromkeys(("settings", "figures"), dict),
}


def _check_fits(card: Card, game: Game, folder: Path) -> None:
    expected = {
        "game": game.name,
        "actions": game.actions.size,
        "actions_digest": actions_digest(game),
        "observation": game.layout.size,
        "layout_digest": layout_digest(game),
    }
    for name, value in expected.items():
        if getattr(card, name) != value:
            raise CheckpointError(
                f"{folder}: made for {name} {getattr(card, name)!r}, but this is {value!r}; "
                "use the game, box and version it was trained with, or train again"
            )
    if not game.min_seats <= card.players <= game.max_seats or not 1 <= card.width <= MAX_WIDTH:
        found = f"players {card.players}, width {card.width}"
        raise CheckpointError(f"{folder}: {found}: there is no such network")


def _tensors(network: PolicyNetwork) -> dict[str, torch.Tensor]:
    """Parameters and buffers, each once: the state dict lists the shared layer three times."""
    return {**dict(network.named_parameters()), **dict(network.named_buffers())}


def _check_tensors(tensors: Mapping[str, torch.Tensor], network: PolicyNetwork, path: Path) -> None:
    expected = _tensors(network)
    if wrong := expected.keys() ^ tensors.keys():
        raise CheckpointError(f"{path}: tensors missing or not expected: {sorted(wrong)}")
    for name, tensor in tensors.items():
        if tensor.shape != expected[name].shape or tensor.dtype != expected[name].dtype:
            raise CheckpointError(
                f"{path}: {name} is {tensor.dtype} {tuple(tensor.shape)}, "
                f"not {expected[name].dtype} {tuple(expected[name].shape)}"
            )
        if not torch.isfinite(tensor).all():
            raise CheckpointError(f"{path}: {name} holds numbers that are not finite")


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it is there as a whole or not at all, even if the machine stops."""
    # Made by hand, because the files of tempfile can be read by nobody else.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
