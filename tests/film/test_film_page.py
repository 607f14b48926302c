"""A recorded game as one page: what it holds, what it keeps secret, and what it needs."""

from __future__ import annotations

import base64
import json
import re
import zlib

import numpy as np
import pytest

from shakespeare_agents import RandomAgent
from shakespeare_agents.single_game import SingleGame
from shakespeare_env import Position, registry
from shakespeare_env.drawing.board import piece_svg
from shakespeare_env.film import Film, Forecasts, Mistake, film_page, write_film_page
from shakespeare_env.game import NO_SEAT

GAMES = registry.names()


def played(name, most=None, players=None):
    players = players or max(registry.seats(name)[0], 2)
    position = Position.new(name, players=players, seed=4)
    game = SingleGame(position, dict.fromkeys(range(players), RandomAgent()), 4)
    game.play_out(lambda *told: None, most)
    return game


@pytest.fixture(scope="module")
def games():
    return {name: played(name, 16) for name in GAMES}


@pytest.fixture(params=GAMES)
def game(request, games):
    return games[request.param]


def data_of(page):
    (found,) = re.findall(r'type="application/json" id="film-data">(.*?)</script>', page)
    packed = base64.b64decode(json.loads(found)["packed"])
    return json.loads(zlib.decompress(packed))


def forecasts_of(game):
    shape = len(game.positions), game.position.players
    return Forecasts(np.full(shape, 1 / shape[1]), np.full(shape, 7.5), "somebody")


def test_every_position_is_drawn_as_the_game_draws_it(game):
    film = data_of(film_page(game.positions, game.moves))
    for number in (0, 1, 11, len(game.moves)):
        position = game.positions[number]
        board = position.game.board(position.to_dict(), ())
        shown = [film["panels"][panel] for panel in film["frames"][number]]
        assert [panel["name"] for panel in shown] == [panel.name for panel in board]
        for panel, drawn in zip(shown, board, strict=True):
            pictures = [film["pieces"][piece] for piece in panel["pieces"]]
            assert pictures == [piece_svg(one, f"piece-{one.name}") for one in drawn.pieces]
    assert len(set(film["pieces"])) == len(film["pieces"])
    assert [one["move"] for one in film["told"]] == game.moves


def test_a_page_needs_nothing_else(game):
    page = film_page(game.positions, game.moves)
    assert not re.search(r'(?:src|href)="(?!#)[^"]', page)
    assert "@import" not in page
    # The address of SVG's names is no address to fetch.
    assert {*re.findall(r"https?://[^\s\"'<]+", page)} == {"http://www.w3.org/2000/svg"}


def test_the_log_is_in_the_page_and_links_to_every_position(game):
    page = film_page(game.positions, game.moves, ["A<b>", *["B"] * (game.position.players - 1)])
    assert "A<b>" not in page
    for number in range(1, len(game.moves) + 1):
        assert f'<a href="#{number}" data-ply="{number}">' in page


def test_one_seat_sees_what_it_may_know(game):
    """Games that look alike to a seat make the same page."""
    for seat in (0, NO_SEAT):
        film = Film(game.positions, game.moves, seat=seat)
        panels = json.loads(film.data())
        for number in (3, len(game.moves)):
            position = game.positions[number]
            seen = position.game.seen_by(position.to_dict(), seat)
            drawn = [
                panels["pieces"][piece]
                for panel in panels["frames"][number]
                for piece in panels["panels"][panel]["pieces"]
            ]
            expected = [
                piece_svg(one, f"piece-{one.name}")
                for panel in position.game.board(seen, ())
                for one in panel.pieces
            ]
            assert drawn == expected
        for before, move, told in zip(game.positions, game.moves, film.told, strict=False):
            if before.to_move != seat and before.game.is_secret(before.to_dict(), move):
                assert (told.move, told.text) == ("", "decides in secret")


def test_the_end_of_a_game_is_open_to_every_seat():
    game = played("figaro")
    steps = game.positions[-3:], game.moves[-2:]
    for seat in (0, NO_SEAT):
        drawn = json.loads(Film(*steps, seat=seat).data())
        open_ = json.loads(Film(*steps).data())
        ends = [
            [film["pieces"][k] for p in film["frames"][-1] for k in film["panels"][p]["pieces"]]
            for film in (drawn, open_)
        ]
        assert ends[0] == ends[1]


def test_forecasts_are_no_part_of_one_seats_view(game):
    with pytest.raises(ValueError, match="seat=0 with forecasts or mistakes"):
        film_page(game.positions, game.moves, forecasts=forecasts_of(game), seat=0)


def test_graphs_and_mistakes_lead_to_positions(game):
    seat, better = game.positions[9].to_move, game.positions[9].moves()[-1]
    mistake = Mistake(10, seat, 0.125, better, 0.03)
    page = film_page(game.positions, game.moves, (), forecasts_of(game), mistakes=[mistake])
    scores, chances = (json.loads(found) for found in re.findall(r'data-graph="(\[.*?\])"', page))
    expected = np.array([position.scores() for position in game.positions]).T
    assert scores == expected.tolist()
    assert chances == [[round(100 / len(expected), 1)] * len(game.positions)] * len(expected)
    assert f"Move 10 cost Seat {seat} 12 ± 3 % chance to win" in page
    assert f"<code>{better}</code>".replace(">", "&gt;") in page.replace(">", "&gt;")
    listed = page[page.index("film-mistakes") :]
    assert '<a href="#10" data-ply="10">' in listed


def test_alone_there_is_the_expected_score_instead_of_a_chance():
    game = played("shakespeare", 5, players=1)
    mistake = Mistake(3, 0, 1.5, game.positions[2].moves()[0])
    page = film_page(game.positions, game.moves, (), forecasts_of(game), mistakes=[mistake])
    assert "Expected final score, as somebody sees it" in page
    assert "Chance to win" not in page
    assert "cost Seat 0 1.5 points" in page


def test_why_a_game_stopped_is_told_at_its_end(game):
    progress = data_of(film_page(game.positions, game.moves, ending="Nobody came"))["progress"]
    assert [text.endswith("Nobody came") for text in progress[-2:]] == [False, True]


def test_what_does_not_fit_is_refused(game):
    with pytest.raises(ValueError, match="give one position more than moves"):
        film_page(game.positions[:-1], game.moves)
    with pytest.raises(ValueError, match="give one for each"):
        film_page(game.positions, game.moves, ["A"])


def test_a_page_stays_small():
    """Pictures alike stand together, or they would not pack."""
    game = played("shakespeare", 20, players=4)
    film = Film(game.positions, game.moves)
    assert len(film_page(game.positions, game.moves)) < len(film.data()) / 6


def test_a_page_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "game.html"
    write_film_page(path, "whole")
    assert path.read_text() == "whole"
    with pytest.raises(UnicodeEncodeError):
        write_film_page(path, "broken \ud800")
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


def test_a_graph_shows_unknown_values_as_gaps(game):
    forecasts = forecasts_of(game)
    forecasts.chances[5:8] = np.nan
    page = film_page(game.positions, game.moves, (), forecasts)
    assert json.loads(re.findall(r'data-graph="(\[.*?\])"', page)[1])[0][5:8] == [None] * 3
    assert "nan" not in page[page.index("film-extras") : page.index("film-log")]
