"""The games by name, and the one box that a process plays each of them with."""

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from shakespeare_env import Batch
from shakespeare_env.checks.box_files import facts_digest
from shakespeare_env.core import registry
from shakespeare_env.errors import BoxError
from tests.contract import knowledge
from tests.contract.batches import games
from tests.contract.processes import run_script

PLAYER = """
import json, os, pickle, subprocess, sys
from pathlib import Path
from shakespeare_env import Batch, Position, env, registry
from tests.contract import knowledge

name, *boxes = sys.argv[1:]
seats = registry.seats(name)[-1]

def fact(box=None):
    first = Position.new(name, players=seats, box=box).to_dict()
    return knowledge.of(name, "box_changes").fact(first)

def refusal(box):
    try:
        Batch(name, players=seats, box=box)
    except Exception as fault:
        return f"{type(fault).__name__} {fault}"
    return "no refusal"

def in_force():
    return os.environ.get(f"{name.upper()}_BOX")

def say(*facts):
    print(json.dumps(facts))
"""


def in_a_process(name, script, *boxes, **environment):
    """Run a script in a process of its own, uncompiled; return the list on each of its lines."""
    options = {"folder": boxes[0].parent, "flags": ["-W", "ignore"], "NUMBA_DISABLE_JIT": "1"}
    said = run_script(PLAYER + script, name, *boxes, **options, **environment)
    return [json.loads(line) for line in said.splitlines()]


@pytest.fixture
def boxes(name, tmp_path):
    """Two changed copies of a game's own box and one that is broken."""
    text = (registry.folder(name) / "box.toml").read_text(encoding="utf-8")
    changes = knowledge.of(name, "box_changes")
    assert text.count(changes.OLD) == 1
    replacements = [new for new, _ in changes.NEW] + [""]
    contents = [text.replace(changes.OLD, new) for new in replacements]
    paths = [tmp_path / f"{which}.toml" for which in ("one", "other", "broken")]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content, encoding="utf-8")
    return paths


@games
def test_a_game_is_found_by_its_name(name):
    game = registry.game(name)
    assert game.name == name
    assert Batch(name, players=game.max_seats).game is registry.game(name) is game
    assert (game.solo_target is not None) == (1 in registry.seats(name))
    assert registry.seats(name) == range(game.min_seats, game.max_seats + 1)


@pytest.mark.parametrize("name", [registry.names()[-1]])
def test_the_box_given_first_is_the_one_that_is_played_with(name, boxes):
    """In every view, in processes started later, and again and again; another one is refused."""
    script = """
say(refusal("lost.toml"), refusal(boxes[2]), refusal(boxes[2]), in_force())
copy = Path("twin.toml")
copy.write_bytes(Path(boxes[0]).read_bytes())
say(fact(os.path.relpath(boxes[0])), fact(), fact(copy))
say(in_force(), str(registry.game(name).box))
say(env(game=name, players=seats, box=boxes[0]).unwrapped.game is registry.game(name))
say(refusal(boxes[1]), refusal(boxes[2]))
child = "from shakespeare_env import registry; import sys; print(registry.game(sys.argv[1]).box)"
folder = Path.cwd()
os.chdir("/")
command = [sys.executable, "-W", "ignore", "-c", child, name]
said, digest = subprocess.check_output(command, text=True), registry.box_digest(name)
Path(boxes[0]).write_bytes(Path(boxes[1]).read_bytes())  # the game in play is not edited
say(said, fact(), registry.box_digest(name) == digest)
say(refusal(boxes[0]))
(folder / copy).replace(boxes[0])
"""
    variable = f"{name.upper()}_BOX"
    fact = knowledge.of(name, "box_changes").NEW[0][1]
    for before in ({}, {variable: str(boxes[1])}):  # it comes before the one in the environment
        answers = in_a_process(name, script, *boxes, **before)
        wrong, begun, said, same = answers[:4]
        refused, inherited, edited = answers[4:]
        assert wrong[0].startswith(f"BoxError {boxes[0].parent / 'lost.toml'}: cannot be read")
        for refusal in wrong[1:3]:
            assert refusal.startswith("BoxError ")
            assert str(boxes[2]) in refusal
        assert wrong[3] == before.get(variable)
        assert begun == [fact] * 3
        assert said == [str(boxes[0])] * 2
        assert same == [True]
        for refusal, box in zip(refused, boxes[1:], strict=True):
            assert refusal.startswith(f"BoxError {box}: this process already plays {name} with ")
            assert str(boxes[0]) in refusal
            assert variable in refusal
        assert inherited == [f"{boxes[0]}\n", fact, True]
        assert "the file has changed since" in edited[0]


@pytest.mark.parametrize("name", [registry.names()[-1]])
def test_a_game_is_saved_under_the_box_that_it_was_loaded_with(name, boxes):
    """The file may be edited between the import of its facts and the first question for them."""
    script = """
os.environ[f"{name.upper()}_BOX"] = boxes[0]
__import__(f"shakespeare_env.{name}.box.tables")
Path(boxes[0]).write_bytes(Path(boxes[1]).read_bytes())
say(registry.box_digest(name), fact())
"""
    before = facts_digest(registry.folder(name), boxes[0])
    ((digest, fact),) = in_a_process(name, script, *boxes)
    assert (digest, fact) == (before, knowledge.of(name, "box_changes").NEW[0][1])


def test_of_boxes_that_threads_name_at_once_one_is_in_force(monkeypatch, tmp_path):
    """And inherited by processes started later, though the other thread's is refused."""
    both_load = threading.Barrier(2)

    def slow_import(_module):
        box = Path(os.environ["FIGARO_BOX"])
        with suppress(threading.BrokenBarrierError):
            both_load.wait(0.2)
        return SimpleNamespace(GAME=SimpleNamespace(box=box, digest=box.name))

    def ask(box):
        with suppress(BoxError):
            return registry.game("figaro", box).box
        return None

    boxes = [tmp_path / "one.toml", tmp_path / "two.toml"]
    monkeypatch.setenv("FIGARO_BOX", "")
    monkeypatch.setattr(registry, "_loaded", {})
    monkeypatch.setattr(registry, "import_module", slow_import)
    facts_digest = "shakespeare_env.checks.box_files.facts_digest"
    monkeypatch.setattr(facts_digest, lambda _folder, box: box.name)
    with ThreadPoolExecutor(2) as pool:
        played = [*pool.map(ask, boxes)]
    (box,) = [each for each in played if each is not None]
    assert str(box) == os.environ["FIGARO_BOX"]
