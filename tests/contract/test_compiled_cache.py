"""Machine code kept on disk is never older than the rules, and never in the way."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
import pytest

from shakespeare_env import kernels, registry
from shakespeare_env.compiled import code_folder, kernel, rule
from shakespeare_env.compiled_sources import (
    PACKAGE,
    boxes_in,
    digest_of,
    functions_within,
    sources_of,
)

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)
games = pytest.mark.parametrize("name", registry.names())

# ---- what the digest covers ----------------------------------------------------------------------


def modules_of(name):
    """The modules that hold the rules of a game and the kernels."""
    game = registry.game(name)
    functions = [kernels._build, *kernels._functions(game)]
    return {function.__module__ for function in functions_within(functions)}


def sources_of_game(name):
    return set(sources_of(modules_of(name)).values())


def called(function):
    """The functions and modules that a function's code names, itself included, and so on."""
    seen, waiting = set(), [function]
    while waiting:
        item = waiting.pop()
        if isinstance(item, ModuleType) or item in seen:
            seen.add(item)
            continue
        seen.add(item)
        (bare,) = functions_within([item])[:1]
        waiting += [cell.cell_contents for cell in bare.__closure__ or ()]
        codes = [bare.__code__, *(c for c in bare.__code__.co_consts if hasattr(c, "co_names"))]
        for code in codes:
            for name in code.co_names:
                named = bare.__globals__.get(name)
                if isinstance(named, ModuleType):
                    waiting.append(named)
                    waiting += [
                        inner
                        for inner in (getattr(named, other, None) for other in code.co_names)
                        if isinstance(inner, FunctionType) or hasattr(inner, "py_func")
                    ]
                elif isinstance(named, FunctionType) or hasattr(named, "py_func"):
                    waiting.append(named)
    return seen


@games
def test_all_that_a_kernel_calls_counts(name):
    """Found by following the functions themselves, which knows nothing of import statements."""
    sources = sources_of_game(name)
    game = registry.game(name)
    reached = set()
    entries = kernels.kernels_of(game)
    for field in entries.__dataclass_fields__:
        for item in called(getattr(entries, field)):
            module = item if isinstance(item, ModuleType) else sys.modules[item.__module__]
            if module.__name__.startswith("shakespeare_env."):
                reached.add(Path(str(module.__file__)).resolve())
    assert len(reached) > 10
    assert reached <= sources


@games
def test_all_that_the_rules_import_counts_and_nothing_else(name, tmp_path):
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
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    loaded = {Path(file).resolve() for file in done.stdout.split()}
    modules = {path for path in loaded if path.name != "__init__.py"}
    assert sources_of_game(name) == modules
    assert {path for path in loaded - modules if path.read_text().count("\n") > 4} == set()


@games
def test_an_edit_of_a_rule_changes_the_digest_of_its_game_alone(name, monkeypatch):
    """Of every file of a game that counts, and of what all games stand on."""
    sources = {other: sources_of_game(other) for other in registry.names()}
    digests = {other: digest_of(files) for other, files in sources.items()}
    read = Path.read_bytes
    edited: list[Path] = []
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"#" * (path in edited))
    shared = 0
    for path in sources[name]:
        edited[:] = [path]
        found = {other: digest_of(files) for other, files in sources.items()}
        changed = {other for other in digests if found[other] != digests[other]}
        if PACKAGE / name in path.parents:
            assert changed == {name}, path
        else:
            assert changed == set(digests), path
            shared += 1
    assert 5 < shared < 25


@games
def test_an_edit_of_anything_else_changes_no_digest(name):
    sources = sources_of_game(name)
    own = PACKAGE / name
    others = [*(own / "drawing").glob("*.py"), *own.glob("notation*.py"), own / "redaction.py"]
    folders = ("drawing", "wrappers", "equality", "datasets", "cli", "fonts")
    others += [path for folder in folders for path in (PACKAGE / folder).rglob("*.py")]
    others += [PACKAGE / f"{file}.py" for file in ("batch", "position", "reading", "registry")]
    assert len(others) > 30
    assert all(path.is_file() for path in others)
    assert sources.isdisjoint(others)


