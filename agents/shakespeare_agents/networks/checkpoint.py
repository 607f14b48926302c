"""Checkpoints: trained weights in a safetensors file, and a JSON card that describes them.

The weights file is named after its digest, and the card names the weights file. The card is written
last, so that a folder always holds the old checkpoint or the new one, and never a mixture.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from shakespeare_agents import storage
from shakespeare_agents.networks.network import HEADS, LARGEST_WEIGHT, Network, Tensors
from shakespeare_env.checks.values import command, short_repr
from shakespeare_env.core.game import Game
from shakespeare_env.core.registry import box_digest, game_argument
from shakespeare_env.errors import CheckpointError

FORMAT = 6
CARD_NAME = "card.json"
OWN_WEIGHTS_NAME = "weights.safetensors"
"""The file in a run's folder that holds the `state_dict` of a network of the user's own."""
LICENCE = "MIT"  # the licence of the weights, which is that of the code
_MOST_WIDTH = 4096  # no memory is allocated for a wider network, which a damaged card may claim
NEWEST = 0  # the version number that stands for the newest version of a bundled network
_BUNDLED = Path(__file__).parents[1] / "checkpoints"
"""The folder of the bundled checkpoints, each in `<game>/<version>`."""


@dataclass(frozen=True)
class Card:
    """A description of a checkpoint: the game of its weights, and how they were trained."""

    game: str  # the game's name
    box_digest: str  # the digest of the box with which the weights were trained
    players: list[int]  # the numbers of seats with which they were trained
    actions: int  # the number of actions
    actions_digest: str  # the SHA-256 of the actions' texts in order
    observation: int  # the size of an observation
    layout_digest: str  # the SHA-256 of the observation's fields and bounds
    width: int  # the width of the network's layers
    heads: list[str] = field(default_factory=list)
    """The heads that forecast for every seat: `network.HEADS` or none."""
    command: str = ""  # the command that trains the weights again
    settings: dict[str, Any] = field(default_factory=dict)  # training settings, including the seed
    figures: dict[str, Any] = field(default_factory=dict)
    """Results of the training, such as decisions, games and win rates."""
    licence: str = LICENCE  # the SPDX name of the licence
    weights: str = ""  # the name of the weights file, which is in the card's folder
    weights_digest: str = ""  # the SHA-256 of the weights file
    format: int = FORMAT  # the version of the card's format


_CARD = TypeAdapter(Card)


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
    """Write a checkpoint into a folder, in place of an earlier one.

    If anything fails, the earlier checkpoint stays intact.

    Args:
        folder: The folder, which is created if necessary.
        tensors: The network's weights.
        game: The game that the network plays.
        players: The numbers of seats with which it was trained.
        command: The command that trains it again.
        settings: The settings of its training, as JSON values.
        figures: The results of its training, as JSON values.

    Returns:
        The checkpoint's card.

    Raises:
        ValueError: a weight is infinite, NaN or too large, or settings or figures are not JSON.
    """
    for name, tensor in tensors.items():
        if not (np.abs(tensor) <= LARGEST_WEIGHT).all():
            raise ValueError(
                f"{name} holds numbers that are not finite or beyond {LARGEST_WEIGHT:g}; nothing "
                "was written"
            )
    card = Card(
        **compatibility_facts(game),
        players=[int(count) for count in players],
        actions=game.actions.size,
        observation=game.layout.size,
        width=len(tensors["trunk.bias"]),
        heads=[head for head in HEADS if f"{head}.weight" in tensors],
        command=command,
        settings=dict(settings),
        figures=dict(figures),
    )
    json.dumps(asdict(card), allow_nan=False)  # fails before anything is written
    stored = storage.store_tensors(folder, "weights", tensors)
    card = replace(card, weights=stored.file, weights_digest=stored.digest)
    text = json.dumps(asdict(card), indent=2, allow_nan=False) + "\n"
    storage.write_atomically(folder / CARD_NAME, text.encode())
    storage.delete_other_tensors(folder, "weights", stored)
    return card


def load_checkpoint(folder: Path, game: Game) -> tuple[Network, Card]:
    """Read a network and its card.

    Raises:
        CheckpointError: they are damaged, or made for another game, box or version.
    """
    card = read_card(folder)
    if not (folder / card.weights).exists():
        # A training run may have replaced the checkpoint since the card was read.
        card = read_card(folder)
    check_fits(card, game, folder)
    shapes = Network.shapes(card.width, game.layout.size, game.actions.size)
    if card.heads:
        shapes |= Network.head_shapes(card.width, game.max_seats)
    stored = storage.StoredTensors(card.weights, card.weights_digest)
    return Network(load_network(folder, stored, shapes), game.layout), card


def load_network(
    folder: Path, stored: storage.StoredTensors, shapes: Mapping[str, tuple[int, ...]]
) -> storage.Arrays:
    """Read the tensors of a network, and check their names and shapes.

    Args:
        folder: The folder of the file.
        stored: The file.
        shapes: The shape of each tensor by name. All tensors are float32.

    Raises:
        CheckpointError: the file is damaged, or holds other tensors.
    """
    numbers = sum(math.prod(shape) for shape in shapes.values())
    size = numbers * np.dtype(np.float32).itemsize
    tensors = storage.load_tensors(folder, stored, size)
    path = folder / stored.file
    wrong = shapes.keys() ^ tensors.keys()  # the names that only one of them has
    if wrong:
        raise CheckpointError(
            f"{path}: tensors missing or not expected: {sorted(wrong)}; copy all files again"
        )
    for name, tensor in tensors.items():
        fault = ""
        if tensor.dtype != np.float32 or tensor.shape != shapes[name]:
            fault = f"is {tensor.dtype} {tensor.shape}, not float32 {shapes[name]}"
        elif not (np.abs(tensor) <= LARGEST_WEIGHT).all():
            fault = f"holds numbers that are not finite or beyond {LARGEST_WEIGHT:g}"
        if fault:
            raise CheckpointError(f"{path}: {name} {fault}; copy all files again")
    return tensors


def read_card(folder: Path) -> Card:
    """Read a checkpoint's card, without its weights.

    Raises:
        CheckpointError: the card is damaged or missing.
    """
    path = folder / CARD_NAME
    weights = folder / OWN_WEIGHTS_NAME
    if weights.is_file() and not path.exists():
        raise CheckpointError(
            f"{folder}: is no checkpoint, but a run of a network of one's own; name this network "
            f"with its weights: my.py:NAME,weights={weights}"
        )
    data = storage.read_json(path, FORMAT, "checkpoint")
    try:
        return _CARD.validate_json(json.dumps(data), strict=True)
    except ValidationError as fault:
        first = fault.errors()[0]
        entry = ".".join(map(str, first["loc"]))
        raise CheckpointError(
            f"{path}: {entry} = {short_repr(first['input'])}: {first['msg']}; copy all files of "
            "the checkpoint again"
        ) from fault


def check_fits(card: Card, game: Game, folder: Path) -> None:
    """Check that a card describes weights for a game.

    Raises:
        CheckpointError: the weights do not fit the game. The message names `folder`.
    """
    fault = reason_unfit(game, vars(card))
    if fault is not None:
        raise CheckpointError(f"{folder}: {fault}, or train again")
    if not 1 <= card.width <= _MOST_WIDTH:
        raise CheckpointError(
            f"{folder}: width {card.width} is not from 1 to {_MOST_WIDTH}; copy all files again"
        )


def reason_unfit(game: Game, entries: Mapping[str, Any]) -> str | None:
    """Return the reason why trained weights do not fit a game. Return None if they fit.

    Args:
        game: The game.
        entries: The `compatibility_facts` that were stored with the weights.
    """
    if entries["game"] != game.name:
        named = short_repr(entries["game"])
        return f"made for game {named}, but this is {game.name!r}; use that game"
    wanted = compatibility_facts(game)
    # The digest of the box is not compared. A difference in it alone only deserves a warning.
    for name, what in (("actions_digest", "actions"), ("layout_digest", "observations")):
        if entries[name] != wanted[name]:
            return f"made for other {what}; use the version or the box that it was trained with"
    return None


def load_to_play(folder: Path, game: Game) -> Network:
    """Read a network, and warn if it was trained with another box than the current one.

    Raises:
        CheckpointError: the checkpoint is damaged, or made for another game or version.
    """
    network, card = load_checkpoint(folder, game)
    if card.box_digest != box_digest(game.name):
        named = game_argument(game.name)
        warnings.warn(
            f"{folder} was trained with another box than {game.box}, and plays less well with this "
            "one; adapt the network in minutes: "
            + command("train", "--game", named, "--start", folder, "--minutes", 10),
            stacklevel=2,
        )
    return network


def compatibility_facts(game: Game) -> dict[str, Any]:
    """Return the facts of a game that are stored with weights, to check later whether they fit.

    They are the game's name, and digests of its box, its actions and its observations. Weights fit
    another box with the same actions and observations, though they play less well with it.
    """
    fields = [
        f"{entry.name} {entry.start} {entry.size} {entry.low} {entry.high}" for entry in game.layout
    ]
    return {
        "game": game.name,
        "box_digest": box_digest(game.name),
        "actions_digest": hashlib.sha256("\n".join(game.actions.texts).encode()).hexdigest(),
        "layout_digest": hashlib.sha256("\n".join(fields).encode()).hexdigest(),
    }


def bundled_versions(game: Game) -> list[int]:
    """Return the versions of a game's bundled networks, the oldest first.

    The list is empty if no network is bundled.
    """
    names = [path.name for path in (_BUNDLED / game.name).glob("*/")]
    return sorted(int(name) for name in names if re.fullmatch("[1-9][0-9]*", name))


def bundled_checkpoint(game: Game, version: int = NEWEST) -> Path:
    """Return the folder of a game's bundled checkpoint.

    Raises:
        ValueError: no network of this version is bundled.
    """
    versions = bundled_versions(game)
    if not versions:
        raise ValueError(
            f"no network of {game.name} is bundled: train one by "
            f"{command('train', '--game', game_argument(game.name))}, and name its folder in place "
            "of 'network' (for search, network=FOLDER)"
        )
    if version == NEWEST:
        version = versions[-1]
    if version not in versions:
        raise ValueError(
            f"the bundled network of {game.name} has no version {short_repr(version)}, only "
            f"{', '.join(map(str, versions))}; drop version= to play with the newest"
        )
    return _BUNDLED / game.name / str(version)
