"""Agents are made from names, checkpoints, Python code and objects. Anything else is refused."""

import re
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import RandomAgent, default, make, names, naming
from shakespeare_agents.making import Entrant, entrants_of
from shakespeare_agents.naming import AgentSpec, names_running_python, public_name
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
        self.game = game
        self.depth = depth
        self.share = share

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

def four(game, seats, rounds, cards): ...
def needs(game, *, depth): ...
def nothing(game): return "an agent, I promise"
def broken(game):
    return {}["x"]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Enter a new folder with the same code in a file and in a package, and return its path."""
    package = tmp_path / "own_players"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "lazy.py").write_text("from .code import First as Agent\n")
    (package / "code.py").write_text(CODE)
    (tmp_path / "mine.py").write_text(CODE)
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
def test_python_code_plays_by_its_name_and_as_an_object(folder, name):
    (entrant,) = entrants_of([Entrant("x", name)], GAME)
    python = AgentSpec.parse(name).python
    assert python is not None
    for agent in (make(name, GAME), entrant.agent, make(load(python), GAME)):
        batch = Batch(GAME.name, 3, players=4)
        chosen = decide(agent, batch, np.arange(3), generators(3))
        assert (chosen == batch.mask.argmax(axis=1)).all()


@pytest.mark.parametrize(
    ("player", "part_of_message"),
    [
        ("nowhere.py:First", "nowhere.py"),
        ("mine.py:Frist", "did you mean 'First'"),
        ("mine.py:number", "it is 3"),
        ("mine.py:four", "(game, seats, rounds, cards)"),
        ("mine.py:needs", "'depth'"),
        ("mine.py:nothing", "an agent, I promise"),
        ("mine.py:broken", "mine.py, line 35: KeyError"),
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
def test_a_player_that_cannot_play_is_refused(folder, player, part_of_message):
    with pytest.raises((ValueError, TypeError, ImportError), match=re.escape(part_of_message)):
        make(player, GAME)


@pytest.mark.parametrize(
    ("code", "where"),
    [
        ("x = 1\nimport nowhere_at_all\n", "line 2: ModuleNotFoundError"),
        ("x = 1\ny = = 2\n", "line 2: SyntaxError"),
        ("import sys\nsys.exit(3)\n", "line 2: SystemExit: 3$"),
    ],
)
def test_a_failing_import_says_where_it_fails_and_can_be_repeated(folder, code, where):
    inner = folder / "inner"
    inner.mkdir()
    (inner / "bad.py").write_text(code)
    path_before = [*sys.path]
    with pytest.raises(ImportError, match=rf"inner/bad.py:Agent .*{where}"):
        make("inner/bad.py:Agent", GAME)
    assert sys.path == path_before
    (inner / "bad.py").write_text(CODE)
    assert make("inner/bad.py:First", GAME)


def test_files_with_the_same_name_are_separate_modules_and_each_is_run_once(folder):
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


def test_names_that_run_python_are_found(folder):
    players = ["random", "mine.py:A,x=1", "runs/first", "a.b:c", "greedy,samples=2", "a b:c"]
    assert names_running_python(players) == ["mine.py:A,x=1", "a.b:c"]


def test_an_existing_folder_is_a_checkpoint_even_if_its_name_looks_like_python(folder):
    (folder / "own_players:First").mkdir()
    assert AgentSpec.parse("own_players:First").python is None
    with pytest.raises(ValueError, match=r"card\.json"):
        make("own_players:First", GAME)


def test_a_record_runs_no_python_and_notices_that_the_code_has_changed(folder):
    """A stranger may have named the agents in a record."""
    name = "planted.py:function"
    planted = folder / "planted.py"
    was_run = folder / "was_run"
    planted.write_text(f"import pathlib\npathlib.Path('was_run').touch()\n{CODE}")
    agents_and_games = [name, "random", "--game", GAME.name, "--players", "3", "--games", "3"]
    command = ["dataset", *agents_and_games, "--out", "games"]
    output_of(*command)

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
    assert name in refusal_of(*command)


ENTRIES = {
    "of-the-game": "own_players.code:OfTheGame",
    "thing": "own_players.code:thing",
    "random": "own_players.code:First",
}


@pytest.fixture
def registered(folder, monkeypatch):
    """Register the agents of `ENTRIES`, as an installed distribution would."""
    entries = [EntryPoint(name, value, naming.ENTRY_POINTS) for name, value in ENTRIES.items()]
    monkeypatch.setattr(naming, "entry_points", lambda group: entries)
    naming.installed_agents.cache_clear()
    yield
    naming.installed_agents.cache_clear()


def test_docs_and_help_describe_every_built_in_agent():
    docs = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    help_text = " ".join(output_of("evaluate", "--help").replace("│", " ").split())
    for name, agent in naming.BUILT_IN.items():
        assert f"| `{name}` | {agent.description}" in docs
        assert f"{name} ({agent.description})" in help_text


def test_registered_names_are_listed_after_built_in_ones_and_trusted(registered):
    assert names()[:5] == ("random", "greedy", "heuristic", "network", "search")
    assert sorted(names()[5:]) == sorted(ENTRIES.keys() - {"random"})
    assert names_running_python(["thing", "of-the-game,depth=3"]) == []
    assert isinstance(make("random", GAME), RandomAgent), "a built-in name takes precedence"


def test_a_registered_agent_is_made_for_the_game_with_its_options(registered):
    agents: list[Any] = [
        make("of-the-game", GAME),
        make("of-the-game,depth=3", GAME),
        make("of-the-game", GAME, depth=3),
    ]
    assert [(agent.game, agent.depth) for agent in agents] == [(GAME, 2), (GAME, 3), (GAME, 3)]
    with pytest.raises(TypeError, match="'best'"):
        make("of-the-game,best=true", GAME)
    assert type(make("thing", GAME)).__name__ == "First"


# -------------------------------------------------------------------------------------- checkpoints
@pytest.fixture
def bundled(tmp_path, monkeypatch):
    """Return the folder of the game's only bundled network, which does not exist yet."""
    monkeypatch.setattr(checkpoint, "_BUNDLED", tmp_path / "checkpoints")
    return tmp_path / "checkpoints" / GAME.name / "1"


