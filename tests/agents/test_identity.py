"""An agent is the same under every name, and another as soon as it would play otherwise."""

import functools
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from shakespeare_agents import make
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.naming import entrants_of
from shakespeare_agents.networks.checkpoint import bundled_checkpoint
from shakespeare_agents.travel import make_verified_agent
from shakespeare_agents.workers import WorkerProcesses
from shakespeare_arena import evaluate
from shakespeare_arena.config import ArenaConfig, open_contenders
from shakespeare_arena.dataset import write_dataset
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_games
from shakespeare_env.errors import ArenaError, WorkerError
from tests.workers.agents_for_tests import Drawn, Held

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
    Path("mine.py").write_text(MINE.replace("x=1", "x=3"))
    assert digest("mine.py:A") not in before
    assert vars(make("mine.py:A", GAME)) == {"x": 3}


def test_a_make_verified_agent_is_another_one_once_a_module_that_its_code_imports_is_edited(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("importing.py").write_text(f"from between_ import *\n{MINE}")
    Path("between_.py").write_text("def later(): import deep_\n")
    Path("deep_.py").write_text("X = 1\n")
    before = digest("importing.py:A")
    Path("deep_.py").write_text("X = 2\n")
    assert digest("importing.py:A") != before
    Path("deep_.py").write_text("X = 1\n")
    assert digest("importing.py:A") == before


HELPED = "import helper_\ndef agent(observations, masks, rng): return helper_.choose(masks)\n"
FIRST = "def choose(masks): return masks.argmax(1)\n"
LAST = "def choose(masks): return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)\n"


@pytest.mark.parametrize("name", ["helped_.py:agent", "helped_:agent"])
def test_games_that_are_kept_are_played_by_the_code_on_the_disk(name, tmp_path, monkeypatch):
    """This process has imported the module before it is edited."""
    monkeypatch.chdir(tmp_path)
    Path("helped_.py").write_text(HELPED)
    kept = []
    for folder, code in (("before", FIRST), ("after", LAST), ("again", FIRST)):
        Path("helper_.py").write_text(code)
        write_dataset(
            Path(folder), entrants_of([name, "random", "random"], FIGARO), "figaro", games=3
        )
        games = read_games(folder).collect()
        kept.append((games["digests"][0][0], games["actions"].to_list()))
    before, after, again = kept
    assert before == again
    assert before[0] != after[0]
    assert before[1] != after[1]


EDITS_ITSELF = """
from pathlib import Path
def agent(observations, masks, rng):
    Path(__file__).with_name("helper_.py").write_text("edited = True")
    return masks.argmax(1)
def later():
    import helper_
"""


def test_a_recording_stops_when_the_code_of_an_agent_is_edited(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("helper_.py").write_text("")
    Path("editing.py").write_text(EDITS_ITSELF)
    entrants = entrants_of(["editing.py:agent", "random", "random"], FIGARO)
    with pytest.raises(WorkerError, match=r"'editing.py:agent' was edited while it played"):
        write_dataset(tmp_path / "games", entrants, "figaro", games=3)
    assert not list((tmp_path / "games").glob("*.parquet"))


def test_a_worker_that_has_imported_code_before_it_was_edited_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("helped_.py").write_text(HELPED)
    Path("helper_.py").write_text(FIRST)
    with closing(WorkerProcesses(1)) as workers:
        table: dict[str, Any] = {"games": 3, "players": 3, "workers": workers}
        evaluate(["helped_.py:agent", "random"], "figaro", **table)
        Path("helper_.py").write_text(LAST)
        with pytest.raises(WorkerError, match=r"edited after a worker .*helper_.*open the workers"):
            evaluate(["helped_.py:agent", "random"], "figaro", **table)


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


class Mine:
    def act(self, observations, masks, rng):
        return masks.argmax(axis=1)


def objects() -> dict[str, Any]:
    """Return agents of all kinds that have no name in a file."""
    return {
        "an object": Mine(),
        "a method": Mine().act,
        "a function": lambda observations, masks, rng: masks.argmax(axis=1),
        "a partial": functools.partial(Mine.act, Mine()),
        "what holds a generator": Held(),
    }


@pytest.mark.parametrize("kind", objects())
def test_an_object_is_kept_nowhere_without_a_version(kind, tmp_path):
    player = objects()[kind]
    entrants = entrants_of([player, "random", "random"], FIGARO)
    with pytest.raises(TypeError, match=r"is an object, .*agent\.version = 1.*my\.py:NAME"):
        write_dataset(tmp_path, entrants, "figaro", games=3)
    config = ArenaConfig.of(game="figaro", agents=[player, "random"])
    with pytest.raises(ArenaError, match=r"is an object, "), open_contenders(config, FIGARO):
        pass


@pytest.mark.parametrize("kind", objects())
def test_an_object_is_the_same_agent_as_long_as_its_version_is(kind):
    """Copies and pickles are the same agent, whatever they remember."""

    def digest_of(player, version):
        own = getattr(player, "__self__", player)
        own.version = version
        return agent_digest(player, make(player, FIGARO), FIGARO)

    first = digest_of(objects()[kind], 1)
    assert digest_of(objects()[kind], 1) == first
    assert digest_of(objects()[kind], "2") != first


def test_objects_of_two_classes_or_functions_differ_by_their_names():
    one, other = Mine(), Drawn()
    one.version = other.version = 1  # type: ignore[attr-defined]
    digests = {agent_digest(each, each, FIGARO) for each in (one, other)}
    assert len(digests) == 2
