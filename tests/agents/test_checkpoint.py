"""What is written is what is read, and what is damaged or for something else is refused."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from shakespeare_agents import checkpoint, storage
from shakespeare_agents.checkpoint import FORMAT, load_checkpoint, read_card, save_checkpoint
from shakespeare_agents.network import Network
from shakespeare_env import registry
from shakespeare_env.action_table import ActionTable, Block
from shakespeare_env.errors import CheckpointError
from shakespeare_env.game import ObservationLayout
from tests.agents.networks import random_heads, random_tensors, same_tensors

WIDTH = 8
GAME = registry.game("figaro")
LAYOUT = GAME.layout


def make_tensors(seed=0):
    return random_tensors(WIDTH, LAYOUT.size, GAME.actions.size, seed)


def with_heads(seed=0):
    return make_tensors(seed) | random_heads(WIDTH, GAME.max_seats, seed)


def save(folder, tensors, **changes):
    facts: dict[str, Any] = {
        "players": [3, 4],
        "command": "python -m shakespeare_training.runs.train",
        "settings": {"gamma": 1.0},
        "figures": {"games": 7, "win_rate": None},
    }
    return save_checkpoint(folder, tensors, GAME, **(facts | changes))


@pytest.fixture
def folder(tmp_path):
    save(tmp_path / "run", make_tensors())
    return tmp_path / "run"


@pytest.fixture
def forecasting(tmp_path):
    """The folder of a network with heads."""
    save(tmp_path / "forecasting", with_heads())
    return tmp_path / "forecasting"


def holds(network, tensors):
    return same_tensors(network, Network(tensors, LAYOUT))


def test_round_trip(folder):
    network, card = load_checkpoint(folder, GAME)
    assert holds(network, make_tensors())
    assert not holds(network, make_tensors(seed=1))
    assert (card.players, card.settings, card.figures["games"]) == ([3, 4], {"gamma": 1.0}, 7)
    assert (card.command, card.licence) == ("python -m shakespeare_training.runs.train", "MIT")
    assert (card.game, card.width) == ("figaro", WIDTH)
    assert card.box_digest == registry.box_digest("figaro")
    assert read_card(folder) == card


def test_what_is_saved_is_what_is_returned(tmp_path):
    card = save(tmp_path, make_tensors())
    assert card == read_card(tmp_path)
    assert card.format == json.loads((tmp_path / "card.json").read_text())["format"] == FORMAT


def test_heads_go_to_disk_and_back(folder, forecasting):
    network, card = load_checkpoint(forecasting, GAME)
    assert card.heads == ["win", "score"]
    assert network.has_heads
    assert holds(network, with_heads())
    network, card = load_checkpoint(folder, GAME)
    assert card.heads == []
    assert not network.has_heads


def test_a_network_with_heads_replaces_one_without_and_the_other_way_round(folder):
    for tensors in (with_heads(seed=1), make_tensors(seed=2)):
        card = save(folder, tensors)
        assert holds(load_checkpoint(folder, GAME)[0], tensors)
        assert sorted(path.name for path in folder.iterdir()) == ["card.json", card.weights]


@pytest.mark.parametrize("head", ["win", "score"])
def test_one_head_alone_is_not_saved(folder, head):
    tensors = {name: t for name, t in with_heads(seed=1).items() if not name.startswith(head)}
    with pytest.raises(ValueError, match=r"alone; give \['win', 'score'\] or none; nothing was"):
        save(folder, tensors)
    assert holds(load_checkpoint(folder, GAME)[0], make_tensors())


def test_a_card_from_before_there_were_heads(folder):
    path = folder / "card.json"
    older = {name: value for name, value in json.loads(path.read_text()).items() if name != "heads"}
    path.write_text(json.dumps(older | {"format": 2}))
    network, card = load_checkpoint(folder, GAME)
    assert (card.format, card.heads, network.has_heads) == (2, [], False)
    assert holds(network, make_tensors())
    edit_card(folder, heads=[])
    with pytest.raises(CheckpointError, match=r"unknown entries \['heads'\]"):
        load_checkpoint(folder, GAME)
    path.write_text(json.dumps(older | {"format": FORMAT}))
    with pytest.raises(CheckpointError, match="lacks heads; copy all files of the checkpoint"):
        load_checkpoint(folder, GAME)


@pytest.mark.parametrize("players", [np.arange(3, 6), (3, 4, 5), range(3, 6)])
def test_seat_counts_may_come_as_any_sequence(tmp_path, players):
    assert save(tmp_path, make_tensors(), players=players).players == [3, 4, 5]


def test_a_new_checkpoint_replaces_the_old_one_and_leaves_no_litter(folder):
    save(folder, make_tensors(seed=1))
    network, card = load_checkpoint(folder, GAME)
    assert holds(network, make_tensors(seed=1))
    assert sorted(path.name for path in folder.iterdir()) == ["card.json", card.weights]


def test_a_save_that_fails_half_way_leaves_the_old_checkpoint(folder, monkeypatch):
    write = storage.write_atomically

    def fail_at_the_card(path, content):
        if path.name == checkpoint.CARD_NAME:
            raise OSError("disk full")
        write(path, content)

    monkeypatch.setattr(storage, "write_atomically", fail_at_the_card)
    with pytest.raises(OSError, match="disk full"):
        save(folder, make_tensors(seed=1))
    network, _ = load_checkpoint(folder, GAME)
    assert holds(network, make_tensors())


@pytest.mark.parametrize("number", [np.nan, np.inf, -1.1e6])
def test_weights_that_are_not_finite_are_not_saved(folder, number):
    spoilt = make_tensors(seed=1)
    spoilt["policy.bias"][3] = number
    with pytest.raises(ValueError, match=r"policy\.bias holds numbers that are not finite"):
        save(folder, spoilt)
    assert holds(load_checkpoint(folder, GAME)[0], make_tensors())


def edit_card(folder, **changes):
    path = folder / "card.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def weights_of(folder):
    return folder / read_card(folder).weights


def rewrite_weights(folder, tensors):
    """Other weights under a card that vouches for them: damage that no digest can show."""
    content = safetensors.numpy.save(tensors)
    weights_of(folder).write_bytes(content)
    edit_card(folder, weights_digest=hashlib.sha256(content).hexdigest())


def test_no_checkpoint_at_all(tmp_path):
    with pytest.raises(CheckpointError, match=r"card\.json: cannot be read"):
        load_checkpoint(tmp_path / "nothing", GAME)


def test_card_is_not_json(folder):
    (folder / "card.json").write_text('{"format": 2, ')
    with pytest.raises(CheckpointError, match="is not JSON"):
        load_checkpoint(folder, GAME)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 1}, "format 1, this version reads 2 and 3"),
        ({"format": 4}, "format 4, this version reads 2 and 3"),
        ({"actions": "3"}, "actions = '3': must be a whole number"),
        ({"players": 2}, "players = 2: must be a list"),
        ({"settings": []}, r"settings = \[\]: must be an object"),
        ({"weights": "../other.safetensors"}, "must be a file beside what names it"),
        ({"surprise": 1}, "unknown entries"),
        ({"width": True}, "width = True: must be a whole number"),
        (
            {"command": "x" * 10**6, "players": "y" * 10**6},
            r"players = 'y{79}\.\.\.: must be a list",
        ),
        ({"game": "x" * 10**6}, r"made for game 'x{79}\.\.\., but this is"),
        ({"game": "chess"}, "made for game 'chess', but this is 'figaro'"),
        (
            {"box_digest": "0"},
            "made with another box than the package's own, which is in force; set FIGARO_BOX",
        ),
        ({"actions": 4}, "made for other actions"),
        ({"actions_digest": "0"}, "made for other actions"),
        ({"observation": 5}, "made for other observations"),
        ({"layout_digest": "0"}, "made for other observations"),
        ({"players": []}, r"players \[\]"),
        ({"players": [3, 9]}, r"players \[3, 9\]"),
        ({"players": [True]}, r"players \[True\]"),
        ({"players": ["4"]}, r"players \['4'\]"),
        ({"width": 0}, "width 0"),
        ({"width": 10**9}, "width 1000000000"),
        ({"width": 16}, "not float32 "),
        ({"heads": "win"}, "heads = 'win': must be a list"),
        ({"heads": ["win"]}, r"heads \['win'\]: there is no such network"),
        ({"heads": ["score", "win"]}, r"heads \['score', 'win'\]: there is no such network"),
        ({"heads": ["win", "score", "luck"]}, "there is no such network"),
        ({"heads": [{}, 1]}, r"heads \[\{\}, 1\]: there is no such network"),
        ({"heads": ["x" * 10**6]}, r"heads \['x{78}\.\.\.: there is no such network"),
        (
            {"heads": ["win", "score"]},
            r"not expected: \['score\.bias', 'score\.weight', 'win\.bias', 'win\.weight'\]",
        ),
        ({"weights_digest": "0"}, "is not the file that was saved"),
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
    with pytest.raises(CheckpointError, match="not an object"):
        load_checkpoint(folder, GAME)


def test_a_card_nested_deeper_than_the_parser_goes(folder):
    (folder / "card.json").write_text("[" * 100_000)
    with pytest.raises(CheckpointError, match="is not JSON"):
        load_checkpoint(folder, GAME)


def test_tensors_missing_unexpected_or_not_finite(folder):
    good = make_tensors()
    rewrite_weights(folder, {name: good[name] for name in list(good)[1:]})
    with pytest.raises(CheckpointError, match="missing or not expected"):
        load_checkpoint(folder, GAME)
    rewrite_weights(folder, good | {"stowaway": np.zeros(1)})
    with pytest.raises(CheckpointError, match="stowaway"):
        load_checkpoint(folder, GAME)
    spoilt = good["action.bias"].copy()
    spoilt[1] = np.nan
    rewrite_weights(folder, good | {"action.bias": spoilt})
    with pytest.raises(CheckpointError, match="not finite"):
        load_checkpoint(folder, GAME)
    spoilt[1] = -3e38  # finite, and overflows within the network
    rewrite_weights(folder, good | {"action.bias": spoilt})
    with pytest.raises(CheckpointError, match=r"action.bias holds numbers beyond 1e\+06"):
        load_checkpoint(folder, GAME)
    rewrite_weights(folder, good | {"action.bias": good["action.bias"].astype(np.float64)})
    with pytest.raises(CheckpointError, match="float64"):
        load_checkpoint(folder, GAME)


def test_heads_missing_unexpected_or_damaged(forecasting):
    good = with_heads()
    rewrite_weights(forecasting, make_tensors())
    with pytest.raises(CheckpointError, match=r"missing or not expected: .*'win\.weight'"):
        load_checkpoint(forecasting, GAME)
    rewrite_weights(forecasting, good | {"luck.bias": good["win.bias"]})
    with pytest.raises(CheckpointError, match=r"not expected: \['luck\.bias'\]"):
        load_checkpoint(forecasting, GAME)
    for seats in (GAME.max_seats - 1, GAME.max_seats + 1):
        rewrite_weights(forecasting, good | random_heads(WIDTH, seats))
        with pytest.raises(CheckpointError, match=rf"is float32 \({seats},.*, not float32"):
            load_checkpoint(forecasting, GAME)
    for number, fault in ((np.nan, "not finite"), (2e6, r"1e\+06")):
        spoilt = good["score.weight"].copy()
        spoilt[1, 2] = number
        rewrite_weights(forecasting, good | {"score.weight": spoilt})
        with pytest.raises(CheckpointError, match=rf"score\.weight holds numbers .*{fault}"):
            load_checkpoint(forecasting, GAME)
    rewrite_weights(forecasting, good | {"win.bias": good["win.bias"].astype(np.float64)})
    with pytest.raises(CheckpointError, match=r"win\.bias is float64"):
        load_checkpoint(forecasting, GAME)
    edit_card(forecasting, heads=[])
    with pytest.raises(CheckpointError, match=r"missing or not expected: .*'win\.weight'"):
        load_checkpoint(forecasting, GAME)


def test_another_box_is_another_game(folder):
    """The same sizes do not make the same game: texts and fields count."""
    texts = tuple(GAME.actions.texts[::-1])
    other = replace(GAME, actions=ActionTable([Block("play", texts, texts)]))
    with pytest.raises(CheckpointError, match="made for other actions"):
        load_checkpoint(folder, other)
    fields = [(f.name, f.size, f.low, f.high, f.description) for f in LAYOUT]
    with pytest.raises(CheckpointError, match="made for other observations"):
        load_checkpoint(folder, replace(GAME, layout=ObservationLayout(fields[::-1])))


@pytest.mark.parametrize("changes", [{"settings": {"x": np.nan}}, {"figures": {"x": np.inf}}])
def test_a_card_cannot_hold_what_is_not_json(tmp_path, changes):
    with pytest.raises(ValueError, match="not JSON compliant"):
        save(tmp_path, make_tensors(), **changes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", registry.names())
def test_a_checkpoint_of_a_real_game(name, tmp_path):
    """With the digest of the box in force; a box of other facts is another game to it."""
    game = registry.game(name)
    tensors = random_tensors(WIDTH, game.layout.size, game.actions.size)
    tensors |= random_heads(WIDTH, game.max_seats)
    facts: dict[str, Any] = {"command": "", "settings": {}, "figures": {}}
    card = save_checkpoint(tmp_path, tensors, game, players=[game.max_seats], **facts)
    assert card.box_digest == registry.box_digest(game.name)
    network, _ = load_checkpoint(tmp_path, game)
    assert same_tensors(network, Network(tensors, game.layout))
    edit_card(tmp_path, box_digest="0" * 64)
    with pytest.raises(
        CheckpointError, match=r"made with another box than .*; set \w+_BOX to the box"
    ):
        load_checkpoint(tmp_path, game)


def test_cards_compare_by_content(folder):
    card = read_card(folder)
    assert replace(card, players=[3]) != card


def test_a_card_that_lacks_an_entry(folder):
    path = folder / "card.json"
    data = json.loads(path.read_text())
    del data["width"]
    path.write_text(json.dumps(data))
    with pytest.raises(CheckpointError, match="lacks width; copy all files of the checkpoint"):
        read_card(folder)
