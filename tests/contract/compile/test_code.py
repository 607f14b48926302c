"""Machine code kept on disk is never older than the rules, nor for another box."""

import builtins
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import ir
from numba.core.compiler import run_frontend
from numba.extending import register_jitable

from shakespeare_agents.heuristics import best_action, figaro
from shakespeare_agents.networks import inference
from shakespeare_agents.search import playouts
from shakespeare_env import Batch, Position
from shakespeare_env.compile import decorators
from shakespeare_env.compile.decorators import code_digest, code_folder, kernel, rule, seconds_spent
from shakespeare_env.core import kernels, registry
from shakespeare_env.core.position import compile_all
from shakespeare_env.core.row_rules import row_rules_of
from shakespeare_env.own_files import load_file
from tests.contract import knowledge
from tests.contract.batches import games
from tests.contract.processes import said_by

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)
OTHER, NAME = registry.names()[-2:]


def kernels_in_use():
    """A kernel each of Figaro's rules, playouts and heuristic player, of networks and a GPU."""
    game = registry.game("figaro")
    step_row = row_rules_of(game).step

    def over_rows(rows: int, arguments: Any) -> None:
        step_row(rows, *arguments)

    return {
        "rules": kernels.kernels_of(game).step,
        "playouts": playouts.playout_kernel(game, playouts.by_network),
        "heuristics": best_action._chooser("figaro", figaro.score)[1],
        "networks": inference.write_policies,
        "device": over_rows,
    }


class NextProcess(dict[object, object]):
    """The functions that were read, as the next process knows them: it has compiled none yet."""

    def __contains__(self, function):
        return True


@pytest.mark.parametrize("kind", ["rules", "playouts", "heuristics", "networks", "device"])
def test_no_file_is_read_to_tell_what_is_compiled(kind, monkeypatch):
    """A file may have been edited since Python read it, and would tell of other code."""
    entry = kernels_in_use()[kind]
    before = code_digest(entry)

    def refuse(*_arguments: Any, **_more: Any) -> Any:
        raise AssertionError("a file is read")

    with monkeypatch.context() as patch:
        for place, name in ((builtins, "open"), (io, "open"), (os, "stat")):
            patch.setattr(place, name, refuse)
        decorators._code_of.cache_clear()
        again = code_digest(entry)
    assert again == before


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("rules", "shakespeare_env.figaro.box.tables.N_ROUNDS"),
        ("rules", "shakespeare_env.core.rng.GOLDEN"),
        ("playouts", "shakespeare_env.figaro.box.tables.N_ROUNDS"),
        ("playouts", "shakespeare_agents.search.playouts._TO_UNIT"),
        ("heuristics", "shakespeare_agents.heuristics.best_action._TIE"),
        ("heuristics", "shakespeare_agents.heuristics.figaro.RISK"),
        ("networks", "shakespeare_agents.networks.inference._EPSILON"),
        ("device", "shakespeare_env.figaro.box.tables.N_ROUNDS"),
    ],
)
def test_another_value_that_is_read_is_other_code(kind, changed, monkeypatch):
    """Whether it came from a module, a helper of it or a box."""
    entry = kernels_in_use()[kind]
    before = code_digest(entry)
    monkeypatch.setattr(changed, 77)
    with pytest.raises(TypeError, match="changed after it was first used"):
        code_digest(entry)
    monkeypatch.setattr(decorators, "_first_read", NextProcess())
    assert code_digest(entry) != before


@games
def test_all_that_the_compiler_finds_in_rules_counts(name, monkeypatch):
    """Numba itself says which names, and which attributes of modules, a function reads."""
    monkeypatch.setattr(decorators, "_first_read", NextProcess())
    code_digest(kernels.kernels_of(registry.game(name)).step)
    functions = [*decorators._first_read]
    assert len(functions) > 40
    for function in functions:
        known = {tuple(path[:2]) for path in decorators._code_of(function.__code__)[1]}
        held: dict[str, str] = {}
        for statement in assignments_of(function):
            value = statement.value
            if isinstance(value, ir.Global):
                held[statement.target.name] = value.name
                assert value.name in {path[0] for path in known} | {*dir(builtins)}
            elif isinstance(value, ir.Expr) and value.op == "getattr":
                holder = held.get(value.value.name)
                assert holder is None or (holder, value.attr) in known


def assignments_of(function):
    """The assignments that Numba reads in a function."""
    for block in run_frontend(function).blocks.values():
        yield from block.find_insts(ir.Assign)


