"""Whatever can play a game becomes an agent, and whatever cannot is refused with a remedy."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import GreedyAgent, RandomAgent, default, make, names
from shakespeare_agents import bundled as bundled_networks
from shakespeare_agents.checkpoint import save_checkpoint
from shakespeare_agents.network import Network
from shakespeare_agents.network_agent import NetworkAgent
from shakespeare_env import Batch, registry
from shakespeare_env.agent import Agent, agent_for, decide
from shakespeare_env.errors import CheckpointError
from tests.agents.networks import random_tensors
from tests.generators import generators

WIDTH = 8
CHOICES = re.escape(", ".join(names()))
GAME = registry.game("figaro")


@pytest.fixture(params=registry.names())
def game(request):
    return registry.game(request.param)


def write_checkpoint(folder, game, seed=0):
    tensors = random_tensors(WIDTH, game.layout.size, game.actions.size, seed)
    facts: dict[str, Any] = {"command": "", "settings": {}, "figures": {}}
    save_checkpoint(folder, tensors, game, players=[game.max_seats], **facts)
    return tensors


@pytest.fixture
def folder(tmp_path):
    write_checkpoint(tmp_path / "run", GAME)
    return tmp_path / "run"


@pytest.fixture
def network(folder):
    return Network(random_tensors(WIDTH, GAME.layout.size, GAME.actions.size), GAME.layout)


@pytest.fixture
def bundled(game, tmp_path, monkeypatch):
    """The folder of the game's first bundled network; nothing is in it yet."""
    monkeypatch.setattr(bundled_networks, "_CHECKPOINTS", tmp_path / "checkpoints")
    return tmp_path / "checkpoints" / game.name / "1"


def choices(agent, seed=1):
    """What an agent chooses in many situations."""
    batch = Batch(GAME.name, 200, players=4, seed=seed)
    return agent.act(batch.obs, batch.mask, generators(200, seed)).tolist()


def first_legal(observations, masks, rng):
    return masks.argmax(axis=1)


class Lazy:
    def act(self, observations, masks, rng):
        return first_legal(observations, masks, rng)


def test_every_name_makes_an_agent_that_plays_legally(bundled, game):
    write_checkpoint(bundled, game)
    batch = Batch(game.name, 200, players=game.max_seats, seed=1)
    assert names() == ("random", "greedy", "heuristic", "network", "search")
    for name in names():
        actions = decide(make(name, game), batch, np.arange(200), generators(200))
        assert batch.mask[np.arange(200), actions].all()
    assert isinstance(make("random", GAME), RandomAgent)


def test_the_bundled_network_is_the_default_where_there_is_one(bundled, game):
    assert default(game) == "heuristic"
    with pytest.raises(ValueError, match=f"no checkpoint of {game.name} is bundled; train one"):
        make("network", game)
    tensors = write_checkpoint(bundled, game)
    assert default(game) == "network"
    for agent in (make("network", game), agent_for(None, game)):
        assert isinstance(agent, NetworkAgent)
        assert all((agent.network.tensors[name] == tensors[name]).all() for name in tensors)


def test_the_engine_finds_agents_as_the_registry_does(bundled, game):
    """Without a name it is the default."""
    agent = agent_for(None, game)
    assert type(agent) is type(make("heuristic", game)) is not type(agent_for("random", game))
    assert agent_for(agent, game) is agent
    with pytest.raises(ValueError, match="there is no agent or folder 'randon'"):
        agent_for("randon", game)


def weights_of(player, game):
    agent = make(player, game)
    assert isinstance(agent, NetworkAgent)
    return agent.network.tensors["trunk.weight"].tolist()


def test_older_bundled_networks_stay_and_the_newest_plays_by_default(bundled, game):
    """A folder more is all it takes; the tenth is newer than the ninth."""
    written = {
        version: write_checkpoint(bundled.parent / version, game, seed)["trunk.weight"].tolist()
        for seed, version in enumerate(("9", "1", "10"))
    }
    (bundled.parent / "drafts").mkdir()
    (bundled.parent / "11").touch()
    assert bundled_networks.bundled_versions(game) == [1, 9, 10]
    assert weights_of("network", game) == written["10"]
    for version, weights in written.items():
        assert weights_of(f"network,version={version}", game) == weights
        assert weights_of(f"network,greedy=false,version={version}", game) == weights
    assert default(game) == "network"
    for missing in (2, -1, 11):
        said = f"network of {game.name} has no version {missing}, only 1, 9, 10; without version="
        with pytest.raises(ValueError, match=said):
            make(f"network,version={missing}", game)
    with pytest.raises(TypeError, match="version='two' of the agent 'network' must be of type int"):
        make("network,version=two", game)


def test_the_default_of_a_game_without_a_heuristic_agent():
    assert default(replace(GAME, name="chess")) == "random"


