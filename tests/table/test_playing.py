"""Tables, played by posting the forms of their pages."""

from functools import partial
from typing import Any

from starlette.testclient import TestClient

from shakespeare_env import Position
from shakespeare_env.play.history import GameHistory
from shakespeare_table.browser import play as play_pages
from shakespeare_table.browser.processes import FairPool
from shakespeare_table.browser.tables.live import LiveTable
from tests.table.tables import (
    HOST,
    HTMX,
    begin,
    begun,
    claim,
    events,
    field,
    invitations,
    moves,
    play,
    seats_of,
    site_of,
    spectators_address,
    turn,
)


def test_a_page_offers_the_legal_moves_with_their_places(client):
    page = begin(client, seed=3)
    position = Position.new("shakespeare", players=2, seed=3)
    (mine,) = [each for each in map(client.get, seats_of(client, page)) if moves(each)]
    assert moves(mine) == position.moves()
    for move, places, words in turn(mine)["moves"]:
        assert tuple(places) == position.game.presentation.places(
            position.seen_by(position.to_move), move
        )
        assert words.lower() == position.describe_move(move).lower()
        assert all(f'data-place="{place}"' in mine.text for place in places)


def test_a_move_is_answered_with_what_the_page_shows_next(client):
    mover, _ = begun(client, seed=4)
    before = client.get(mover)
    answer = play(client, mover, before, moves(before)[0])
    after = client.get(mover)
    assert field(answer, "version") == field(after, "version") != field(before, "version")
    assert turn(answer) == turn(after)
    for drawn in after.text.split("<svg ")[1:]:
        assert drawn.split("</svg>")[0] in answer.text


def test_nothing_has_changed_since_the_latest_version(client):
    mover, _ = begun(client, seed=4)
    version = field(client.get(mover), "version")
    assert client.get(f"{mover}/changes?since={version}").status_code == 204


class _TrueAfter:
    """A flag that is read as true after it has been read as false some times."""

    def __init__(self, times):
        self._times = times

    def __bool__(self):
        self._times -= 1
        return self._times < 0


def test_a_stream_repeats_the_versions_of_its_tables(client, monkeypatch):
    """A page that has missed one catches up."""
    page = begin(client)
    monkeypatch.setattr(play_pages, "REPEAT_EVERY_S", 0.0)
    monkeypatch.setattr(site_of(client), "is_closing", _TrueAfter(3))
    found = events(client.get("/events", params={"of": page.url.path}))
    assert found == [("changed", f"{field(page, 'version')} {page.url.path}")] * 3


def test_a_move_is_refused_that_is_not_legal_not_the_next_or_not_this_seats(client):
    page = begin(client, seed=5)
    mover, other = sorted(seats_of(client, page), key=lambda link: not moves(client.get(link)))
    before = client.get(mover)
    move = moves(before)[0]
    for address, fields in (
        (mover, {"move": "fly:moon"}),
        (mover, {"number": "7"}),
        (mover, {"number": "-1"}),
        (other, {}),
        (spectators_address(page), {}),
    ):
        answer = play(client, address, before, **({"move": move} | fields))
        assert answer.status_code == 409, (address, fields)
        assert 'id="message" role="alert">' in answer.text
    assert field(client.get(mover), "version") == field(before, "version")
    assert play(client, mover, before, move).status_code == 200
    assert play(client, mover, before, move).status_code == 409


def test_without_scripts_a_move_leads_back_to_the_page(client):
    mover, _ = begun(client, seed=5)
    form = {"move": moves(client.get(mover))[0], "number": "0"}
    assert client.post(f"{mover}/play", data=form).url.path == mover
    refused = client.post(f"{mover}/play", data=form)
    assert refused.status_code == 400
    assert "It is not your turn" in refused.text