GAME_MODULE = """
from shakespeare_env.compile.decorators import kernel, rule
from {package}.helper import BASE, bonus
from {package} import tables

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
EDITS = {
    "a constant": ("game.py", "POINTS = 1", "POINTS = 2"),
    "a rule": ("game.py", "+ 1000", "+ 2000"),
    "a helper's constant": ("helper.py", "BASE = 10", "BASE = 20"),
    "a helper's rule": ("helper.py", "return 100", "return 200"),
    "a table": ("tables.py", "10000", "20000"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_between_import_and_the_first_call_leaves_no_stale_code(
    edit, folder, tmp_path, monkeypatch
):
    """Be the edit of the same size, and of the same time as the file was written."""
    package = "turtledemo"  # a name of the standard library makes it no library
    place = tmp_path / package
    place.mkdir()
    (place / "__init__.py").touch()
    (place / "game.py").write_text(GAME_MODULE.format(package=package))
    (place / "helper.py").write_text(HELPER)
    (place / "tables.py").write_text("import numpy as np\n\nMORE = np.array([10000])\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def first_call(edited=None):
        """In a process that has imported nothing yet; (the points, how often code was loaded)."""
        shutil.rmtree(place / "__pycache__", ignore_errors=True)
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]
        entry = import_module(f"{package}.game").probe
        if edited:
            name, old, new = edited
            file = place / name
            status = file.stat()
            file.write_text(file.read_text().replace(old, new))
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
        return entry(), sum(entry.stats.cache_hits.values())

    old = first_call(EDITS[edit])
    new = first_call()
    assert old == (11111, 0)
    assert new[0] > old[0]
    assert new[1] == 0
    assert first_call() == (new[0], 1)


OWN_GAME = """
from shakespeare_env import StateField, define, rule

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
    "edited", seats=range(2, 3), fields=[StateField("n", 0, 2)], actions={"a": "a", "b": "b"},
    set_up=set_up, legal=legal, play=play, scores=scores,
)
"""


def test_a_defined_game_is_played_and_saved_as_it_was_imported(folder, monkeypatch):
    """Its file is edited before it is registered and before its first game."""
    monkeypatch.setattr(registry, "_loaded", dict(registry._loaded))
    monkeypatch.setattr(registry, "_register_views", lambda name, seats: None)
    file = folder / "edited.py"
    file.write_text(OWN_GAME)

    def first_game(edited=OWN_GAME):
        module = load_file(file)
        file.write_text(edited)
        game = registry.register(module.GAME)
        del sys.modules[module.__name__]  # as in the next process
        points = int(Batch("edited", players=2).scores()[0, 0])
        hits = sum(kernels.kernels_of(game).scores.stats.cache_hits.values())
        return points, hits, registry.box_digest("edited")

    edited = OWN_GAME.replace("out[:] = 1", "out[:] = 7")
    before, after = (hashlib.sha256(text.encode()).hexdigest() for text in (OWN_GAME, edited))
    assert first_game(edited) == (1, 0, before)
    assert first_game(edited) == (7, 0, after)
    assert first_game(edited) == (7, 1, after)


def test_what_a_kernel_closes_over_is_in_the_digest_or_nothing_is_kept(folder):
    """Notebooks' cells, which have no file, are kept like any other code."""

    def closing_over(value):
        def probe(values):
            values[0] = value

        return code_folder("probe", probe)

    assert closing_over(3) == closing_over(3) != closing_over(4)
    assert closing_over("3") != closing_over(3)
    assert closing_over(np.array([3])) == closing_over(np.array([3])) != closing_over(np.array([4]))
    with pytest.warns(RuntimeWarning, match="make it an argument"):
        assert closing_over([3]) is None

    def typed(number):
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(f"def probe(values):\n    values[0] = {number}", names)
        return code_folder("probe", names["probe"])

    assert typed(1) == typed(1) != typed(2)


def test_how_a_called_function_is_compiled_is_in_the_digest_or_nothing_is_kept(folder):
    """Its options and signatures decide what it does, and so does what stands in for it."""

    def calling(compiled):
        def probe(values):
            values[0] = compiled(values[0])

        return code_folder("probe", probe)

    def as_given(value):
        kept = value + 1
        return kept

    ways = [
        rule(as_given),
        numba.njit(as_given),
        numba.njit(as_given, locals={"kept": numba.int8}),
        numba.njit("int64(int64)")(as_given),
        numba.njit("int8(int8)")(as_given),
    ]
    assert len({calling(way) for way in ways}) == len(ways)
    with pytest.warns(RuntimeWarning, match="which is no rule"):
        assert calling(register_jitable(as_given)) is None


def test_a_rule_that_was_compiled_with_another_value_is_not_kept(folder, monkeypatch):
    """It stays in the process as it was compiled first."""
    assert multiplied(function=scaled) == (6, 0)
    monkeypatch.setitem(globals(), "SCALE", 5)
    with pytest.warns(RuntimeWarning, match="scaled.* was changed after it was first used"):
        assert multiplied("other", function=scaled) == (6, 0)
    assert not list(folder.rglob("*/other-*"))


def test_a_helper_that_was_compiled_for_other_code_is_not_kept(folder):
    """It stays as it was compiled then, and the value that it reads may be another one now."""
    names: dict[str, Any] = {"number": 3}
    exec("def added(value):\n    return value + number", names)
    added = numba.njit(names["added"])
    assert added(1) == 4
    names["number"] = 5
    with pytest.warns(RuntimeWarning, match="added, which was compiled before for other code"):
        assert multiplied("helped", function=added) == (6, 0)
    assert not list(folder.rglob("*/helped-*"))


@rule
def twice(value):
    return value + value


@rule
def thrice(value):
    return 3 * value


SCALE = 2


@rule
def scaled(value):
    return SCALE * value


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
