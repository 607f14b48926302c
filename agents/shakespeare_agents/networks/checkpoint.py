"""Trained weights on disk: a safetensors file and a JSON card that describes it.

The card names the weights file, itself named after its content, and is written last: the folder
always holds the old checkpoint or the new one, never a mixture.
"""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import numpy as np

from shakespeare_agents import storage
from shakespeare_agents.networks.network import HEADS, LARGEST_WEIGHT, Network, Tensors
from shakespeare_env.checks.values import command, shown
from shakespeare_env.core.game import Game
from shakespeare_env.core.registry import box_digest
from shakespeare_env.errors import CheckpointError

FORMAT = 6
_FORMATS = (2, 3, 4, 5, FORMAT)
"""Cards of former formats say less, or also of how many boxes and printed facts a network knew."""
CARD_NAME = "card.json"
LICENCE = "MIT"
"""The licence of the weights, as of the code."""
_WIDEST = 4096
"""The widest network; a wider card counts as damaged before memory is taken."""
_STEM = "weights"


@dataclass(frozen=True)
class Card:
    """What the weights are for and how they were made.

    Attributes:
        game: Name of the game.
        box_digest: The digest of the box they were trained with.
        players: Seat counts they were trained on.
        actions: Number of actions.
        actions_digest: See `actions_digest`.
        observation: Size of an observation.
        layout_digest: See `layout_digest`.
        width: The width of the network's layers.
        heads: What the network forecasts for every seat: `network.HEADS` or nothing.
        command: The command that trains them again.
        settings: Training settings, including the seed.
        figures: Results: decisions, games, win rates and so on.
        licence: SPDX name.
        weights: Name of the weights file beside the card.
        weights_digest: Its SHA-256.
        format: Version of the card's format.
    """

    game: str
    box_digest: str
    players: list[int]
    actions: int
    actions_digest: str
    observation: int
    layout_digest: str
    width: int
    heads: list[str] = field(default_factory=list)
    command: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    licence: str = LICENCE
    weights: str = ""
    weights_digest: str = ""
    format: int = FORMAT


def actions_digest(game: Game) -> str:
    """SHA-256 of the action texts in order, the meaning of a network's outputs."""
    return hashlib.sha256("\n".join(game.actions.texts).encode()).hexdigest()


def layout_digest(game: Game) -> str:
    """SHA-256 of the observation's fields and bounds, the meaning of its inputs."""
    lines = [f"{f.name} {f.start} {f.size} {f.low} {f.high}" for f in game.layout]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def save_checkpoint(
    folder: Path,
    tensors: Tensors,
    game: Game,
    *,
    players: Sequence[int],
    command: str,
    settings: Mapping[str, Any],
    figures: Mapping[str, Any],
) -> Card:
    """Replace the checkpoint in a folder, created if missing, and return the new card.

    `tensors` are a network's, with or without heads; for the rest see `Card`.

    Raises:
        ValueError: a weight is not finite or huge, or settings or figures are not JSON.
        OSError: a file cannot be written; the old checkpoint is unchanged.
    """
    for name, tensor in tensors.items():
        if not (np.abs(tensor) <= LARGEST_WEIGHT).all():
            raise ValueError(
                f"{name} holds numbers that are not finite or beyond {LARGEST_WEIGHT:g}; nothing "
                "was written"
            )
    known: dict[str, Any] = made_for(game)
    card = Card(
        **known,
        players=[int(count) for count in players],
        actions=game.actions.size,
        observation=game.layout.size,
        width=len(tensors["trunk.bias"]),
        heads=[head for head in HEADS if f"{head}.weight" in tensors],
        command=command,
        settings=dict(settings),
        figures=dict(figures),
    )
    json.dumps(asdict(card), allow_nan=False)  # raises before anything is written
    stored = storage.store_tensors(folder, _STEM, tensors)
    card = replace(card, weights=stored.file, weights_digest=stored.digest)
    text = json.dumps(asdict(card), indent=2, allow_nan=False) + "\n"
    storage.write_atomically(folder / CARD_NAME, text.encode())
    storage.forget_others(folder, _STEM, stored)
    return card


