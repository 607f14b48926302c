"""An agent is the same under every name, and another as soon as it would play otherwise."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shakespeare_agents import make
from shakespeare_agents.identity import (
    _from_anywhere,
    agent_digest,
    code_digest,
    digest_of,
    named_agent,
)
from shakespeare_agents.naming import entrants_of
from shakespeare_agents.networks.checkpoint import bundled_checkpoint
from shakespeare_arena.dataset import write_dataset
from shakespeare_arena.field import Field, contenders
from shakespeare_env.core import registry
from shakespeare_env.errors import ArenaError, WorkerError
from tests.workers.agents_for_tests import Held

GAME, FIGARO = registry.game(registry.DEFAULT), registry.game("figaro")
MINE = "class A:\n    def __init__(self, *, x=1): self.x = x\n"
MINE += "    def act(self, o, m, r): return m.argmax(1)\n"


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """The current folder, with an agent of one's own."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)


def digest(text, game=GAME):
    return agent_digest(text, make(text, game), game)


def test_options_weights_and_games_make_another_agent_but_names_and_threads_do_not():
    texts = [
        *["random", "greedy", "greedy,samples=2", "heuristic"],
        *["network", "network,greedy=false", "network,version=1"],
        *["search", "search,simulations=2", "search,version=1", "search,rollouts=heuristic"],
        *["search,rollouts=heuristic,simulations=2", "search,utility=win"],
        *["search,considered=3", "search,temperature=0.5"],
    ]
    assert len({digest(text) for text in texts}) == len(texts)
    assert digest(str(bundled_checkpoint(GAME, 1))) == digest("network,version=1")
    assert digest("search,threads=2") == digest("search,horizon=end") == digest("search")
    figaro = registry.game("figaro")
    assert digest("search", figaro) == digest(f"search,horizon={figaro.forecast_horizon}", figaro)
    assert digest("random", figaro) != digest("random")


def test_digests_that_kept_games_carry(own_folder):
    texts = ["random", "greedy", "heuristic", "network,version=1", "search,version=1", "mine.py:A"]
    kept = "44c908a185d38d7c e0579aa8b2c4b1a9 f0294c17712fea7c ebcd4a7f29ef2596"
    kept += " d46d8958d4254696 873f5c968bf62ac6"
    assert [digest(text, FIGARO) for text in texts] == kept.split()


def test_files_and_versions_make_another_agent_unless_its_own_options_are_called_so(own_folder):
    Path("mine.pt").write_bytes(b"1")
    Path("taking.py").write_text(MINE.replace("x=1", "version=1").replace("= x", "= version"))
    name = "mine.py:A,files=mine.pt"
    named = [name, "mine.py:A", "mine.py:A,version=1", "mine.py:A,version=2"]
    before, kept = [*map(digest, named)], digest_of(name, make(name, GAME), name, GAME)
    assert len(set(before)) == len(named)
    assert vars(make("taking.py:A,version=2", GAME)) == {"x": 2}
    assert named_agent(_from_anywhere(name), before[0], GAME)
    Path("mine.pt").write_bytes(b"2")
    assert digest(name) != before[0]
    assert digest_of(name, make(name, GAME), name, GAME) != kept
    with pytest.raises(WorkerError, match=r"no file 'gone\.pt'"):
        named_agent("mine.py:A,files=gone.pt", before[0], GAME)


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
    found = []
    for seed in "12":
        command, env = [sys.executable, "-c", OBJECTS], {**os.environ, "PYTHONHASHSEED": seed}
        found.append(subprocess.check_output(command, env=env, text=True).split())
    assert found[0] == found[1]
    assert len(set(found[0])) == 10


def test_what_cannot_be_known_is_kept_nowhere_unless_it_has_a_version(tmp_path):
    agents: list[Any] = [Held(), Held()]
    field = Field.of(game="figaro", agents=[{"name": f"{i}", "agent": agents[i]} for i in (0, 1)])
    with pytest.raises(TypeError, match=r"Held could not be told .*'generator'.*a `version`"):
        write_dataset(tmp_path, entrants_of([*agents, "random"], FIGARO), "figaro", games=3)
    with pytest.raises(ArenaError, match="'0': Held could not be told"), contenders(field, FIGARO):
        pass
    agents[0].version, agents[1].version = 1, 2
    with contenders(field, FIGARO) as played:
        assert len(played) == 2


@pytest.mark.parametrize(
    ("source", "is_same"),
    [
        ('def f(x):\n    "Says more."\n\n    # why\n    return (x + 0)\n', True),
        ("from os import path\n\ndef f(x):\n    import re\n    return x+0\n", True),
        ("def f(x):\n    return x + 1\n", False),
        ("def f(x):\n    return x + False\n", False),
        ('def f(x):\n    print("doc")\n    return x + 0\n', False),
    ],
)
def test_code_without_what_does_nothing(tmp_path, source, is_same):
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text('def f(x):\n    "doc"\n    return x+0\n')
    other.write_text(source)
    assert (code_digest([one]) == code_digest([other])) is is_same
