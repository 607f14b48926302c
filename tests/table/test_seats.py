"""Invitations, claimed seats, choices at the same time, and rematches."""

import json
import re
from itertools import permutations
from typing import Any

import pytest
from starlette.testclient import TestClient

from shakespeare_env import Position
from shakespeare_env.play.simultaneous import simultaneous_choices
from shakespeare_table.browser.lobby import levels_played
from shakespeare_table.browser.opponents import levels
from shakespeare_table.browser.settings import Settings
from shakespeare_table.browser.storage.plan import Occupant, TableError, TablePlan
from shakespeare_table.browser.storage.store import FinishedGame, Result
from shakespeare_table.browser.tables.live import LiveTable
from tests.table.tables import (
    HOST,
    HTMX,
    begin,
    claim,
    field,
    invitations,
    last_wagers,
    moves,
    play,
    seats_of,
    served,
    site_of,
    spectators_address,
    text_of,
)


@pytest.fixture
def guest(client):
    """Return the browser of a guest."""
    return TestClient(client.app, HOST)


@pytest.fixture
def stranger(client):
    """Return a third browser."""
    return TestClient(client.app, HOST)


def words_of(page):
    """Return the words of a page, with single blanks between them."""
    return re.sub(r"\s+([,.]|\b)", r" \1", text_of(page)).replace(" ,", ",")


def test_a_claimed_seat_opens_for_the_browser_that_holds_it_and_for_nobody_else(
    client, guest, stranger
):
    page = begin(client)
    (link,) = invitations(page)
    assert "You are invited" in guest.get(link).text
    theirs = claim(guest, link, "Bea")
    assert theirs.url.path == link
    assert field(theirs, "version")
    for other in (stranger, client):
        refused = other.get(link)
        assert refused.status_code == 403
        assert "Bea plays here, in another browser" in words_of(refused)
        assert claim(other, link, "Eve").status_code == 403
        move = {"move": "pass", "number": "0"}
        assert other.post(f"{link}/play", data=move, headers=HTMX).status_code == 403
        for path in ("changes", "hint", "thoughts", "step?first=0&last=0", "explain?name=wager"):
            assert other.get(f"{link}/{path}", headers=HTMX).status_code == 403
    assert field(guest.get(link), "version")
    assert "Bea" in client.get(page.url.path).text
    assert not invitations(client.get(page.url.path))


def test_a_table_that_waits_for_somebody_to_join_says_so(client, guest):
    page = begin(client)
    while moves(page):
        play(client, page.url.path, page, moves(page)[0])
        page = client.get(page.url.path)
    waits = "Waiting for somebody to join as P1."
    assert waits in text_of(page)
    (link,) = invitations(page)
    assert waits in text_of(client.get(spectators_address(page)))
    claim(guest, link, "Bea")
    assert "somebody to join" not in text_of(client.get(page.url.path))


def test_an_open_seat_plays_no_move(client):
    page = begin(client)
    (link,) = invitations(page)
    form = {"move": "take:lear", "number": "0"}
    assert client.post(f"{link}/play", data=form).status_code == 200
    assert "Take the seat" in client.post(f"{link}/play", data=form).text
    assert field(client.get(page.url.path), "number") == "0"


@pytest.mark.parametrize("name", ["You", "you", "a" * 65, "\u202e"])
def test_a_name_by_which_others_know_nobody_is_refused(client, guest, name):
    (link,) = invitations(begin(client))
    refused = claim(guest, link, name)
    assert refused.status_code == 422
    assert 'role="alert"' in refused.text
    assert begin(client, name0=name).status_code in (200, 422)
    assert client.post("/tables", data={"players": "2", "name0": name}).status_code == 422


def test_nobody_is_called_you_by_anybody_else(client, guest):
    page = client.post("/tables", data={"players": "2", "seat1": "person"})
    (link,) = invitations(page)
    claim(guest, link)
    state = site_of(client).store.table(spectators_address(page).removeprefix("/watch/"))
    assert state is not None
    assert [name.lower() for name in state.plan.names] == ["player 0", "player 1"]