def test_on_one_screen_a_seat_is_shown_once_its_player_reveals_it(client):
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
    mover, other = begun(client, seed=8)
    before = client.get(mover)
    play(client, mover, before, moves(before)[0])
    after = client.get(mover)
    assert "Take back" in after.text
    form = {"undo": "1", "number": field(after, "number"), "since": field(after, "version")}
    assert client.post(f"{mover}/play", data=form, headers=HTMX).status_code == 200
    again = client.get(mover)
    assert moves(again) == moves(before)
    assert field(again, "version") != field(before, "version")
    play(client, mover, again, moves(again)[0])
    theirs = client.get(other)
    play(client, other, theirs, moves(theirs)[0])
    refused = client.post(f"{mover}/play", data=form, headers=HTMX)
    assert refused.status_code == 409


def first_move_that_passes_the_turn():
    """Return the seed of a game that seat 0 begins, and a move after which seat 1 decides."""
    for seed in range(20):
        game = GameHistory([Position.new("shakespeare", players=2, seed=seed)], [])
        if game.position.to_move == 0:
            for move in game.position.moves():
                if game.pushed(move).position.to_move == 1:
                    return seed, move
    raise AssertionError("no game begins like this")


def test_an_agent_that_waited_for_its_turn_decides_later_if_the_move_was_taken_back(
    client, monkeypatch
):
    """Otherwise the table would wait for the agent for ever."""
    waiting: list[Any] = []
    monkeypatch.setattr(FairPool, "submit", lambda _self, work, *_groups: waiting.append(work))
    seed, move = first_move_that_passes_the_turn()
    address = begin(client, seats=("person", "random"), seed=seed).url.path
    before = client.get(address)
    play(client, address, before, move)
    after = client.get(address)
    form = {"undo": "1", "number": field(after, "number"), "since": field(after, "version")}
    assert client.post(f"{address}/play", data=form, headers=HTMX).status_code == 200
    (work,) = waiting
    work()
    again = client.get(address)
    assert moves(again) == moves(before)
    play(client, address, again, move)
    assert len(waiting) == 2
    waiting[1]()
    assert client.get(address).text != again.text


def test_a_seat_never_plays_for_the_next_one_however_it_times_its_requests(client, monkeypatch):
    """The seat's own move is played while its request to play the next seat's move is checked."""
    mover, _ = begun(client, seed=8)
    page = client.get(mover)
    own_move = moves(page)[0]
    position = Position.new("shakespeare", players=2, seed=8)
    seat = position.to_move
    position.push(own_move)
    while position.to_move == seat:
        page = play(client, mover, page, own_move)
        own_move = moves(page)[0]
        position.push(own_move)
    let_agents_play = LiveTable.let_agents_play
    interruptions = [partial(play, client, mover, page, own_move)]

    def interrupted(table, viewer):
        let_agents_play(table, viewer)
        if interruptions:
            interruptions.pop()()

    monkeypatch.setattr(LiveTable, "let_agents_play", interrupted)
    number = str(int(field(page, "number")) + 1)
    theirs = play(client, mover, page, position.moves()[0], number=number)
    assert not interruptions
    assert theirs.status_code == 409
    assert field(client.get(mover), "number") == number


def test_a_move_is_taken_back_once_however_often_that_is_asked(client):
    address = begin(client, seats=["person"], seed=3).url.path
    page = client.get(address)
    for _ in range(3):
        page = play(client, address, page, moves(page)[0])
    assert field(page, "number") == "3"
    form = {"undo": "1", "number": "3"}
    answers = [client.post(f"{address}/play", data=form, headers=HTMX) for _ in "ab"]
    assert [answer.status_code for answer in answers] == [200, 409]
    assert field(client.get(address), "number") == "2"


def test_only_the_host_of_a_table_sees_the_links_of_its_seats(client):
    page = begin(client, seed=9)
    (invitation,) = invitations(page)
    guest = TestClient(client.app, HOST)
    for address in (invitation, claim(guest, invitation).url.path, spectators_address(page)):
        assert invitation not in invitations(guest.get(address))
        assert page.url.path not in guest.get(address).text


def test_a_link_that_nobody_has_given_is_not_found(client):
    for address in ("/seat/none", "/watch/none", "/nowhere", "/seat/none/changes"):
        assert client.get(address).status_code == 404
