"""Whatever can play becomes an agent: names, checkpoints, Python, objects; the rest is refused."""

import re
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import RandomAgent, default, make, names, naming
from shakespeare_agents.naming import (
    AgentSpec,
    Entrant,
    entrants_of,
    names_running_python,
    public_name,
)
from shakespeare_agents.networks import checkpoint
from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.python_names import load
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.errors import CheckpointError
from shakespeare_env.play.agent import decide
from tests.agents.networks import edit_card, write_checkpoint
from tests.contract.command_line import logged_moves, output_of, refusal_of
from tests.generators import generators

GAME = registry.game("figaro")
ROOT = Path(__file__).parents[2]
CODE = """
class First:
    def act(self, observations, masks, rng):
        return masks.argmax(axis=1)

class OfTheGame(First):
    def __init__(self, game, *, depth=2, share=0.5):
        self.game, self.depth, self.share = game, depth, share

class Searching:
    def search(self, games, rng):
        return games.masks.argmax(axis=1)

def function(observations, masks, rng):
    return masks.argmax(axis=1)

def open_function(*arguments):
    return arguments[1].argmax(axis=1)

def factory(game, depth=1, more=2, *, last=False):
    return OfTheGame(game, depth=7)

class Holder:
    inner = First()

thing = First()
number = 3

def two(observations, masks): ...
def needs(game, *, depth): ...
def nothing(game): return "an agent, I promise"
def broken(game):
    return {}["x"]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with the same code as a file and in a package."""
    package = tmp_path / "own_players"
    package.mkdir()
    lazy = "from .code import First as Agent\n"
    for file, code in (("__init__", ""), ("lazy", lazy), ("code", CODE), ("../mine", CODE)):
        (package / f"{file}.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("own_players")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "name",
    [
        "mine.py:First",
        "mine.py:OfTheGame,depth=3",
        "mine.py:Searching",
        "mine.py:function",
        "mine.py:open_function",
        "mine.py:factory,last=true",
        "mine.py:Holder.inner",
        "mine.py:thing",
        "own_players.code:OfTheGame",
        "own_players.lazy:Agent",
    ],
)
def test_what_plays_by_its_name_and_as_an_object(folder, name):
    (entrant,) = entrants_of([Entrant("x", name)], GAME)
    python = AgentSpec.parse(name).python
    assert python is not None
    for agent in (make(name, GAME), entrant.agent, make(load(python), GAME)):
        batch = Batch(GAME.name, 3, players=4)
        chosen = decide(agent, batch, np.arange(3), generators(3))
        assert (chosen == batch.mask.argmax(axis=1)).all()