def test_older_bundled_networks_stay_and_the_newest_plays_by_default(bundled):
    """Adding a folder adds a version, and version 10 is newer than version 9."""
    versions = bundled.parent
    written = {}
    for seed, version in enumerate(("9", "1", "10")):
        tensors = write_checkpoint(versions / version, GAME, seed)
        written[f"network,greedy=false,version={version}"] = tensors
        written["network"] = tensors  # overwritten, so that version 10 stays
    (versions / "drafts").mkdir()
    (versions / "11").touch()
    assert checkpoint.bundled_versions(GAME) == [1, 9, 10]
    for name, tensors in written.items():
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
def test_for_a_misspelled_name_option_or_value_the_right_one_is_suggested(name, meant):
    with pytest.raises((TypeError, ValueError), match=f"did you mean '{meant}'"):
        make(name, GAME)


def test_without_a_bundled_network_the_default_is_the_heuristic_or_else_random(bundled):
    assert default(GAME) == "heuristic"
    assert default(replace(GAME, name="chess")) == "random"


def test_without_a_bundled_network_the_error_gives_the_command_that_trains_one(
    bundled, monkeypatch
):
    with pytest.raises(ValueError, match=r"no network of .* is bundled: train one by"):
        make("network", GAME)
    monkeypatch.setitem(registry._in_files, GAME.name, "/my.py:GAME")
    with pytest.raises(ValueError, match=r"train --game /my\.py:GAME"):
        make("network", GAME)


def test_a_bundled_network_is_the_default_unless_it_does_not_fit_or_is_damaged(bundled):
    write_checkpoint(bundled, GAME)
    assert default(GAME) == "network"

    def assert_unusable():
        assert default(GAME) == "heuristic"
        with pytest.raises(CheckpointError):
            make("network", GAME)

    edit_card(bundled, layout_digest="0" * 64)
    assert_unusable()
    (bundled / "card.json").unlink()
    assert_unusable()


@pytest.mark.parametrize(
    ("name", "public"),
    [
        ("search,simulations=16", "search,simulations=16"),
        ("package.module:Agent", "package.module:Agent"),
        ("/home/ann/my.py:Agent,depth=2", "my.py:Agent,depth=2"),
        ("search,network=/home/ann/best/", "search,network=best"),
    ],
)
def test_a_public_name_has_no_folders(name, public):
    assert public_name(name) == public


def test_the_public_name_of_an_existing_folder_is_the_folder_s_name(tmp_path):
    folder = tmp_path / "odd,name=best"
    folder.mkdir()
    assert public_name(str(folder)) == "odd,name=best"
