"""The page of a recorded game holds the whole game, keeps secrets, and loads nothing else."""

import base64
import json
import re
import zlib
from dataclasses import replace
from html import escape
from unittest.mock import Mock
from xml.etree import ElementTree

import numpy as np
import pytest

from shakespeare_env.core import registry
from shakespeare_env.core.game import SPECTATOR
from shakespeare_env.core.seat_names import YOU
from shakespeare_env.drawing.board import piece_svg
from shakespeare_env.drawing.shapes import shortened
from shakespeare_env.film import Film, film_page
from shakespeare_env.fonts import width
from shakespeare_env.play.history import GameHistory
from shakespeare_env.play.named import gerund
from shakespeare_table.analysis.evaluation import Difference
from shakespeare_table.analysis.mistakes import (
    Forecasts,
    JudgedDecision,
    annotated_page,
    lost_points,
    mistakes_list,
    mistakes_summary,
)
from shakespeare_table.analysis.reasons import (
    Finding,
    Reasons,
    RowGain,
    figures_in_words,
    reasons_in_words,
    rows_in_words,
)
from tests.agents.sessions import played_session
from tests.drawings import pieces


@pytest.fixture(params=registry.names(), scope="module")
def game(request):
    return played_session(request.param, most=16).history


def data_of(page):
    """Return the data of a film that its page holds."""
    (data,) = re.findall(r'type="application/json" id="film-data">(.*?)</script>', page)
    return json.loads(zlib.decompress(base64.b64decode(json.loads(data)["packed"])))


def pictures(film, number):
    """Return the pictures of a frame, the summaries after the other ones."""
    panels = [film["panels"][panel] for panel in film["frames"][number]]
    numbers = [piece for panel in panels for piece in panel["pieces"]]
    summaries = [panel["summary"] for panel in panels if panel["summary"] is not None]
    return [film["pieces"][number] for number in numbers + summaries]


def drawings(position, seen):
    """Return the drawings of a position as it is seen, as `pictures` orders them."""
    panels = position.game.presentation.board(seen, ())
    summaries = [panel.summary for panel in panels if panel.summary]
    drawn = [piece_svg(piece, f"piece-{piece.name}") for piece in summaries]
    return [*pieces(panels).values(), *drawn]


def forecasts_of(game):
    """Return equal chances and scores for all positions of a game."""
    positions = len(game.positions)
    players = game.position.players
    chances = np.full((positions, players), 1 / players)
    scores = np.full((positions, players), 7.5)
    return Forecasts(chances, scores, "somebody")


def test_a_page_holds_every_position_as_the_game_draws_it(game):
    page = film_page(Film(replace(game, forfeit="Nobody came")))
    film = data_of(page)
    for number in (0, 1, 11, len(game.moves)):
        position = game.positions[number]
        assert pictures(film, number) == drawings(position, position.to_dict())
    assert len(set(film["pieces"])) == len(film["pieces"])
    assert [told["move"] for told in film["told"]] == game.moves
    assert [text.endswith("Nobody came") for text in film["progress"][-2:]] == [False, True]
    for number in range(1, len(game.moves) + 1):
        assert f'<a href="#{number}" data-ply="{number}">' in page


def test_names_on_a_page_are_escaped_and_shortened(game):
    players = game.position.players
    names = ["A<b>", *["B"] * (players - 1)]
    assert "A<b>" not in film_page(Film(replace(game, names=names)))
    names = ["a" * 999] * players
    assert "a" * 65 not in film_page(Film(replace(game, names=names)))


def test_a_page_says_you_to_its_reader(game):
    seat = game.positions[2].to_move
    names = [YOU if each == seat else f"P{each}" for each in range(game.position.players)]
    film = Film(replace(game, names=names))
    assert film.told[2].mover == film.label(seat) == "You"
    assert film.labels[seat] == YOU
    loss = Difference(0.2, 0.01, in_points=False)
    judged = JudgedDecision(3, seat, game.moves[2], game.moves[2], loss)
    assert "Move 3, blunder: cost you 20.0" in mistakes_list(film, [judged])
    assert "Your mistakes by kind of move" in mistakes_summary(film, [judged], seat)


def test_a_page_loads_nothing_else(game):
    page = film_page(Film(game))
    assert not re.search(r'(?:src|href)="(?!#)[^"]', page)
    assert "@import" not in page
    # SVG's namespace looks like an address, but nothing is fetched from there.
    assert {*re.findall(r"https?://[^\s\"'<]+", page)} == {"http://www.w3.org/2000/svg"}


def test_a_piece_is_drawn_once_for_each_board(game, monkeypatch):
    n_pieces = 0
    for position in game.positions:
        for panel in position.game.presentation.board(position.to_dict(), ()):
            n_pieces += len(panel.pieces)
            n_pieces += panel.summary is not None
    draw = Mock(wraps=piece_svg)
    monkeypatch.setattr("shakespeare_env.film.piece_svg", draw)
    Film(game).data()
    assert draw.call_count == n_pieces


