"""Damaged, foreign and hostile datasets are refused by name, and a killed recording goes on.

The fuzzer changes the bytes, the rows and the manifest in many more ways.
"""

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
from shakespeare_agents.arena import Entrant
from shakespeare_agents.arena.dataset import open_dataset, recording, settings_of
from shakespeare_agents.arena.dataset.parts import Part
from shakespeare_env.core import registry
from shakespeare_env.datasets import check_digests, read_games, read_manifest
from shakespeare_env.errors import DatasetError, MemoryLimitError
from tests.contract.command_line import refused
from tests.contract.small_datasets import (
    Killed,
    content,
    cut_short,
    entrants_of,
    small_settings,
    write,
)

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

    def once(settings, agents, deals, threads, play=recording._played):
        if deals not in played:
            played[deals] = play(settings, agents, deals, threads)
        return played[deals]

    monkeypatch.setattr(recording, "_played", once)
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


def test_parts_that_are_damaged_or_of_other_settings_are_played_again(tmp_path):
    settings, other = (small_settings(NAME, deals=3, deals_per_shard=3, seed=s) for s in (1, 2))
    for name, chosen in (("other", other), ("one", settings)):
        cut_short(tmp_path / name, chosen, groups=2)
    (tmp_path / "one" / "manifest.json").unlink()
    for part in (tmp_path / "one").glob("part-*"):
        part.rename(tmp_path / "other" / part.name)
    ((_, found),) = cut_short(tmp_path / "other", other, groups=0)
    assert found == 2 * other.players
    left = sorted((tmp_path / "other").glob("part-*"))
    assert len(left) == 2
    left[0].write_bytes(left[0].read_bytes()[:-9] + b"x" * 9)
    left[1].rename(str(left[1]).replace("part-00000001", "part-00000002"))
    told: list[int] = []
    write(tmp_path / "other", other, lambda _, games: told.append(games))
    assert told == [0, *[other.players] * 3]
    write(tmp_path / "undisturbed", other)
    assert content(tmp_path / "other") == content(tmp_path / "undisturbed")


def test_a_folder_of_others_or_in_use_is_refused_and_a_first_save_cut_short_begun_anew(tmp_path):
    for name in (".manifest.json.0123abcd~", GAMES):
        (tmp_path / name).write_text("mine")
        with pytest.raises(DatasetError, match="holds other things"):
            open_dataset(tmp_path, small_settings(NAME))
        assert [path.name for path in tmp_path.iterdir()] == [name]
        (tmp_path / name).unlink()
    (tmp_path / ".manifest.json.0123abcd").write_text("{")
    (tmp_path / ".lock").touch()
    assert open_dataset(tmp_path, small_settings(NAME, seed=8)).settings.seed == 8
    assert list(content(tmp_path)) == ["manifest.json"]
    said = pytest.raises(DatasetError, match="another process records into it")
    with FileLock(tmp_path / ".lock"), said:
        open_dataset(tmp_path, small_settings(NAME, seed=8))


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
    for odd in (folder / "nowhere", folder / "\0"):
        with pytest.raises(DatasetError, match="is not a dataset"):
            read_games(odd)


def test_what_games_hold_is_checked(folder):
    whole = pl.read_parquet(folder / GAMES)
    for column, value, said in (
        ("actions", [9999], "values for 1 actions"),
        ("actions", [None], "an entry of its actions is missing"),
        ("actions", None, "it has no actions"),
        ("scores", [0], "not one for each seat"),
        ("agents", ["\x1b[2J"] * 3, "not a name for each seat"),
    ):
        odd = pl.Series(column, [value] * whole.height, whole.schema[column])
        whole.with_columns(odd).write_parquet(folder / GAMES)
        sign(folder)
        assert said in refused("replay", str(folder), "--at", "0")


def test_numbers_names_and_sizes_that_cannot_be_are_refused_at_once(monkeypatch):
    for name in ("games", "games_per_shard", "deals_together"):
        for number in (0, True, 1.5, "1", 2**64):
            arguments: dict[str, Any] = {"games": 9, "seed": 1, name: number}
            with pytest.raises((ValueError, TypeError), match=f"{name}="):
                settings_of(NAME, entrants_of(NAME), **arguments)
    for name in ("", "\x1b[2J", "\udcff"):
        with pytest.raises(ValueError, match="printable"):
            settings_of(NAME, [Entrant(name, RandomAgent())] * 3, games=9, seed=1)
    with pytest.raises(ValueError, match="put more games into each"):
        small_settings(NAME, deals=200_000)
    monkeypatch.setattr("shakespeare_env.checks.limits.total_memory", lambda: 2**30)
    with pytest.raises(MemoryLimitError, match="put fewer into each"):
        small_settings(NAME, deals=50_000, deals_per_shard=50_000)
    with pytest.raises(MemoryLimitError, match=r"deals_together=9999 .* play fewer together"):
        small_settings(NAME, deals=50_000, deals_together=9999)
