"""An agent has one digest under all its names, and another one if it would play differently."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shakespeare_agents import make
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.naming import entrants_of
from shakespeare_agents.networks.checkpoint import bundled_checkpoint
from shakespeare_agents.travel import make_verified_agent
from shakespeare_arena.config import ArenaConfig, open_contenders
from shakespeare_arena.dataset import write_dataset
from shakespeare_env.core import registry
from shakespeare_env.errors import ArenaError, WorkerError
from tests.workers.agents_for_tests import Unpicklable

GAME = registry.game(registry.DEFAULT)
FIGARO = registry.game("figaro")
MINE = """
class A:
    def __init__(self, *, x=1): self.x = x
    def act(self, o, m, r): return m.argmax(1)
thing = A()
"""


def digest(text, game=GAME):
    return agent_digest(text, make(text, game), game)


def test_options_that_change_play_change_the_digest():
    names = [
        "random",
        "greedy",
        "greedy,samples=2",
        "heuristic",
        "network",
        "network,greedy=false",
        "network,version=1",
        "search",
        "search,simulations=2",
        "search,version=1",
        "search,rollouts=heuristic",
        "search,rollouts=heuristic,simulations=2",
        "search,utility=win",
        "search,considered=3",
        "search,temperature=0.5",
    ]
    assert len({digest(name) for name in names}) == len(names)


def test_each_game_has_an_agent_of_its_own():
    assert digest("random", FIGARO) != digest("random")


def test_other_names_of_the_same_agent_keep_the_digest():
    assert digest(str(bundled_checkpoint(GAME, 1))) == digest("network,version=1")
    assert digest("search,threads=2") == digest("search,horizon=end") == digest("search")
    assert digest("search", FIGARO) == digest(f"search,horizon={FIGARO.forecast_horizon}", FIGARO)


def test_digests_are_those_in_stored_games():
    stored = {
        "random": "2d10a85564410b46",
        "greedy": "f1ee7246b1fd6fe2",
        "heuristic": "ed93c345ce98ed29",
        "network,version=1": "aa4754947db21671",
        "search,version=1": "205b58685dff10e9",
    }
    assert {name: digest(name, FIGARO) for name in stored} == stored


def test_the_digest_of_named_python_covers_source_options_and_version(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    Path("same.py").write_text(MINE)
    Path("other.py").write_text(MINE + "# changed\n")
    Path("importing.py").write_text("from mine import A\n")
    Path("numbered.py").write_text(MINE + "A.version = 2\n")
    different = [
        "mine.py:A",
        "mine.py:A,x=2",
        "mine.py:thing",
        "other.py:A",
        "importing.py:A",
        "numbered.py:A",
    ]
    before = [digest(name) for name in different]
    assert len(set(before)) == len(different)
    assert digest("same.py:A") == before[0]
    Path("mine.py").write_text("an edit counts only when the file is imported again")
    assert digest("mine.py:A") == before[0]


def test_the_digest_covers_the_code_that_a_users_module_imports(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("importing.py").write_text(f"from between_ import *\n{MINE}")
    Path("between_.py").write_text("def later(): import deep_\nimport deep_\n")
    Path("deep_.py").write_text("X = 1\n")

    deep: Any = importlib.import_module("deep_")
    player = lambda o, m, r: m.argmax(1) + deep.X  # noqa: E731

    def digest_of_player():
        return agent_digest(player, make(player, GAME), GAME)

    of_name = digest("importing.py:A")
    of_player = digest_of_player()
    deep.X = 2
    assert digest("importing.py:A") == of_name
    assert digest_of_player() != of_player
    deep.X = 1
    assert digest_of_player() == of_player
    Path("deep_.py").write_text("X = 2\n")
    assert digest("importing.py:A") != of_name
    assert digest_of_player() != of_player


WITH_FILE = ["mine.py:A,files=mine.pt", "reading.py:A", "reading.py:thing,version=2"]
WITHOUT_FILE = ["mine.py:A", "mine.py:A,version=1", "mine.py:A,version=2"]


@pytest.fixture
def folder_with_files(tmp_path, monkeypatch):
    """Enter a folder with an agent, a file of weights, and an agent that declares this file."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    Path("mine.pt").write_bytes(b"1")
    Path("reading.py").write_text(MINE + "A.files = thing.files = ['mine.pt']\n")