@pytest.mark.parametrize("seat", [0, SPECTATOR])
def test_a_film_for_one_seat_shows_only_what_the_seat_may_know(game, seat):
    film = Film(game, seat=seat)
    for number in (3, len(game.moves)):
        position = game.positions[number]
        seen = position.game.seen_by(position.to_dict(), seat)
        assert pictures(json.loads(film.data()), number) == drawings(position, seen)
    for before, move, told in zip(game.positions, game.moves, film.told, strict=False):
        if before.to_move != seat and before.game.is_secret(before.to_dict(), move):
            assert (told.move, told.text) == ("", "decides in secret")


def test_the_end_of_a_game_is_open_to_every_seat():
    game = played_session("figaro")
    last_moves = GameHistory(game.positions[-3:], game.moves[-2:])
    full_view = pictures(json.loads(Film(last_moves).data()), -1)
    for seat in (0, SPECTATOR):
        assert pictures(json.loads(Film(last_moves, seat=seat).data()), -1) == full_view


def test_graphs_show_chances_and_scores_and_mistakes_link_to_positions(game):
    seat = game.positions[9].to_move
    better = game.positions[9].moves()[-1]
    judged = JudgedDecision(10, seat, game.moves[9], better, Difference(0.125, 0.03, False))
    forecasts = forecasts_of(game)
    forecasts.chances[5:8] = np.nan
    page = annotated_page(Film(game), forecasts, [judged])
    graphs = [json.loads(lines) for lines in re.findall(r'data-graph="(\[.*?\])"', page)]
    chances, scores = graphs
    expected = np.array([position.scores() for position in game.positions]).T
    assert scores == expected.tolist()
    line: list[float | None] = [round(100 / len(expected), 1)] * len(game.positions)
    line[5:8] = [None] * 3
    assert chances == [line] * len(expected)
    assert "nan" not in page[page.index('class="film-extras"') : page.index('class="film-log"')]
    assert f"Move 10, blunder: cost Seat {seat} 12.5 ± 3.0 % chance to win" in page
    mistakes = page[page.index('class="film-mistakes"') : page.index('class="film-summary"')]
    assert '<a href="#10" data-ply="10">' in mistakes
    advice = re.search(r"Better: (.*?)</li>", mistakes)
    assert advice is not None
    assert "<code>" not in page  # moves are told in words
    assert escape(game.positions[9].describe_move(better)).lower() in advice[1].lower()


def test_mistakes_are_listed_by_what_they_cost_the_worst_first(game):
    film = Film(game)
    losses = [(0.05, False), (9.0, True), (0.2, False), (12.0, True)]
    judged = [
        JudgedDecision(number, number % 2, move, move, Difference(amount, 0.01, in_points))
        for number, (move, (amount, in_points)) in enumerate(
            zip(game.moves, losses, strict=False), 1
        )
    ]
    listed = mistakes_list(film, judged)
    chances, points = listed.split("They cost points")
    assert re.findall(r'data-ply="(\d+)"', chances) == ["3", "1"]
    assert re.findall(r'data-ply="(\d+)"', points) == ["4", "2"]
    # Only the second list has to say why its costs are not chances.
    assert "could hardly be won or lost any more" in points.split("<ol>")[0]
    assert "could hardly" not in chances


def entries(film, *judged):
    """Return the numbers of the moves of each entry of the list of mistakes."""
    listed = ElementTree.fromstring(mistakes_list(film, judged).strip())
    return [
        [int(link.attrib["data-ply"]) for link in entry.iterfind(".//a")]
        for entry in listed.iterfind(".//ol/li")
    ]


def test_mistakes_that_are_much_alike_share_an_entry(game):
    film = Film(game)
    movers = [position.to_move for position in game.positions]
    # Two decisions of one turn, and one of the same seat in a later turn.
    at = next(at for at in range(len(movers)) if movers[at] == movers[at + 1])
    seat = movers[at]
    later = next(k for k in range(at + 3, len(movers)) if movers[k] == seat != movers[k - 1])
    first, second, third = at + 1, at + 2, later + 1

    def judge(number, amount, played, topic, in_points=False):
        loss = Difference(amount, 0.001, in_points)
        reasons = Reasons((), (Finding(topic, f"{number} of {topic}"),))
        return JudgedDecision(number, seat, played, played, loss, reasons)

    one = game.moves[at]
    other = next(move for move in game.moves if move != one)
    same = judge(first, 0.02, one, "cards")
    again = judge(third, 0.09, one, "pile")
    assert entries(film, same, again) == [[third, first]]
    # Another mistake between them keeps them apart, and so does the unit of what they cost.
    between = judge(second, 0.05, other, "pile")
    assert entries(film, same, between, again) == [[third], [second], [first]]
    in_points = judge(third, 6.0, one, "pile", in_points=True)
    assert entries(film, same, in_points) == [[first], [third]]
    # A reason counts within one turn.
    assert entries(film, same, judge(second, 0.05, other, "cards")) == [[second, first]]
    assert entries(film, same, judge(third, 0.05, other, "cards")) == [[third], [first]]


