"""A recorded game as one page: what it holds, what it keeps secret, and what it needs."""

import base64
import json
import re
import zlib
from dataclasses import replace
from html import escape
from unittest.mock import Mock

import numpy as np
import pytest

from shakespeare_env.core import registry
from shakespeare_env.core.game import SPECTATOR
from shakespeare_env.drawing.board import piece_svg
from shakespeare_env.film import Film, film_page
from shakespeare_env.play.history import GameHistory
from shakespeare_table.analysis.mistakes import (
    Forecasts,
    JudgedDecision,
    annotated_page,
    mistakes_summary,
)
from tests.agents.sessions import played_session
from tests.drawings import pieces


@pytest.fixture(params=registry.names(), scope="module")
def game(request):
    return played_session(request.param, most=16).history


def data_of(page):
    (found,) = re.findall(r'type="application/json" id="film-data">(.*?)</script>', page)
    return json.loads(zlib.decompress(base64.b64decode(json.loads(found)["packed"])))


def pictures(film, number):
    """The drawings of a frame."""
    panels = [film["panels"][panel] for panel in film["frames"][number]]
    return [film["pieces"][piece] for panel in panels for piece in panel["pieces"]]


def drawn(position, seen):
    return [*pieces(position.game.presentation.board(seen, ())).values()]


def forecasts_of(game):
    shape = len(game.positions), game.position.players
    return Forecasts(np.full(shape, 1 / shape[1]), np.full(shape, 7.5), "somebody")


def test_a_page_holds_every_position_as_the_game_draws_it_and_needs_nothing_else(game):
    page = film_page(Film(replace(game, forfeit="Nobody came")))
    film = data_of(page)
    for number in (0, 1, 11, len(game.moves)):
        position = game.positions[number]
        assert pictures(film, number) == drawn(position, position.to_dict())
    assert len(set(film["pieces"])) == len(film["pieces"])
    assert [one["move"] for one in film["told"]] == game.moves
    assert [text.endswith("Nobody came") for text in film["progress"][-2:]] == [False, True]
    for number in range(1, len(game.moves) + 1):
        assert f'<a href="#{number}" data-ply="{number}">' in page
    names = ["A<b>", *["B"] * (game.position.players - 1)]
    assert "A<b>" not in film_page(Film(replace(game, names=names)))
    names = ["a" * 999] * len(names)
    assert "a" * 65 not in film_page(Film(replace(game, names=names)))
    assert not re.search(r'(?:src|href)="(?!#)[^"]', page)
    assert "@import" not in page
    # The address of SVG's names is no address to fetch.
    assert {*re.findall(r"https?://[^\s\"'<]+", page)} == {"http://www.w3.org/2000/svg"}


def test_a_piece_is_drawn_once_for_each_board(game, monkeypatch):
    boards = [
        position.game.presentation.board(position.to_dict(), ()) for position in game.positions
    ]
    draw = Mock(wraps=piece_svg)
    monkeypatch.setattr("shakespeare_env.film.piece_svg", draw)
    Film(game).data()
    assert draw.call_count == sum(len(panel.pieces) for board in boards for panel in board)


@pytest.mark.parametrize("seat", [0, SPECTATOR])
def test_one_seat_sees_what_it_may_know(game, seat):
    film = Film(game, seat=seat)
    for number in (3, len(game.moves)):
        position = game.positions[number]
        seen = position.game.seen_by(position.to_dict(), seat)
        assert pictures(json.loads(film.data()), number) == drawn(position, seen)
    for before, move, told in zip(game.positions, game.moves, film.told, strict=False):
        if before.to_move != seat and before.game.is_secret(before.to_dict(), move):
            assert (told.move, told.text) == ("", "decides in secret")


def test_the_end_of_a_game_is_open_to_every_seat():
    game = played_session("figaro")
    steps = GameHistory(game.positions[-3:], game.moves[-2:])
    open_ = pictures(json.loads(Film(steps).data()), -1)
    for seat in (0, SPECTATOR):
        assert pictures(json.loads(Film(steps, seat=seat).data()), -1) == open_


def test_graphs_and_mistakes_lead_to_positions(game):
    seat = game.positions[9].to_move
    better = game.positions[9].moves()[-1]
    judged = JudgedDecision(10, seat, better, 0.125, 0.03)
    forecasts = forecasts_of(game)
    forecasts.chances[5:8] = np.nan
    page = annotated_page(Film(game), forecasts, [judged])
    graphs = [json.loads(found) for found in re.findall(r'data-graph="(\[.*?\])"', page)]
    chances, scores = graphs
    expected = np.array([position.scores() for position in game.positions]).T
    assert scores == expected.tolist()
    line: list[float | None] = [round(100 / len(expected), 1)] * len(game.positions)
    line[5:8] = [None] * 3
    assert chances == [line] * len(expected)
    assert "nan" not in page[page.index('class="film-extras"') : page.index('class="film-log"')]
    assert f"Move 10, mistake: cost Seat {seat} 12 ± 3 % chance to win" in page
    mistakes = page[page.index('class="film-mistakes"') : page.index('class="film-summary"')]
    assert '<a href="#10" data-ply="10">' in mistakes
    told = re.search(r"Better: (.*?)</li>", mistakes)
    assert told is not None
    assert "<code>" not in mistakes
    assert escape(game.positions[9].describe_move(better)).lower() in told[1].lower()


def test_a_player_is_summed_up_by_kind(game):
    seat = game.positions[2].to_move
    other = (game.positions[2].to_move + 1) % game.position.players
    film = Film(game)
    losses = {1: (0.3, 0.1), 2: (0.12, 0.1), 3: (0.06, 0.01), 4: (0.4, 0.5), 5: (-0.08, 0.1)}
    judged = [JudgedDecision(number, seat, "m", *loss) for number, loss in losses.items()]
    rows = re.findall(
        r"<tr>(.*?)</tr>",
        mistakes_summary(film, [*judged, JudgedDecision(6, other, "m", 0.0, 0.0)]),
    )
    assert re.findall(r">([^<>]+)</(?:td|b|th)>", rows[0]) == ["lost", "??", "?", "?!"]
    # Of the two uncertain ones none is a mistake.
    assert re.findall(r">([-–.\d]+)", rows[1 + seat]) == ["16.0", "1", "1", "1"]
    assert re.findall(r">([-–.\d]+)", rows[1 + other]) == ["0.0", "0", "0", "0"]
    assert "none" not in "".join(rows)
    assert "–" in mistakes_summary(film, judged)


def test_what_does_not_fit_is_refused(game):
    with pytest.raises(ValueError, match="give one position more than moves"):
        Film(replace(game, positions=game.positions[:-1]))
    with pytest.raises(ValueError, match="give one for each"):
        Film(replace(game, names=["A"]))
    with pytest.raises(ValueError, match="seat=0: forecasts tell"):
        annotated_page(Film(game, seat=0), forecasts_of(game), [])
