"""Machine code on disk is never older than the rules, nor compiled with another box."""

import hashlib
import os
import shutil
import sys
from importlib import import_module
from typing import Any, NamedTuple

import numba
import pytest

from shakespeare_env.core import registry
from tests.contract import knowledge
from tests.contract.compile import small_kernels
from tests.contract.compile.small_kernels import first_call, needs_compiler
from tests.contract.processes import run_script

pytestmark = needs_compiler
OTHER, NAME = registry.names()[-2:]  # two games with boxes

GAME_MODULE = """
from shakespeare_env.compile.decorators import kernel, rule
from {package}.helper import BASE, bonus
from {package} import naming, tables

POINTS = 1

@rule
def scores():
    return POINTS + BASE + bonus() + tables.MORE[0] + 1000

@kernel("probe")
def probe():
    return scores()
"""
HELPER = """
from shakespeare_env.compile.decorators import rule

BASE = 10

@rule
def bonus():
    return 100
"""
TABLES = """
import numpy as np

MORE = np.array([10000])
"""
NAMING = """
NAME = "game"

def name():
    return NAME
"""
POINTS_BEFORE = 11111
EDITS_OF_RULES = {
    "a constant": ("game.py", "POINTS = 1", "POINTS = 2"),
    "a rule": ("game.py", "+ 1000", "+ 2000"),
    "a helper's constant": ("helper.py", "BASE = 10", "BASE = 20"),
    "a helper's rule": ("helper.py", "return 100", "return 200"),
    "a table": ("tables.py", "10000", "20000"),
}


class FirstPoints(NamedTuple):
    """The points of a kernel's first call after an import, and how often its code was loaded."""

    points: int
    loaded: int


@pytest.fixture
def first_points(cache_folder, tmp_path, monkeypatch):
    """A function that imports a game's package, makes an edit, and calls the game's kernel.

    An edit is a file, an old and a new text. It changes neither the file's size nor its time.
    """
    package = "turtledemo"  # a package with a name of the standard library is no library
    folder = tmp_path / package
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "game.py").write_text(GAME_MODULE.format(package=package))
    (folder / "helper.py").write_text(HELPER)
    (folder / "tables.py").write_text(TABLES)
    (folder / "naming.py").write_text(NAMING)
    monkeypatch.syspath_prepend(str(tmp_path))

    def play(edit=None):
        shutil.rmtree(folder / "__pycache__", ignore_errors=True)
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]
        entry = import_module(f"{package}.game").probe
        if edit is not None:
            name, old, new = edit
            file = folder / name
            status = file.stat()
            file.write_text(file.read_text().replace(old, new))
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
        return FirstPoints(entry(), sum(entry.stats.cache_hits.values()))

    return play


@pytest.mark.parametrize("edit", EDITS_OF_RULES)
def test_an_edit_between_import_and_the_first_call_leaves_no_stale_code(edit, first_points):
    assert first_points(EDITS_OF_RULES[edit]) == (POINTS_BEFORE, 0)
    new = first_points()
    assert new.points > POINTS_BEFORE
    assert new.loaded == 0
    assert first_points() == (new.points, 1)


def test_an_edit_of_what_no_rule_calls_compiles_nothing_anew(first_points):
    assert first_points(("naming.py", '"game"', '"play"')) == (POINTS_BEFORE, 0)
    assert first_points(("naming.py", "return NAME", "return 'my'")) == (POINTS_BEFORE, 1)
    assert first_points() == (POINTS_BEFORE, 1)


OWN_GAME = """
from shakespeare_env import GameRecord, GameRules, StateField, define, rule

@rule
def set_up(game, players, options):
    game["players"], game["to_move"], game["n"] = players, 0, 0
    game["winners"][:] = 0

@rule
def legal(game, mask):
    mask[:] = True
    return 2

@rule
def play(game, action):
    game["to_move"] = -1
    game["winners"][0] = 1

@rule
def scores(game, out):
    out[:] = 1

GAME = define(
    "edited",
    seats=range(2, 3),
    rules=GameRules(
        actions={"a": "a", "b": "b"}, set_up=set_up, legal=legal, play=play, scores=scores
    ),
    record=GameRecord(fields=[StateField("n", 0, 2)]),
)
"""


EDIT_AFTER_IMPORT = """
import sys
from pathlib import Path

from shakespeare_env import Batch
from shakespeare_env.core import kernels, registry
from shakespeare_env.own_files import load_file

file, edited = Path(sys.argv[1]), sys.argv[2]
module = load_file(file)
file.write_text(edited)
game = registry.register(module.GAME)
points = Batch("edited", players=2).scores()[0, 0]
loaded = sum(kernels.kernels_of(game).scores.stats.cache_hits.values())
print(points, loaded, registry.box_digest("edited"))
"""


