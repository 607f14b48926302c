"""Limits that protect the machine from endless files, pipes, and requests beyond its memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shakespeare_arena.config import ArenaConfig
from shakespeare_arena.games.results import open_results
from shakespeare_env.checks import limits
from shakespeare_env.checks.limits import read_regular, regular_size
from shakespeare_env.datasets import read_games
from shakespeare_env.datasets.reading import MANIFEST_NAME, read_results
from shakespeare_env.errors import ArenaError, MemoryLimitError, ShakespeareEnvError
from shakespeare_table.recorded import read_json_lines
from tests.arena.small_arenas import written

GAME = "figaro"
GIB = 2**30


def open_folder_of(path):
    with open_results(path.parent, GAME):
        pass


READERS = {
    "arena/" + MANIFEST_NAME: lambda path: read_games(path.parent),
    "arena/games-000007.parquet": lambda path: read_results(path.parent),
    "arena/round-0007.json": open_folder_of,
    "arena.toml": ArenaConfig.read,
    "game.jsonl": read_json_lines,
}
"""For each kind of file that is read: its path in a folder, and a function that reads it."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    written(GAME, folder / "arena")
    return folder


@pytest.mark.parametrize("text", ["a = " + "[" * 10_000, "a = " + "9" * 10_000, "a = 1\0"])
def test_toml_that_breaks_the_parser_raises_an_arena_error(tmp_path, text):
    (tmp_path / "arena.toml").write_text(text)
    with pytest.raises(ArenaError, match="cannot be read as an arena"):
        ArenaConfig.read(tmp_path / "arena.toml")


@pytest.mark.skipif(os.name != "posix", reason="other systems have no pipes in folders")
@pytest.mark.parametrize("file", READERS)
def test_readers_refuse_pipes_and_endless_devices(folder, file):
    path = folder / file
    original = path.read_bytes() if path.exists() else None
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        path.unlink(missing_ok=True)
        make(path)
        with pytest.raises((ShakespeareEnvError, ValueError), match="regular"):
            READERS[file](path)
    path.unlink()
    if original is not None:
        path.write_bytes(original)


def test_a_file_within_the_limit_is_read(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert regular_size(path) == 5
    assert read_regular(path, 5) == b"12345"


def test_a_file_beyond_the_limit_or_that_is_not_regular_is_refused_by_name(tmp_path):
    too_long = tmp_path / "file"
    too_long.write_bytes(b"12345")
    for unreadable in (too_long, tmp_path / "none", tmp_path, Path("/dev/null")):
        with pytest.raises(OSError, match=unreadable.name):
            read_regular(unreadable, 4)


def test_a_request_beyond_the_memory_is_refused_with_both_numbers(monkeypatch):
    monkeypatch.setattr(limits, "total_memory", lambda: 8 * GIB)
    limits.require_memory("a batch of 2 games", 8 * GIB, "use fewer games")
    with pytest.raises(MemoryLimitError, match=r"9 GiB.*8 GiB"):
        limits.require_memory("a batch of 9 games", 9 * GIB, "use fewer games")


def test_the_memory_limit_of_a_container_counts(monkeypatch, tmp_path):
    (tmp_path / "memory.max").write_text("65536\n")
    monkeypatch.setattr(limits, "_CONTAINER_LIMITS", (tmp_path / "memory.max", tmp_path / "none"))
    assert limits.total_memory.__wrapped__() == 65536
