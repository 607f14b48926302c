"""Damaged, foreign and hostile datasets are refused by name, and a killed recording goes on."""

import contextlib
import copy
import hashlib
import itertools
import json
import os
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from filelock import FileLock

from shakespeare_agents import RandomAgent
from shakespeare_agents.arena import Entrant
from shakespeare_agents.arena.dataset import open_dataset, settings_of
from shakespeare_env import registry
from shakespeare_env.cli.recorded_folders import from_dataset, games_of
from shakespeare_env.datasets import check_digests, read_decisions, read_games, read_manifest
from shakespeare_env.errors import DatasetError, MemoryLimitError
from tests.contract.command_line import refused
from tests.contract.small_datasets import entrants_of, small_settings, write

NAME = registry.names()[-1]
GAMES, DECISIONS = "games-00000.parquet", "decisions-00000.parquet"
JUNK = [None, True, -1, 0, 2**70, 1.5, "x", "", "\x1b[2J", [], [None], {}, {"x": 1}]


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


def content(folder):
    """All files but the lock, which stays."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


def sign(folder, name, **changes):
    """Make the manifest name a file as it is now, and change what it says of it."""
    data = (folder / name).read_bytes()
    table, number = name.removesuffix(".parquet").split("-")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["shards"][int(number)][table] |= {
        "size": len(data),
        "digest": hashlib.sha256(data).hexdigest(),
        **changes,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))


class Killed(BaseException):
    """The process ends here."""


class TestKills:
    def test_a_recording_killed_at_any_write_goes_on_and_leaves_nothing(
        self, whole, tmp_path, monkeypatch
    ):
        calls = itertools.count()

        def dying(function, last):
            def call(*arguments, **more):
                if next(calls) >= last:  # nor does a dead process clean up
                    raise Killed
                return function(*arguments, **more)

            return call

        for last in itertools.count():
            folder, calls = tmp_path / str(last), itertools.count()
            with monkeypatch.context() as patch:
                for where, name in ((os, "fsync"), (os, "replace"), (Path, "unlink")):
                    patch.setattr(where, name, dying(getattr(where, name), last))
                try:
                    write(folder, small_settings(NAME, deals=2))
                    break
                except Killed:
                    pass
            write(folder, small_settings(NAME, deals=2))
            assert content(folder) == whole, last
        assert (
            last == 7 * 3
        )  # a manifest, two shards, two manifests; each is flushed, moved, flushed

    def test_a_first_save_cut_short_can_be_begun_anew_with_other_settings(self, tmp_path):
        (tmp_path / ".manifest.json.0123abcd").write_text("{")
        (tmp_path / ".lock").touch()
        manifest = open_dataset(tmp_path, small_settings(NAME, seed=8))
        assert manifest.settings.seed == 8
        assert list(content(tmp_path)) == ["manifest.json"]

    def test_files_of_others_that_look_alike_are_kept(self, tmp_path):
        for name in (".manifest.json.0123abcd~", ".other.0123abcd", "games-00000.parquet"):
            (tmp_path / name).write_text("mine")
            with pytest.raises(DatasetError, match="holds other things"):
                open_dataset(tmp_path, small_settings(NAME))
            assert [path.name for path in tmp_path.iterdir()] == [name]
            (tmp_path / name).unlink()

    def test_two_processes_in_one_folder_are_told_apart(self, folder):
        with (
            FileLock(folder / ".lock"),
            pytest.raises(DatasetError, match="another process records into it"),
        ):
            write(folder, small_settings(NAME, deals=2))
        write(folder, small_settings(NAME, deals=2))


class TestFiles:
    def test_a_foreign_folder(self, tmp_path):
        for odd in (tmp_path, tmp_path / "nowhere", tmp_path / "\0"):
            with pytest.raises(DatasetError, match="is not a dataset"):
                read_games(odd)

    def test_a_missing_or_short_file(self, folder):
        path = folder / GAMES
        path.write_bytes(path.read_bytes()[:-9])
        with pytest.raises(DatasetError, match=r"games-00000\.parquet is not the file"):
            read_games(folder)
        path.unlink()
        with pytest.raises(DatasetError, match=r"games-00000\.parquet cannot be read"):
            read_games(folder)
        read_decisions(folder)

    def test_a_changed_byte_is_found_before_reading_and_going_on(self, folder):
        path = folder / DECISIONS
        data = bytearray(path.read_bytes())
        data[100] ^= 1
        path.write_bytes(bytes(data))
        for use in (
            lambda: check_digests(folder, read_manifest(folder)),
            lambda: read_decisions(folder),
            lambda: write(folder, small_settings(NAME, deals=2)),
        ):
            with pytest.raises(DatasetError, match=r"00\.parquet is not the file.*copy"):
                use()

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
    @pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to(path)])
    @pytest.mark.parametrize("name", [GAMES, "manifest.json"])
    def test_what_is_no_file_is_not_waited_for(self, folder, make, name):
        (folder / name).unlink()
        make(folder / name)
        with pytest.raises(DatasetError, match="cannot be read"):
            read_games(folder)

    def test_a_link_to_the_file_is_the_file(self, folder, tmp_path_factory):
        other = tmp_path_factory.mktemp("other") / GAMES
        (folder / GAMES).rename(other)
        (folder / GAMES).symlink_to(other)
        assert read_games(folder).collect().height

    @pytest.mark.parametrize(
        "data", [b"", b"PAR1", b"PAR1" * 9, b"\0" * 99, b"PAR1\xff\xff\xff\x7fPAR1"]
    )
    def test_what_is_no_parquet(self, folder, data):
        (folder / GAMES).write_bytes(data)
        sign(folder, GAMES)
        with pytest.raises(DatasetError, match="manifest" if not data else "is not the file"):
            read_games(folder)

    @pytest.mark.parametrize(
        "change",
        [
            pl.col("seed").cast(pl.Int64),
            pl.lit(1).alias("more"),
            pl.struct("seed", "deal").alias("game"),
            pl.col("moves").list.to_struct(fields=["first"]),
            pl.concat_list(pl.col("moves")).alias("agents").cast(pl.List(pl.Binary)),
        ],
    )
    def test_other_columns(self, folder, change):
        path = folder / GAMES
        pl.read_parquet(path).with_columns(change).write_parquet(path)
        sign(folder, GAMES)
        with pytest.raises(DatasetError, match="is not that of this version"):
            read_games(folder)

    def test_more_rows_than_the_manifest_says(self, folder):
        path = folder / DECISIONS
        rows = pl.read_parquet(path)
        pl.concat([rows, rows]).write_parquet(path)
        sign(folder, DECISIONS)
        with pytest.raises(DatasetError, match=f"has {2 * rows.height} rows, not {rows.height}"):
            read_decisions(folder)

    @pytest.mark.parametrize("seed", range(60))
    def test_damage_that_is_signed_is_read_or_refused(self, whole, folder, seed):
        """Whoever changes a file can change its digest; some of these make Polars panic."""
        chance = random.Random(seed)
        for name in (GAMES, DECISIONS):
            data = bytearray(whole[name])
            footer = int.from_bytes(data[-8:-4], "little")
            for _ in range(chance.randint(1, 3)):
                place = chance.randrange(len(data) - footer - 8, len(data))
                data[place if seed % 2 else chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            (folder / name).write_bytes(bytes(data))
            sign(folder, name)
        for use in (lambda: list(games_of(folder)), lambda: from_dataset(folder, 0)):
            with contextlib.suppress(DatasetError):
                use()

    @pytest.mark.parametrize(
        ("column", "value", "said"),
        [
            ("last_position", "[" * 10_000, "is not JSON"),
            ("last_position", '{"game": ' + "9" * 5000 + "}", "is not JSON"),
            ("last_position", " " * 2**21, "is longer than"),
            ("last_position", "{}", "is not a position"),
            ("last_position", None, "is not JSON"),
            ("moves", [None], "positions and 1 moves"),
            ("moves", None, "positions and 0 moves"),
            ("agents", ["\x1b[2J"], "not a name for each seat"),
            ("agents", None, "not a name for each seat"),
        ],
    )
    def test_what_games_hold_is_checked(self, folder, column, value, said):
        path = folder / GAMES
        rows = pl.read_parquet(path)
        odd = pl.Series(column, [value] * rows.height, rows.schema[column])
        rows.with_columns(odd).write_parquet(path)
        sign(folder, GAMES)
        assert said in refused("replay", str(folder), "--at", "0")


class TestManifest:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "is not JSON"),
            ("{", "is not JSON"),
            ("[" * 100_000, "is not JSON"),
            ('{"format": 2, "format": 2}', "stands twice"),
            ("[]", "format 'an array'"),
            ('{"format": 99}', "format 99"),
            ('{"format": 2.0}', r"format 2\.0"),
            ('{"format": 2, "settings": {}, "shards": []}', "settings lacks 'box_digest'"),
        ],
    )
    def test_one_that_is_none(self, folder, text, said):
        (folder / "manifest.json").write_text(text)
        with pytest.raises(DatasetError, match=said):
            read_decisions(folder)

    def test_every_entry_is_checked(self, folder):
        """Junk in any place is refused, or is as good as what stood there."""
        path = folder / "manifest.json"
        whole = json.loads(path.read_text())
        for keys in places(whole):
            for junk in JUNK:
                data = copy.deepcopy(whole)
                *outer, last = keys
                inner = data
                for key in outer:
                    inner = inner[key]
                inner[last] = junk
                path.write_text(json.dumps(data))
                try:
                    manifest = read_manifest(folder)
                except DatasetError:
                    continue
                assert type(inner[last]) in (str, int, list, dict), (keys, junk)
                assert "\x1b" not in manifest.to_bytes().decode(), (keys, junk)
                assert manifest.settings.games > 0

    def test_one_too_long_is_not_read(self, folder):
        with (folder / "manifest.json").open("ab") as file:
            file.truncate(2**40)
        with pytest.raises(DatasetError, match="too long"):
            read_manifest(folder)


def places(data):
    """The keys that lead to every entry of nested objects and arrays."""
    inner = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in inner:
        yield (key,)
        if isinstance(value, dict | list):
            yield from ((key, *rest) for rest in places(value))


class TestWhatIsAsked:
    @pytest.mark.parametrize("number", [0, -1, True, 1.5, "1", None, float("nan"), 10**12, 2**64])
    @pytest.mark.parametrize("name", ["games", "games_per_shard", "deals_together"])
    def test_numbers_out_of_range_are_refused_at_once(self, name, number):
        arguments: dict[str, Any] = {"games": 9, "seed": 1, name: number}
        with pytest.raises((ValueError, TypeError), match=f"{name}="):
            settings_of(NAME, entrants_of(NAME), **arguments)

    @pytest.mark.parametrize("name", ["", "\x1b[2J", "two\nlines", "\udcff"])
    def test_a_name_that_cannot_be_printed(self, name):
        entrants = [Entrant(name, RandomAgent())] * 3
        with pytest.raises(ValueError, match="printable"):
            settings_of(NAME, entrants, games=9, seed=1)

    def test_more_files_than_their_names_have_room_for(self):
        with pytest.raises(ValueError, match="put more games into each"):
            small_settings(NAME, deals=200_000)

    def test_a_shard_beyond_the_memory(self, monkeypatch):
        monkeypatch.setattr("shakespeare_env.memory.total_memory", lambda: 2**30)
        small_settings(NAME, deals=50, deals_per_shard=50)
        with pytest.raises(MemoryLimitError, match="put fewer into each"):
            small_settings(NAME, deals=500, deals_per_shard=500)
