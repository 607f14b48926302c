"""Whatever can play a game becomes an agent, and whatever cannot is refused with a remedy."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shakespeare_agents import GreedyAgent, RandomAgent, default, make
from shakespeare_agents.networks import checkpoint
from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.networks.network import Network
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError
from shakespeare_env.play.agent import Agent
from tests.agents.networks import edit_card, random_tensors, write_checkpoint
from tests.generators import generators

GAME = registry.game("figaro")


@pytest.fixture
def folder(tmp_path):
    write_checkpoint(tmp_path / "run", GAME)
    return tmp_path / "run"


@pytest.fixture
def bundled(tmp_path, monkeypatch):
    """The folder of the game's first bundled network; nothing is in it yet."""
    monkeypatch.setattr(checkpoint, "_BUNDLED", tmp_path / "checkpoints")
    return tmp_path / "checkpoints" / GAME.name / "1"


def choices(agent, seed=1):
    """What an agent chooses in many situations."""
    batch = Batch(GAME.name, 200, players=4, seed=seed)
    return agent.act(batch.obs, batch.mask, generators(200, seed)).tolist()


def test_older_bundled_networks_stay_and_the_newest_plays_by_default(bundled):
    """A folder more is all it takes; the tenth is newer than the ninth."""

    def weights_of(player):
        agent = make(player, GAME)
        assert isinstance(agent, NetworkAgent)
        return agent.network.tensors["trunk.weight"].tolist()

    written = {
        version: write_checkpoint(bundled.parent / version, GAME, seed)["trunk.weight"].tolist()
        for seed, version in enumerate(("9", "1", "10"))
    }
    (bundled.parent / "drafts").mkdir()
    (bundled.parent / "11").touch()
    assert checkpoint.bundled_versions(GAME) == [1, 9, 10]
    assert weights_of("network") == written["10"]
    for version, weights in written.items():
        assert weights_of(f"network,greedy=false,version={version}") == weights
    with pytest.raises(ValueError, match="1, 9, 10"):
        make("network,version=2", GAME)


def test_where_no_bundled_network_fits_the_heuristic_is_the_default(bundled):
    assert default(GAME) == "heuristic"
    assert default(replace(GAME, name="chess")) == "random"
    with pytest.raises(ValueError, match="no checkpoint"):
        make("network", GAME)
    write_checkpoint(bundled, GAME)
    assert default(GAME) == "network"
    card = bundled / "card.json"
    edit_card(bundled, layout_digest="0" * 64)
    for _ in ("other observations", "no card"):
        assert default(GAME) == "heuristic"
        with pytest.raises(CheckpointError):
            make("network", GAME)
        card.unlink(missing_ok=True)


def test_options_in_the_text_and_as_arguments(folder, bundled):
    write_checkpoint(bundled, GAME)
    comma = folder.with_name("width=8,seats=2")
    comma.symlink_to(folder)
    player: Any
    for player, options, greedy in (
        ("network", {}, True),
        ("network, greedy = false ", {}, False),
        ("network,greedy=false", {"greedy": True}, True),
        (str(comma), {}, True),
        (f"{folder},greedy=false", {}, False),
        (folder, {"greedy": False}, False),
    ):
        agent = make(player, GAME, **options)
        assert isinstance(agent, NetworkAgent)
        assert agent.greedy is greedy
    agent = make("greedy,samples=3", GAME)
    assert isinstance(agent, GreedyAgent)
    assert agent.samples == 3


def test_what_plays_is_what_was_given(folder):
    agent = RandomAgent()
    assert make(agent, GAME) is agent
    said = make(lambda *given: given, GAME)
    assert isinstance(said, Agent)
    assert said.act(1, 2, 3) == (1, 2, 3)  # type: ignore[arg-type]
    # A class has the methods, but nobody to call them on.
    assert isinstance(make(RandomAgent, GAME), RandomAgent)
    tensors = random_tensors(8, GAME.layout.size, GAME.actions.size)
    expected = choices(NetworkAgent(Network(tensors, GAME.layout)))
    assert choices(make(folder, GAME)) == expected != choices(make(folder, GAME), seed=2)


@pytest.mark.parametrize(
    ("player", "named"),
    [
        ("random,x=1", "'x'"),
        ("greedy,=3", "''"),
        ("greedy,samples=two", "samples='two'"),
        ("greedy,samples=true", "samples=True"),
        ("network,greedy=1", "greedy=1"),
        ("heuristc", "did you mean 'heuristic'"),
        (Path("no/such/folder"), "folder"),
        ("a\0b", "folder"),
        (Path(__file__), "folder"),
        ({"random": 1.0}, "random"),
    ],
)
def test_what_cannot_play_is_refused(player, named):
    with pytest.raises((ValueError, TypeError), match=re.escape(named)):
        make(player, GAME)
