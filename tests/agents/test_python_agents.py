"""Agents named as Python: `my.py:NAME` and `package.module:NAME`."""

from __future__ import annotations

import multiprocessing
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import evaluate, make
from shakespeare_agents.naming import python_name, running_python
from shakespeare_agents.registry import digest_of
from shakespeare_env import registry
from shakespeare_env.agent import decide
from shakespeare_env.batch import Batch
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
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

class Ready(First):
    def __init__(self, depth=2):
        self.depth = depth

class Searching:
    def search(self, games, rng):
        return games.masks.argmax(axis=1)

def function(observations, masks, rng):
    return masks.argmax(axis=1)

def open_function(*arguments):
    return arguments[1].argmax(axis=1)

def factory(game, depth=1, more=2, *, last=False):
    return OfTheGame(game, depth=7)

def without(): return First()

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


@pytest.mark.parametrize("source", ["mine.py", "own_players.code"])
@pytest.mark.parametrize(
    "name",
    [
        *("First", "OfTheGame", "OfTheGame,depth=3", "Ready", "Searching", "function"),
        *("open_function", "factory", "factory,last=true", "without", "Holder.inner", "thing"),
    ],
)
def test_what_plays(folder, source, name):
    agent = make(f"{source}:{name}", GAME)
    batch = Batch(GAME.name, 3, players=4)
    chosen = decide(agent, batch, np.arange(3), generators(3))
    assert (chosen == batch.mask.argmax(axis=1)).all()


def test_the_game_and_options_arrive(folder):
    agent: Any = make("mine.py:OfTheGame,depth=4,share=1", GAME)
    assert (agent.game, agent.depth, agent.share) == (GAME, 4, 1.0)
    assert make("mine.py:factory", GAME).depth == 7  # type: ignore[union-attr]
    assert make("mine.py:Ready", GAME).depth == 2  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere.py:First", "there is no file 'nowhere.py'"),
        ("mine.py", "mine.py is a file; name an agent in it: mine.py:NAME"),
        ("mine.py:", "name an agent in it"),
        ("mine.py:Frist", r"mine.py has no 'Frist' \(did you mean 'First'\?\); it defines First, "),
        ("mine.py:Holder.other", "mine.py has no 'Holder.other'"),
        ("mine.py:number", "mine.py:number cannot play: it is 3; give an object with act()"),
        ("mine.py:two", "mine.py:two takes 2 positional arguments, (observations, masks); give"),
        ("mine.py:needs", "needs a default for its option 'depth'"),
        ("mine.py:nothing", "'an agent, I promise', which has neither act() nor search()"),
        ("mine.py:broken", "mine.py:broken makes no agent: {folder}/mine.py, line 41: KeyError"),
        (
            "mine.py:thing,depth=2",
            "mine.py:thing is an agent already; it takes no options: drop depth",
        ),
        ("mine.py:OfTheGame,depth", "the option 'depth' in 'mine.py:OfTheGame,depth' has no value"),
        ("mine.py:TooFew", "act(observations, masks) of the agent 'mine.py:TooFew' cannot be"),
        ("mine.py:Blind", "write search(self, games, rng)"),
        ("greedy,samples", "the option 'samples' in 'greedy,samples' has no value"),
        ("mine.py:function,depth=2", "mine.py:function is an agent already"),
        ("mine.py:OfTheGame,deep=2", "has no option 'deep'; its options: depth, share"),
        ("mine.py:OfTheGame,depth=x", "depth='x' of the agent 'mine.py:OfTheGame' must be of"),
        ("no_such.thing:First", "there is no module 'no_such', neither in this folder nor"),
        ("own_players.no:First", "there is no module 'own_players.no'"),
        ("own_players.code:Frist", "own_players.code has no 'Frist'"),
    ],
)
def test_what_does_not_is_refused_with_the_remedy(folder, name, said):
    said = said if "\\" in said else re.escape(said.format(folder=folder))
    with pytest.raises((ValueError, TypeError, ImportError), match=said):
        make(name, GAME)
    refused("evaluate", name, "--game", GAME.name)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1\nimport nowhere_at_all\n", "line 2: ModuleNotFoundError: .*; it is not installed"),
        ("x = 1\ny = = 2\n", "line 2: SyntaxError: invalid syntax$"),
        ("x = 1\n{}['x']\n", "line 2: KeyError: 'x'$"),
        ("import sys\nsys.exit(3)\n", "line 2: SystemExit: 3$"),
        ("from . import code\n", "line 1: ImportError"),
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
    (folder / "helping.py").write_text("from mine import First\n")
    before = [*sys.path]
    assert make("helping.py:First", GAME)
    assert make("own_players.lazy:Agent", GAME)
    assert sys.path == before
    del sys.modules["mine"]


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


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_an_agent_of_a_file_goes_to_another_process(folder, method):
    agent = make("mine.py:OfTheGame,depth=9", GAME)
    agent.game = None  # type: ignore[union-attr]
    assert type(pickle.loads(pickle.dumps(agent))) is type(agent)
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(depth_of, (agent,)) == 9


def test_a_folder_of_such_a_name_is_a_checkpoint(folder):
    assert python_name("own_players:First") is not None
    (folder / "own_players:First").mkdir()
    assert python_name("own_players:First") is None
    with pytest.raises(ValueError, match=r"card\.json"):
        make("own_players:First", GAME)


def test_which_names_run_python():
    players = ["random", "mine.py:A,x=1", "runs/first", "a.b:c", "greedy,samples=2", "a b:c"]
    assert running_python(players) == ["mine.py:A,x=1", "a.b:c"]


