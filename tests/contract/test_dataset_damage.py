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
from shakespeare_agents.arena import Entrant, recording
from shakespeare_agents.arena.dataset import open_dataset, settings_of
from shakespeare_agents.arena.dataset_parts import Part
from shakespeare_env import registry
from shakespeare_env.cli.recorded_folders import from_folder, games_of
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


def sign(folder, name, **changes):
    """Make the manifest name a file as it is now, and change what it says of it."""
    data = (folder / name).read_bytes()
    _, number = name.removesuffix(".parquet").split("-")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["shards"][int(number)] |= {
        "size": len(data),
        "digest": hashlib.sha256(data).hexdigest(),
        **changes,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))


def kept(folder):
    """The games on disk, by number."""
    if not (folder / "manifest.json").exists():
        return set()
    found = read_games(folder, unfinished=True).collect()["game_id"].to_list()
    for part in folder.glob("part-*.parquet"):
        found += pl.read_parquet(part)["game_id"].to_list()
    return set(found)


class TestKills:
    def test_a_recording_killed_at_any_write_goes_on_and_leaves_nothing(
        self, tmp_path, monkeypatch
    ):
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

            def tell(_decisions, games, told=told):
                told.append(games)

            with monkeypatch.context() as patch:
                for where, name in ((os, "fsync"), (os, "replace"), (Path, "unlink")):
                    patch.setattr(where, name, dying(getattr(where, name), last))
                try:
                    write(folder, settings, tell)
                    break
                except Killed:
                    pass
            assert len(kept(folder)) >= sum(told)
            write(folder, settings)
            assert content(folder) == whole, last
        # A manifest; three parts; two files with a manifest each, of two parts and of one.
        assert last == 3 + 3 * 3 + 2 * (3 + 3) + 3

    def test_parts_that_are_damaged_or_of_other_settings_are_played_again(self, tmp_path):
        settings, other = (small_settings(NAME, deals=3, deals_per_shard=3, seed=s) for s in (1, 2))
        for name, chosen in (("other", other), ("one", settings)):
            cut_short(tmp_path / name, chosen, groups=2)
        (tmp_path / "one" / "manifest.json").unlink()
        for part in (tmp_path / "one").glob("part-*"):
            part.rename(tmp_path / "other" / part.name)
        parts = sorted((tmp_path / "other").glob("part-*"))
        assert len(parts) == 4
        ((_, found),) = cut_short(tmp_path / "other", other, groups=0)
        assert found == 2 * other.players
        left = sorted((tmp_path / "other").glob("part-*"))
        assert len(left) == 2
        data = bytearray(left[0].read_bytes())
        data[len(data) // 2] ^= 1
        left[0].write_bytes(data)
        left[1].rename(str(left[1]).replace("part-00000001", "part-00000002"))
        told: list[int] = []
        write(tmp_path / "other", other, lambda _, games: told.append(games))
        assert told == [0, *[other.players] * 3]
        write(tmp_path / "undisturbed", other)
        assert content(tmp_path / "other") == content(tmp_path / "undisturbed")

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

    def test_a_changed_byte_is_found_before_reading_and_going_on(self, folder):
        path = folder / GAMES
        data = bytearray(path.read_bytes())
        data[100] ^= 1
        path.write_bytes(bytes(data))
        for use in (
            lambda: check_digests(folder, read_manifest(folder)),
            lambda: read_games(folder),
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
            pl.col("actions").list.to_struct(fields=["first"]),
            pl.col("agents").cast(pl.List(pl.Binary)),
            pl.col("values").cast(pl.List(pl.Float64)),
        ],
    )
    def test_other_columns(self, folder, change):
        path = folder / GAMES
        pl.read_parquet(path).with_columns(change).write_parquet(path)
        sign(folder, GAMES)
        with pytest.raises(DatasetError, match="is not that of this version"):
            read_games(folder)

    def test_more_rows_than_the_manifest_says(self, folder):
        path = folder / GAMES
        rows = pl.read_parquet(path)
        pl.concat([rows, rows]).write_parquet(path)
        sign(folder, GAMES)
        with pytest.raises(DatasetError, match=f"has {2 * rows.height} rows, not {rows.height}"):
            read_games(folder)

    @pytest.mark.parametrize("seed", range(60))
    def test_damage_that_is_signed_is_read_or_refused(self, whole, folder, seed):
        """Whoever changes a file can change its digest; some of these make Polars panic."""
        chance = random.Random(seed)
        data = bytearray(whole[GAMES])
        footer = int.from_bytes(data[-8:-4], "little")
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(data) - footer - 8, len(data))
            data[place if seed % 2 else chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        (folder / GAMES).write_bytes(bytes(data))
        sign(folder, GAMES)
        for use in (lambda: list(games_of(folder)), lambda: from_folder(folder, 0)):
            with contextlib.suppress(DatasetError):
                use()

    @pytest.mark.parametrize(
        ("column", "value", "said"),
        [
            ("actions", [9999], "values for 1 actions"),
            ("actions", [None], "an entry of its actions is missing"),
            ("actions", None, "it has no actions"),
            ("values", [1.0], "1 values for"),
            ("scores", [0], "not one for each seat"),
            ("agents", ["\x1b[2J"] * 3, "not a name for each seat"),
            ("agents", None, "it has no agents"),
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
            ('{"format": 4, "format": 4}', "stands twice"),
            ("[]", "format 'an array'"),
            ('{"format": 99}', "format 99"),
            ('{"format": 4.0}', r"format 4\.0"),
            ('{"format": 4, "settings": {}, "shards": []}', "settings lacks 'box_digest'"),
        ],
    )
    def test_one_that_is_none(self, folder, text, said):
        (folder / "manifest.json").write_text(text)
        with pytest.raises(DatasetError, match=said):
            read_games(folder)

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
        with pytest.raises(DatasetError, match="at most 67,108,864 can be"):
            read_manifest(folder)


def places(data):
    """The keys that lead to every entry of nested objects and arrays."""
    inner = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in inner:
        yield (key,)
        if isinstance(value, dict | list):
            yield from ((key, *rest) for rest in places(value))


class TestWhatIsAsked:
    @pytest.mark.parametrize("number", [0, -1, True, 1.5, "1", [], float("nan"), 10**12, 2**64])
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

    def test_a_shard_or_a_group_beyond_the_memory(self, monkeypatch):
        monkeypatch.setattr("shakespeare_env.memory.total_memory", lambda: 2**30)
        small_settings(NAME, deals=50_000, deals_per_shard=5_000)
        with pytest.raises(MemoryLimitError, match="put fewer into each"):
            small_settings(NAME, deals=50_000, deals_per_shard=50_000)
        with pytest.raises(MemoryLimitError, match=r"deals_together=9999 .* play fewer together"):
            small_settings(NAME, deals=50_000, deals_together=9999)
