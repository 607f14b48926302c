"""Explanations of cards and places, an agent's thoughts, and hints."""

import json
import re
from html import unescape

import numpy as np
import pytest

import shakespeare_agents
from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.analysis.judging import quick_forecasts
from shakespeare_table.analysis.playouts import PositionPlayouts
from shakespeare_table.browser.storage.plan import Occupant, TablePlan
from shakespeare_table.browser.tables.state import first_state
from shakespeare_table.browser.viewing import explained
from shakespeare_table.session import choose
from tests.table.tables import (
    begin,
    begun,
    events,
    field,
    moves,
    seats_of,
    spectators_address,
    wait_for_page,
)

QUESTION = {"agent": "heuristic", "playouts": "256"}


def test_a_place_is_explained_by_what_lies_there():
    state = first_state(TablePlan("shakespeare", 2, (), 1, (Occupant("P0"), Occupant("P1"))))
    assert explained(state, 0, "lady_macbeth")[0].title == "Lady Macbeth"
    assert explained(state, 0, "seat0.troupe.0")[0].title == "Author"
    assert explained(state, 0, "piles.II.4")[0].title == "Act II"
    for nothing in ("", "nobody", "seat9.troupe.1", "seat0.troupe.²"):
        assert all(explanation.text for explanation in explained(state, 0, nothing))


def test_a_card_of_another_seat_is_explained(client):
    address = begin(client, seed=2).url.path
    assert "Falstaff" in client.get(f"{address}/explain?name=seat1.troupe.1").text


@pytest.mark.parametrize("game", registry.names())
def test_a_table_resumed_goes_on_as_if_it_had_never_stopped(game):
    """An agent's draws depend only on the seed and the number of the decision."""
    position = Position.new(game, players=registry.seats(game)[-1], seed=2)
    one = shakespeare_agents.make("random", position.game)
    drawn = [choose(one, position, 7, number) for number in range(12)]
    assert len(set(drawn)) > 1
    for seed, same in ((7, True), (8, False)):
        anew = (shakespeare_agents.make("random", position.game) for _ in drawn)
        again = [choose(agent, position, seed, number) for number, agent in enumerate(anew)]
        assert (again == drawn) is same


def stream(client, address, number, **parameters):
    return client.get(
        f"{address}/thoughts/stream", params={**QUESTION, "number": number, **parameters}
    )


def test_thoughts_come_in_until_the_search_ends(client):
    game = registry.names()[-1]
    players = registry.seats(game)[0]
    position = Position.new(game, players=players, seed=3)
    mover, *_ = sorted(
        seats_of(client, begin(client, game, ["person"] * players, seed=3)),
        key=lambda link: not moves(client.get(link)),
    )
    assert "number=0" in client.get(f"{mover}/thoughts", params=QUESTION).text
    *thoughts, last = events(stream(client, mover, 0))
    assert last == ("done", "")
    assert len(thoughts) > 1
    assert {event for event, _ in thoughts} == {"thought"}
    playouts = [int(n) for _, text in thoughts for n in re.findall(r">(\d+) possible games", text)]
    assert len(playouts) == len(thoughts)
    assert playouts == sorted(playouts)
    words = [re.split(r"seat \d", position.describe_move(move))[0] for move in position.moves()]
    last_thought = unescape(thoughts[-1][1]).lower()
    assert any(before.lower() in last_thought for before in words)  # a name follows


def test_nobody_thinks_for_others(client):
    page = begin(client, seed=4)
    mover, other = sorted(seats_of(client, page), key=lambda link: not moves(client.get(link)))
    for address in (other, spectators_address(page)):
        assert client.get(f"{address}/thoughts", params=QUESTION).status_code == 400
        assert stream(client, address, 0).status_code == 400
        assert client.get(f"{address}/hint").status_code == 400
    assert stream(client, mover, 7).status_code == 409
    for wrong in ({"agent": "nobody"}, {"agent": "my.py:A"}, {"playouts": "9999999"}):
        assert client.get(f"{mover}/thoughts", params={**QUESTION, **wrong}).status_code == 400
        assert stream(client, mover, 0, **wrong).status_code == 400
    assert client.get(f"{mover}/hint", params={"agent": "my.py:A"}).status_code == 400


def test_equal_knowledge_gives_equal_thoughts(client):
    position = Position.new("figaro", players=3, seed=5)
    seat = position.to_move
    assert seat is not None
    heard = set()
    for seed in range(3):
        text = json.dumps(position.determinize(seat, seed).to_dict())
        mover, _ = begun(client, game="figaro", seats=["person"] * 3, seed=1, position=text)
        *_, last, _ = events(stream(client, mover, 0))
        heard.add(last)
    assert len(heard) == 1


def test_a_hint_and_thoughts_tell_the_same_numbers(client):
    """In Figaro people read lengths of roads, of which less is better."""
    seat = begin(client, "figaro", ["person", "random", "random"], seed=3).url.path
    page = wait_for_page(client, seat, moves)
    hint = unescape(client.get(f"{seat}/hint", params={"agent": "heuristic"}).text)
    number = field(page, "number")
    *_, (_, thought), _ = events(stream(client, seat, number, playouts="256"))
    table = re.compile(r'<table class="thought-moves">.*?</table>', re.DOTALL)
    of_hint = re.findall(r"<tr>.*?</tr>", table.findall(hint)[0])
    of_thought = re.findall(r"<tr>.*?</tr>", unescape(table.findall(thought)[0]))
    assert of_thought[: len(of_hint)] == of_hint
    assert ("No clear difference" in hint) == ("No clear difference" in thought)
    assert ("data-move" in hint) == ("No clear difference" not in hint)


def test_an_analyst_with_a_model_plays_on_until_the_model_forecasts():
    game = registry.game("figaro")

    def model(observations, masks):
        by_seat = np.zeros((len(masks), game.max_seats))
        return {"logits": np.zeros(masks.shape), "win_logits": by_seat, "changes": by_seat + 0.03}

    analyst = Analyst(game, model)
    position = Position.new("figaro", players=3, seed=2)
    shares, scores = PositionPlayouts(analyst, position).outcomes(position.moves()[0], 4)
    assert shares == pytest.approx(1 / 3, abs=1e-3)
    assert np.abs(scores - scores.round()).min() > 1e-3
    assert analyst.forecaster is not None
    forecast_shares, forecast_scores = quick_forecasts(analyst.forecaster, [position])
    assert forecast_shares == pytest.approx(1 / 3)
    assert np.abs(forecast_scores - forecast_scores.round()).min() > 1e-3