def test_the_digest_is_of_the_source_that_ran(folder):
    name = "mine.py:function"
    agent = make(name, GAME)
    assert len(digest_of(name, agent)) == 64
    other = folder / "other.py"
    other.write_text(CODE)
    assert digest_of("other.py:function", make("other.py:function", GAME)) == digest_of(name, agent)
    third = folder / "third.py"
    third.write_text(f"{CODE}# changed\n")
    assert digest_of("third.py:thing", make("third.py:thing", GAME)) != digest_of(name, agent)
    # Of both files where a module passes on what another defines.
    lazy = digest_of("own_players.lazy:Agent", make("own_players.lazy:Agent", GAME))
    code = digest_of("own_players.code:First", make("own_players.code:First", GAME))
    assert len({lazy, code, digest_of("random", make("random", GAME))}) == 3
    assert digest_of("random", make("random", GAME)) == ""


def test_it_plays_wherever_an_agent_is_named(folder):
    name = "mine.py:function"
    few = ["--game", GAME.name, "--players", "3"]
    assert f"│ {name} " in printed("evaluate", name, "random", *few, "--games", "3")
    assert f"({name})" in printed("watch", name, "random", *few, "--moves", "3")
    assert f"{name} plays seat 1" in printed("play", name, *few, input="")
    printed("dataset", name, "random", *few, "--games", "3", "--out", "games")
    shown = printed("replay", "games", "--list")
    assert name in shown
    move = moves_told(printed("replay", "games", "--at", "1"))[0][2]
    at = ["--at", "0", "--continuations", "2", "--instead", move]
    assert name in printed("replay", "games", name, "random", *at)
    games = SingleAgentBatch(GAME.name, 2, players=3, seed=1, opponents=name)
    assert len(games._opponents.lineup.agents) == 1
    assert evaluate([name, "random"], GAME.name, players=3, games=3)[name].games == 3


def test_a_record_runs_no_python(folder, tmp_path):
    """Its agents' names may be a stranger's."""
    planted = folder / "planted.py"
    planted.write_text(f"import pathlib\npathlib.Path('was_run').touch()\n{CODE}")
    few = ["--game", GAME.name, "--players", "3", "--games", "3", "--out", "games"]
    printed("dataset", "planted.py:function", "random", *few)
    (tmp_path / "was_run").unlink()
    for name in [name for name in sys.modules if "planted" in name]:
        del sys.modules[name]
    move = moves_told(printed("replay", "games", "--at", "1"))[0][2]
    said = refused("replay", "games", "--at", "0", "--instead", move)
    assert "the record's agent 'planted.py:function' is Python, which no record may run" in said
    assert "name the agents yourself: planted.py:function random random" in said
    assert not (tmp_path / "was_run").exists()
    few = ["--at", "0", "--continuations", "2"]
    printed("replay", "games", "random", *few, "--instead", move)
    assert not (tmp_path / "was_run").exists()


def test_a_dataset_notices_that_the_code_has_changed(folder):
    arguments = [
        "mine.py:function",
        "random",
        "--game",
        GAME.name,
        "--games",
        "3",
        "--out",
        "games",
    ]
    printed("dataset", *arguments)
    assert "is complete" in printed("dataset", *arguments)
    (folder / "mine.py").write_text(f"{CODE}# changed\n")
    for name in [name for name in sys.modules if name.endswith("mine%2Epy")]:
        del sys.modules[name]
    said = refused("dataset", *arguments)
    assert 'other weights or another source of "mine.py:function"' in said


def test_where_a_module_is_looked_for(folder):
    """First in the current folder, as for `python -m`."""
    (folder / "colorsys.py").write_text(CODE)
    before = sys.modules.pop("colorsys", None)
    try:
        assert make("colorsys:function", GAME)
        assert Path(str(sys.modules["colorsys"].__file__)).parent == folder
    finally:
        sys.modules.pop("colorsys", None)
        if before is not None:
            sys.modules["colorsys"] = before


def test_a_move_that_is_not_legal_is_told_with_who_chose_it(folder):
    code = "def illegal(observations, masks, rng):\n    return masks.argmin(axis=1)\n"
    (folder / "illegal.py").write_text(code)
    said = refused("evaluate", "illegal.py:illegal", "--game", GAME.name, "--games", "6")
    assert said.startswith("Error: illegal move ")
    assert said.endswith("The agent illegal.py:illegal chose it.")


@pytest.mark.parametrize("command", ["evaluate", "watch", "dataset"])
@pytest.mark.parametrize(
    ("name", "said", "frames"),
    [
        ("raising", "KeyError: 'x'", ["raising", "inner"]),
        ("through_numpy", "AxisError: axis 7", ["through_numpy"]),
        ("none", "ValueError: actions have shape ()", []),
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


def play_against(opponent):
    games = SingleAgentBatch(GAME.name, 2, players=3, seed=1, opponents=opponent)
    while True:
        games.step(games.action_masks().argmax(axis=1))


def test_from_python_a_fault_is_the_agents_own_with_a_note(folder):
    (folder / "failing.py").write_text(FAILING)
    with pytest.raises(KeyError, match="x") as caught:
        evaluate(["failing.py:raising", "random"], GAME.name, games=3)
    (note,) = caught.value.__notes__
    assert note.startswith("The agent failing.py:raising failed to decide in ")
    with pytest.raises(KeyError) as caught:
        play_against("failing.py:raising")
    assert caught.value.__notes__[0].startswith("The agent failing.py:raising failed")


def test_names_that_are_left_out_are_counted(folder):
    (folder / "many.py").write_text("".join(f"def f{n}(): ...\n" for n in range(13)))
    with pytest.raises(ValueError, match=r"it defines f0, .*f9 and 3 more$"):
        make("many.py:nothing", GAME)
