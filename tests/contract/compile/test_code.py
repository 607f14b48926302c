"""Nothing is compiled before it is needed, twice, by two processes or for another box."""

import io
import os
import re
import subprocess
import sys
import time

import numba
import numpy as np
import pytest
from numba.core.codegen import JITCodeLibrary

from shakespeare_env import Batch, Position
from shakespeare_env.compile import progress as compiled_progress
from shakespeare_env.compile.cache import _turn
from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core import kernels, registry
from tests.contract import knowledge
from tests.contract.batches import games
from tests.contract.processes import said_by

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)
OTHER, NAME = registry.names()[-2:]


def test_a_kernel_and_its_rules_become_machine_code_once_and_together(tmp_path, monkeypatch):
    """Of rules that call each other; compiled, then loaded from its file."""
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path))

    @rule
    def least(one, other):
        return min(one, other)

    @rule
    def left(value):
        return least(value, 5) + 10

    written, finalize = [], JITCodeLibrary._finalize_specific

    def noting(library):
        written.append(library.name)
        finalize(library)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", noting)
    for _ in range(2):

        @kernel("probe")
        def probe(values):
            values[0] = left(values[0]) * (left(values[0]) + least(values[0], 100))

        values = np.array([3])
        probe(values)
        assert values[0] == 13 * 16
    # Numba's own `min` is a kernel's business, too, but not ours.
    ours = [name.rpartition(".")[2] for name in written if name.startswith("test_a_kernel")]
    assert ours == ["probe", "probe"]


@games
def test_all_that_is_played_uses_the_versions_that_compile_all_makes(name):
    """Arguments of another kind would compile an entry point again, in the middle of a game."""
    game = registry.game(name)
    kernels.compile_all(game)
    entries = kernels.kernels_of(game)
    compiled = {field: getattr(entries, field) for field in entries.__dataclass_fields__}
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


locks = pytest.mark.skipif(sys.platform == "win32", reason="nothing is locked")
SOURCE = """
from shakespeare_env.compile.decorators import kernel

@kernel("turns")
def total(n):
    found = 0
    for i in range(n):
        found += i * i
    return found
"""
WORKER = """
import pathlib, sys, time
sys.path.insert(0, sys.argv[1])
from summing import total
pathlib.Path(sys.argv[2]).touch()
while not pathlib.Path(sys.argv[1], "go").exists():
    time.sleep(0.001)
assert total(4) == 14
print(sum(total.stats.cache_misses.values()), sum(total.stats.cache_hits.values()))
"""


@locks
def test_of_several_processes_one_compiles(tmp_path):
    (tmp_path / "summing.py").write_text(SOURCE)
    environment = {**os.environ, "SHAKESPEARE_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", WORKER, str(tmp_path)]
    ready = [tmp_path / f"ready-{number}" for number in range(3)]
    started = [
        subprocess.Popen([*command, str(file)], env=environment, stdout=subprocess.PIPE, text=True)
        for file in ready
    ]
    while not all(file.exists() for file in ready):
        assert all(process.poll() is None for process in started)
        time.sleep(0.01)
    (tmp_path / "go").touch()
    told = sorted(process.communicate()[0].split() for process in started)
    assert told == [["0", "1"], ["0", "1"], ["1", "0"]]
    assert not list((tmp_path / "cache").rglob("*.turn"))


@locks
def test_a_turn_ends_with_its_process_and_leaves_nothing(tmp_path):
    hold = (
        "import sys, pathlib; from shakespeare_env.compile.cache import _turn\n"
        "with _turn(pathlib.Path(sys.argv[1])): print('mine', flush=True); sys.stdin.read()"
    )
    made = tmp_path / "a.code"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", hold, str(made)], **pipes) as other:  # type: ignore[call-overload]
        assert other.stdout.readline() == b"mine\n"
        other.kill()
    with _turn(made):
        assert list(tmp_path.iterdir()) == [tmp_path / "a.turn"]
    assert not list(tmp_path.iterdir())


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

box = sys.argv[1]
"""
PLAY = f"print(*first_position({NAME!r}))\n"
PLAY_MINE = f"print(*first_position({NAME!r}, box))\n"
LOAD = f"import shakespeare_env.{NAME}.contract\n"


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
        said = said_by(SCRIPT + script, boxes[number], folder=tmp_path, SHAKESPEARE_CACHE=cache)
        return [int(word) for word in said.split()]

    (_, first), (_, second) = changes.NEW
    own, hits = run(0, PLAY)
    assert (own not in (first, second), hits) == (True, 0)
    # A box named after another game has begun.
    assert run(0, f"registry.game({OTHER!r})\n{PLAY_MINE}") == [first, 0]
    assert run(0, PLAY) == [own, 1]
    # A box that was loaded before another was named and the file was edited.
    named = f"os.environ[{NAME.upper() + '_BOX'!r}] = "
    edited = f"{named}'another.toml'\nopen(box, 'a').write('# edited')\n"
    assert run(1, f"{named}box\n{LOAD}{edited}{PLAY}") == [second, 0]
    assert run(1, PLAY_MINE) == [second, 1]


LINES = re.compile(
    r"shakespeare-env: compiling counts of all things, for the first use \.\.\.\n"
    r"shakespeare-env: compiled in \d+ s\n"
)


def count():
    """Compile or load a small kernel, and use it."""

    @kernel("probe", purpose="counts of all things")
    def count_up(values):
        values[0] += 1

    count_up(np.array([3]))


@pytest.fixture
def waiting(tmp_path, monkeypatch):
    """An empty cache, and a user for whom everything takes long."""
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path))
    monkeypatch.setattr(compiled_progress, "SILENT_SECONDS", 0.0)


@pytest.mark.usefixtures("waiting")
def test_what_is_compiled_is_said_once_and_on_stderr(capsys, tmp_path, monkeypatch):
    before = compiled_progress.seconds_spent()
    count()
    said = capsys.readouterr()
    assert LINES.fullmatch(said.err)
    assert said.out == ""
    spent = compiled_progress.seconds_spent()
    assert spent > before
    count()
    assert capsys.readouterr() == ("", "")
    assert compiled_progress.seconds_spent() == spent
    # What is compiled quickly is not worth a line.
    monkeypatch.setattr(compiled_progress, "SILENT_SECONDS", 60.0)
    for file in tmp_path.rglob("*.code"):
        file.unlink()
    count()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("stderr", [None, io.StringIO()], ids=["missing", "closed"])
@pytest.mark.usefixtures("waiting")
def test_a_program_without_stderr_compiles_all_the_same(monkeypatch, stderr):
    if stderr is not None:
        stderr.close()
    monkeypatch.setattr(sys, "stderr", stderr)
    count()
