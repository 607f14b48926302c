"""Nothing takes the machine down: endless files, files that wait, more than its memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shakespeare_arena.config import ArenaConfig
from shakespeare_arena.results import open_results
from shakespeare_env.checks import limits
from shakespeare_env.checks.limits import read_regular, regular_size
from shakespeare_env.datasets import read_games
from shakespeare_env.datasets.reading import MANIFEST_NAME, read_results
from shakespeare_env.errors import ArenaError, MemoryLimitError, ShakespeareEnvError
from shakespeare_table.recorded import read_json_lines
from tests.arena.small_arenas import written

GAME = "figaro"
GIB = 2**30
READERS = {
    "arena/" + MANIFEST_NAME: lambda path: read_games(path.parent),
    "arena/games-000007.parquet": lambda path: read_results(path.parent),
    "arena/round-0007.json": lambda path: open_results(path.parent, GAME).__enter__(),
    "arena.toml": ArenaConfig.read,
    "game.jsonl": read_json_lines,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    written(GAME, folder / "arena")
    return folder


@pytest.mark.parametrize("text", ["a = " + "[" * 10_000, "a = " + "9" * 10_000, "a = 1\0"])
def test_toml_from_outside_is_refused_in_words(tmp_path, text):
    (tmp_path / "arena.toml").write_text(text)
    with pytest.raises(ArenaError, match="cannot be read as an arena"):
        ArenaConfig.read(tmp_path / "arena.toml")


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such files")
@pytest.mark.parametrize("file", READERS)
def test_no_reader_waits_for_a_pipe_or_reads_what_never_ends(folder, file):
    path = folder / file
    kept = path.read_bytes() if path.exists() else None
    for put in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        path.unlink(missing_ok=True)
        put(path)
        with pytest.raises((ShakespeareEnvError, ValueError), match="regular"):
            READERS[file](path)
    path.unlink()
    if kept is not None:
        path.write_bytes(kept)


def test_a_file_has_a_size_that_is_known_before_it_is_read(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert (read_regular(path, 5), regular_size(path)) == (b"12345", 5)
    for unreadable in (path, tmp_path / "none", tmp_path, Path("/dev/null")):
        with pytest.raises(OSError, match=unreadable.name):
            read_regular(unreadable, 4)


def test_what_cannot_fit_is_refused_with_the_estimate_and_the_total(monkeypatch):
    monkeypatch.setattr(limits, "total_memory", lambda: 8 * GIB)
    limits.require_memory("a batch of 2 games", 8 * GIB, "use fewer games")
    with pytest.raises(MemoryLimitError, match=r"9 GiB.*8 GiB"):
        limits.require_memory("a batch of 9 games", 9 * GIB, "use fewer games")


def test_a_containers_limit_counts(monkeypatch, tmp_path):
    (tmp_path / "memory.max").write_text("65536\n")
    monkeypatch.setattr(limits, "_CONTAINER_LIMITS", (tmp_path / "memory.max", tmp_path / "none"))
    assert limits.total_memory.__wrapped__() == 65536