@pytest.mark.parametrize(
    ("player", "named"),
    [
        ("nowhere.py:First", "nowhere.py"),
        ("mine.py:Frist", "did you mean 'First'"),
        ("mine.py:number", "it is 3"),
        ("mine.py:two", "(observations, masks)"),
        ("mine.py:needs", "'depth'"),
        ("mine.py:nothing", "an agent, I promise"),
        ("mine.py:broken", "mine.py, line 33: KeyError"),
        ("mine.py:thing,depth=2", "depth"),
        ("mine.py:OfTheGame,depth", "OfTheGame,depth"),
        ("no_such.thing:First", "no_such"),
        ("mine.py:OfTheGame,depth=x", "depth='x'"),
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
def test_what_cannot_play_is_refused(folder, player, named):
    with pytest.raises((ValueError, TypeError, ImportError), match=re.escape(named)):
        make(player, GAME)


@pytest.mark.parametrize(
    ("code", "where"),
    [
        ("x = 1\nimport nowhere_at_all\n", "line 2: ModuleNotFoundError"),
        ("x = 1\ny = = 2\n", "line 2: SyntaxError"),
        ("import sys\nsys.exit(3)\n", "line 2: SystemExit: 3$"),
    ],
)
def test_an_import_that_fails_says_where_and_leaves_nothing(folder, code, where):
    inner = folder / "inner"
    inner.mkdir()
    (inner / "bad.py").write_text(code)
    before = [*sys.path]
    with pytest.raises(ImportError, match=rf"inner/bad.py:Agent .*{where}"):
        make("inner/bad.py:Agent", GAME)
    assert sys.path == before
    (inner / "bad.py").write_text(CODE)
    assert make("inner/bad.py:First", GAME)


def test_files_of_one_name_do_not_meet_and_each_is_run_once(folder):
    runs = folder / "runs.txt"
    for name in ("one", "two"):
        (folder / name).mkdir()
        code = f"with open({str(runs)!r}, 'a') as file: file.write({name!r})\n{CODE}\n"
        (folder / name / "agent.py").write_text(f"{code}class Agent(First): where = {name!r}\n")
    agents: list[Any] = [make(f"{name}/agent.py:Agent", GAME) for name in ("one", "two", "one")]
    assert [agent.where for agent in agents] == ["one", "two", "one"]
    assert runs.read_text() == "onetwo"
    assert type(agents[0]) is type(agents[2])
    assert "agent" not in sys.modules


def test_which_names_run_python(folder):
    players = ["random", "mine.py:A,x=1", "runs/first", "a.b:c", "greedy,samples=2", "a b:c"]
    assert names_running_python(players) == ["mine.py:A,x=1", "a.b:c"]
    (folder / "own_players:First").mkdir()  # of such a name, but a checkpoint
    assert AgentSpec.parse("own_players:First").python is None
    with pytest.raises(ValueError, match=r"card\.json"):
        make("own_players:First", GAME)


def test_a_record_runs_no_python_and_notices_that_the_code_has_changed(folder):
    """A record's agents may have been named by a stranger."""
    name = "planted.py:function"
    planted = folder / "planted.py"
    was_run = folder / "was_run"
    planted.write_text(f"import pathlib\npathlib.Path('was_run').touch()\n{CODE}")
    made = ["dataset", name, "random", "--game", GAME.name, "--players", "3", "--games", "3"]
    output_of(*made, "--out", "games")

    def forget():
        was_run.unlink()
        for module in [module for module in sys.modules if "planted" in module]:
            del sys.modules[module]

    forget()
    assert name in output_of("replay", "games", "--list")
    move = logged_moves(output_of("replay", "games", "--at", "1"))[0][2]
    instead = ["--at", "0", "--instead", move]
    answer = refusal_of("replay", "games", *instead)
    assert f"the record's agent '{name}' is Python code, which a record may not run" in answer
    assert f"name the agents yourself: {name} random random" in answer
    assert not was_run.exists()
    assert name in output_of("replay", "games", name, "random", *instead, "--continuations", "2")

    forget()
    planted.write_text(f"{planted.read_text()}# changed\n")
    assert name in refusal_of(*made, "--out", "games")


ENTRIES = {
    **{"of-the-game": "own_players.code:OfTheGame", "thing": "own_players.code:thing"},
    "random": "own_players.code:First",
}


@pytest.fixture
def registered(folder, monkeypatch):
    entries = [EntryPoint(name, value, naming.ENTRY_POINTS) for name, value in ENTRIES.items()]
    monkeypatch.setattr(naming, "entry_points", lambda group: entries)
    naming.installed_agents.cache_clear()
    yield
    naming.installed_agents.cache_clear()


def test_docs_and_help_describe_every_built_in_agent():
    docs = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    told = " ".join(output_of("evaluate", "--help").replace("│", " ").split())
    for name, agent in naming.BUILT_IN.items():
        assert f"| `{name}` | {agent.description}" in docs
        assert f"{name} ({agent.description})" in told


def test_a_registered_name_is_listed_and_makes_it_for_the_game_with_its_options(registered):
    assert names()[:5] == ("random", "greedy", "heuristic", "network", "search")
    assert sorted(names()[5:]) == sorted(ENTRIES.keys() - {"random"})
    assert names_running_python(["thing", "of-the-game,depth=3"]) == []
    agents: list[Any] = [make("of-the-game", GAME), make("of-the-game,depth=3", GAME)]
    agents.append(make("of-the-game", GAME, depth=3))
    assert [(agent.game, agent.depth) for agent in agents] == [(GAME, 2), (GAME, 3), (GAME, 3)]
    with pytest.raises(TypeError, match="'best'"):
        make("of-the-game,best=true", GAME)
    assert isinstance(make("random", GAME), RandomAgent), "a built-in name stays ours"
    assert type(make("thing", GAME)).__name__ == "First"


# -------------------------------------------------------------------------------------- checkpoints
@pytest.fixture
def bundled(tmp_path, monkeypatch):
    """The folder of the game's first bundled network; nothing is in it yet."""
    monkeypatch.setattr(checkpoint, "_BUNDLED", tmp_path / "checkpoints")
    return tmp_path / "checkpoints" / GAME.name / "1"


def test_older_bundled_networks_stay_and_the_newest_plays_by_default(bundled):
    """A folder more is all it takes; the tenth is newer than the ninth."""
    written = {
        f"network,greedy=false,version={version}": write_checkpoint(
            bundled.parent / version, GAME, k
        )
        for k, version in enumerate(("9", "1", "10"))
    }
    (bundled.parent / "drafts").mkdir()
    (bundled.parent / "11").touch()
    assert checkpoint.bundled_versions(GAME) == [1, 9, 10]
    for name, tensors in [*written.items(), ("network", [*written.values()][-1])]:
        agent = make(name, GAME)
        assert isinstance(agent, NetworkAgent)
        assert (agent.network.tensors["trunk.weight"] == tensors["trunk.weight"]).all()
    with pytest.raises(ValueError, match="1, 9, 10"):
        make("network,version=2", GAME)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("network,greed=false", "greedy"),
        ("search,second=1", "seconds"),
        ("search,rollouts=randm", "random"),
        ("serch", "search"),
    ],
)
def test_a_misspelled_name_option_or_value_is_answered_with_what_was_meant(name, meant):
    with pytest.raises((TypeError, ValueError), match=f"did you mean '{meant}'"):
        make(name, GAME)


def test_where_no_bundled_network_fits_the_heuristic_is_the_default(bundled, monkeypatch):
    assert default(GAME) == "heuristic"
    assert default(replace(GAME, name="chess")) == "random"
    with pytest.raises(ValueError, match=r"no network of .* is bundled: train one by"):
        make("network", GAME)
    with monkeypatch.context() as patch:
        patch.setitem(registry._in_files, GAME.name, "/my.py:GAME")
        with pytest.raises(ValueError, match=r"train --game /my\.py:GAME"):
            make("network", GAME)
    write_checkpoint(bundled, GAME)
    assert default(GAME) == "network"
    edit_card(bundled, layout_digest="0" * 64)
    for _ in ("other observations", "no card"):
        assert default(GAME) == "heuristic"
        with pytest.raises(CheckpointError):
            make("network", GAME)
        (bundled / "card.json").unlink(missing_ok=True)


def test_a_public_name_has_no_folders(tmp_path):
    folder = tmp_path / "odd,name=best"
    folder.mkdir()
    for name, public in {
        "search,simulations=16": "search,simulations=16",
        "package.module:Agent": "package.module:Agent",
        "/home/ann/my.py:Agent,depth=2": "my.py:Agent,depth=2",
        "search,network=/home/ann/best/": "search,network=best",
        str(folder): "odd,name=best",
    }.items():
        assert public_name(name) == public