def test_imports_are_found_wherever_they_are_written(tmp_path, monkeypatch):
    """At the top, inside a function, of a module or a name in it, absolute or relative."""
    folder = tmp_path / "pantry"
    (folder / "inner").mkdir(parents=True)
    files = {
        "__init__.py": "SALT = 1",
        "soup.py": "import pantry.carrot\nfrom pantry import leek, SALT\nfrom .inner import dill",
        "carrot.py": "def late():\n    from pantry.inner.pot import LID",
        "leek.py": "import os, numpy",
        "unused.py": "import pantry.soup",
        "inner/__init__.py": "",
        "inner/dill.py": "from ..potato import (\n    A,  # (\n    B,\n)",
        "inner/pot.py": "LID = 1",
        "potato.py": "A = B = 1",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pantry", raising=False)
    __import__("pantry")
    sources = sources_of(["pantry.soup"])
    found = [str(path.relative_to(folder)) for path in sources.values()]
    monkeypatch.delitem(sys.modules, "pantry")
    expected = set(files) - {"unused.py", "inner/__init__.py"}
    assert sorted(found) == sorted(expected)


def test_a_kernel_may_not_close_over_a_value():
    """Nothing on disk would tell that it has changed."""
    for value in (3, np.zeros(2), "text"):

        def closing_over(values, value=value):
            def inner(values):
                values[0] = value

            return inner

        with pytest.raises(TypeError, match="make it an argument"):
            code_folder("probe", closing_over(None))


def test_functions_that_no_file_holds_are_not_kept():
    typed: dict[str, Any] = {"__name__": "typed_in"}
    exec("def probe(values):\n    values[0] = 1", typed)
    assert code_folder("probe", typed["probe"]) is None


def test_the_digest_follows_contents_and_not_dates(tmp_path):
    file = tmp_path / "rules.py"
    file.write_text("GIFT = 4\n")
    status, before = file.stat(), digest_of([file])
    file.write_text("GIFT = 5\n")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    after = digest_of([file])
    assert after != before
    file.write_text("GIFT = 4\n")
    os.utime(file, (0, 0))
    assert digest_of([file]) == before


def test_the_digest_tells_files_apart(tmp_path):
    """What moves from one file to the next, or to a file of another name, is noticed."""
    names = ("one.py", "two.py", "six.py")
    digests = set()
    for contents in (("ab", "c", ""), ("a", "bc", ""), ("", "ab", "c"), ("ab", "", "c")):
        for name, content in zip(names, contents, strict=True):
            (tmp_path / name).write_text(content)
        digests.add(digest_of([tmp_path / name for name in names]))
        assert digest_of([tmp_path / name for name in reversed(names)]) in digests
    assert len(digests) == 4


@games
def test_the_box_that_was_loaded_counts_and_no_other(name, tmp_path, monkeypatch):
    game = registry.game(name)
    folders = code_folder(name, *kernels._functions(game))
    assert boxes_in(sources_of(modules_of(name))) == [registry.box_digest(name)]
    monkeypatch.setenv(f"{name.upper()}_BOX", str(tmp_path / "named later.toml"))
    assert code_folder(name, *kernels._functions(game)) == folders
    tables = sys.modules[f"shakespeare_env.{name}.tables"]
    monkeypatch.setattr(tables, "BOX", replace(tables.BOX, digest="another"))
    assert code_folder(name, *kernels._functions(game)) != folders


# ---- files of the cache --------------------------------------------------------------------------


@rule
def twice(value):
    return value + value


def doubled(keep, function=twice):
    """Compile or load a small kernel; (what it yields for 3, how often it was loaded)."""

    @keep
    def probe(values):
        values[0] = function(values[0])

    values = np.array([3])
    probe(values)
    return int(values[0]), sum(probe.stats.cache_hits.values())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder of its own."""
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path))
    return code_folder("probe", twice)


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_code_is_loaded_the_next_time_and_its_file_stays_as_it_is(folder):
    assert doubled(kernel("probe")) == (6, 0)
    kept = contents(folder)
    (file,) = kept
    assert re.fullmatch(r"probe-[0-9a-f]{32}\.code", file)
    assert doubled(kernel("probe")) == (6, 1)
    assert contents(folder) == kept


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="modes say nothing here")
def test_folders_and_files_are_the_users_alone_whatever_the_umask(tmp_path, monkeypatch):
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path / "new" / "cache"))
    before = os.umask(0)
    try:
        doubled(kernel("probe"))
    finally:
        os.umask(before)
    made = [path for path in tmp_path.rglob("*") if path.stat().st_mode & 0o077]
    assert made == []
    assert doubled(kernel("probe")) == (6, 1)


def test_two_games_do_not_share_the_code_of_a_kernel(folder):
    assert doubled(kernel("probe")) == (6, 0)
    assert doubled(kernel("other")) == (6, 0)


@rule
def thrice(value):
    return 3 * value


def test_a_kernel_around_another_function_of_the_same_file_is_another_one(folder):
    assert doubled(kernel("probe"), twice) == (6, 0)
    assert doubled(kernel("probe"), thrice) == (9, 0)
    assert doubled(kernel("probe"), twice) == (6, 1)


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


DAMAGES = {
    "empty": lambda content: b"",
    "ten bytes": lambda content: content[:10],
    "half": lambda content: content[: len(content) // 2],
    "all but the last byte": lambda content: content[:-1],
    "a byte more": lambda content: content + b"\0",
    "something else": lambda content: b"no machine code" * 20,
    "a bit at the start": lambda content: flipped(content, 0),
    "a bit in the pickle": lambda content: flipped(content, 40),
    "a bit in machine code": lambda content: flipped(content, len(content) // 2),
    "a bit at the end": lambda content: flipped(content, len(content) - 1),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_compiled_anew(folder, damage):
    doubled(kernel("probe"))
    (file,) = folder.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    with pytest.warns(RuntimeWarning, match="compiling anew") as warned:
        assert doubled(kernel("probe")) == (6, 0)
    assert str(file) in str(warned[0].message)
    assert doubled(kernel("probe")) == (6, 1)


def test_a_file_under_the_name_of_another_is_compiled_anew(folder):
    doubled(kernel("probe"), twice)
    (first,) = folder.iterdir()
    doubled(kernel("probe"), thrice)
    (second,) = set(folder.iterdir()) - {first}
    first.replace(second)
    with pytest.warns(RuntimeWarning, match="not what was written"):
        assert doubled(kernel("probe"), thrice) == (9, 0)


def test_a_file_that_is_not_what_it_should_be_is_compiled_anew(folder):
    """A folder, or a link, which others may have put there."""
    doubled(kernel("probe"))
    (file,) = folder.iterdir()
    elsewhere = folder.parent / "elsewhere"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    with pytest.warns(RuntimeWarning, match="is a link"):
        assert doubled(kernel("probe")) == (6, 0)
    assert doubled(kernel("probe")) == (6, 1)
    file.unlink()
    file.mkdir()
    with pytest.warns(RuntimeWarning) as warned:
        assert doubled(kernel("probe")) == (6, 0)
    assert str(warned[0].message).startswith("unusable compiled code")


def test_a_missing_file_or_folder_is_compiled_anew(folder):
    for remove in (Path.unlink, lambda file: shutil.rmtree(file.parent)):
        doubled(kernel("probe"))
        (file,) = folder.iterdir()
        remove(file)
        assert doubled(kernel("probe")) == (6, 0)
        assert doubled(kernel("probe")) == (6, 1)


def test_a_disk_that_has_become_full_costs_a_warning_and_leaves_no_draft(folder, monkeypatch):
    """The code runs, it only cannot be kept."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        assert doubled(kernel("probe")) == (6, 0)
    assert list(folder.iterdir()) == []


PROBE = """
import numpy as np
from shakespeare_env.compiled import kernel

@kernel("probe")
def probe(values):
    values[0] += {number}

values = np.zeros(1, np.int64)
probe(values)
assert values[0] == {number}
hits = sum(probe.stats.cache_hits.values())
"""


def test_processes_of_two_versions_share_an_empty_cache(tmp_path):
    """Two of each at once; whoever comes later loads what they have kept."""
    for hits, processes in (((0, 1), 2), ((1,), 1)):
        running = []
        for number in (1, 2):
            (tmp_path / f"version_{number}.py").write_text(PROBE.format(number=number))
            check = f"from version_{number} import hits; assert hits in {hits}"
            running += [
                subprocess.Popen(
                    [sys.executable, "-W", "error", "-c", check],
                    stderr=subprocess.PIPE,
                    text=True,
                    cwd=tmp_path,
                    env={
                        **os.environ,
                        "PYTHONPATH": f"{tmp_path}{os.pathsep}{PACKAGE.parent}",
                        "SHAKESPEARE_CACHE": str(tmp_path / "cache"),
                    },
                )
                for _ in range(processes)
            ]
        for process in running:
            said = process.communicate()[1].splitlines()
            faults = [line for line in said if not line.startswith("shakespeare-env: compil")]
            assert (faults, process.returncode) == ([], 0)
    folders = list((tmp_path / "cache" / "shakespeare-env").iterdir())
    assert len(folders) == 2
    for folder in folders:
        assert [path.suffix for path in folder.iterdir()] == [".code"]
