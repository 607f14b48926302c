"""An agent is the same under every name, and another as soon as it would play otherwise."""

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
from tests.workers.agents_for_tests import Held

GAME = registry.game(registry.DEFAULT)
FIGARO = registry.game("figaro")
MINE = "class A:\n    def __init__(self, *, x=1): self.x = x\n"
MINE += "    def act(self, o, m, r): return m.argmax(1)\nthing = A()\n"


def digest(text, game=GAME):
    return agent_digest(text, make(text, game), game)


def test_options_weights_and_games_make_another_agent_but_names_and_threads_do_not():
    texts = [
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
    assert len({digest(text) for text in texts}) == len(texts)
    assert digest(str(bundled_checkpoint(GAME, 1))) == digest("network,version=1")
    assert digest("search,threads=2") == digest("search,horizon=end") == digest("search")
    assert digest("search", FIGARO) == digest(f"search,horizon={FIGARO.forecast_horizon}", FIGARO)
    assert digest("random", FIGARO) != digest("random")


def test_digests_that_kept_games_carry():
    kept = {
        "random": "2d10a85564410b46",
        "greedy": "f1ee7246b1fd6fe2",
        "heuristic": "ed93c345ce98ed29",
        "network,version=1": "aa4754947db21671",
        "search,version=1": "205b58685dff10e9",
    }
    assert {text: digest(text, FIGARO) for text in kept} == kept


def test_named_python_is_known_by_its_source_options_and_version(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    Path("same.py").write_text(MINE)
    Path("other.py").write_text(MINE + "# changed\n")
    Path("passed_on.py").write_text("from mine import A\n")
    Path("numbered.py").write_text(MINE + "A.version = 2\n")
    different = ["mine.py:A", "mine.py:A,x=2", "mine.py:thing", "other.py:A", "passed_on.py:A"]
    different.append("numbered.py:A")
    before = [digest(name) for name in different]
    assert len(set(before)) == len(different)
    assert digest("same.py:A") == before[0]
    Path("mine.py").write_text("what is edited while it plays counts once it runs")
    assert digest("mine.py:A") == before[0]


def test_what_ones_own_code_imports_is_part_of_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("importing.py").write_text(f"from between_ import *\n{MINE}")
    Path("between_.py").write_text("def later(): import deep_\nimport deep_\n")
    Path("deep_.py").write_text("X = 1\n")

    def digests():
        return digest("importing.py:A"), agent_digest(player, make(player, GAME), GAME)

    deep: Any = importlib.import_module("deep_")
    player = lambda o, m, r: m.argmax(1) + deep.X  # noqa: E731
    before = digests()
    deep.X = 2
    named, held = digests()
    assert named == before[0]
    assert held != before[1]
    deep.X = 1
    assert digests() == before
    Path("deep_.py").write_text("X = 2\n")
    assert not set(digests()) & set(before)


def test_files_and_versions_make_another_agent_unless_its_own_options_are_called_so(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    Path("mine.pt").write_bytes(b"1")
    Path("reading.py").write_text(MINE + "A.files = thing.files = ['mine.pt']\n")
    Path("taking.py").write_text(MINE.replace("x=1", "version=1").replace("= x", "= version"))
    reading = ["mine.py:A,files=mine.pt", "reading.py:A", "reading.py:thing,version=2"]
    different = [*reading, "mine.py:A", "mine.py:A,version=1", "mine.py:A,version=2"]
    before = list(map(digest, different))
    assert len(set(before)) == len(different)
    assert vars(make("taking.py:A,version=2", GAME)) == {"x": 2}
    assert vars(make_verified_agent(reading[0], before[0], GAME)) == {"x": 1}
    Path("mine.pt").rename("same.pt")
    assert digest("mine.py:A,files=same.pt") == before[0]
    Path("mine.pt").write_bytes(b"2")
    changed = list(map(digest, different))
    assert not set(changed[:3]) & set(before)
    assert changed[3:] == before[3:]
    for name, fault in (("files=gone.pt", "no file 'gone.pt'"), ("files=mine.pt", "another one")):
        with pytest.raises(WorkerError, match=fault):
            make_verified_agent(f"mine.py:A,{name}", before[0], GAME)


OBJECTS = """
import functools, numpy as np
from shakespeare_agents import make
from shakespeare_agents.identity import agent_digest
from shakespeare_env.core import registry
class Mine:
    def __init__(self, x): self.names, self.weights, self.me = {"a", "b", "c"}, np.full(3, x), self
    def act(self, o, m, r): return m.argmax(1) + helped()
def helped(): return TABLE["a"]
def player(x, o, m, r): return m.argmax(1) + x
def closed(x): return lambda o, m, r: m.argmax(1) in {"p", "q"} or x
game = registry.game("figaro")
for x in (1, 2):
    TABLE = {"a": x * 5}
    for one in (Mine(x), Mine(x).act, Mine(0), closed(x), functools.partial(player, x)):
        print(agent_digest(one, make(one, game), game))
"""


def test_objects_are_known_by_their_state_in_every_process():
    printed = []
    for seed in "12":
        command = [sys.executable, "-c", OBJECTS]
        env = {**os.environ, "PYTHONHASHSEED": seed}
        printed.append(subprocess.check_output(command, env=env, text=True).split())
    assert printed[0] == printed[1]
    assert len(set(printed[0])) == 10


def test_what_cannot_be_known_is_kept_nowhere_unless_it_has_a_version(tmp_path):
    agents: list[Any] = [Held(), Held()]
    config = ArenaConfig.of(
        game="figaro", agents=[{"name": f"{i}", "agent": agents[i]} for i in (0, 1)]
    )
    with pytest.raises(TypeError, match=r"Held could not be told .*'generator'.*a `version`"):
        write_dataset(tmp_path, entrants_of([*agents, "random"], FIGARO), "figaro", games=3)
    with (
        pytest.raises(ArenaError, match="'0': Held could not be told"),
        open_contenders(config, FIGARO),
    ):
        pass
    agents[0].version = 1
    agents[1].version = 2
    with open_contenders(config, FIGARO) as played:
        assert len(played) == 2
