"""The decisions of recorded games as a lazy frame: what it holds, and what a query has to play."""

from __future__ import annotations

import subprocess
import sys

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_env.datasets import DECISIONS, decisions, frames, read_decisions, read_recorded
from shakespeare_env.datasets.decisions import decisions_of
from shakespeare_env.datasets.playing_again import play_again
from shakespeare_env.errors import DatasetError
from tests.contract import recorded_folders
from tests.contract.recorded_folders import KINDS, games_of

SCHEMA = frames.polars_schema(DECISIONS)


@pytest.fixture(scope="module", params=KINDS)
def folder(request, tmp_path_factory):
    return recorded_folders.recorded(request.param, tmp_path_factory.mktemp("of") / "games")


@pytest.fixture(scope="module")
def rows(folder):
    return read_decisions(folder).collect()


@pytest.fixture
def games_played(monkeypatch):
    """How many games are played, as they are."""
    counts = []

    def counted(games, see):
        counts.append(games.size)
        return play_again(games, see)

    monkeypatch.setattr(decisions, "play_again", counted)
    return counts


def test_they_are_those_of_the_games_played_one_by_one(folder, rows):
    expected = [row for game in games_of(folder) for row in recorded_folders.decisions_of(game)]
    assert_frame_equal(rows, pl.DataFrame(expected, schema=SCHEMA))


QUERIES = {
    "some in the middle": lambda frame: frame.slice(40, 7).select("position", "value"),
    "the last": lambda frame: frame.tail(2).select("move"),
    "some of one game": lambda frame: frame.filter(pl.col("game_id") == 1, pl.col("number") > 9),
    "by what is not stored, and is": lambda frame: frame.filter(
        pl.col("agent") == pl.col("agent").first(), pl.col("action") > 5
    ).select("phase"),
    "the first, of which some": lambda frame: frame.head(20).filter(pl.col("seat") == 0),
    "means": lambda frame: frame.group_by("agent", maintain_order=True).agg(
        pl.col("won").mean(), pl.col("score").mean(), pl.col("legal_actions").list.len().mean()
    ),
}


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("at_once", [decisions._BYTES_AT_ONCE, 1])
def test_a_query_gives_what_it_would_of_all_rows(folder, rows, query, at_once, monkeypatch):
    monkeypatch.setattr(decisions, "_BYTES_AT_ONCE", at_once)
    asked = QUERIES[query]
    assert_frame_equal(asked(read_decisions(folder)).collect(), asked(rows.lazy()).collect())


def test_no_more_games_are_played_than_a_query_needs(folder, games_played):
    frame = read_decisions(folder)
    frame.select("game_id", "number", "action", "value").collect()
    assert not games_played
    frame.head(5).collect()
    assert games_played == [1]
    games_played.clear()
    frame.filter(pl.col("game_id") == 1).select("move").collect()
    assert sum(games_played) == 1


def test_the_decisions_of_some_of_the_games(folder, rows):
    games = read_recorded(folder).filter(pl.col("rotation") == 1)
    chosen = games.collect()["game_id"]
    assert_frame_equal(
        decisions_of(games).collect(), rows.filter(pl.col("game_id").is_in(chosen.implode()))
    )
    with pytest.raises(DatasetError, match=r"no column 'actions': keep all that reading gave it"):
        decisions_of(games.drop("actions")).collect()


@pytest.mark.parametrize("folder", KINDS[-1:], indirect=True)
def test_a_process_may_end_while_polars_reads_ahead(folder):
    """Python ends threads in the middle, which Polars answers by aborting."""
    program = f"""
import polars as pl
from shakespeare_env.datasets import decisions, read_decisions
decisions._BYTES_AT_ONCE = 1  # a game at a time
print(read_decisions({str(folder)!r}).filter(pl.col("position") != "").head(1).collect().height)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
