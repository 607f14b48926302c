"""Agents travel to workers and play there as they do in this process."""

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shakespeare_agents import make
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.networks.checkpoint import bundled_checkpoint
from shakespeare_agents.travel import (
    SentBox,
    box_to_send,
    make_verified_agent,
    recipe_of,
    use_sent_box,
)
from shakespeare_agents.workers import open_workers
from shakespeare_arena import Entrant, evaluate
from shakespeare_arena.config import ArenaConfig
from shakespeare_arena.tournament import run_arena
from shakespeare_env.checks.box_files import facts_digest
from shakespeare_env.core import registry
from shakespeare_env.errors import WorkerError
from tests.arena.small_arenas import games
from tests.contract import knowledge
from tests.contract.games import small_games
from tests.contract.small_datasets import write_small_dataset
from tests.workers.agents_for_tests import AsyncDrawing, Drawing, Unpicklable, last_legal

FIGARO = registry.game("figaro")
DRAWING = Drawing()
AGENTS: dict[str, list[Any]] = {
    "named": ["random", "heuristic", "search,rollouts=heuristic,simulations=2"],
    "networks": ["network,greedy=false", str(bundled_checkpoint(FIGARO, 1))],
    "imported": ["tests.workers.agents_for_tests:Drawing"],
    "asynchronous": ["tests.workers.agents_for_tests:AsyncDrawing", AsyncDrawing()],
    "with a history": ["tests.generators:RecallingAgent"],
    "files": [str(Path(__file__).with_name("agents_for_tests.py")) + ":last_legal"],
    "functions": [last_legal, lambda observations, masks, rng: masks.argmax(axis=1)],
    "an entrant": [Entrant("mine", make("network", FIGARO))],
    "one object at several seats": [DRAWING, DRAWING, Entrant("random", Drawing())],
}


@pytest.fixture(scope="module")
def processes():
    with open_workers(2) as workers:
        yield workers


@pytest.mark.parametrize("name", AGENTS)
def test_agents_play_on_workers_as_they_play_here(name, processes):
    agents = [*AGENTS[name], "greedy,samples=2"][:3]
    table: dict[str, Any] = {"games": 6, "players": 3, "seed": 7}
    here = evaluate(agents, "figaro", **table)
    assert evaluate(agents, "figaro", workers=processes, **table) == here


def test_an_asynchronous_agent_plays_as_a_synchronous_one_does():
    names = [f"tests.workers.agents_for_tests:{name}" for name in ("Drawing", "AsyncDrawing")]
    ours, theirs = (
        evaluate([name, "heuristic"], "figaro", games=6, players=3, seed=7).agents[0]
        for name in names
    )
    assert replace(theirs, name=ours.name) == ours


def test_recordings_and_arenas_are_those_of_one_process(processes, tmp_path):
    config = ArenaConfig.of(
        agents=["random", "heuristic"], players=[2], games=60, equal_within=1e-6
    )
    for name, workers in (("here", None), ("there", processes)):
        write_small_dataset(tmp_path / name / "dataset", "figaro", deals=6, workers=workers)
        run_arena(config, tmp_path / name / "arena", workers=workers)
    for kind in ("dataset", "arena"):
        assert games(tmp_path / "here" / kind).equals(games(tmp_path / "there" / kind))


def test_a_file_is_found_from_another_folder(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)
    name = "agents_for_tests.py:Drawing"
    recipe = recipe_of(name, make(name, FIGARO), FIGARO)
    monkeypatch.chdir("/")
    assert pickle.loads(pickle.dumps(recipe))(FIGARO).act


def test_an_agent_that_cannot_travel_is_refused(processes):
    with pytest.raises(TypeError, match=r"cannot be sent to a worker .*generator.*my\.py:NAME"):
        evaluate([Unpicklable(), "random"], "figaro", games=3, workers=processes)


def test_an_agent_that_is_missing_or_differs_on_a_worker_is_refused():
    digest = agent_digest("heuristic", make("heuristic", FIGARO), FIGARO)
    assert make_verified_agent("heuristic", digest, FIGARO)
    with pytest.raises(WorkerError, match=r"'heuristic' is another one on .*same version"):
        make_verified_agent("heuristic", "0" * 16, FIGARO)
    with pytest.raises(WorkerError, match=r"the agent 'gone.py:A' on .*: there is no file"):
        make_verified_agent("gone.py:A", digest, FIGARO)


ARRIVAL = """
import pickle, sys
from shakespeare_agents.travel import use_sent_box
from shakespeare_env import registry
game = use_sent_box(pickle.loads(sys.stdin.buffer.read()))
print(registry.box_digest(game.name))
"""


def arrival(box, **environment):
    """Return the digest of the box in force in another process after a box has arrived there."""
    command = [sys.executable, "-c", ARRIVAL]
    env = {**os.environ, **environment}
    found = subprocess.run(
        command, input=pickle.dumps(box), env=env, stdout=subprocess.PIPE, check=True
    )
    return found.stdout.decode().strip()


def test_a_box_travels(tmp_path):
    name = registry.names()[-1]
    changes = knowledge.of(name, "box_changes")
    own = registry.folder(name) / "box.toml"
    text = own.read_text(encoding="utf-8").replace(changes.OLD, changes.NEW[0][0])
    box = tmp_path / "mine.toml"
    box.write_text(text, encoding="utf-8")
    digest = facts_digest(registry.folder(name), box)
    package_box = box_to_send(registry.game(name))
    assert package_box.content is None
    assert arrival(SentBox(name, digest, box.read_bytes(), str(box))) == digest
    # A box that the worker's machine has in force gives way.
    environment = {f"{name.upper()}_BOX": str(box)}
    assert arrival(package_box, **environment) == registry.box_digest(name)
    with pytest.raises(WorkerError, match=f"{name} on .* is made with another box"):
        use_sent_box(SentBox(name, "0" * 64, None, ""))


def test_a_game_of_ones_own_travels_with_its_file(tmp_path):
    """If the worker lacks the file, it plays a copy. A game of a notebook has no file to send."""
    file = tmp_path / "bids.py"
    file.write_bytes(Path(small_games.__file__).read_bytes())
    with small_games.registered():
        digest = registry.box_digest("bids")
        sent = box_to_send(registry.game("bids"))
        assert sent.content == file.read_bytes()
        for path in (small_games.__file__, str(tmp_path / "gone.py")):
            box = SentBox(sent.game, sent.digest, sent.content, path)
            assert arrival(box, SHAKESPEARE_GAMES="", NUMBA_DISABLE_JIT="1") == digest
    with pytest.raises(WorkerError, match=r"bids is not known on .* define it in a file"):
        use_sent_box(SentBox("bids", digest, None, ""))
