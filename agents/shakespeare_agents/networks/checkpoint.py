"""Trained weights on disk: a safetensors file and a JSON card that describes it.

The card names the weights file, itself named after its content, and is written last: the folder
always holds the old checkpoint or the new one, never a mixture.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import numpy as np

from shakespeare_agents import storage
from shakespeare_agents.networks import facts
from shakespeare_agents.networks.network import HEADS, LARGEST_WEIGHT, Network, Tensors
from shakespeare_env.checks.values import shown
from shakespeare_env.core.game import Game
from shakespeare_env.core.registry import box_digest, box_fault
from shakespeare_env.errors import CheckpointError

FORMAT = 5
_LACKING: Mapping[int, tuple[str, ...]] = {
    2: ("heads", "boxes", "facts"),
    3: ("boxes", "facts"),
    4: ("facts",),
    FORMAT: (),
}
"""What cards of each format do not mention: their networks have none, or know one box."""
CARD_NAME = "card.json"
LICENCE = "MIT"
"""The licence of the weights, as of the code."""
MAX_WIDTH = 4096
"""The widest network; a wider card counts as damaged before memory is allocated."""
_KINDS = {str: "text", int: "a whole number", list: "a list", dict: "an object"}
"""The types of a card's entries, in words."""
_WORDS = {
    "actions": "actions",
    "actions_digest": "actions",
    "observation": "observations",
    "layout_digest": "observations",
}
"""Descriptions of a card's entries in errors."""
_STEM = "weights"


@dataclass(frozen=True)
class Card:
    """What the weights are for and how they were made.

    Attributes:
        game: Name of the game.
        box_digest: The digest of the box, or boxes, they were trained with.
        players: Seat counts they were trained on.
        actions: Number of actions.
        actions_digest: See `actions_digest`.
        observation: Size of an observation.
        layout_digest: See `layout_digest`.
        width: The width of the network's layers.
        boxes: How many these were; weights trained with several play with any box.
        heads: What the network forecasts for every seat: `network.HEADS` or nothing.
        facts: The tables of printed facts that it reads (`Game.facts`), all or none.
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
    boxes: int = 1
    heads: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
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
        ValueError: a weight is not finite or huge, settings or figures are not JSON, or one head
            lacks the other.
        OSError: a file cannot be written; the old checkpoint is unchanged.
    """
    for name, tensor in tensors.items():
        if not (np.abs(tensor) <= LARGEST_WEIGHT).all():
            raise ValueError(
                f"{name} holds numbers that are not finite or beyond {LARGEST_WEIGHT:g}; nothing "
                "was written"
            )
    heads = [head for head in HEADS if f"{head}.weight" in tensors]
    if not _are_heads(heads):
        raise ValueError(f"heads {heads} alone; give {list(HEADS)} or none; nothing was written")
    card = Card(
        **_facts(game),
        boxes=1,
        players=[int(count) for count in players],
        width=len(tensors["trunk.bias"]),
        heads=heads,
        facts=[table.name for table in ()] if facts.are_in(tensors) else [],
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
        CheckpointError: card or weights are missing, damaged, or made for another game, box or
            version of the observation.
    """
    card = read_card(folder)
    check_fits(card, game, folder)
    if not (folder / card.weights).exists():
        card = read_card(folder)  # read again, as a run has just replaced it
        check_fits(card, game, folder)
    shapes = Network.shapes(card.width, card.observation, card.actions)
    if card.heads:
        shapes |= Network.head_shapes(card.width, game.max_seats)
    if card.facts:
        shapes |= facts.shapes((), card.width)
    stored = storage.StoredTensors(card.weights, card.weights_digest)
    return Network(load_network(folder, stored, shapes), game.layout, ()), card


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
    """Read and check a checkpoint's card, without its weights.

    Raises:
        CheckpointError: there is no card, or it is damaged.
    """
    path = folder / CARD_NAME
    data = storage.read_json(path, tuple(_LACKING), "checkpoint")
    kinds = {name: get_origin(kind) or kind for name, kind in get_type_hints(Card).items()}
    for name in _LACKING[data["format"]]:
        del kinds[name]
    for name, kind in kinds.items():
        if name not in data:
            raise CheckpointError(f"{path}: lacks {name}; copy all files of the checkpoint again")
        if type(data[name]) is not kind:
            found = shown(data[name])
            raise CheckpointError(
                f"{path}: {name} = {found}: must be {_KINDS[kind]}; "
                "copy all files of the checkpoint again"
            )
    if unknown := sorted(data.keys() - kinds.keys()):
        raise CheckpointError(
            f"{path}: unknown entries {shown(unknown)}; "
            "use the version that wrote it, or take them out"
        )
    return Card(**data)


def check_fits(card: Card, game: Game, folder: Path) -> None:
    """Refuse a card not made for the game, with a CheckpointError that names `folder`."""
    if fault := unfit(game, asdict(card)):
        raise CheckpointError(f"{folder}: {fault}, or train again")
    seats = range(game.min_seats, game.max_seats + 1)
    fits = card.players and all(type(count) is int and count in seats for count in card.players)
    if card.facts not in ([], [table.name for table in ()]):
        raise CheckpointError(
            f"{folder}: reads facts {shown(card.facts)}, which this version does not offer; use "
            "the version it was trained with, or train again"
        )
    if not fits or not 1 <= card.width <= MAX_WIDTH or not _are_heads(card.heads):
        found = f"players {shown(card.players)}, width {card.width}, heads {shown(card.heads)}"
        raise CheckpointError(
            f"{folder}: {found}: there is no such network; copy all files of the checkpoint again"
        )


def unfit(game: Game, made_for: Mapping[str, Any]) -> str | None:
    """What trained weights need that a game lacks, by a card's entries; None if nothing."""
    if made_for["game"] != game.name:
        return f"made for game {shown(made_for['game'])}, but this is {game.name!r}; use that game"
    for_any = made_for.get("boxes", 1) > 1 or made_for["box_digest"] == box_digest(game.name)
    if not for_any and (fault := box_fault(game.name, made_for["box_digest"])):
        return fault
    for name, value in _facts(game).items():
        if name != "box_digest" and name in made_for and made_for[name] != value:
            return f"made for other {_WORDS[name]}; use the version it was trained with"
    return None


def _are_heads(heads: list[str]) -> bool:
    return heads in ([], list(HEADS))


def _facts(game: Game) -> dict[str, Any]:
    return {
        "game": game.name,
        "box_digest": box_digest(game.name),
        "actions": game.actions.size,
        "actions_digest": actions_digest(game),
        "observation": game.layout.size,
        "layout_digest": layout_digest(game),
    }