def test_a_guest_who_leaves_opens_the_seat_to_whoever_has_the_link(client, guest, stranger):
    page = begin(client)
    (link,) = invitations(page)
    claim(guest, link, "Bea")
    assert guest.post(f"{link}/leave").url.path == spectators_address(page)
    assert invitations(client.get(page.url.path)) == [link]
    assert "You are invited" in guest.get(link).text
    assert field(claim(stranger, link, "Cem"), "version")
    assert guest.get(link).status_code == 403


def test_a_host_takes_a_seat_back_openly_and_its_link_is_dead(client, guest):
    page = begin(client)
    (link,) = invitations(page)
    theirs = claim(guest, link, "Bea")
    table = spectators_address(page).removeprefix("/watch/")
    form = {"seat": "1"}
    assert guest.post(f"/tables/{table}/take-back", data=form).status_code == 403
    back = client.post(f"/tables/{table}/take-back", data=form)
    assert back.url.path == page.url.path
    (new_link,) = invitations(back)
    assert new_link != link
    # The guest's page asks what has changed, and is led to the page that says so.
    asked = guest.get(f"{link}/changes?since={field(theirs, 'version')}", headers=HTMX)
    assert asked.headers["HX-Redirect"] == link
    gone = guest.get(link)
    assert gone.status_code == 410
    assert "The host has taken this seat back" in gone.text
    assert claim(guest, link, "Bea").status_code == 410
    assert field(claim(client, new_link, "Ann"), "version")


def begun_at(client, position, **fields):
    """Begin a table of people with a position."""
    text = json.dumps(position.to_dict())
    return begin(client, seats=["person"] * position.players, position=text, **fields)


def test_any_order_of_simultaneous_choices_gives_the_same_position(client):
    position = last_wagers(3)
    wagers = {0: "wager:2", 1: "wager:5", 2: "wager:1"}
    expected = Position.from_dict(position.to_dict(), seed=0)
    while expected.to_move is not None and expected.phase == "wager":
        expected.push(wagers[expected.to_move])
    for order in permutations(range(3)):
        seats = seats_of(client, begun_at(client, position))
        pages = [client.get(address) for address in seats]
        for number, seat in enumerate(order):
            assert moves(pages[seat]) == [f"wager:{count}" for count in range(1, 6)]
            answer = play(client, seats[seat], pages[seat], wagers[seat])
            assert field(answer, "number") == str(0 if number < 2 else 3)
        assert state_of(client, seats[0]).position.to_dict() == expected.to_dict()


def state_of(client, address):
    """Return the table of a seat."""
    site = site_of(client)
    link = site.store.link(address.removeprefix("/seat/"))
    assert link is not None
    table = site.tables.get(link.table_id)
    assert table is not None
    return table.state()


def test_a_choice_is_kept_on_disk_and_can_be_made_anew_until_all_have_chosen(client):
    position = last_wagers(2)
    seats = seats_of(client, begun_at(client, position))
    first, later = simultaneous_choices(position)
    play(client, seats[later], client.get(seats[later]), "wager:4")
    site = site_of(client)
    stored = site.store.table(state_of(client, seats[0]).id)
    assert stored is not None
    pool: Any = None
    judge = site.judge
    opened_again = LiveTable(
        site.store, stored, site.opponents, pool, judge.add, judge.forget
    ).state()
    assert opened_again.chosen == {later: "wager:4"}
    assert opened_again.undecided == [first]

    page = client.get(seats[later])
    assert "Your choice: wager 4 cylinders" in words_of(page)
    assert not moves(page)
    undo = {"undo": "choice", "since": field(page, "version")}
    again = client.post(f"{seats[later]}/play", data=undo, headers=HTMX)
    assert moves(again) == [f"wager:{count}" for count in range(1, 6)]
    assert client.post(f"{seats[later]}/play", data=undo, headers=HTMX).status_code == 409
    play(client, seats[later], again, "wager:1")
    play(client, seats[first], client.get(seats[first]), "wager:5")
    assert state_of(client, seats[0]).moves == ["wager:5", "wager:1"]