def load_checkpoint(folder: Path, game: Game) -> tuple[Network, Card]:
    """Read a network and its card.

    Raises:
        CheckpointError: card or weights are missing, damaged, or made for another game or version
            of the observation.
    """
    card = read_card(folder)
    if not (folder / card.weights).exists():
        card = read_card(folder)  # read again, as a run has just replaced it
    check_fits(card, game, folder)
    shapes = Network.shapes(card.width, game.layout.size, game.actions.size)
    if card.heads:
        shapes |= Network.head_shapes(card.width, game.max_seats)
    stored = storage.StoredTensors(card.weights, card.weights_digest)
    return Network(load_network(folder, stored, shapes), game.layout), card


def load_network(
    folder: Path, stored: storage.StoredTensors, shapes: Mapping[str, tuple[int, ...]]
) -> storage.Arrays:
    """Read the tensors of a network of these shapes, by name.

    Raises:
        CheckpointError: the file is missing or damaged, or holds anything else.
    """
    size = sum(math.prod(shape) for shape in shapes.values()) * np.dtype(np.float32).itemsize
    tensors = storage.load_tensors(folder, stored, size)
    path = folder / stored.file
    if wrong := shapes.keys() ^ tensors.keys():
        raise CheckpointError(f"{path}: tensors missing or not expected: {sorted(wrong)}")
    for name, tensor in tensors.items():
        storage.check_array(path, name, tensor, np.float32, shapes[name])
        if (np.abs(tensor) > LARGEST_WEIGHT).any():
            raise CheckpointError(
                f"{path}: {name} holds numbers beyond {LARGEST_WEIGHT:g}, which no trained network "
                "has; copy all files again"
            )
    return tensors


def read_card(folder: Path) -> Card:
    """Read a checkpoint's card, without its weights.

    Raises:
        CheckpointError: there is no card, or it is damaged.
    """
    path = folder / CARD_NAME
    data = storage.read_json(path, _FORMATS, "checkpoint")
    if data.get("facts"):
        raise CheckpointError(
            f"{folder}: its network reads printed facts, which this version does not offer; use "
            "the version it was trained with, or train again"
        )
    kinds = get_type_hints(Card)
    given: dict[str, Any] = {}
    for one in fields(Card):
        is_optional = one.default is not MISSING or one.default_factory is not MISSING
        if one.name not in data and is_optional:
            continue
        kind = get_origin(kinds[one.name]) or kinds[one.name]
        value = given[one.name] = data.get(one.name)
        if type(value) is not kind:
            raise CheckpointError(
                f"{path}: {one.name} = {shown(value)}: must be of type {kind.__name__}; copy all "
                "files of the checkpoint again"
            )
    return Card(**given)


def check_fits(card: Card, game: Game, folder: Path) -> None:
    """Refuse a card not made for the game, with a CheckpointError that names `folder`."""
    if fault := unfit(game, asdict(card)):
        raise CheckpointError(f"{folder}: {fault}, or train again")
    if not 1 <= card.width <= _WIDEST:
        raise CheckpointError(
            f"{folder}: width {card.width}: there is no such network; copy all files of the "
            "checkpoint again"
        )


def unfit(game: Game, entries: Mapping[str, Any]) -> str | None:
    """What trained weights need that a game lacks, by entries of `made_for`; None if nothing."""
    if entries["game"] != game.name:
        return f"made for game {shown(entries['game'])}, but this is {game.name!r}; use that game"
    wanted = made_for(game)
    for name, what in (("actions_digest", "actions"), ("layout_digest", "observations")):
        if entries[name] != wanted[name]:
            return f"made for other {what}; use the version, or the box, it was trained with"
    return None


def warn_of_another_box(card: Card, game: Game, name: str) -> None:
    """Warn if an agent of that name was trained with another box than the one in force."""
    if card.box_digest != box_digest(game.name):
        warnings.warn(
            f"{name} was trained with another box than {game.box}, and plays less well with it; "
            "adapt it in minutes: "
            + command("train", "--game", game.name, "--start", name, "--minutes", 10),
            stacklevel=2,
        )


def made_for(game: Game) -> dict[str, str]:
    """What decides whether weights fit: a game, its box, its actions and its observations."""
    return {
        "game": game.name,
        "box_digest": box_digest(game.name),
        "actions_digest": actions_digest(game),
        "layout_digest": layout_digest(game),
    }
