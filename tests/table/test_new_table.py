"""The form of a new table: what it offers and what it refuses."""

import json

import pytest

from shakespeare_env import Position, registry
from tests.table.tables import begin, field, moves, served


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with served(tmp_path_factory.mktemp("games")) as found:
        yield found


@pytest.mark.parametrize("game", registry.names())
def test_every_game_and_number_of_seats_can_be_begun(client, game):
    for players in registry.seats(game):
        form = client.get("/", params={"game": game, "players": players})
        assert f'name="seat{players - 1}"' in form.text
        page = begin(client, game, ["person"] * players)
        assert page.url.path.startswith("/seat/")


def test_variants_are_offered_where_they_are_played_and_hold(client):
    assert "variant_strategic_rest" in client.get("/", params={"players": 3}).text
    assert "variant_strategic_rest" not in client.get("/", params={"game": "figaro"}).text
    page = begin(client, seed=1, variant_strategic_rest="1")
    assert "strategic rest" in page.text


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"game": "chess"}, "there is no game"),
        ({"seed": "x"}, "the seed is a whole number"),
        ({"seed": str(2**63)}, "give a number from 0"),
        ({"name0": "a" * 41}, "at most 40"),
        ({"seat1": "nobody"}, "cannot play"),
        ({"seat1": "named", "agent1": ""}, "seat 1: name an agent"),
        ({"seat1": "named", "agent1": "my.py:Agent"}, "--agent my.py:Agent"),
        ({"seat1": "named", "agent1": "search,simulations=0"}, "cannot play"),
        ({"seat1": "named", "agent1": "/etc"}, "cannot play"),
        ({"position": "{"}, "the position to begin with"),
        ({"position": "[" * 9000}, "the position to begin with"),
        ({"position": '{"game": "shakespeare"}'}, "how many play"),
        ({"position": '{"game": "shakespeare", "players": 2}'}, "position"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_filled_in_is_lost(client, said, told):
    form = {"game": "shakespeare", "players": "2", "seed": "7", "name0": "Ann", **said}
    page = client.post("/tables", data=form)
    assert page.status_code == 422
    assert told.lower() in page.text.replace("&#39;", "'").lower()
    if said.keys() <= {"seat1", "agent1"}:
        assert 'value="Ann"' in page.text
        assert 'value="7"' in page.text


def test_a_table_may_begin_in_the_middle_of_a_game(client):
    position = Position.new("figaro", players=3, seed=2)
    for _ in range(5):
        position.push(position.moves()[0])
    text = json.dumps(position.to_dict())
    form = client.get("/", params={"game": "figaro", "position": text})
    assert "in the middle of a game: round 1 of 3" in form.text
    seats = ["random"] * 3
    assert position.to_move is not None
    seats[position.to_move] = "person"
    page = begin(client, "figaro", seats, position=text)
    assert moves(page) == position.moves()
    assert field(page, "number") == "0"


def test_tables_only_of_agents_are_watched(client):
    page = begin(client, "figaro", ["random"] * 3)
    assert page.url.path.startswith("/watch/")


def test_tables_are_found_again_by_who_began_them(client):
    page = begin(client, "figaro", ["person", "random", "random"])
    assert page.url.path in client.get("/").text
    client.cookies.clear()
    assert page.url.path not in client.get("/").text