def test_nothing_is_taken_back_once_another_person_has_chosen_after_it(client):
    """The other person has chosen in secret before the rules have asked."""
    seats = seats_of(client, begun_at(client, last_wagers(2)))
    state = state_of(client, seats[0])
    first, later = state.choosing
    with pytest.raises(TableError, match="another seat has decided since"):
        state.played(later, "wager:2").taken_back(first)


def finished_table(client, guest):
    """Let a host with two seats and a guest play to the end; return their first seats."""
    page = begun_at(client, last_wagers(3))
    host_seat = page.url.path
    guest_seat, other = invitations(page)
    claim(guest, guest_seat, "Bea")
    claim(client, other)
    while not state_of(client, host_seat).is_over:
        for browser, address in ((client, host_seat), (guest, guest_seat), (client, other)):
            seen = browser.get(address)
            if legal := moves(seen):
                play(browser, address, seen, "pass" if "pass" in legal else legal[0])
    return host_seat, guest_seat


def test_a_rematch_seats_everybody_again_one_place_on(client, guest, stranger):
    host_seat, guest_seat = finished_table(client, guest)
    assert stranger.post(f"{guest_seat}/rematch").status_code == 403
    begun = guest.post(f"{guest_seat}/rematch").url.path
    assert "Join the rematch" in client.get(host_seat).text
    joined = client.post(f"{host_seat}/rematch").url.path
    before = state_of(client, host_seat)
    after = state_of(client, begun)
    assert before.rematch == after.id == state_of(client, joined).id
    assert before.plan.names == ["P0", "Bea", "P2"]
    assert after.plan.names == ["Bea", "P2", "P0"]
    assert after.plan.seed != before.plan.seed
    assert after.plan.start is None
    assert after.held == {0, 1, 2}
    links = site_of(client).store.links_of(after.id)
    assert [f"/seat/{link.token}" for link in links][::2] == [begun, joined]
    assert guest.get(begun).status_code == 200
    assert client.get(begun).status_code == 403


def test_a_game_in_progress_has_no_rematch(client):
    page = begin(client, seats=["person"])
    assert client.post(f"{page.url.path}/rematch").status_code == 400


def test_finished_games_are_listed_with_place_and_points_for_all_who_sat_there(client, guest):
    host_seat, _ = finished_table(client, guest)
    state = state_of(client, host_seat)
    scores = state.position.scores()
    places = [1 + sum(other > score for other in scores) for score in scores]
    review = f'href="/review/table/{state.id}"'
    row = guest.get("/").text.partition(review)[2].partition("</tr>")[0]
    assert f">{places[1]}/3<" in row
    assert f">{scores[1]}<".replace("-", "−") in row
    assert "<td>P0, P2</td>" in row
    assert client.get("/").text.count(review) == 2  # for both seats of the host


def finished(agents, place, **changes):
    """Return a finished game of a person in seat 0 against agents."""
    seats = [Occupant("A"), *(Occupant("B", agent) for agent in agents)]
    plan = TablePlan("shakespeare", len(seats), (), 1, tuple(seats), **changes)
    places = [place, *(1 if place > 1 else 2 for _ in agents)]
    return FinishedGame("x", 0.0, plan, (0,), Result((0,) * len(seats), tuple(places)))


