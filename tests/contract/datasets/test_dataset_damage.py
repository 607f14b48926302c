"""Damaged, foreign and hostile datasets are refused by name, and a killed recording goes on."""

import hashlib
import itertools
import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from filelock import FileLock

from shakespeare_agents import RandomAgent
from shakespeare_arena import Entrant, dataset
from shakespeare_arena.dataset import Part, settings_of
from shakespeare_env.core import registry
from shakespeare_env.datasets import check_digests, read_games, read_manifest
from shakespeare_env.errors import DatasetError
from tests.contract.command_line import refused
from tests.contract.small_datasets import Killed, content, entrants_of, small_settings, write

NAME = registry.names()[-1]
GAMES = "games-00000.parquet"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp(NAME) / "dataset"
    write(folder, small_settings(NAME, deals=2))
    return content(folder)


@pytest.fixture
def folder(whole, tmp_path):
    for file, data in whole.items():
        (tmp_path / file).write_bytes(data)
    return tmp_path


def sign(folder):
    """Make the manifest name the first file as it is now."""
    data, path = (folder / GAMES).read_bytes(), folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["shards"][0] |= {"size": len(data), "digest": hashlib.sha256(data).hexdigest()}
    path.write_text(json.dumps(manifest))


def kept(folder):
    """The games on disk, by number."""
    if not (folder / "manifest.json").exists():
        return set()
    found = read_games(folder, unfinished=True).collect()["game_id"].to_list()
    for part in folder.glob("part-*.parquet"):
        found += pl.read_parquet(part)["game_id"].to_list()
    return set(found)


def test_a_recording_killed_at_any_write_goes_on_and_leaves_nothing(tmp_path, monkeypatch):
    settings = small_settings(NAME, deals=3, deals_per_shard=2)
    played: dict[range, Part] = {}

    def once(settings, agents, deals, threads, play=dataset._played):
        if deals not in played:
            played[deals] = play(settings, agents, deals, threads)
        return played[deals]

    monkeypatch.setattr(dataset, "_played", once)
    write(tmp_path / "whole", settings)
    whole, calls = content(tmp_path / "whole"), itertools.count()

    def dying(function, last):
        def call(*arguments, **more):
            if next(calls) >= last:  # nor does a dead process clean up
                raise Killed
            return function(*arguments, **more)

        return call

    for last in itertools.count():
        folder, calls = tmp_path / str(last), itertools.count()
        told: list[int] = []
        with monkeypatch.context() as patch:
            for where, name in ((os, "fsync"), (os, "replace"), (Path, "unlink")):
                patch.setattr(where, name, dying(getattr(where, name), last))
            try:
                write(folder, settings, lambda _decisions, games, told=told: told.append(games))
                break
            except Killed:
                pass
        assert len(kept(folder)) >= sum(told)
        write(folder, settings)
        assert content(folder) == whole, last
    # A manifest; three parts; two files with a manifest each, of two parts and of one.
    assert last == 3 + 3 * 3 + 2 * (3 + 3) + 3


def test_a_folder_of_others_or_in_use_is_refused_and_a_first_save_cut_short_begun_anew(tmp_path):
    for name in (".manifest.json.0123abcd~", GAMES):
        (tmp_path / name).write_text("mine")
        with pytest.raises(DatasetError, match="holds other things"):
            write(tmp_path, small_settings(NAME))
        assert [path.name for path in tmp_path.iterdir()] == [name]
        (tmp_path / name).unlink()
    (tmp_path / ".manifest.json.0123abcd").write_text("{")
    (tmp_path / ".lock").touch()
    assert write(tmp_path, small_settings(NAME, deals=1)).is_complete
    assert set(content(tmp_path)) == {GAMES, "manifest.json"}
    said = pytest.raises(DatasetError, match="another process records into it")
    with FileLock(tmp_path / ".lock"), said:
        write(tmp_path, small_settings(NAME))


def test_a_changed_short_or_missing_file_is_found_before_reading_and_going_on(folder, whole):
    path, data = folder / GAMES, whole[GAMES]
    for damaged in (data[:-9], data[:100] + bytes([data[100] ^ 1]) + data[101:]):
        path.write_bytes(damaged)
        for use in (
            lambda: check_digests(folder, read_manifest(folder)),
            lambda: read_games(folder),
            lambda: write(folder, small_settings(NAME, deals=2)),
        ):
            with pytest.raises(DatasetError, match=r"00\.parquet is not the file.*copy"):
                use()
    path.unlink()
    with pytest.raises(DatasetError, match=r"games-00000\.parquet cannot be read"):
        read_games(folder)
    with pytest.raises(DatasetError, match="is not a dataset"):
        read_games(folder / "nowhere")


def test_what_games_hold_is_checked(folder):
    whole = pl.read_parquet(folder / GAMES)
    for column, value in (
        ("actions", [9999]),
        ("actions", [None]),
        ("actions", None),
        ("scores", [0]),
    ):
        odd = pl.Series(column, [value] * whole.height, whole.schema[column])
        whole.with_columns(odd).write_parquet(folder / GAMES)
        sign(folder)
        assert "game 0: its " in refused("replay", str(folder), "--at", "0")
    endless = pl.Series("actions", [[0] * 10**7] * whole.height, whole.schema["actions"])
    whole.with_columns(endless).write_parquet(folder / GAMES)
    sign(folder)
    with pytest.raises(DatasetError, match=rf"{GAMES}: .* of memory, as no games do"):
        read_games(folder)


def test_a_manifest_that_is_wrong_is_named(folder):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    for change in (
        {"format": 99},
        {"settings": {**manifest["settings"], "players": "3"}},
        {"settings": {**manifest["settings"], "deals": 0}},
        {"shards": [{"games": 1}]},
        {"more": 1},
    ):
        path.write_text(json.dumps(manifest | change))
        with pytest.raises(DatasetError, match="is not a dataset of this version"):
            read_manifest(folder)


def test_numbers_names_and_sizes_that_cannot_be_are_refused_at_once():
    for name in ("games", "games_per_shard", "deals_together"):
        for number in (0, True, 1.5, "1", 2**64):
            arguments: dict[str, Any] = {"games": 9, "seed": 1, name: number}
            with pytest.raises((ValueError, TypeError), match=f"{name}="):
                settings_of(NAME, entrants_of(NAME), **arguments)
    for name in ("", "\x1b[2J", "\udcff"):
        with pytest.raises(ValueError, match="printable"):
            settings_of(NAME, [Entrant(name, RandomAgent())] * 3, games=9, seed=1)
