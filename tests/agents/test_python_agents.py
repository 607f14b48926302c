"""Agents named as Python: `my.py:NAME` and `package.module:NAME`."""

import multiprocessing
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import make
from shakespeare_agents.identity import digest_of
from shakespeare_agents.naming import python_name, running_python
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.play.agent import decide
from tests.contract.command_line import moves_told, printed, refused, run
from tests.generators import generators

GAME = registry.game("figaro")
CODE = """
import numpy as np

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

class TooFew:
    def act(self, observations, masks): ...
class Blind:
    def search(self, games): ...
"""
FAILING = """
import numpy as np
def raising(observations, masks, rng):
    return inner()
def inner():
    return {}["x"]
def through_numpy(observations, masks, rng):
    return np.argmax(masks, axis=7)
def none(observations, masks, rng): ...
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with the same code as a file and in a package."""
    (tmp_path / "mine.py").write_text(CODE)
    package = tmp_path / "own_players"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "lazy.py").write_text("from .code import First as Agent\n")
    (package / "code.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("own_players")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "name",
    [
        *("mine.py:First", "mine.py:OfTheGame,depth=3", "mine.py:Searching", "mine.py:function"),
        *("mine.py:open_function", "mine.py:factory,last=true", "mine.py:Holder.inner"),
        *("mine.py:thing", "own_players.code:OfTheGame", "own_players.lazy:Agent"),
    ],
)
def test_what_plays(folder, name):
    agent = make(name, GAME)
    batch = Batch(GAME.name, 3, players=4)
    chosen = decide(agent, batch, np.arange(3), generators(3))
    assert (chosen == batch.mask.argmax(axis=1)).all()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere.py:First", "there is no file 'nowhere.py'"),
        ("mine.py:Frist", "mine.py has no 'Frist' (did you mean 'First'?); it defines First, "),
        ("mine.py:number", "mine.py:number cannot play: it is 3; give an object with act()"),
        ("mine.py:two", "mine.py:two takes 2 positional arguments, (observations, masks); give"),
        ("mine.py:needs", "needs a default for its option 'depth'"),
        ("mine.py:nothing", "'an agent, I promise', which has neither act() nor search()"),
        ("mine.py:broken", "mine.py:broken makes no agent: {folder}/mine.py, line 35: KeyError"),
        ("mine.py:thing,depth=2", "mine.py:thing is an agent already; it takes no options: drop"),
        ("mine.py:OfTheGame,depth", "the option 'depth' in 'mine.py:OfTheGame,depth' has no value"),
        ("mine.py:OfTheGame,depth=x", "depth='x' of the agent 'mine.py:OfTheGame' must be of"),
        ("mine.py:TooFew", "act(observations, masks) of the agent 'mine.py:TooFew' cannot be"),
        ("mine.py:Blind", "write search(self, games, rng)"),
        ("no_such.thing:First", "there is no module 'no_such', neither in this folder nor"),
    ],
)
def test_what_does_not_is_refused_with_the_remedy(folder, name, said):
    said = re.escape(said.format(folder=folder))
    with pytest.raises((ValueError, TypeError, ImportError), match=said):
        make(name, GAME)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1\nimport nowhere_at_all\n", "line 2: ModuleNotFoundError: .*; it is not installed"),
        ("x = 1\ny = = 2\n", "line 2: SyntaxError: invalid syntax$"),
        ("import sys\nsys.exit(3)\n", "line 2: SystemExit: 3$"),
        ("import beside\n", r"'beside'; run the command in the folder that holds beside\.py"),
    ],
)
def test_an_import_that_fails_says_where_and_leaves_nothing(folder, code, said):
    inner = folder / "inner"
    inner.mkdir()
    (inner / "beside.py").write_text("")
    (inner / "bad.py").write_text(code)
    before = [*sys.path]
    with pytest.raises(ImportError, match=rf"inner/bad.py:Agent cannot be imported: .*{said}"):
        make("inner/bad.py:Agent", GAME)
    assert sys.path == before
    (inner / "bad.py").write_text(CODE)
    assert make("inner/bad.py:First", GAME)


def test_what_stands_in_the_current_folder_can_be_imported_and_its_path_does_not_stay(folder):
    """First in the current folder, as for `python -m`."""
    (folder / "helping.py").write_text("from mine import First\n")
    (folder / "colorsys.py").write_text(CODE)
    path, known = [*sys.path], sys.modules.pop("colorsys", None)
    try:
        assert make("helping.py:First", GAME)
        assert make("colorsys:function", GAME)
        assert Path(str(sys.modules["colorsys"].__file__)).parent == folder
    finally:
        for name in ("mine", "colorsys"):
            sys.modules.pop(name, None)
        if known is not None:
            sys.modules["colorsys"] = known
    assert sys.path == path


