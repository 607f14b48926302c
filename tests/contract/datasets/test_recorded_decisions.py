"""The decisions of recorded games as a lazy frame: what it holds, and what a query has to play."""

from __future__ import annotations

import html
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_env.datasets import (
    DECISIONS,
    decisions,
    frames,
    playing_again,
    read_decisions,
    read_recorded,
    recorded_games,
)
from shakespeare_env.datasets.decisions import decisions_of
from shakespeare_env.datasets.playing_again import play_again
from shakespeare_env.errors import DatasetError
from shakespeare_env.film import film_page
from tests.contract import recorded_folders
from tests.contract.recorded_folders import KINDS, games_of, played

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

    monkeypatch.setattr(playing_again, "play_again", counted)
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
import numpy as np
import polars as pl
from shakespeare_env.datasets import decisions, read_decisions
decisions._BYTES_AT_ONCE = 1  # a game at a time
print(read_decisions({str(folder)!r}).filter(pl.col("position") != "").head(1).collect().height)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


# ---- games as objects ----------------------------------------------------------------------------


def test_a_game_is_as_it_was_recorded(folder):
    rows = games_of(folder)
    decisions = read_decisions(folder).collect()
    games = recorded_games(folder)
    assert len(games) == len(rows)
    assert [game.game_id for game in games[1:3]] == [1, 2]
    for number in (len(games), -len(games) - 1):
        with pytest.raises(IndexError, match=f"game {number}: there are {len(games)}, numbered"):
            games[number]
    for row, game in zip(rows, games, strict=True):
        own = decisions.filter(game_id=row["game_id"])
        assert game.game_id == row["game_id"]
        assert game.forfeited_by == row.get("forfeited_by")
        for name in ("agents", "scores", "places", "actions"):
            assert list(getattr(game, name)) == row[name]
        assert list(game.moves) == own["move"].to_list()
        assert list(game.seats) == own["seat"].to_list()
        assert list(game.values) == own["value"].to_list()
        positions = played(row)
        assert len(game.positions) == len(positions) == len(game.moves) + 1
        for number in (0, 7, len(positions) - 1, -1):
            assert game.positions[number].record() == positions[number].record()
        assert [str(position) for position in game.positions[2:4]] == list(map(str, positions[2:4]))
        seat = game.seats[5]
        np.testing.assert_array_equal(game.observation(5), positions[5].observation(seat))
        np.testing.assert_array_equal(game.mask(5), positions[5].action_mask())
        with pytest.raises(ValueError, match=f"this game has {len(game.moves)}, numbered"):
            game.mask(len(game.moves))


def test_notebooks_show_any_position_and_play_the_game_in_a_frame_that_reaches_nothing(folder):
    game = recorded_games(folder)[-1]
    assert game._repr_svg_() == game.positions[-1].svg() != game.svg(0)
    assert str(list(game.scores)) in repr(game)
    frame = game._repr_html_()
    (page,) = re.findall('srcdoc="([^"]*)"', frame)
    by = game.forfeited_by
    ending = "" if by is None else f"Seat {by} ({game.agents[by]}) forfeited the game"
    assert html.unescape(page) == film_page(game.positions, game.moves, game.agents, ending=ending)
    assert 'sandbox="allow-scripts"' in frame
