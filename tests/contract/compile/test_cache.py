"""Machine code kept on disk is never older than the rules, and never in the way."""

import inspect
import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from shakespeare_env.compile.decorators import (
    PACKAGE,
    _digest,
    code_folder,
    digest_of,
    kernel,
    rule,
    sources_of,
)
from shakespeare_env.core import kernels, registry
from shakespeare_env.own_files import load_file
from tests.contract.batches import games
from tests.contract.processes import said_by

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)


def modules_of(name):
    """The modules that hold the rules of a game and the kernels."""
    functions = [kernels._build, *kernels.rules_of(registry.game(name))]
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
    assert loaded <= set(files.values())
    assert not any(PACKAGE / "wrappers" in path.parents for path in files.values())


def test_an_agents_compiled_files_count_and_the_game_that_they_name():
    module = "shakespeare_agents.heuristics.figaro"
    folder = Path(str(import_module(module).__file__)).parents[1]
    files, in_games = sources_of({module})
    assert in_games == ["figaro"]
    compiled = {
        path for path in folder.rglob("*.py") if "env.compile.decorators import" in path.read_text()
    }
    assert compiled <= set(files.values())
    assert folder / "table" / "app.py" not in files.values()


@games
def test_an_edit_of_a_rule_changes_the_digest_of_its_game_alone(name):
    for other in registry.names():
        paths = sources_of(modules_of(other))[0].values()
        assert any(PACKAGE / name in path.parents for path in paths) == (name == other)


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
    for module, wanted in (
        ("own_games.leduc.rules", paths),
        (load_file(alone).__name__, {alone.name: alone}),
    ):
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


def test_the_digest_follows_names_and_contents_and_not_dates(tmp_path):
    """What moves from one file to the next, or to a file of another name, is noticed."""
    paths = [tmp_path / name for name in ("one.py", "two.py", "six.py")]
    digests = set()
    for contents in (("ab", "c", ""), ("a", "bc", ""), ("", "ab", "c"), ("ab", "", "c")):
        for path, content in zip(paths, contents, strict=True):
            path.write_text(content)
            os.utime(path, (0, 0))
        digests.add(digest_of({path.name: path for path in paths}))
        os.utime(paths[0], (9, 9))
        assert digest_of({path.name: path for path in reversed(paths)}) in digests
    assert len(digests) == 4


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
    return code_folder("probe", twice)


def test_code_is_loaded_the_next_time_and_its_file_stays_as_it_is(folder):
    """It is that of its owner and its function alone."""
    assert multiplied() == (6, 0)
    (file,) = folder.iterdir()
    kept = file.read_bytes()
    assert re.fullmatch(r"probe-[0-9a-f]{32}\.code", file.name)
    assert multiplied() == (6, 1)
    assert [path.read_bytes() for path in folder.iterdir()] == [kept]
    assert multiplied("other") == (6, 0)
    assert multiplied(function=thrice) == (9, 0)
    assert multiplied() == (6, 1)


def linked(file):
    file.symlink_to(file.rename(file.parents[1] / "elsewhere"))


def of_another_kernel(file):
    multiplied(function=thrice)
    (other,) = set(file.parent.iterdir()) - {file}
    other.replace(file)


DAMAGES = {
    "compiling anew": lambda file: file.write_bytes(b""),
    "compiling anew ": lambda file: file.write_bytes(file.read_bytes()[:-1]),
    "not what was written": of_another_kernel,
    "is a link": linked,
    "unusable compiled code": lambda file: (file.unlink(), file.mkdir()),
}


@pytest.mark.parametrize(("said", "damage"), DAMAGES.items())
def test_what_is_not_the_file_written_is_compiled_anew(folder, said, damage):
    multiplied()
    (file,) = folder.iterdir()
    damage(file)
    with pytest.warns(RuntimeWarning) as warned:
        assert multiplied() == (6, 0)
    for words in (said.strip(), str(file)):
        assert words in str(warned[0].message)


def test_a_disk_that_has_become_full_costs_a_warning_and_leaves_no_draft(folder, monkeypatch):
    """The code runs, it only cannot be kept."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        assert multiplied() == (6, 0)
    assert list(folder.iterdir()) == []
