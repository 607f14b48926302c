"""Machine code kept on disk is never older than the rules, nor for another box."""

import inspect
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from shakespeare_env import Batch, Position
from shakespeare_env.compile.decorators import (
    PACKAGE,
    _digest,
    code_folder,
    kernel,
    rule,
    seconds_spent,
    sources_of,
)
from shakespeare_env.core import kernels, registry
from shakespeare_env.core.position import compile_all
from shakespeare_env.own_files import load_file
from tests.contract import knowledge
from tests.contract.batches import games
from tests.contract.processes import said_by

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)
OTHER, NAME = registry.names()[-2:]


def modules_of(name):
    """The modules that hold the rules of a game and the kernels."""
    functions: list[Any] = [kernels.kernels_of, *kernels.rules_of(registry.game(name))]
    return {inspect.unwrap(function).__module__ for function in functions}


@games
def test_all_that_the_rules_import_counts(name):
    """Python itself says what the modules need: they are imported in a process of their own."""
    script = (
        "import sys, types\n"
        "root = types.ModuleType('shakespeare_env')\n"
        f"root.__path__ = [{str(PACKAGE)!r}]\n"
        "sys.modules['shakespeare_env'] = root  # its own imports are not the rules'\n"
        f"for module in {sorted(modules_of(name))}: __import__(module)\n"
        "print(*(m.__file__ for n, m in sys.modules.items()"
        " if n.startswith('shakespeare_env.') and m.__file__))"
    )
    loaded = {Path(file).resolve() for file in said_by(script).split()}
    files, in_games = sources_of(modules_of(name))
    assert in_games == [name]
    drawings = {path for path in loaded if PACKAGE / "drawing" in path.parents}
    assert loaded - drawings <= set(files.values())
    others = [PACKAGE / other for other in registry.names() if other != name]
    assert not any(other in path.parents for path in files.values() for other in others)
    assert not any(PACKAGE / "wrappers" in path.parents for path in files.values())


def test_a_game_of_ones_own_counts_with_its_whole_package(tmp_path, monkeypatch):
    """In a file it is the file, in an installed package all that it may import from there."""
    names = ("own_games/__init__.py", "own_games/tables.py", "own_games/leduc/rules.py", "alone.py")
    paths = {name: tmp_path / name for name in names}
    for path in paths.values():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    import_module("own_games.leduc.rules")
    alone = paths.pop("alone.py")
    by_path = load_file(alone).__name__
    for module, wanted in (("own_games.leduc.rules", paths), (by_path, {by_path: alone})):
        files, in_games = sources_of({module})
        assert wanted.items() <= files.items()
        assert files["shakespeare_env/core/rng.py"] == PACKAGE / "core" / "rng.py"
        assert not in_games