def test_a_defined_game_is_played_and_saved_as_it_was_imported(tmp_path):
    """An edit after the import changes neither the rules nor the digest of this process."""
    file = tmp_path / "edited.py"
    file.write_text(OWN_GAME)
    edited = OWN_GAME.replace("out[:] = 1", "out[:] = 7")

    def points_loaded_and_digest():
        cache = str(tmp_path / "cache")
        return run_script(EDIT_AFTER_IMPORT, file, edited, SHAKESPEARE_CACHE=cache).split()

    digest_before = hashlib.sha256(OWN_GAME.encode()).hexdigest()
    digest_after = hashlib.sha256(edited.encode()).hexdigest()
    assert points_loaded_and_digest() == ["1", "0", digest_before]
    assert points_loaded_and_digest() == ["7", "0", digest_after]
    assert points_loaded_and_digest() == ["7", "1", digest_after]


def test_a_rule_that_was_compiled_with_another_value_is_not_kept(cache_folder, monkeypatch):
    """A process keeps a rule as it was first compiled, so its code would not match the digest."""
    scaled = small_kernels.scaled
    assert first_call(function=scaled) == (6, 0)
    monkeypatch.setattr(small_kernels, "SCALE", 5)
    with pytest.warns(RuntimeWarning, match="scaled.* was changed after it was first used"):
        assert first_call("other", scaled) == (6, 0)
    assert not list(cache_folder.rglob("*/other-*"))


def test_a_helper_that_was_compiled_for_other_code_is_not_kept(cache_folder):
    """A helper keeps the value that it read when it was compiled, even if it has changed since."""
    names: dict[str, Any] = {"number": 3}
    exec("def added(value):\n    return value + number", names)
    added = numba.njit(names["added"])
    assert added(1) == 4
    names["number"] = 5
    with pytest.warns(RuntimeWarning, match="added, which was compiled before for other code"):
        assert first_call("helped", added) == (6, 0)
    assert not list(cache_folder.rglob("*/helped-*"))


PROBE = '''
import numpy as np

from shakespeare_env import registry
from shakespeare_env.compile.decorators import kernel
from tests.contract import knowledge


def first_position(name, box=None):
    """Return the fact in which boxes differ, from compiled code, and how often that was loaded."""
    game = registry.game(name, box)
    set_up = game.rules.set_up

    @kernel("probe")
    def probe(games, players):
        set_up(games[0], players, 0)

    games = np.zeros(1, game.state)
    probe(games, game.max_seats)
    fact = knowledge.of(name, "box_changes").fact(game.to_dict(games[0]))
    return fact, sum(probe.stats.cache_hits.values())
'''
SCRIPT = """
import os, sys
from probe import first_position, registry

name, box = sys.argv[1:]
"""
PLAY = "print(*first_position(name))\n"
PLAY_WITH_BOX = "print(*first_position(name, box))\n"


@pytest.fixture
def run_with_box(tmp_path):
    """A function that runs a script with one of two boxes, and returns the numbers it prints."""
    changes = knowledge.of(NAME, "box_changes")
    bundled = (registry.folder(NAME) / "box.toml").read_text(encoding="utf-8")
    (tmp_path / "probe.py").write_text(PROBE)
    for number, (text, _) in enumerate(changes.NEW):
        changed = bundled.replace(changes.OLD, text)
        (tmp_path / f"{number}.toml").write_text(changed, encoding="utf-8")

    def run(number, script):
        place: Any = {"folder": tmp_path, "SHAKESPEARE_CACHE": str(tmp_path / "cache")}
        printed = run_script(SCRIPT + script, NAME, tmp_path / f"{number}.toml", **place)
        return [int(word) for word in printed.split()]

    return run


def test_code_is_kept_for_the_box_it_was_compiled_with(run_with_box):
    (_, first), (_, second) = knowledge.of(NAME, "box_changes").NEW
    own, loaded = run_with_box(0, PLAY)
    assert own not in (first, second)
    assert loaded == 0

    # A box that is named after another game has been loaded.
    other_first = f"registry.game({OTHER!r})\n"
    assert run_with_box(0, other_first + PLAY_WITH_BOX) == [first, 0]
    assert run_with_box(0, PLAY) == [own, 1]

    # A box that is loaded before another one is named and before its own file is edited.
    named = f"os.environ[{NAME.upper() + '_BOX'!r}] = "
    load = f"{named}box\nimport shakespeare_env.{NAME}.contract\n"
    edit = f"{named}'another.toml'\nopen(box, 'a').write('# edited')\n"
    assert run_with_box(1, load + edit + PLAY) == [second, 0]
    assert run_with_box(1, PLAY_WITH_BOX) == [second, 1]
