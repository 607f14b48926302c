"""What is told of a card or a thing, by name or by place."""

import pytest

from shakespeare_agents.table.explaining import explained
from shakespeare_agents.table.live_table import Snapshot
from shakespeare_agents.table.plans import SeatPlan, TablePlan
from shakespeare_env import Position, registry
from tests.table.tables import begin, served


def snapshot(game, players, moves=0):
    position = Position.new(game, players=players, seed=1)
    for _ in range(moves):
        position.push(position.moves()[0])
    seats = tuple(SeatPlan(f"P{seat}") for seat in range(players))
    return Snapshot("t", TablePlan(game, players, (), 1, seats), [position], [], 0)


@pytest.mark.parametrize("game", registry.names())
def test_every_place_of_a_move_is_explained(game):
    players = registry.seats(game)[-1]
    now = snapshot(game, players)
    position = now.position
    asked = 0
    for _ in range(60):
        seat = position.to_move
        if seat is None:
            break
        seen = position.seen_by(seat)
        here = Snapshot("t", now.plan, [position], [], 0)
        for move in position.moves():
            for place in position.game.places(seen, move):
                assert explained(here, seat, place), place
                asked += 1
        position = position.copy()
        position.push(position.moves()[-1])
    assert asked > 50


def test_names_are_found_whole_or_in_part():
    now = snapshot("shakespeare", 2)
    assert explained(now, 0, "Lady Macbeth")[0][0] == "lady_macbeth"
    assert "lady_macbeth" in dict(explained(now, 0, "macb"))
    assert explained(now, 0, "seat0.troupe.0")[0][0] == "author"
    assert explained(now, 0, "piles.II.4")[0][0] == "act_ii"
    for nothing in ("", "nobody", "seat9.troupe.1", "seat0.troupe.99", "..", "seats.0.troupe"):
        assert all(text for _, text in explained(now, 0, nothing))


def test_the_page_explains_what_is_clicked(tmp_path):
    with served(tmp_path) as client:
        page = begin(client, seed=2)
        told = client.get(f"{page.url.path}/explain", params={"name": "seat1.troupe.1"})
        assert "Falstaff" in told.text
        assert "Nothing here" in client.get(f"{page.url.path}/explain?name=qqq").text