def test_code_is_kept_apart_for_equal_files_in_two_folders_and_for_an_edited_file(tmp_path):
    """Compiled code imports its module by name, which holds the path: another checkout has none."""
    folders = set()
    for name in ("here", "there"):
        path = tmp_path / name / "game.py"
        path.parent.mkdir()
        path.write_text("def probe(values):\n    values[0] = 1\n")
        probe = load_file(path).probe
        folders.add(code_folder("probe", probe))
    status = path.stat()
    path.write_text(path.read_text().replace("1", "2"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    _digest.cache_clear()  # as in the next process
    folders.add(code_folder("probe", probe))
    assert len(folders) == 3


def test_what_a_kernel_closes_over_is_in_the_digest_or_refused():
    """Nothing else on disk would say that it has changed; code without a file is not kept."""

    def closing_over(value):
        def probe(values):
            values[0] = value

        return code_folder("probe", probe)

    assert closing_over(3) == closing_over(3) != closing_over(4)
    assert closing_over("3") != closing_over(3)
    with pytest.raises(TypeError, match="make it an argument"):
        closing_over([3])
    typed: dict[str, Any] = {"__name__": "typed_in"}
    exec("def probe(values):\n    values[0] = 1", typed)
    assert code_folder("probe", typed["probe"]) is None


@rule
def twice(value):
    return value + value


@rule
def thrice(value):
    return 3 * value


def multiplied(owner="probe", function=twice):
    """Compile or load a small kernel; (what it yields for 3, how often it was loaded)."""

    @kernel(owner)
    def probe(values):
        values[0] = function(values[0])

    entry: Any = probe
    values = np.array([3])
    entry(values)
    return int(values[0]), sum(entry.stats.cache_hits.values())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder of its own."""
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path))
    return tmp_path


def test_code_is_loaded_the_next_time_and_its_file_stays_as_it_is(folder, capsys):
    """It is that of its owner and its function alone; time is spent and told when it is made."""
    before = seconds_spent()
    assert multiplied() == (6, 0)
    spent, told = seconds_spent(), capsys.readouterr()
    assert "compiling probe" in told.err
    assert (told.out, spent > before) == ("", True)
    kept = {file: file.read_bytes() for file in folder.rglob("*.nb?")}
    assert multiplied() == (6, 1)
    assert (capsys.readouterr(), seconds_spent()) == (("", ""), spent)
    assert {file: file.read_bytes() for file in folder.rglob("*.nb?")} == kept
    assert multiplied("other") == (6, 0)
    assert multiplied(function=thrice) == (9, 0)
    assert multiplied() == (6, 1)


def test_damaged_code_is_compiled_anew(folder):
    multiplied()
    for file in folder.rglob("*.nb?"):
        file.write_bytes(b"damaged")
    with pytest.warns(RuntimeWarning, match="compiling anew"):
        assert multiplied() == (6, 0)
    assert multiplied() == (6, 1)


def test_a_folder_that_cannot_be_written_costs_a_warning(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match="SHAKESPEARE_CACHE"):
        assert multiplied() == (6, 0)


def test_all_that_is_played_uses_the_versions_that_compile_all_makes():
    """Arguments of another kind would compile an entry point again, in the middle of a game."""
    name = "figaro"
    game = registry.game(name)
    compile_all(game)
    compiled = vars(kernels.kernels_of(game))
    before = {field: list(entry.signatures) for field, entry in compiled.items()}
    assert {len(signatures) for signatures in before.values()} == {1}
    seats = game.max_seats
    for threads in (1, 2):
        batch = Batch(name, n=300, players=seats, seed=0, threads=threads, reward="score")
        batch.step(batch.random_actions())
        batch.step(batch.random_actions()[:7].tolist(), rows=range(7))
        batch.observe([0] * 300)
        batch.scores(rows=[3, 4])
        batch.load([5, 6], batch.save([1, 2]))
        batch.determinize(slice(0, 2), [0, 1], [8, 9])
        batch.restart([0])
        batch.copies([4, 4])
    position = Position.new(name, players=seats, seed=0)
    position.push(position.moves()[0])
    position.observation(0)
    position.determinize(0, 7).copy()
    Position.of_record(game, position.record())
    Position.from_dict(position.to_dict())
    assert {field: list(entry.signatures) for field, entry in compiled.items()} == before


SOURCE = """
from shakespeare_env.compile.decorators import kernel

@kernel("turns")
def doubled(n):
    return 2 * n

if __name__ == "__main__":
    print("ready", flush=True)
    input()
    assert doubled(4) == 8
    print(sum(doubled.stats.cache_misses.values()), sum(doubled.stats.cache_hits.values()))
"""


def test_of_two_processes_one_compiles(tmp_path):
    script = tmp_path / "turns.py"
    script.write_text(SOURCE)
    environment = {**os.environ, "SHAKESPEARE_CACHE": str(tmp_path / "cache")}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, str(script)]
    started: list[Any] = [subprocess.Popen(command, env=environment, **pipes) for _ in "ab"]
    assert [process.stdout.readline() for process in started] == ["ready\n"] * 2
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    counted = sorted(process.communicate()[0].split() for process in started)
    assert counted == [["0", "1"], ["1", "0"]]


CLOSURES = """
import sys

import numpy as np

from shakespeare_env.compile.decorators import kernel, rule

def adding(number):
    @rule
    def add(values, at):  # too long to be put into its callers
        for i in range(len(values)):
            for j in range(at, len(values)):
                if values[j] % 7 == i % 3:
                    values[i] += number
                elif values[i] > 10**6:
                    values[i] //= number + j
                elif values[i] % number == at:
                    values[j] = values[i] * 3 + at
                else:
                    values[j] -= values[i] // (j + number)
        return values.sum()

    @kernel(f"adding-{number}")
    def add_often(values):
        total = 0
        for i in range(3):
            total += add(values, i) + add(values[1:], i + 1)
            if total % 2:
                total -= add(values[2:], 1) * add(values[3:], 2)
        return total

    return add_often

print(*(adding(int(number))(np.arange(9)) for number in sys.argv[1:]))
"""


def test_code_from_several_processes_is_not_mixed_up(tmp_path):
    """Closures of one name are told apart wherever each was compiled."""
    script = tmp_path / "closures.py"
    script.write_text(CLOSURES)

    def said(*numbers, **environment):
        kept = {"SHAKESPEARE_CACHE": str(tmp_path / "cache")}
        command = [sys.executable, "-W", "ignore", str(script), *numbers]
        env = {**os.environ, **kept, **environment}
        return subprocess.check_output(command, env=env, text=True).split()

    expected = said("2", "7", NUMBA_DISABLE_JIT="1")
    assert said("2") + said("7") == expected
    assert said("7", "2") == expected[::-1]


PROBE = '''
import numpy as np

from shakespeare_env import registry
from shakespeare_env.compile.decorators import kernel
from tests.contract import knowledge


def first_position(name, box=None):
    """The fact that boxes change, set up by compiled code, and how often that was loaded."""
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
PLAY, PLAY_MINE = "print(*first_position(name))\n", "print(*first_position(name, box))\n"


def test_code_is_kept_for_the_box_it_was_compiled_with(tmp_path):
    changes = knowledge.of(NAME, "box_changes")
    bundled = (registry.folder(NAME) / "box.toml").read_text(encoding="utf-8")
    boxes = [tmp_path / f"{number}.toml" for number in range(2)]
    for box, (text, _) in zip(boxes, changes.NEW, strict=True):
        box.write_text(bundled.replace(changes.OLD, text), encoding="utf-8")
    (tmp_path / "probe.py").write_text(PROBE)

    def run(number, script):
        """With one of two boxes; the fact, and how often code was loaded."""
        cache = str(tmp_path / "cache")
        place: Any = {"folder": tmp_path, "SHAKESPEARE_CACHE": cache}
        return [
            int(word) for word in said_by(SCRIPT + script, NAME, boxes[number], **place).split()
        ]

    (_, first), (_, second) = changes.NEW
    own, hits = run(0, PLAY)
    assert (own not in (first, second), hits) == (True, 0)
    # A box named after another game has begun.
    assert run(0, f"registry.game({OTHER!r})\n{PLAY_MINE}") == [first, 0]
    assert run(0, PLAY) == [own, 1]
    # A box that was loaded before another was named and the file was edited.
    named = f"os.environ[{NAME.upper() + '_BOX'!r}] = "
    edited = f"{named}'another.toml'\nopen(box, 'a').write('# edited')\n"
    load = f"{named}box\nimport shakespeare_env.{NAME}.contract\n"
    assert run(1, f"{load}{edited}{PLAY}") == [second, 0]
    assert run(1, PLAY_MINE) == [second, 1]


KERNELS = """
import numpy as np

from shakespeare_env.compile.decorators import code_folder, kernel, rule

GAMES = np.zeros(4, [("cards", np.int8, (3, 5)), ("to_move", np.int8)])


@rule
def inside_a_rule(values, index):
    values[index] += 1


@kernel("probe")
def write(games, index):
    inside_a_rule(games[0]["cards"][1], index)


def said(index):
    try:
        write(GAMES, index)
    except IndexError:
        return "refused"
    return "played"
"""
ABOUT = """[
    code_folder("probe", write).name, said(4), said(5), said(-1),
    sum(write.stats.cache_hits.values())
]"""


def test_an_index_out_of_bounds_is_an_error_in_the_debug_build_which_is_kept_apart(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS)

    def run(script, **environment):
        script = f"import json\nfrom kernels import *\nprint(json.dumps({script}))"
        kept = {"SHAKESPEARE_CACHE": str(tmp_path / "cache"), "SHAKESPEARE_BOUNDS": ""}
        return json.loads(said_by(script, folder=tmp_path, **{**kept, **environment}))

    fast, *rest = run(ABOUT)
    assert rest == ["played", "played", "played", 0]
    checked, *rest = run(ABOUT, SHAKESPEARE_BOUNDS="1")
    assert (checked != fast, rest) == (True, ["played", "refused", "refused", 0])
    assert run(ABOUT, SHAKESPEARE_BOUNDS="0") == [fast, "played", "played", "played", 1]
