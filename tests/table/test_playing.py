"""Tables, played by posting what their pages post."""

import time

import pytest

from shakespeare_env import Position, registry
from tests.table.tables import begin, field, links, moves, play, served, turn, watching

PATIENCE = 30
"""Seconds for agents to decide on a busy machine."""


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with served(tmp_path_factory.mktemp("games")) as found:
        yield found


def waited(client, address, page):
    """The page, once the viewer decides or the game is over."""
    until = time.monotonic() + PATIENCE
    while not moves(page) and "How each score came about" not in page.text:
        assert time.monotonic() < until, page.text
        time.sleep(0.01)
        page = client.get(address)
    return page


@pytest.mark.parametrize("game", registry.names())
def test_a_game_against_an_agent_is_played_to_its_end_and_its_scores_are_explained(client, game):
    seats = ["person", *["random"] * (registry.seats(game)[0] if game == "figaro" else 1)]
    page = begin(client, game, seats[:3])
    address, position = page.url.path, None
    for _ in range(400):
        page = waited(client, address, page)
        if not moves(page):
            break
        position = int(field(page, "number"))
        answer = play(client, address, page, moves(page)[0])
        assert answer.status_code == 200
        page = client.get(address)
    assert "How each score came about" in page.text
    assert position is not None
    assert "Review this game" in page.text


def test_a_page_offers_the_legal_moves_with_their_places(client):
    page = begin(client, seed=3)
    position = Position.new("shakespeare", players=2, seed=3)
    seen = {link: client.get(link) for link in links(page)}
    offered = [moves(one) for one in seen.values() if moves(one)]
    assert offered == [position.moves()]
    seat = position.to_move
    for one in seen.values():
        for move, places, words in turn(one)["moves"]:
            assert tuple(places) == position.game.places(position.seen_by(seat), move)
            assert words.lower() == position.describe_move(move).lower()
            for place in places:
                assert f'data-place="{place}"' in one.text


def test_what_has_changed_is_enough_and_the_same_version_changes_nothing(client):
    page = begin(client, seed=4)
    addresses = links(page)
    mover = next(link for link in addresses if moves(client.get(link)))
    before = client.get(mover)
    answer = play(client, mover, before, moves(before)[0])
    after = client.get(mover)
    assert field(answer, "version") == field(after, "version") != field(before, "version")
    assert client.get(f"{mover}/changes?since={field(after, 'version')}").status_code == 204
    assert len(answer.content) < len(after.content) / 2
    for piece in after.text.split("<svg ")[1:]:
        drawn = piece.split("</svg>")[0]
        if 'id="piece-' in drawn:
            assert drawn in before.text or drawn in answer.text
    everything = client.get(f"{mover}/changes?since=none")
    assert 'id="board" hx-swap-oob' in everything.text


def test_a_move_is_refused_that_is_not_legal_not_the_next_or_not_this_seats(client):
    page = begin(client, seed=5)
    addresses = links(page)
    mover = next(link for link in addresses if moves(client.get(link)))
    other = next(link for link in addresses if link != mover)
    before = client.get(mover)
    move = moves(before)[0]
    for address, said in (
        (mover, {"move": "fly:moon"}),
        (mover, {"number": "7"}),
        (mover, {"number": "-1"}),
        (other, {}),
        (watching(page), {}),
    ):
        answer = play(client, address, before, **({"move": move} | said))
        assert answer.status_code == 409, (address, said)
        assert 'id="message" role="alert">' in answer.text
    assert field(client.get(mover), "version") == field(before, "version")
    assert play(client, mover, before, move).status_code == 200
    assert play(client, mover, before, move).status_code == 409


def test_without_scripts_a_move_leads_back_to_the_page(client):
    page = begin(client, seed=6)
    mover = next(link for link in links(page) if moves(client.get(link)))
    before = client.get(mover)
    form = {"move": moves(before)[0], "number": field(before, "number")}
    assert client.post(f"{mover}/play", data=form).url.path == mover
    refused = client.post(f"{mover}/play", data=form)
    assert refused.status_code == 400
    assert "It is not your turn" in refused.text


def test_on_one_screen_a_seat_is_shown_once_it_says_that_it_looks(client):
    page = begin(client, seed=7, one_screen="1")
    address = page.url.path
    assert "Pass the screen to" in page.text
    assert not moves(page)
    seat = Position.new("shakespeare", players=2, seed=7).to_move
    assert seat is not None
    shown = client.get(f"{address}?as={seat}")
    assert moves(shown)
    assert "Pass the screen to" not in shown.text
    assert not moves(client.get(f"{address}?as={1 - seat}"))
    answer = play(client, address, shown, moves(shown)[0], **{"as": str(seat)})
    assert "Pass the screen to" in answer.text
    assert not moves(client.get(f"{address}?as={seat}"))


def test_a_move_is_taken_back_until_somebody_else_has_decided(client):
    page = begin(client, seed=8, seats=("person", "person"))
    mover = next(link for link in links(page) if moves(client.get(link)))
    other = next(link for link in links(page) if link != mover)
    before = client.get(mover)
    play(client, mover, before, moves(before)[0])
    after = client.get(mover)
    assert "Take back" in after.text
    said = {"undo": "1", "since": field(after, "version")}
    answer = client.post(f"{mover}/play", data=said, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    again = client.get(mover)
    assert moves(again) == moves(before)
    assert field(again, "version") != field(before, "version")
    play(client, mover, again, moves(again)[0])
    theirs = client.get(other)
    play(client, other, theirs, moves(theirs)[0])
    refused = client.post(f"{mover}/play", data=said, headers={"HX-Request": "true"})
    assert refused.status_code == 409
    assert "has decided since" in refused.text


def test_only_the_owner_of_a_table_sees_the_links_of_its_seats(client):
    page = begin(client, seed=9)
    one, other = links(page)
    client.cookies.clear()
    assert other not in client.get(one).text
    assert one not in client.get(watching(page)).text


@pytest.mark.parametrize("address", ["/seat/none", "/watch/none", "/nowhere", "/seat/none/changes"])
def test_there_is_no_page_of_a_table_that_does_not_exist(client, address):
    assert client.get(address).status_code == 404


AGENT = """
class Fails:
    def __init__(self, game): pass
    def act(self, observations, masks, rng): raise RuntimeError("out of ideas")
"""


def test_an_agent_that_fails_leaves_the_game_open_and_may_be_replaced(tmp_path):
    (tmp_path / "mine.py").write_text(AGENT)
    name = f"{tmp_path}/mine.py:Fails"
    with served(tmp_path, agents=(name,)) as client:
        page = begin(client, seats=("person", name), seed=3)
        address = page.url.path
        until = time.monotonic() + PATIENCE
        while "RuntimeError in mine.py, line 4" not in page.text:
            if moves(page):
                play(client, address, page, moves(page)[0])
            page = client.get(address)
            assert time.monotonic() < until
        form = {"agent": "random", "since": field(page, "version")}
        answer = client.post(f"{address}/agent", data=form, headers={"HX-Request": "true"})
        assert answer.status_code == 200
        waited(client, address, client.get(address))
        refused = client.post(f"{address}/agent", data=form, headers={"HX-Request": "true"})
        assert refused.status_code == 409
