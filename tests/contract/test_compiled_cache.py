"""Machine code kept on disk is never older than the rules, and never in the way."""

import ast
import os
import re
from pathlib import Path

import numba
import numpy as np
import pytest

from shakespeare_env import compiled, registry
from shakespeare_env.compiled import PACKAGE, digest_of, engine_sources, kernel, rule

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)

# ---- what the digest covers ----------------------------------------------------------------------


def test_every_source_that_is_compiled_in_counts():
    """All files of the games and their data, and whatever else speaks of the compiler."""
    sources = set(engine_sources())
    for name in registry.names():
        files = {path for path in (PACKAGE / name).rglob("*") if path.suffix in (".py", ".toml")}
        assert {path for path in files if "drawing" not in path.parts} <= sources
        assert PACKAGE / name / "box.toml" in sources
    for path in PACKAGE.rglob("*.py"):
        if re.search(r"(import|from) (numba|\S*compiled)\b", path.read_text(encoding="utf-8")):
            assert path in sources


def imported(path):
    """The files of the package that a file imports from."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            module = PACKAGE.parent.joinpath(*node.module.split("."))
            for name in (module, *(module / alias.name for alias in node.names)):
                if name.with_suffix(".py").exists():
                    yield name.with_suffix(".py")


def test_whatever_compiled_code_can_reach_counts():
    """What the rules import, and what that imports, and so on."""
    sources = set(engine_sources())
    reached = set()
    waiting = {
        path
        for path in PACKAGE.rglob("*.py")
        if any(file.name == "compiled.py" for file in imported(path))
    }
    assert len(waiting) > 20
    while waiting:
        path = waiting.pop()
        assert path in sources
        reached.add(path)
        waiting |= set(imported(path)) - reached


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
    digests.add(digest_of([tmp_path / name for name in reversed(names)]))
    assert len(digests) == 5


@pytest.mark.parametrize("name", registry.names())
def test_the_box_in_force_counts(name, tmp_path, monkeypatch):
    own = tmp_path / "box.toml"
    own.write_text("first")
    variable = f"{name.upper()}_BOX"
    monkeypatch.setenv(variable, str(own))
    assert own in engine_sources()
    before = digest_of(engine_sources())
    own.write_text("other")
    assert digest_of(engine_sources()) != before
    monkeypatch.delenv(variable)
    assert own not in engine_sources()


def test_the_cache_is_where_the_variable_says_in_a_folder_named_after_the_digest(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path))
    folder = compiled.cache_folder.__wrapped__()
    assert folder is not None
    assert folder == tmp_path / "shakespeare-env" / compiled.engine_digest()
    assert folder.is_dir()
    monkeypatch.delenv("SHAKESPEARE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    folder = compiled.cache_folder.__wrapped__()
    assert folder is not None
    assert folder.parent == tmp_path / "xdg" / "shakespeare-env"


def test_a_folder_that_cannot_be_written_costs_a_warning(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(blocked))
    with pytest.warns(RuntimeWarning, match="SHAKESPEARE_CACHE"):
        assert compiled.cache_folder.__wrapped__() is None
    monkeypatch.setattr(compiled, "cache_folder", lambda: None)
    assert doubled(kernel("probe"))[0] == 6


# ---- files of the cache --------------------------------------------------------------------------


@rule
def twice(value):
    return value + value


def doubled(keep):
    """Compile or load a small kernel; (what it yields for 3, how often it was loaded)."""

    @keep
    def probe(values):
        values[0] = twice(values[0])

    values = np.array([3])
    probe(values)
    return int(values[0]), sum(probe.stats.cache_hits.values())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder of its own."""
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_code_is_loaded_the_next_time_and_its_files_stay_as_they_are(folder):
    assert doubled(kernel("probe")) == (6, 0)
    kept = contents(folder)
    assert {Path(name).suffix for name in kept} == {".nbi", ".nbc"}
    assert doubled(kernel("probe")) == (6, 1)
    assert contents(folder) == kept


def test_two_games_do_not_share_the_code_of_a_kernel(folder):
    assert doubled(kernel("one game")) == (6, 0)
    assert doubled(kernel("other game")) == (6, 0)


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("left", [0, 10, 0.5])
def test_a_truncated_file_is_compiled_anew(folder, suffix, left):
    doubled(kernel("probe"))
    (file,) = folder.glob(f"*{suffix}")
    content = file.read_bytes()
    file.write_bytes(content[: left if isinstance(left, int) else int(len(content) * left)])
    with pytest.warns(UserWarning, match="compiling anew"):
        assert doubled(kernel("probe")) == (6, 0)
    assert doubled(kernel("probe")) == (6, 1)


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_file_of_something_else_is_compiled_anew(folder, suffix):
    doubled(kernel("probe"))
    (file,) = folder.glob(f"*{suffix}")
    file.write_bytes(b"no machine code" * 20)
    with pytest.warns(UserWarning, match="compiling anew"):
        assert doubled(kernel("probe")) == (6, 0)
    assert doubled(kernel("probe")) == (6, 1)


def test_a_disk_that_has_become_full_costs_a_warning(folder, monkeypatch):
    """The code runs, it only cannot be kept."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    with pytest.warns(UserWarning, match="No space left on device"):
        assert doubled(kernel("probe")) == (6, 0)


def test_a_missing_file_is_compiled_anew(folder):
    for suffix in (".nbi", ".nbc"):
        doubled(kernel("probe"))
        (file,) = folder.glob(f"*{suffix}")
        file.unlink()
        assert doubled(kernel("probe")) == (6, 0)
        assert doubled(kernel("probe")) == (6, 1)