def test_one_win_at_a_level_proves_little_and_two_in_a_fair_share_lead_to_the_next(client):
    """A game is of the level of its weakest opponent, unless that one has no level."""
    agents = [level.agent for level in levels("shakespeare")]
    won = finished(agents[2:4], 1)
    lost = finished(agents[2:4], 2)
    for games, records, following in (
        ([], [], 2),
        ([lost], [(3, 1, 0)], 2),
        ([won], [(3, 1, 1)], 3),
        ([won, won, lost], [(3, 3, 2)], 4),
        ([won, won, *[lost] * 5], [(3, 7, 2)], 2),  # two of seven are less than one of three
        ([finished([agents[4], "mine.py:Agent"], 1)], [], 2),
        ([finished(agents[2:4], 1, start={"game": "shakespeare"})], [], 2),
        ([finished(agents[:2], 1), finished(agents[3:5], 1)], [(4, 1, 1), (1, 1, 1)], 4),
        ([finished([agents[-1]] * 2, 1)] * 2, [(6, 2, 2)], 0),
    ):
        found = levels_played("shakespeare", games)
        assert [(it.level, it.played, it.won) for it in found.records] == records
        assert found.following == following
        assert found.agent == (agents[following - 1] if following else "")


def test_one_level_is_chosen_for_all_opponents(client):
    level = levels("figaro")[3]
    fields = {"game": "figaro", "players": 4, "opponents": level.agent}
    form = client.get("/", params=fields)
    selected = f'<option value="{level.agent}" selected>'
    assert form.text.count(selected) == 4  # the choice itself is shown, too
    assert 'value="person" selected' in form.text
    # The choice does not undo what has been chosen for a single seat since.
    fields |= {"shown_opponents": level.agent, "seat1": level.agent, "seat2": "random"}
    form = client.get("/", params={**fields, "seat3": level.agent})
    assert form.text.count(selected) == 2
    assert '<option value="random" selected>' in form.text


def test_a_guest_opens_lobby_lessons_and_rules_without_the_token_and_begins_nothing(tmp_path):
    with served(tmp_path, token="open sesame", host_names=["play.example.org"]) as host:
        host.get("/", params={"token": "open sesame"})
        page = begin(host)
        private = begin(host, seats=["person"])
        (link,) = invitations(page)
        guest = TestClient(host.app, HOST)
        assert f'data-copy="https://play.example.org{link}"' in page.text
        assert "Only this machine can reach" not in page.text
        open_to_guests = ["/", "/learn", "/learn/figaro", "/rules/figaro", "/review"]
        for address in open_to_guests:
            assert guest.get(address).status_code == 403
        claim(guest, link, "Bea")
        for address in open_to_guests:
            assert guest.get(address).status_code == 200
        lobby = guest.get("/")
        assert f'href="{link}"' in lobby.text
        assert spectators_address(private) not in lobby.text
        assert 'name="seat0"' not in lobby.text
        assert guest.post("/tables", data={"players": "2"}).status_code == 403
        upload = {"file": ("a.jsonl", b"{}")}
        assert guest.post("/review", files=upload).status_code == 403
        assert guest.get("/review/record/none").status_code == 403
        guest.post(f"{link}/leave")
        assert guest.get("/").status_code == 403


@pytest.mark.parametrize(
    ("settings", "asked", "address"),
    [
        ({}, ("http", "127.0.0.1:7764"), None),
        ({"host_names": ["play.example.org"]}, ("https", "127.0.0.1:7764"), "https://play.example.org"),
        ({"host_names": ["play.example.org"]}, ("http", "localhost:7764"), "https://play.example.org"),
        ({"host_names": ["a.example:8443"]}, ("https", "a.example:8443"), "https://a.example:8443"),
        ({"host": "0.0.0.0", "host_names": ["mypc.local"]}, ("http", "localhost:7764"), "http://mypc.local:7764"),
        ({"host": "0.0.0.0"}, ("http", "192.168.1.5:7764"), "http://192.168.1.5:7764"),
        ({"host": "192.168.1.5"}, ("http", "localhost:7764"), "http://192.168.1.5:7764"),
    ],
)  # fmt: skip
def test_invitations_have_the_address_at_which_others_reach_the_server(
    tmp_path, settings, asked, address
):
    """A proxy may keep the host name of a request or replace it by this machine's."""
    configured = Settings(tmp_path / "games.sqlite", token="open", **settings)
    scheme, host = asked
    assert configured.public_address(scheme, host, 7764) == address


def test_a_host_is_told_if_nobody_else_can_reach_the_links(client):
    assert "Only this machine can reach these links" in begin(client).text
