"""Recorded games as objects."""

from __future__ import annotations

import html
import re
import numpy as np
import pytest

from shakespeare_env.datasets import read_decisions, recorded_games
from shakespeare_env.film import film_page
from tests.contract import recorded_folders
from tests.contract.recorded_folders import KINDS, games_of, played


@pytest.fixture(scope="module", params=KINDS)
def folder(request, tmp_path_factory):
    return recorded_folders.recorded(request.param, tmp_path_factory.mktemp("of") / "games")


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
