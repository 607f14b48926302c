"""Checkpoints are read as they were written, and damaged or unfit ones are refused."""

import hashlib
import warnings
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from shakespeare_agents import make
from shakespeare_agents.networks import checkpoint
from shakespeare_agents.networks.checkpoint import load_checkpoint, read_card, save_checkpoint
from shakespeare_agents.networks.network import Network
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError
from tests.agents.networks import edit_card, random_heads, random_tensors, same_tensors

WIDTH = 8
GAME = registry.game("figaro")
LAYOUT = GAME.layout


def make_tensors(seed=0):
    return random_tensors(WIDTH, LAYOUT.size, GAME.actions.size, seed)


PLAIN = make_tensors()
HEADS = PLAIN | random_heads(WIDTH, GAME.max_seats)


def save(folder, tensors, **changes):
    facts: dict[str, Any] = {
        "players": range(3, 5),
        "command": "shakespeare train",
        "settings": {"gamma": 1.0},
        "figures": {"games": 7, "win_rate": None},
    }
    return save_checkpoint(folder, tensors, GAME, **(facts | changes))


@pytest.fixture
def folder(tmp_path):
    save(tmp_path / "run", make_tensors())
    return tmp_path / "run"


def holds(network, tensors):
    return same_tensors(network, Network(tensors, LAYOUT))


def refused(folder, message, game=GAME):
    with pytest.raises(CheckpointError, match=message):
        load_checkpoint(folder, game)


def test_what_is_saved_comes_back(tmp_path):
    """With heads and without, one replaces the other, and leaves no litter."""
    for tensors, heads in ((PLAIN, []), (HEADS, ["win", "score"])):
        card = save(tmp_path, tensors)
        network, read = load_checkpoint(tmp_path, GAME)
        assert holds(network, tensors)
        assert not holds(network, make_tensors(seed=2))
        assert card == read == read_card(tmp_path)
        assert (card.heads, network.has_heads) == (heads, bool(heads))
        assert (card.players, card.settings, card.figures["games"]) == ([3, 4], {"gamma": 1.0}, 7)
        assert (card.width, card.box_digest) == (WIDTH, registry.box_digest("figaro"))
        assert sorted(path.name for path in tmp_path.iterdir()) == ["card.json", card.weights]


def test_another_box_plays_and_is_told_once(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(folder, GAME)
    edit_card(folder, box_digest="0")
    with pytest.warns(UserWarning, match=f"--start {folder} --minutes 10"):
        make(folder, GAME)


def test_a_save_that_fails_leaves_the_old_checkpoint(folder, monkeypatch):
    for number in (np.nan, -1.1e6):
        with pytest.raises(ValueError, match=r"policy\.bias holds numbers that are not finite"):
            save(folder, changed("policy.bias", number))
    with pytest.raises(ValueError, match="not JSON compliant"):
        save(folder, make_tensors(seed=1), figures={"x": np.inf})
    assert len(list(folder.iterdir())) == 2
    # The weights are written, the card is not.
    monkeypatch.setattr(checkpoint, "CARD_NAME", "no/such/folder")
    with pytest.raises(OSError, match="no/such"):
        save(folder, make_tensors(seed=1))
    monkeypatch.undo()
    assert holds(load_checkpoint(folder, GAME)[0], make_tensors())


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 1},
        {"actions": "3"},
        {"players": None},
        {"weights": "../weights"},
        {"game": "chess"},
        {"actions_digest": "0"},
        {"layout_digest": "0"},
        {"width": 0},
        {"width": 10**9},
        {"width": 16},
        {"heads": ["win", "score"]},
    ],
)
def test_a_card_that_does_not_fit(folder, changes):
    edit_card(folder, **changes)
    refused(folder, str(folder))


def changed(name, number):
    spoilt = HEADS[name].copy()
    spoilt.reshape(-1)[1] = number
    return HEADS | {name: spoilt}


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        (PLAIN, r"missing or not expected: .*'win\.weight'"),
        (HEADS | {"luck.bias": np.zeros(1)}, r"not expected: \['luck\.bias'\]"),
        (changed("action.bias", np.nan), r"action\.bias holds numbers that are not finite"),
        # Finite, and overflows within the network.
        (changed("score.weight", -3e38), r"score\.weight holds .* beyond 1e\+06"),
        (HEADS | {"win.bias": HEADS["win.bias"].astype(np.float64)}, r"win\.bias is float64"),
        (HEADS | random_heads(WIDTH, GAME.max_seats - 1), r"is float32 \(5,.*, not float32"),
    ],
)
def test_weights_that_do_not_fit(tmp_path, tensors, message):
    """Under a card that vouches for them: damage that no digest can show."""
    card = save(tmp_path, HEADS)
    content = safetensors.numpy.save(tensors)
    (tmp_path / card.weights).write_bytes(content)
    edit_card(tmp_path, weights_digest=hashlib.sha256(content).hexdigest())
    refused(tmp_path, message)
