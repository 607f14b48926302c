"""Checkpoints are read as they were written. Damaged ones and those that do not fit are refused."""

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


WITHOUT_HEADS = make_tensors()
WITH_HEADS = WITHOUT_HEADS | random_heads(WIDTH, GAME.max_seats)


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


def assert_refused(folder, message):
    with pytest.raises(CheckpointError, match=message):
        load_checkpoint(folder, GAME)


def test_a_saved_checkpoint_is_read_unchanged_and_replaces_the_one_before(tmp_path):
    for tensors, heads in ((WITHOUT_HEADS, []), (WITH_HEADS, ["win", "score"])):
        card = save(tmp_path, tensors)
        network, loaded_card = load_checkpoint(tmp_path, GAME)
        assert holds(network, tensors)
        assert not holds(network, make_tensors(seed=2))
        assert card == loaded_card == read_card(tmp_path)
        assert card.heads == heads
        assert network.has_heads == bool(heads)
        assert card.players == [3, 4]
        assert card.settings == {"gamma": 1.0}
        assert card.figures["games"] == 7
        assert card.width == WIDTH
        assert card.box_digest == registry.box_digest("figaro")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["card.json", card.weights]


def test_a_network_trained_with_another_box_plays_with_a_warning(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(folder, GAME)
    edit_card(folder, box_digest="0")
    with pytest.warns(UserWarning, match=f"--start {folder} --minutes 10"):
        make(folder, GAME)


def test_a_save_with_unusable_values_writes_nothing(folder):
    for number in (np.nan, -1.1e6):
        with pytest.raises(ValueError, match=r"policy\.bias holds numbers that are not finite"):
            save(folder, with_one_number_changed("policy.bias", number))
    with pytest.raises(ValueError, match="not JSON compliant"):
        save(folder, make_tensors(seed=1), figures={"x": np.inf})
    assert len(list(folder.iterdir())) == 2


def test_a_save_that_fails_between_weights_and_card_leaves_the_old_checkpoint(folder, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "CARD_NAME", "no/such/folder")
        with pytest.raises(OSError, match="no/such"):
            save(folder, make_tensors(seed=1))
    network, _ = load_checkpoint(folder, GAME)
    assert holds(network, make_tensors())


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
def test_a_card_that_is_damaged_or_does_not_fit_is_refused(folder, changes):
    edit_card(folder, **changes)
    assert_refused(folder, str(folder))


def with_one_number_changed(name, number):
    changed = WITH_HEADS[name].copy()
    changed.reshape(-1)[1] = number
    return WITH_HEADS | {name: changed}


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        (WITHOUT_HEADS, r"missing or not expected: .*'win\.weight'"),
        (WITH_HEADS | {"luck.bias": np.zeros(1)}, r"not expected: \['luck\.bias'\]"),
        (
            with_one_number_changed("action.bias", np.nan),
            r"action\.bias holds numbers that are not finite",
        ),
        # This number is finite, but would overflow in the network.
        (with_one_number_changed("score.weight", -3e38), r"score\.weight holds .* beyond 1e\+06"),
        (
            WITH_HEADS | {"win.bias": WITH_HEADS["win.bias"].astype(np.float64)},
            r"win\.bias is float64",
        ),
        (WITH_HEADS | random_heads(WIDTH, GAME.max_seats - 1), r"is float32 \(5,.*, not float32"),
    ],
)
def test_weights_that_do_not_fit_are_refused_even_if_their_digest_is_right(
    tmp_path, tensors, message
):
    card = save(tmp_path, WITH_HEADS)
    content = safetensors.numpy.save(tensors)
    (tmp_path / card.weights).write_bytes(content)
    edit_card(tmp_path, weights_digest=hashlib.sha256(content).hexdigest())
    assert_refused(tmp_path, message)
