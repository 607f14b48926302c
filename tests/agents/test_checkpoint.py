"""What is written is what is read, and what is damaged or for something else is refused."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
import safetensors.torch
import torch

from agents import checkpoint
from agents.checkpoint import load_checkpoint, read_card, save_checkpoint
from agents.network import build_network
from shakespeare_env.errors import CheckpointError
from shakespeare_env.game import ActionTable, Block, ObservationLayout
from tests.training.toy_game import GAME, LAYOUT

WIDTH = 8


def make_network(seed=0):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        space = gymnasium.spaces.Box(LAYOUT.low, LAYOUT.high, dtype=np.int8)
        network = build_network(space, GAME.actions.size, WIDTH)
        for parameter in network.parameters():
            torch.nn.init.normal_(parameter)
    return network


def save(folder, network):
    return save_checkpoint(
        folder,
        network,
        GAME,
        players=2,
        width=WIDTH,
        settings={"gamma": 1.0},
        figures={"games": 7, "win_rate": None},
    )


@pytest.fixture
def folder(tmp_path):
    save(tmp_path / "run", make_network())
    return tmp_path / "run"


def same(network, other):
    ours, theirs = network.state_dict(), other.state_dict()
    return ours.keys() == theirs.keys() and all(torch.equal(ours[k], theirs[k]) for k in ours)


def test_round_trip(folder):
    network, card = load_checkpoint(folder, GAME)
    assert same(network, make_network())
    assert not same(network, make_network(seed=1))
    assert (card.players, card.settings, card.figures["games"]) == (2, {"gamma": 1.0}, 7)
    assert read_card(folder) == card


def test_a_new_checkpoint_replaces_the_old_one_and_leaves_no_litter(folder):
    save(folder, make_network(seed=1))
    network, card = load_checkpoint(folder, GAME)
    assert same(network, make_network(seed=1))
    assert sorted(path.name for path in folder.iterdir()) == ["card.json", card.weights]


def test_a_save_that_fails_half_way_leaves_the_old_checkpoint(folder, monkeypatch):
    write = checkpoint.write_atomically

    def fail_at_the_card(path, content):
        if path.name == checkpoint.CARD_NAME:
            raise OSError("disk full")
        write(path, content)

    monkeypatch.setattr(checkpoint, "write_atomically", fail_at_the_card)
    with pytest.raises(OSError, match="disk full"):
        save(folder, make_network(seed=1))
    network, _ = load_checkpoint(folder, GAME)
    assert same(network, make_network())


def test_a_write_that_fails_leaves_the_old_file_and_no_litter(tmp_path, monkeypatch):
    path = tmp_path / "file"
    checkpoint.write_atomically(path, b"old")

    def fail(_descriptor):
        raise OSError("unplugged")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="unplugged"):
        checkpoint.write_atomically(path, b"new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"


def edit_card(folder, **changes):
    path = folder / "card.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def weights_of(folder):
    return folder / read_card(folder).weights


def rewrite_weights(folder, tensors):
    """Other weights under a card that vouches for them: damage that no digest can show."""
    content = safetensors.torch.save(tensors)
    weights_of(folder).write_bytes(content)
    edit_card(folder, weights_digest=hashlib.sha256(content).hexdigest())


def tensors_of(network):
    """Each tensor once, as the file has them."""
    return safetensors.torch.load(safetensors.torch.save(checkpoint._tensors(network)))


def test_no_checkpoint_at_all(tmp_path):
    with pytest.raises(CheckpointError, match=r"card\.json: cannot be read"):
        load_checkpoint(tmp_path / "nothing", GAME)


def test_card_is_not_json(folder):
    (folder / "card.json").write_text('{"format": 1, ')
    with pytest.raises(CheckpointError, match="is not JSON"):
        load_checkpoint(folder, GAME)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "format 2, this version reads 1"),
        ({"actions": "3"}, "'actions' is '3', not of type int"),
        ({"players": True}, "'players' is True, not of type int"),
        ({"settings": []}, "'settings' is"),
        ({"weights": "../other.safetensors"}, "must be a file beside the card"),
        ({"surprise": 1}, "unknown entries"),
        ({"game": "chess"}, "made for game 'chess', but this is 'toy'"),
        ({"actions": 4}, "made for actions 4"),
        ({"actions_digest": "0"}, "made for actions_digest"),
        ({"observation": 5}, "made for observation 5"),
        ({"layout_digest": "0"}, "made for layout_digest"),
        ({"players": 9}, "players 9"),
        ({"width": 0}, "width 0"),
        ({"width": 10**9}, "width 1000000000"),
        ({"width": 16}, "not torch.float32 "),
        ({"weights_digest": "0"}, "is not the file its card describes"),
        ({"weights": "weights-0.safetensors"}, "cannot be read"),
    ],
)
def test_a_card_that_does_not_fit(folder, changes, message):
    edit_card(folder, **changes)
    with pytest.raises(CheckpointError, match=message):
        load_checkpoint(folder, GAME)


@pytest.mark.parametrize("content", ["[]", "null", '"card"'])
def test_a_card_that_is_no_object(folder, content):
    (folder / "card.json").write_text(content)
    with pytest.raises(CheckpointError, match="format"):
        load_checkpoint(folder, GAME)


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_weights_cut_short(folder, keep):
    path = weights_of(folder)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(CheckpointError, match="is not the file its card describes"):
        load_checkpoint(folder, GAME)


def test_one_bit_of_the_weights_flipped(folder):
    path = weights_of(folder)
    content = bytearray(path.read_bytes())
    content[-3] ^= 4
    path.write_bytes(bytes(content))
    with pytest.raises(CheckpointError, match="is not the file its card describes"):
        load_checkpoint(folder, GAME)


def test_weights_that_are_no_safetensors(folder):
    path = weights_of(folder)
    path.write_bytes(b"a pickle, perhaps")
    edit_card(folder, weights_digest=hashlib.sha256(path.read_bytes()).hexdigest())
    with pytest.raises(CheckpointError, match="is not a safetensors file"):
        load_checkpoint(folder, GAME)


def test_tensors_missing_unexpected_or_not_finite(folder):
    good = tensors_of(make_network())
    rewrite_weights(folder, {name: good[name] for name in list(good)[1:]})
    with pytest.raises(CheckpointError, match="missing or not expected"):
        load_checkpoint(folder, GAME)
    rewrite_weights(folder, good | {"stowaway": torch.zeros(1)})
    with pytest.raises(CheckpointError, match="stowaway"):
        load_checkpoint(folder, GAME)
    spoilt = good["action_net.bias"].clone()
    spoilt[1] = torch.nan
    rewrite_weights(folder, good | {"action_net.bias": spoilt})
    with pytest.raises(CheckpointError, match="not finite"):
        load_checkpoint(folder, GAME)
    rewrite_weights(folder, good | {"action_net.bias": good["action_net.bias"].double()})
    with pytest.raises(CheckpointError, match="float64"):
        load_checkpoint(folder, GAME)


def test_another_box_is_another_game(folder):
    """The same sizes do not make the same game: texts and fields count."""
    texts = ("take:1", "take:2", "take:4")
    other = {**vars(GAME), "actions": ActionTable([Block("take", texts, texts)])}
    with pytest.raises(CheckpointError, match="actions_digest"):
        load_checkpoint(folder, cast(Any, SimpleNamespace(**other)))
    fields = [(f.name, f.size, f.low, f.high, f.description) for f in LAYOUT]
    swapped = ObservationLayout(fields[::-1])
    with pytest.raises(CheckpointError, match="layout_digest"):
        load_checkpoint(folder, cast(Any, SimpleNamespace(**{**vars(GAME), "layout": swapped})))


def test_a_card_cannot_hold_what_is_not_json(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        save_checkpoint(
            tmp_path,
            make_network(),
            GAME,
            players=2,
            width=WIDTH,
            settings={},
            figures={"x": np.nan},
        )
    assert list(tmp_path.iterdir()) == []


def test_cards_compare_by_content(folder):
    card = read_card(folder)
    assert replace(card, players=3) != card
