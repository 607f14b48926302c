"""The form of a new table, with its choices and refusals."""

import json
import re
from html import unescape

import pytest

from shakespeare_agents.making import make
from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_table.browser.opponents import levels
from shakespeare_table.browser.processes import NotReadyError
from tests.table.tables import CompiledGames, begin, field, moves, served


@pytest.mark.parametrize("game", registry.names())
def test_every_game_and_number_of_seats_can_be_begun(client, game):
    for players in registry.seats(game):
        form = client.get("/", params={"game": game, "players": players})
        assert f'name="seat{players - 1}"' in form.text
        assert begin(client, game, ["person"] * players).url.path.startswith("/seat/")
    assert begin(client, game, ["random"] * players).url.path.startswith("/watch/")


def test_variants_are_offered_for_their_game_and_can_be_played(client):
    assert "variant_strategic_rest" in client.get("/", params={"players": 3}).text
    assert "variant_strategic_rest" not in client.get("/", params={"game": "figaro"}).text
    assert "strategic rest" in begin(client, seed=1, variant_strategic_rest="1").text


@pytest.mark.parametrize("address", ["/tables", "/learn/figaro/first-game"])
def test_a_game_begins_by_itself_once_its_rules_are_compiled(client, monkeypatch, address):
    """The page that waits sends the form again, with everything that was filled in."""

    def wait(self, game, seconds=0):
        raise NotReadyError(game)

    form = {"game": "figaro", "players": "3", "seed": "7", "name0": 'Ann "A"', "form": address}
    form |= {"seat0": "person", "seat1": "random", "seat2": "random"}
    with monkeypatch.context() as patch:
        patch.setattr(CompiledGames, "wait", wait)
        page = client.post(address, data=form)
    assert page.status_code == 503
    assert f'action="{address}"' in page.text
    assert "/static/waiting.js" in page.text
    kept = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', page.text)
    assert {name: unescape(value) for name, value in kept} == form
    assert client.post(address, data=form).url.path.startswith("/seat/")


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
def test_an_impossible_table_is_refused_with_a_reason(client, given):
    form = {"game": "shakespeare", "players": "2", "seed": "7", "name0": "Ann", **given}
    page = client.post("/tables", data=form)
    assert page.status_code == 422
    assert 'role="alert">' in page.text
    assert ('"figaro" selected' in page.text) == (given.get("game") == "figaro")


def test_an_agent_is_offered_for_the_games_that_it_can_play(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "class OnlyFigaro:\n"
        "    def __init__(self, game): assert game.name == 'figaro'\n"
        "    def act(self, observations, masks, rng): return masks.argmax(axis=1)\n"
    )
    with served(tmp_path, agents=(f"{file}:OnlyFigaro",)) as client:
        assert "mine.py:OnlyFigaro" in client.get("/", params={"game": "figaro"}).text
        assert "mine.py:OnlyFigaro" not in client.get("/", params={"game": "shakespeare"}).text
        seat = begin(client, seats=["person", "random"]).url.path
        refused = client.get(f"{seat}/hint", params={"agent": "mine.py:OnlyFigaro"})
        assert refused.status_code == 400
        assert "cannot play shakespeare; choose one of " in refused.text


def test_a_refused_form_keeps_what_was_filled_in(client):
    form = {"game": "shakespeare", "players": "2", "seed": "7", "name0": "Ann", "seat1": "nobody"}
    page = client.post("/tables", data=form)
    assert page.status_code == 422
    assert 'value="Ann"' in page.text
    assert 'value="7"' in page.text


@pytest.mark.parametrize("game", registry.names())
def test_levels_are_offered_from_the_weakest_on_and_can_play(client, game):
    offered = levels(game)
    form = unescape(client.get("/", params={"game": game, "players": 3}).text)
    places = [form.index(f'<option value="{level.agent}"') for level in offered]
    assert places == sorted(places)
    for level in offered:
        make(level.agent, registry.game(game))


def form_token(page):
    """Return the token that distinguishes a page's form from those of other pages."""
    found = re.search(r'name="form" value="([\w-]+)"', page.text)
    assert found
    return found[1]


@pytest.mark.parametrize(
    ("address", "page"), [("/tables", "/"), ("/learn/figaro/first-game", "/learn/figaro")]
)
def test_a_form_that_is_sent_twice_begins_one_table(client, address, page):
    first = form_token(client.get(page))
    second = form_token(client.get(page))
    form = {"game": "figaro", "players": "3", "seat1": "person", "seat2": "person"}

    def begun(token, **changes):
        return client.post(address, data={**form, "form": token, **changes}).url.path

    table = begun(first)
    assert begun(first) == table
    assert begun(second) != table
    assert begun(first, players="4") not in (table, begun(second))


def test_a_table_may_begin_in_the_middle_of_a_game(client):
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


def test_a_browser_finds_its_own_tables_again_and_no_others(client):
    seat = begin(client).url.path
    assert seat in client.get("/").text
    client.cookies.clear()
    assert seat not in client.get("/").text


def test_the_name_of_guided_games_is_nobodys_own(client):
    client.post("/learn/figaro/first-game")
    assert 'value="Learner"' not in client.get("/").text
    begin(client)
    client.post("/learn/figaro/first-game")
    assert 'name="name0" maxlength="64" value="P0"' in client.get("/").text
