"""The form of a new table: what it offers and what it refuses."""

import json
import re
from html import unescape

import pytest

from shakespeare_agents.naming import make
from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_table.browser.settings import levels_of
from tests.table.tables import begin, field, moves


@pytest.mark.parametrize("game", registry.names())
def test_every_game_and_number_of_seats_can_be_begun(client, game):
    for players in registry.seats(game):
        form = client.get("/", params={"game": game, "players": players})
        assert f'name="seat{players - 1}"' in form.text
        assert begin(client, game, ["person"] * players).url.path.startswith("/seat/")
    assert begin(client, game, ["random"] * players).url.path.startswith("/watch/")


def test_variants_are_offered_where_they_are_played_and_hold(client):
    assert "variant_strategic_rest" in client.get("/", params={"players": 3}).text
    assert "variant_strategic_rest" not in client.get("/", params={"game": "figaro"}).text
    assert "strategic rest" in begin(client, seed=1, variant_strategic_rest="1").text


@pytest.mark.parametrize(
    "given",
    [
        {"game": "chess"},
        {"game": "figaro", "players": "9"},
        {"seed": "x"},
        {"seed": str(2**52)},
        {"name0": "a" * 65},
        {"seat1": "nobody"},
        {"seat1": "my.py:Agent"},
        {"seat1": "/etc"},
        {"seat1": "search,network=/etc"},
        {"position": "[" * 9000},
        {"position": '{"game": "shakespeare"}'},
        {"position": '{"game": "shakespeare", "players": 2}'},
    ],
)
def test_what_cannot_be_is_said_and_nothing_filled_in_is_lost(client, given):
    form = {"game": "shakespeare", "players": "2", "seed": "7", "name0": "Ann", **given}
    page = client.post("/tables", data=form)
    assert page.status_code == 422
    assert 'role="alert">' in page.text
    assert ('"figaro" selected' in page.text) == (given.get("game") == "figaro")
    if "seat1" in given:
        assert 'value="Ann"' in page.text
        assert 'value="7"' in page.text


@pytest.mark.parametrize("game", registry.names())
def test_levels_are_offered_from_the_weakest_on_and_can_play(client, game):
    levels = levels_of(game)
    form = unescape(client.get("/", params={"game": game, "players": 3}).text)
    places = [form.index('<option value="' + level["agent"] + '"') for level in levels]
    assert places == sorted(places)
    for level in levels:
        make(level["agent"], registry.game(game))


def test_a_form_that_is_sent_twice_begins_one_table(client):
    pages = {"/tables": "/", "/learn/figaro/first-game": "/learn/figaro"}
    for address, page in pages.items():
        tokens = []
        for _ in "ab":
            found = re.search(r'name="form" value="([\w-]+)"', client.get(page).text)
            assert found
            tokens.append(found[1])
        form = {"game": "figaro", "players": "3", "seat1": "person", "seat2": "person"}
        begun = [
            client.post(address, data=form | {"form": token}).url.path
            for token in (tokens[0], tokens[0], tokens[1])
        ]
        assert begun[0] == begun[1] != begun[2]
        changed = form | {"form": tokens[0], "players": "4"}
        assert client.post(address, data=changed).url.path not in begun


def test_a_table_may_begin_in_the_middle_of_a_game_and_is_found_again(client):
    position = Position.new("figaro", players=3, seed=2)
    for _ in range(5):
        position.push(position.moves()[0])
    text = json.dumps(position.to_dict())
    form = client.get("/", params={"game": "figaro", "position": text})
    assert "in the middle of a game: round 1 of 3" in form.text
    seats = ["person" if seat == position.to_move else "random" for seat in range(3)]
    page = begin(client, "figaro", seats, position=text)
    assert moves(page) == position.moves()
    assert field(page, "number") == "0"
    assert page.url.path in client.get("/").text
    client.cookies.clear()
    assert page.url.path not in client.get("/").text
