"""Checkpoints, card and weights: refused with a CheckpointError, or an agent that plays."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from shakespeare_agents import make
from shakespeare_agents.networks.checkpoint import CARD_NAME, load_checkpoint, save_checkpoint
from shakespeare_agents.networks.forward_pass import ForwardPass
from shakespeare_agents.networks.network import Tensors
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.errors import CheckpointError
from shakespeare_env.play.agent import decide
from tests.agents.networks import random_heads, random_tensors
from tests.fuzz.damage import change_json, damaged, digest_of, encoded
from tests.fuzz.json_mutations import bytes_mutated, mutated
from tests.generators import generators

_WIDTH = 4


def prepare() -> None:
    for name in registry.names():
        for made in (saved, _with_heads, _from_before_heads):
            _play(name, made(name))


@cache
def saved(name: str) -> Path:
    """A checkpoint of a small network."""
    return _saved(registry.game(name), {})


@cache
def _with_heads(name: str) -> Path:
    game = registry.game(name)
    return _saved(game, random_heads(_WIDTH, game.max_seats))


@cache
def _from_before_heads(name: str) -> Path:
    folder = Path(tempfile.mkdtemp(), "older")
    shutil.copytree(saved(name), folder)
    card = json.loads((folder / CARD_NAME).read_bytes())
    del card["heads"], card["boxes"], card["facts"]
    (folder / CARD_NAME).write_text(json.dumps(card | {"format": 2}))
    return folder


def _saved(game: Game, heads: Tensors) -> Path:
    folder = Path(tempfile.mkdtemp())
    tensors = {**random_tensors(_WIDTH, game.layout.size, game.actions.size), **heads}
    facts: dict[str, Any] = {"command": "train", "settings": {"gamma": 1.0}, "figures": {"n": 1}}
    save_checkpoint(folder, tensors, game, players=[game.max_seats], **facts)
    return folder


def check(case: random.Random) -> str:
    name = case.choice(registry.names())
    made = case.choice((saved, _with_heads, _from_before_heads))(name)
    with damaged(case, made, _change_card, _change_card, _change_weights) as folder:
        try:
            _play(name, folder)
        except CheckpointError:
            return "refused"
    return "played"


def _play(name: str, folder: Path) -> None:
    """The folder as an agent; its network, too, if it can be read by itself."""
    game = registry.game(name)
    network, _ = load_checkpoint(folder, game)
    agent = make(str(folder), game)
    batch = Batch(name, 2, players=game.max_seats)
    chances = generators(2)
    if network.has_heads:
        ForwardPass(network).forecasts(batch.obs, batch.players)
    for _ in range(4):
        batch.step(decide(agent, batch, np.arange(2), chances))


def _change_card(case: random.Random, folder: Path) -> None:
    change_json(case, folder / CARD_NAME)


def _change_weights(case: random.Random, folder: Path) -> None:
    """Other weights under a digest that fits them."""
    card = json.loads((folder / CARD_NAME).read_bytes())
    path = folder / card["weights"]
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    if case.random() < 0.5:
        text = encoded(mutated(case, json.loads(content[8 : 8 + length])))
        text += b" " * (-len(text) % 8)
        content = len(text).to_bytes(8, "little") + text + content[8 + length :]
    elif case.random() < 0.3:
        huge = case.choice((0, 1, 2**31, 2**63, 2**64 - 1, length + 1))
        content = huge.to_bytes(8, "little") + content[8:]
    else:
        content = bytes_mutated(case, content)
    path.write_bytes(content)
    if case.random() < 0.9:
        card["weights_digest"] = digest_of(content)
    (folder / CARD_NAME).write_text(json.dumps(card))
