"""Every finished game is kept once and completely, whatever happens to the process."""

import json
import os
import shutil
from typing import Any

import polars as pl
import pytest
from filelock import FileLock
from polars.testing import assert_frame_equal

from shakespeare_arena.games import results
from shakespeare_arena.games.results import merge, open_results
from shakespeare_env.datasets.reading import MANIFEST_NAME, read_games, read_results, results_files
from shakespeare_env.errors import ArenaError, DatasetError
from tests.arena.simulated_results import simulated

GAME = "figaro"
ROWS = simulated({"a": 0, "b": 50}, tables=(3,), matches=4)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder that holds all rows in two files, the second of which is not full."""
    with open_results(tmp_path / "arena", GAME) as results_folder:
        with monkeypatch.context() as patched:
            patched.setattr(results, "FULL_FILE_BYTES", 1)
            results_folder.append(ROWS[:5])
        results_folder.append(ROWS[5:])
    return tmp_path / "arena"


def test_a_game_counts_once_and_stays_where_it_was_written(folder):
    assert_frame_equal(read_results(folder), ROWS)
    with open_results(folder, GAME) as results_folder:
        results_folder.append(ROWS.with_columns(seconds=pl.col("seconds").list.eval(pl.lit(9.0))))
        assert_frame_equal(results_folder.results, ROWS)
        assert results_folder.keys == set(ROWS["key"])
    assert len(results_files(folder)) == 2
    shutil.copy(results_files(folder)[0], folder / "games-000009.parquet")
    assert_frame_equal(read_results(folder), ROWS)


def test_a_lazy_frame_is_not_changed_by_games_added_before_it_is_collected(folder):
    """Polars opens files again and again, and must not find one of them replaced."""
    games = read_games(folder)
    with open_results(folder, GAME) as results_folder:
        results_folder.append(simulated({"a": 0, "b": 50}, tables=(3,), matches=4, seed=1))
    assert_frame_equal(games.drop("game_id").collect(), ROWS)
    assert read_results(folder).height > ROWS.height


def test_a_file_gets_more_games_until_it_is_full(folder, monkeypatch):
    """An unfinished file is continued when the folder is opened again."""
    first, last = results_files(folder)
    more = simulated({"a": 0, "b": 50}, tables=(3,), matches=4, seed=1)
    for number in range(4):
        with open_results(folder, GAME) as results_folder:
            results_folder.append(more[number : number + 1])
    assert results_files(folder) == [first, last]
    assert pl.read_parquet(last)["key"].to_list() == [*ROWS["key"][5:], *more["key"][:4]]
    monkeypatch.setattr(results, "FULL_FILE_BYTES", 1)
    for number in range(4, 7):
        with open_results(folder, GAME) as results_folder:
            results_folder.append(more[number : number + 1])
    assert [path.name for path in results_files(folder)[2:]] == [
        "games-000003.parquet",
        "games-000004.parquet",
        "games-000005.parquet",
    ]
    assert_frame_equal(read_results(folder), pl.concat([ROWS, more[:7]]))


def test_a_folder_that_is_in_use_or_holds_other_files_is_refused(folder, tmp_path):
    def refused(path, says, game=GAME):
        with pytest.raises(ArenaError, match=says), open_results(path, game):
            pass

    with open_results(folder, GAME):
        refused(folder, "this process already plays in it")
    with FileLock(folder / ".lock"):
        refused(folder, "another process plays in it")
    refused(folder, "holds games of figaro", "shakespeare")
    other = tmp_path / "other"
    other.mkdir()
    (other / "games.parquet").write_text("mine")
    refused(other, "holds other things")
    assert [path.name for path in other.iterdir()] == ["games.parquet"]
    refused(other / "games.parquet", "is not a folder")


def planned(**changed):
    """Return a plan of one match of three agents as JSON, with some values changed."""
    match = {"players": 3, "deal": 0, "lineup": ["a", "b", "c"], "rotations": [0, 1]}
    plan: dict[str, Any] = {"number": 0, "seed": 1}
    of_plan = {name: changed.pop(name) for name in [*changed] if name in plan}
    return json.dumps({**plan, **of_plan, "matches": [{**match, **changed}]})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 10**6, "recursion"),
        ('{"number":1,"seed":1,"matches":[{}]}', "matches.0.players"),
        (planned(number=3), "it is the plan of round 3"),
        (planned(number=2**70), "number"),
        (planned(seed=-1), "seed"),
        (planned(seed="7"), "seed"),
        (planned(deal=10**300), "deal"),
        (planned(players=4), "3 agents for 4 seats"),
        (planned(players=99), "99"),
        (planned(rotations=[3]), "no such rotations"),
        (planned(lineup="abc"), "lineup"),
    ],
)
def test_a_plan_that_cannot_be_played_is_refused_with_the_remedy(folder, text, said):
    (folder / "round-0000.json").write_text(planned())
    with open_results(folder, GAME) as results_folder:
        assert results_folder.last_plan is not None
    (folder / "round-0000.json").write_text(text)
    with (
        pytest.raises(ArenaError, match=f"{said}.*; delete it, and the round"),
        open_results(folder, GAME),
    ):
        pass


def rewritten(**values):
    return lambda path: pl.read_parquet(path).with_columns(**values).write_parquet(path)


def without_values(path):
    pl.read_parquet(path).drop("values").write_parquet(path)


def with_rows_that_are_missing(path):
    """Name 2^30 rows in the footer of a file and of its one group of rows."""
    frame = pl.concat([pl.read_parquet(path)] * 700)
    frame.write_parquet(path, statistics=False)
    content = path.read_bytes()
    footer_start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    # Numbers are doubled and written in groups of seven bits, the lowest first.
    old = bytes([2 * frame.height & 127 | 128, 2 * frame.height >> 7])
    new = bytes([128, 128, 128, 128, 8])
    # The first occurrence counts the file's rows, and the last one those of the group.
    first, *others = content[footer_start:-8].split(old)
    footer = first + new + old.join(others[:-1]) + new + others[-1]
    length = len(footer).to_bytes(4, "little")
    path.write_bytes(content[:footer_start] + footer + length + b"PAR1")


def changed(**facts):
    return lambda path: path.write_text(json.dumps({**json.loads(path.read_text()), **facts}))


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("games", lambda path: path.write_bytes(path.read_bytes()[:-100]), "cannot be read"),
        ("games", rewritten(extra=pl.lit([0] * 10**7)), "of memory, as no games do"),
        ("games", rewritten(fault=pl.lit("x" * 10**7)), "texts .* of memory, as no games do"),
        ("games", with_rows_that_are_missing, "more rows than its columns"),
        ("games", rewritten(extra=pl.lit(1)), "columns are not those"),
        ("games", without_values, "columns are not those"),
        ("games", rewritten(deal=pl.col("deal").cast(pl.Int32)), "columns are not those"),
        ("manifest", lambda path: path.write_text("[]"), "cannot be read"),
        ("manifest", lambda path: path.write_text("[" * 10**6), "cannot be read"),
        ("manifest", lambda path: os.truncate(path, 2**26 + 1), "at most"),
        ("manifest", changed(game=["chess"]), "game: Input should be a valid string"),
        ("manifest", changed(format=99), "format 99"),
        ("manifest", changed(game="chess"), "'chess'"),
        ("manifest", changed(box_digest="0" * 64), "another box"),
        ("manifest", lambda path: path.unlink(), "holds no results"),
    ],
)
def test_damage_is_named_with_the_remedy(folder, file, change, said):
    path = results_files(folder)[1] if file == "games" else folder / MANIFEST_NAME
    change(path)
    with pytest.raises(DatasetError, match=said) as refused:
        read_results(folder)
    assert str(path if file == "games" else folder) in str(refused.value)


def test_merging_keeps_every_game_once(folder, tmp_path):
    more = simulated({"a": 0, "b": 50}, tables=(3,), matches=6, seed=1)
    with open_results(tmp_path / "other", GAME) as results_folder:
        results_folder.append(pl.concat([ROWS[3:8], more]))
    into = tmp_path / "all"
    assert merge([folder, tmp_path / "other"], into) == len(ROWS) + len(more)
    assert merge([folder, tmp_path / "other"], into) == 0
    assert_frame_equal(read_results(into), pl.concat([ROWS, more]))
    with open_results(tmp_path / "another", "shakespeare"):
        pass
    with pytest.raises(ArenaError, match="only results of one game"):
        merge([folder, tmp_path / "another"], into)