def test_files_of_one_name_do_not_meet_and_each_is_run_once(folder):
    runs = folder / "runs.txt"
    for name in ("one", "two"):
        (folder / name).mkdir()
        code = f"with open({str(runs)!r}, 'a') as file: file.write({name!r})\n"
        code += f"class Agent:\n    where = {name!r}\n"
        (folder / name / "agent.py").write_text(f"{code}    def act(self, o, m, r): ...\n")
    agents: list[Any] = [make(f"{name}/agent.py:Agent", GAME) for name in ("one", "two", "one")]
    assert [agent.where for agent in agents] == ["one", "two", "one"]
    assert runs.read_text() == "onetwo"
    assert type(agents[0]) is type(agents[2])
    assert "agent" not in sys.modules


def depth_of(agent):
    return agent.depth


def test_an_agent_of_a_file_has_its_game_and_options_in_another_process_too(folder):
    agent: Any = make("mine.py:OfTheGame,depth=9,share=1", GAME)
    assert (agent.game, agent.depth, agent.share) == (GAME, 9, 1.0)
    agent.game = None
    assert type(pickle.loads(pickle.dumps(agent))) is type(agent)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(depth_of, (agent,)) == 9


def test_which_names_run_python(folder):
    players = ["random", "mine.py:A,x=1", "runs/first", "a.b:c", "greedy,samples=2", "a b:c"]
    assert running_python(players) == ["mine.py:A,x=1", "a.b:c"]
    (folder / "own_players:First").mkdir()  # of such a name, but a checkpoint
    assert python_name("own_players:First") is None
    with pytest.raises(ValueError, match=r"card\.json"):
        make("own_players:First", GAME)


def test_the_digest_is_of_the_source_that_ran(folder):
    def digest(name):
        return digest_of(name, make(name, GAME))

    (folder / "other.py").write_text(CODE)
    (folder / "third.py").write_text(f"{CODE}# changed\n")
    assert len(digest("mine.py:function")) == 64
    assert digest("other.py:function") == digest("mine.py:function") != digest("third.py:thing")
    # Of both files where a module passes on what another defines.
    assert digest("own_players.lazy:Agent") != digest("own_players.code:First")
    assert digest("random") == ""


def test_a_record_runs_no_python_and_notices_that_the_code_has_changed(folder):
    """Its agents' names may be a stranger's."""
    name, planted, was_run = "planted.py:function", folder / "planted.py", folder / "was_run"
    planted.write_text(f"import pathlib\npathlib.Path('was_run').touch()\n{CODE}")
    made = ["dataset", name, "random", "--game", GAME.name, "--players", "3", "--games", "3"]
    printed(*made, "--out", "games")
    assert "is complete" in printed(*made, "--out", "games")

    def forget():
        was_run.unlink()
        for module in [module for module in sys.modules if "planted" in module]:
            del sys.modules[module]

    forget()
    assert name in printed("replay", "games", "--list")
    move = moves_told(printed("replay", "games", "--at", "1"))[0][2]
    instead = ["--at", "0", "--instead", move]
    said = refused("replay", "games", *instead)
    assert f"the record's agent '{name}' is Python, which no record may run" in said
    assert f"name the agents yourself: {name} random random" in said
    assert not was_run.exists()
    assert name in printed("replay", "games", name, "random", *instead, "--continuations", "2")

    forget()
    planted.write_text(f"{planted.read_text()}# changed\n")
    said = refused(*made, "--out", "games")
    assert f"weights or source of {name}" in said


def test_a_move_that_is_not_legal_is_told_with_who_chose_it(folder):
    code = "def illegal(observations, masks, rng):\n    return masks.argmin(axis=1)\n"
    (folder / "illegal.py").write_text(code)
    said = refused("evaluate", "illegal.py:illegal", "--game", GAME.name, "--games", "6")
    assert said.startswith("Error: illegal move ")
    assert said.endswith("The agent illegal.py:illegal chose it.")


@pytest.mark.parametrize(
    ("command", "name", "said", "frames"),
    [
        ("evaluate", "raising", "KeyError: 'x'", ["raising", "inner"]),
        ("watch", "through_numpy", "AxisError: axis 7", ["through_numpy"]),
        ("dataset", "none", "ValueError: actions have shape ()", []),
    ],
)
def test_an_agent_that_fails_is_told_in_a_line_and_its_own_frames(
    folder, command, name, said, frames
):
    (folder / "failing.py").write_text(FAILING)
    out = ["--out", "games"] if command == "dataset" else []
    done = run(command, f"failing.py:{name}", "random", "--game", GAME.name, *out)
    assert done.exit_code == 1
    first, *rest = done.stderr.strip().splitlines()
    assert re.match(rf"Error: The agent failing\.py:{name} failed to decide in \d+ games?: ", first)
    assert said in first
    shown = [line for line in rest if line.startswith("  File ")]
    assert [line.rsplit(" ", 1)[1] for line in shown] == frames
    assert all(str(folder / "failing.py") in line for line in shown)