def test_a_players_mistakes_are_counted_by_kind(game):
    seat = game.positions[2].to_move
    other = (seat + 1) % game.position.players
    film = Film(game)
    actions = game.position.game.actions
    first = next(text for text in actions.texts if "{" not in text)
    last = next(text for text in reversed(actions.texts) if "{" not in text)
    losses = {1: (0.3, 0.1), 2: (0.12, 0.1), 3: (0.06, 0.01), 4: (0.4, 0.5), 5: (-0.08, 0.1)}
    judged = [
        JudgedDecision(number, seat, first, first, Difference(*loss, in_points=False))
        for number, loss in losses.items()
    ]
    # Where the chance of victory is gone, points count.
    scale = float(game.position.game.score_scale)
    in_points = Difference(0.2 * scale, 0.01 * scale, in_points=True)
    judged.append(JudgedDecision(6, seat, last, last, in_points))
    nothing = Difference(0.0, 0.0, in_points=False)
    table = mistakes_summary(film, [*judged, JudgedDecision(7, other, first, first, nothing)], seat)
    rows = re.findall(r"<tr>(.*?)</tr>", table)
    titles = ["% to win", "points", "??", "?", "?!"]
    assert re.findall(r">([^<>]+)</(?:td|b|th)>", rows[0]) == titles
    # The loss whose interval holds 0 and the gain are no mistakes.
    points = f"{0.2 * scale:.1f}"
    kind = gerund(actions.kind(actions.texts.index(first)))
    assert f"Most was lost when {kind}: 48 % in 3 of 5 decisions." in table
    assert re.findall(r">([.\d]+)<", rows[1 + seat]) == ["48", points, "2", "2", "0"]
    assert re.findall(r">([a-z ]+|[.\d]+)</td>", rows[1 + other]) == ["none found", "0", "0", "0"]
    assert "less certain differences are not called mistakes" in rows[1 + other]
    phases, kinds = lost_points(film, judged, seat)
    assert sum(lost.mistakes for lost in phases) == 4
    assert [(lost.name, lost.decisions, lost.mistakes) for lost in kinds] == [
        (actions.kind(actions.texts.index(first)), 5, 3),
        (actions.kind(actions.texts.index(last)), 1, 1),
    ]


def test_the_rows_of_a_reason_add_up_in_words(game):
    contract = game.position.game
    rows = [RowGain("A", 3.0, 0.5), RowGain("B", -1.0, 0.5), RowGain("C", 0.5, 0.6)]
    words = rows_in_words(contract, rows, Difference(2.5, 0.5, in_points=True))
    # Where the fewest points win, "more" would be misread.
    up, down = ("more", "less") if contract.presentation.score_sign > 0 else ("better", "worse")
    numbers = [
        float(number) * (1 if way == up else -1)
        for number, way in re.findall(rf"([.\d]+) points ({up}|{down})", words)
    ]
    assert len(numbers) == 4
    *parts, total = numbers
    assert sum(parts) == pytest.approx(total)
    assert "at C" not in words  # it is within its interval
    opposite = Difference(0.1, 0.05, in_points=False)
    worse = [RowGain("A", -1.0, 0.1)]
    assert rows_in_words(contract, worse, opposite).endswith("but it wins more often")


def test_sentences_explain_a_mistake_and_rows_stay_beneath_as_figures(game):
    contract = game.position.game
    loss = Difference(2.5, 0.5, in_points=True)
    rows = (RowGain("A", 2.5, 0.5),)
    told = (Finding("wins", "{seat 1} {win} more"), Finding("road", "{seat 1's} road is short"))
    said = Reasons(rows, told)
    names = ["Ann", "you", "Bob", "Cid"]
    assert reasons_in_words(contract, said, loss, names) == "You win more. Your road is short"
    assert figures_in_words(contract, said, loss) == rows_in_words(contract, rows, loss)
    # Without a sentence the rows are the words.
    unsaid = Reasons(rows)
    assert reasons_in_words(contract, unsaid, loss, names) == rows_in_words(contract, rows, loss)
    assert figures_in_words(contract, unsaid, loss) == ""
    seat = game.positions[2].to_move
    judged = JudgedDecision(3, seat, game.moves[2], game.moves[2], loss, said)
    listed = mistakes_list(Film(game), [judged])
    assert "road is short." in listed
    assert rows_in_words(contract, rows, loss) in listed
    assert "±" in listed.split("<ol>")[0]  # it is explained before it is used


def test_a_film_of_positions_names_or_forecasts_that_do_not_fit_is_refused(game):
    with pytest.raises(ValueError, match="give one position more than moves"):
        Film(replace(game, positions=game.positions[:-1]))
    with pytest.raises(ValueError, match="give one for each"):
        Film(replace(game, names=["A"]))
    with pytest.raises(ValueError, match="seat=0: forecasts reveal"):
        annotated_page(Film(game, seat=0), forecasts_of(game), [])


def test_a_name_that_is_cut_keeps_the_number_that_distinguishes_it():
    first, second = (shortened(f"Strongest {number}", 14, 70) for number in (1, 2))
    assert first.endswith("…1")
    assert second.endswith("…2")
    assert width(first, 14) <= 70