def test_the_digest_covers_versions_and_the_content_of_files(folder_with_files):
    with_file = list(map(digest, WITH_FILE))
    without_file = list(map(digest, WITHOUT_FILE))
    assert len({*with_file, *without_file}) == len(WITH_FILE) + len(WITHOUT_FILE)
    Path("mine.pt").rename("same.pt")
    assert digest("mine.py:A,files=same.pt") == with_file[0]
    Path("mine.pt").write_bytes(b"2")
    assert not {*map(digest, WITH_FILE)} & {*with_file, *without_file}
    assert list(map(digest, WITHOUT_FILE)) == without_file


def test_a_worker_refuses_an_agent_whose_files_are_missing_or_changed(folder_with_files):
    name = "mine.py:A,files=mine.pt"
    before = digest(name)
    assert vars(make_verified_agent(name, before, GAME)) == {"x": 1}
    with pytest.raises(WorkerError, match=r"no file 'gone\.pt'"):
        make_verified_agent("mine.py:A,files=gone.pt", before, GAME)
    Path("mine.pt").write_bytes(b"2")
    with pytest.raises(WorkerError, match="another one"):
        make_verified_agent(name, before, GAME)


def test_an_agent_may_have_an_option_version_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("taking.py").write_text(MINE.replace("x=1", "version=1").replace("= x", "= version"))
    assert vars(make("taking.py:A,version=2", GAME)) == {"x": 2}


OBJECTS = """
import functools, numpy as np
from shakespeare_agents import make
from shakespeare_agents.identity import agent_digest
from shakespeare_env.core import registry
class Mine:
    def __init__(self, x):
        self.names = {"a", "b", "c"}
        self.weights = np.full(3, x)
        self.myself = self
    def act(self, o, m, r): return m.argmax(1) + read_table()
def read_table(): return TABLE["a"]
def player(x, o, m, r): return m.argmax(1) + x
def closure(x): return lambda o, m, r: m.argmax(1) in {"p", "q"} or x
game = registry.game("figaro")
for x in (1, 2):
    TABLE = {"a": x * 5}
    for agent in (Mine(x), Mine(x).act, Mine(0), closure(x), functools.partial(player, x)):
        print(agent_digest(agent, make(agent, game), game))
"""


def test_the_digest_of_an_object_covers_its_state_and_is_the_same_in_every_process():
    digests = []
    for hash_seed in ("1", "2"):
        command = [sys.executable, "-c", OBJECTS]
        env = {**os.environ, "PYTHONHASHSEED": hash_seed}
        digests.append(subprocess.check_output(command, env=env, text=True).split())
    assert digests[0] == digests[1]
    assert len(set(digests[0])) == 10


def test_games_of_an_agent_without_a_digest_are_not_stored_unless_it_has_a_version(tmp_path):
    agents: list[Any] = [Unpicklable(), Unpicklable()]
    config = ArenaConfig.of(
        game="figaro", agents=[{"name": "0", "agent": agents[0]}, {"name": "1", "agent": agents[1]}]
    )
    with pytest.raises(
        TypeError, match=r"Unpicklable could not be told .*'generator'.*a `version`"
    ):
        write_dataset(tmp_path, entrants_of([*agents, "random"], FIGARO), "figaro", games=3)
    with (
        pytest.raises(ArenaError, match="'0': Unpicklable could not be told"),
        open_contenders(config, FIGARO),
    ):
        pass
    agents[0].version = 1
    agents[1].version = 2
    with open_contenders(config, FIGARO) as contenders:
        assert len(contenders) == 2
