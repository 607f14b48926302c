"""An agent has one digest under all its names, and another one if it would play differently."""

import functools
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from shakespeare_agents import make
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.making import entrants_of
from shakespeare_agents.networks.checkpoint import bundled_checkpoint
from shakespeare_agents.travel import make_verified_agent
from shakespeare_agents.workers import WorkerProcesses
from shakespeare_arena import evaluate
from shakespeare_arena.config import ArenaConfig, open_contenders
from shakespeare_arena.dataset import write_dataset
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_games
from shakespeare_env.errors import ArenaError, WorkerError
from tests.workers.agents_for_tests import Drawing, Unpicklable

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
    Path("mine.py").write_text(MINE.replace("x=1", "x=3"))
    assert digest("mine.py:A") not in before
    assert vars(make("mine.py:A", GAME)) == {"x": 3}


def test_the_digest_covers_the_modules_that_a_users_code_imports(tmp_path, monkeypatch):
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
    for folder, code in (("before", FIRST), ("after", LAST)):
        Path("helper_.py").write_text(code)
        write_dataset(
            Path(folder), entrants_of([name, "random", "random"], FIGARO), "figaro", games=3
        )
        games = read_games(folder).collect()
        kept.append((games["digests"][0][0], games["actions"].to_list()))
    before, after = kept
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
        "what holds a generator": Unpicklable(),
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
    one, other = Mine(), Drawing()
    one.version = other.version = 1  # type: ignore[attr-defined]
    digests = {agent_digest(each, each, FIGARO) for each in (one, other)}
    assert len(digests) == 2