@pytest.mark.parametrize("fault", ["another box", "no card"])
def test_a_checkpoint_that_does_not_fit_is_no_default(bundled, game, fault):
    write_checkpoint(bundled, game)
    card = bundled / "card.json"
    if fault == "no card":
        card.unlink()
    else:
        card.write_text(card.read_text().replace(registry.box_digest(game.name), "0" * 64))
    assert default(game) == "heuristic"
    with pytest.raises(CheckpointError):
        make("network", game)


def test_options_in_the_text_and_as_arguments(folder, bundled, game):
    write_checkpoint(bundled, game)
    for player, options, greedy in (
        ("network", {}, True),
        ("network,greedy=false", {}, False),
        ("network, greedy = false ", {}, False),
        ("network", {"greedy": False}, False),
        ("network,greedy=false", {"greedy": True}, True),
    ):
        agent = make(player, game, **options)
        assert isinstance(agent, NetworkAgent)
        assert agent.greedy is greedy
    for path, options in ((f"{folder},greedy=false", {}), (folder, {"greedy": False})):
        agent = make(path, GAME, **options)
        assert isinstance(agent, NetworkAgent)
        assert not agent.greedy
    agent = make("greedy,samples=3", game)
    assert isinstance(agent, GreedyAgent)
    assert agent.samples == 3


@pytest.mark.parametrize(
    ("player", "said"),
    [
        ("random,x=1", "'random' has no option 'x'; its options: none"),
        ("greedy,greedy=true", "'greedy' has no option 'greedy'; its options: samples"),
        ("greedy,=3", "'greedy' has no option ''"),
        ("greedy,samples=two", "samples='two' of the agent 'greedy' must be of type int"),
        ("greedy,samples=true", "samples=True of the agent 'greedy' must be of type int"),
        ("greedy,samples=1.5", "must be of type int"),
        ("network,greedy=1", "greedy=1 of the agent 'network' must be of type bool"),
    ],
)
def test_options_that_an_agent_does_not_have(game, player, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        make(player, game)


def test_an_agent_that_is_made_takes_no_options():
    agent = RandomAgent()
    with pytest.raises(TypeError, match=r"is an agent already; it takes no options: drop greedy"):
        make(agent, GAME, greedy=False)


def test_a_folder_with_commas_in_its_name(folder):
    named = folder.rename(folder.with_name("width 8, two seats"))
    assert isinstance(make(str(named), GAME), NetworkAgent)


def test_an_agent_plays_as_it_is():
    for agent in (Lazy(), RandomAgent()):
        assert make(agent, GAME) is agent


def test_a_function_plays_what_it_chooses():
    agent = make(first_legal, GAME)
    assert isinstance(agent, Agent)
    assert choices(agent) == choices(Lazy()) != choices(RandomAgent())

    seen: list[Any] = []

    def noting(observations, masks, rng):
        seen.append((observations, masks, rng))
        return first_legal(observations, masks, rng)

    batch, rng = Batch(GAME.name, 3, players=4), generators(3)
    agent = make(noting, GAME)
    assert isinstance(agent, Agent)
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


@pytest.mark.parametrize(
    "player", ["randon", "Random", "no/such/folder", Path("no/such/folder"), "x" * 5000, "a\0b"]
)
def test_an_unknown_name_or_a_missing_folder_is_named_with_the_choices(player):
    value = re.escape(repr(str(player)))
    remedy = f"give one of {CHOICES}, the folder of a checkpoint, my.py:NAME or package.module:NAME"
    with pytest.raises(ValueError, match=f"{value}.*; {remedy}"):
        make(player, GAME)


def test_a_file_is_no_folder(folder):
    card = folder / "card.json"
    with pytest.raises(ValueError, match=r"card\.json'.*the folder of a checkpoint"):
        make(card, GAME)


def test_a_folder_that_is_no_checkpoint_is_named(tmp_path):
    with pytest.raises(CheckpointError, match=re.escape(str(tmp_path / "card.json"))):
        make(tmp_path, GAME)


def test_a_checkpoint_of_another_game_is_refused(folder):
    with pytest.raises(CheckpointError, match="made for game 'figaro', but this is 'shakespeare'"):
        make(folder, registry.game("shakespeare"))


@pytest.mark.parametrize("player", [None, 3, 0.5, b"random", ["random"], {"random": 1.0}])
def test_anything_else_is_refused_with_the_value_and_the_choices(player):
    with pytest.raises(TypeError, match=rf"^{re.escape(repr(player))} cannot play: give") as caught:
        make(player, GAME)
    message = str(caught.value)
    assert all(name in message for name in names())
    assert "the folder of a checkpoint" in message
    assert "my.py:NAME" in message
    assert "an object with act()" in message


def test_a_class_is_no_agent_yet_so_one_is_made():
    """It has the methods, but nobody to call them on: found out in the first step otherwise."""
    assert isinstance(make(RandomAgent, GAME), RandomAgent)


def test_an_unknown_name_is_held_against_the_known_ones():
    with pytest.raises(ValueError, match=r"'heuristc' \(did you mean 'heuristic'\?\); give one of"):
        make("heuristc", GAME)
