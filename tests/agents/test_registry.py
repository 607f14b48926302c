"""Whatever can play a game becomes an agent, and whatever cannot is refused with a remedy."""

import re
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

import agents
from agents import RandomAgent, make, names
from agents.checkpoint import save_checkpoint
from agents.network import NetworkAgent, build_network
from shakespeare_env import Batch, registry
from shakespeare_env.errors import CheckpointError
from tests.training.toy_game import GAME, LAYOUT, ToyBatch

WIDTH = 8
CHOICES = re.escape(", ".join(names()))


@pytest.fixture
def network():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        space = gymnasium.spaces.Box(LAYOUT.low, LAYOUT.high, dtype=np.int8)
        network = build_network(space, GAME.actions.size, WIDTH)
        for parameter in network.parameters():
            torch.nn.init.normal_(parameter)
    network.set_training_mode(False)
    return network


@pytest.fixture
def folder(tmp_path, network):
    folder = tmp_path / "run"
    save_checkpoint(folder, network, GAME, players=2, width=WIDTH, settings={}, figures={})
    return folder


def choices(agent, seed=1):
    """What an agent chooses in many situations."""
    batch = ToyBatch(200, players=2, seed=seed)
    return agent.act(batch.obs, batch.mask, np.random.default_rng(seed)).tolist()


def first_legal(observations, masks, rng):
    return masks.argmax(axis=1)


class Lazy:
    def act(self, observations, masks, rng):
        return first_legal(observations, masks, rng)


def test_every_name_makes_an_agent_that_plays_legally():
    game = registry.game("shakespeare")
    batch = Batch(game.name, 200, players=2, seed=1)
    assert set(names()) == {"random", "greedy", "heuristic"}
    for name in names():
        agent = make(name, game)
        actions = agents.decide(agent, batch, np.arange(200), np.random.default_rng(0))
        assert batch.mask[np.arange(200), actions].all()
    assert isinstance(make("random", GAME), RandomAgent)


def test_an_agent_plays_as_it_is():
    for agent in (Lazy(), RandomAgent()):
        assert make(agent, GAME) is agent


def test_a_function_plays_what_it_chooses():
    agent = make(first_legal, GAME)
    assert isinstance(agent, agents.Agent)
    assert choices(agent) == choices(Lazy()) != choices(RandomAgent())

    seen: list[Any] = []

    def noting(observations, masks, rng):
        seen.append((observations, masks, rng))
        return first_legal(observations, masks, rng)

    batch, rng = ToyBatch(3), np.random.default_rng(0)
    agent = make(noting, GAME)
    assert isinstance(agent, agents.Agent)
    agent.act(batch.obs, batch.mask, rng)
    assert seen[0][0] is batch.obs
    assert seen[0][1] is batch.mask
    assert seen[0][2] is rng


def test_the_folder_of_a_checkpoint_plays_with_its_network(folder, network):
    expected = choices(NetworkAgent(network))
    assert expected != choices(NetworkAgent(network), seed=2)
    for path in (folder, str(folder)):
        agent = make(path, GAME)
        assert isinstance(agent, NetworkAgent)
        assert choices(agent) == expected


def test_a_name_is_a_name_even_beside_a_folder_of_that_name(folder, monkeypatch):
    """A path object always means the folder."""
    named = folder.rename(folder.with_name("random"))
    monkeypatch.chdir(named.parent)
    assert isinstance(make("random", GAME), RandomAgent)
    assert isinstance(make(Path("random"), GAME), NetworkAgent)
    assert isinstance(make("./random", GAME), NetworkAgent)


@pytest.mark.parametrize("player", ["randon", "Random", "no/such/folder", Path("no/such/folder")])
def test_an_unknown_name_or_a_missing_folder_is_named_with_the_choices(player):
    value = re.escape(repr(str(player)))
    remedy = f"give one of {CHOICES} or the folder of a checkpoint"
    with pytest.raises(ValueError, match=f"{value}.*: {remedy}"):
        make(player, GAME)


def test_a_file_is_no_folder(folder):
    card = folder / "card.json"
    with pytest.raises(ValueError, match=r"card\.json'.*the folder of a checkpoint"):
        make(card, GAME)


def test_a_folder_that_is_no_checkpoint_is_named(tmp_path):
    with pytest.raises(CheckpointError, match=re.escape(str(tmp_path / "card.json"))):
        make(tmp_path, GAME)


def test_a_checkpoint_of_another_game_is_refused(folder):
    game = registry.game(registry.names()[0])
    with pytest.raises(CheckpointError, match=f"made for game 'toy', but this is '{game.name}'"):
        make(folder, game)


@pytest.mark.parametrize("player", [None, 3, 0.5, b"random", ["random"], {"random": 1.0}])
def test_what_is_neither_is_refused_with_the_value_and_the_choices(player):
    with pytest.raises(TypeError, match=rf"^{re.escape(repr(player))} cannot play: ") as caught:
        make(player, GAME)
    message = str(caught.value)
    assert all(name in message for name in names())
    assert "the folder of a checkpoint" in message
    assert "an agent or a function" in message


def test_a_class_is_refused_it_is_no_agent_yet():
    """It has the methods, but nobody to call them on: found out in the first step otherwise."""
    player: Any = RandomAgent
    with pytest.raises(TypeError, match=r"RandomAgent.* cannot play"):
        make(player, GAME)
