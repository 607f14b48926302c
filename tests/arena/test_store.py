"""Finished games are kept whole, once each, whatever happens to the process that plays them."""

from __future__ import annotations

import json
import shutil

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents.arena import store
from shakespeare_agents.arena.matches import Match
from shakespeare_agents.arena.store import Plan, merge, opened
from shakespeare_env.datasets.results import MANIFEST
from shakespeare_env.datasets.results_reading import read_results, results_files
from shakespeare_env.errors import ArenaError, DatasetError
from tests.arena.simulated_results import simulated

GAME = "figaro"
ROWS = simulated({"a": 0, "b": 50}, tables=(3,), matches=4)


@pytest.fixture
def folder(tmp_path):
    """Holds all rows in two files."""
    with opened(tmp_path / "arena", GAME) as kept:
        kept.append(ROWS[:5])
        kept.append(ROWS[5:])
    return tmp_path / "arena"


def test_games_come_back_in_the_order_they_were_written(folder):
    assert_frame_equal(read_results(folder), ROWS)
    with opened(folder, GAME) as kept:
        assert_frame_equal(kept.results, ROWS)
        assert kept.keys == set(ROWS["key"])


def test_a_game_counts_once(folder):
    with opened(folder, GAME) as kept:
        kept.append(ROWS.with_columns(seconds=pl.col("seconds").list.eval(pl.lit(9.0))))
        assert_frame_equal(kept.results, ROWS)
    assert len(results_files(folder)) == 2
    shutil.copy(results_files(folder)[0], folder / "games-000009.parquet")
    assert_frame_equal(read_results(folder), ROWS)


def test_small_files_become_one(folder):
    with opened(folder, GAME) as kept:
        kept.tidy(most=1)
        assert [path.name for path in results_files(folder)] == ["games-000003.parquet"]
        assert_frame_equal(kept.results, ROWS)
    assert_frame_equal(read_results(folder), ROWS)


def test_large_files_stay(folder, monkeypatch):
    monkeypatch.setattr(store, "_SMALL", 1)
    with opened(folder, GAME) as kept:
        kept.tidy(most=1)
    assert len(results_files(folder)) == 2


def test_the_last_plan_comes_back(folder):
    plans = [
        Plan(number, 7, (Match(3, 12 + number, ("x", "y", "x"), (0, 2)),)) for number in range(11)
    ]
    with opened(folder, GAME) as kept:
        assert kept.plan is None
        for plan in plans:
            kept.begin(plan)
    with opened(folder, GAME) as kept:
        assert kept.plan == plans[-1]


def test_what_a_killed_process_leaves_is_forgotten(folder):
    draft = folder / ".games-000003.parquet.0123abcd"
    draft.write_bytes(b"cut")
    with opened(folder, GAME):
        assert not draft.exists()


def test_a_first_save_cut_short_is_no_obstacle(tmp_path):
    (tmp_path / f".{MANIFEST}.0123abcd").write_bytes(b"{")
    with opened(tmp_path, GAME) as kept:
        assert kept.results.height == 0


def test_one_process_at_a_time(folder):
    with (
        opened(folder, GAME),
        pytest.raises(ArenaError, match="another process plays in it"),
        opened(folder, GAME),
    ):
        pass


@pytest.mark.parametrize("name", ["notes.txt", "games.parquet"])
def test_other_peoples_folders_are_left_alone(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(ArenaError, match="holds other things"), opened(tmp_path, GAME):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [name]
    with pytest.raises(ArenaError, match="is no folder"), opened(tmp_path / name, GAME):
        pass


def test_another_game_is_refused(folder):
    with pytest.raises(ArenaError, match="holds games of figaro"), opened(folder, "shakespeare"):
        pass


def damage(folder, change):
    path = results_files(folder)[1]
    change(path)
    return path


def rewritten(**values):
    return lambda path: pl.read_parquet(path).with_columns(**values).write_parquet(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda path: path.write_bytes(b"PAR1"), "cannot be read"),
        (lambda path: path.write_bytes(path.read_bytes()[:-100]), "cannot be read"),
        (rewritten(extra=pl.lit(1)), "other columns"),
        (rewritten(deal=pl.col("deal").cast(pl.Int32)), "other columns"),
        (rewritten(game=pl.lit("chess")), "no games of figaro"),
        (rewritten(key=pl.lit(None, pl.String)), "no games of figaro"),
        (rewritten(players=pl.lit(5, pl.Int8)), "no games of figaro"),
        (rewritten(scores=pl.lit([None, 1, 2], pl.List(pl.Int16))), "no games of figaro"),
        (rewritten(forfeited_by=pl.lit(3, pl.Int8)), "no games of figaro"),
    ],
)
def test_damage_is_named_with_the_remedy(folder, change, said):
    path = damage(folder, change)
    with pytest.raises(DatasetError, match=said) as refused:
        read_results(folder)
    assert str(path) in str(refused.value)
    assert "copy the file again, or delete it" in str(refused.value)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        ({"format": 99}, "format 99"),
        ({"game": "chess"}, "'chess'"),
        ({"box_digest": 1}, "reads format 1"),
        ({"box_digest": "0" * 64}, "another box"),
    ],
)
def test_another_manifest(folder, facts, said):
    path = folder / MANIFEST
    whole = json.loads(path.read_text())
    path.write_text(facts if isinstance(facts, str) else json.dumps({**whole, **facts}))
    with pytest.raises(DatasetError, match=said):
        read_results(folder)


def test_a_folder_without_results(tmp_path):
    with pytest.raises(DatasetError, match="holds no results of an arena"):
        read_results(tmp_path)


@pytest.mark.parametrize("text", ["{", '{"number": 1}', '{"number":1,"seed":1,"matches":[{}]}'])
def test_a_damaged_plan(folder, text):
    (folder / "round-0000.json").write_text(text)
    with pytest.raises(ArenaError, match="the round is planned"), opened(folder, GAME):
        pass


def test_merging_keeps_every_game_once(folder, tmp_path):
    more = simulated({"a": 0, "b": 50}, tables=(3,), matches=6, seed=1)
    with opened(tmp_path / "other", GAME) as kept:
        kept.append(pl.concat([ROWS[3:8], more]))
    into = tmp_path / "all"
    assert merge([folder, tmp_path / "other"], into) == len(ROWS) + len(more)
    assert merge([folder, tmp_path / "other"], into) == 0
    assert_frame_equal(read_results(into), pl.concat([ROWS, more]))


def test_different_games_are_not_merged(folder, tmp_path):
    with opened(tmp_path / "other", "shakespeare"):
        pass
    with pytest.raises(ArenaError, match="only results of one game"):
        merge([folder, tmp_path / "other"], tmp_path / "all")
