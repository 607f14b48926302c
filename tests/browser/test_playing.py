"""Tables in the browser, played by mouse, finger and keys, on a desktop and on a phone."""

import json
import time
from typing import Any

import pytest

from shakespeare_env import Position
from tests.browser.people import (
    DESKTOP,
    PHONE,
    Person,
    TouchingPerson,
    TypingPerson,
    check_fit,
    in_view,
    serious_findings,
    wait_for_log,
)

_MAX_FIRST_PAGE = 300_000
"""The most bytes that everything a page needs may take when it is sent."""
_MAX_ANSWER = 60_000
"""The most bytes that the answer to a move may take when it is sent."""
_MOVES = 5
_SILENT_WORKER = "window.SharedWorker = class { port = { postMessage() {} }; };"
"""Gives a page a worker that never runs, as if a debugger held it."""


def test_a_game_is_played_to_its_end(server, new_page):
    """Play the last round; the page then says who has won and how each score came about."""
    position = Position.new("figaro", players=3, seed=1)
    while position.to_dict()["round"] < 3 or position.to_move != 0:
        position.push(position.moves()[0])
    person = Person(new_page())
    loaded = list[Any]()
    page = person.page
    page.on("requestfinished", lambda request: loaded.append(request))
    text = json.dumps(position.to_dict())
    with page.expect_request_finished(lambda request: "board.js" in request.url):
        person.begin(server.address, "figaro", ["person", "random", "random"], position=text)
    page.wait_for_load_state("load")
    assert 10_000 < sum(request.sizes()["responseBodySize"] for request in loaded) < _MAX_FIRST_PAGE
    assert person.play_on() > 3
    answers = [
        request for request in loaded if request.url.endswith("/play") or "/changes?" in request.url
    ]
    assert max(request.sizes()["responseBodySize"] for request in answers) < _MAX_ANSWER
    rows = page.locator("#moves tbody tr").all_inner_texts()
    table = [row.replace("−", "-").split("\t") for row in rows]
    totals = next(row for row in table if row[0].startswith("total"))
    parts = [row for row in table if row[0] and not row[0].startswith("total")]
    for seat in range(1, len(totals)):
        assert sum(int(row[seat]) for row in parts) == int(totals[seat])
    assert page.locator(".standings-place").count() == 3
    assert serious_findings(page) == []


@pytest.mark.parametrize(
    ("game", "seats", "look"), [("shakespeare", 4, PHONE), ("figaro", 5, DESKTOP)]
)
def test_what_the_others_did_and_a_legal_place_are_in_view(server, new_page, game, seats, look):
    page = new_page(**look, color_scheme="dark")
    person = (TouchingPerson if look is PHONE else Person)(page, 3)
    person.begin(server.address, game, ["person", *["random"] * (seats - 1)], seed=3)
    changed: list[tuple[str, bool]] = []
    for number in range(_MOVES):
        seen = person.look()
        sight = in_view(page)
        if number:
            changed += sight["changed"]
        assert sight["first"] or not sight["legal"]
        assert sight["screens"] <= (2.0 if look is PHONE else 1.01)
        if look is PHONE:
            check_fit(page)
        person.play(seen, *person.choose(seen))
    shown = [name for name, is_seen in changed if is_seen]
    assert len(shown) >= 0.85 * len(changed) > 5, changed
    assert serious_findings(page) == []


def test_a_move_is_played_by_keys(server, new_page):
    person = TypingPerson(new_page())
    person.begin(server.address, "shakespeare", ["person"])
    assert person.play_on(5) == 5
    assert serious_findings(person.page) == []


def test_the_others_moves_are_shown_one_after_the_other(server, new_page):
    """The moves can also be shown at once, and an entry of the strip shows its places."""
    page = new_page(reduced_motion="no-preference")
    person = Person(page, 2)
    person.begin(server.address, "figaro", ["person", *["random"] * 4], seed=1)
    seen = person.look()
    number = int(page.input_value("#number"))
    person.play(seen, *person.choose(seen))
    steps = []
    page.wait_for_selector("#moves-title", state="detached")
    while not page.locator("#moves-title").count():
        page.wait_for_function(
            "(was) => document.getElementById('number').value !== was", arg=str(number)
        )
        steps.append(int(page.input_value("#number")) - number)
        number += steps[-1]
    assert steps.count(1) > len(steps) / 2
    entry = page.locator("#since li:not(.own) .step").first
    entry.hover()
    page.wait_for_selector(".shown-mark", state="attached")
    page.evaluate(
        "Object.defineProperty(document, 'hidden', { value: true, configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange'));"
    )
    assert page.input_value("#stepwise") == ""  # nobody sees the steps
    page.evaluate("delete document.hidden")
    page.locator("#pace").select_option("0")
    seen = person.look()
    person.play(seen, *person.choose(seen))
    person.look()
    assert page.locator("#skip").is_hidden()


def test_a_page_catches_up_if_its_worker_is_silent_and_an_answer_is_lost(server, new_page):
    page = new_page()
    page.expected += ["net::ERR_FAILED", "htmx:afterRequest", "htmx:sendError"]
    page.add_init_script(_SILENT_WORKER)
    page.clock.install()
    lost = list[str]()

    def lose_the_first(route):
        if lost:
            route.continue_()
        else:
            lost.append(route.request.url)
            route.abort()

    page.route("**/changes?*", lose_the_first)
    person = Person(page)
    person.begin(server.address, "figaro", ["person", "random", "random"], seed=1)
    page.clock.fast_forward(10_000)  # until the page no longer waits for the worker
    for _ in range(2):
        seen = person.look()
        person.play(seen, *person.choose(seen))
    person.look()
    assert lost


def _late(route):
    """Answer so late that the page has heard of the change before."""
    answer = route.fetch(max_redirects=0)
    time.sleep(1)
    route.fulfill(response=answer)


def test_two_browsers_play_at_one_table_and_a_third_watches(server, new_page):
    """The third has seven tabs, more than a browser opens connections to a server."""
    one = Person(new_page(), 1)
    other = Person(new_page(), 2)
    spectator = new_page()
    one.begin(server.address, "shakespeare", ["person"] * 2, name0="Ann", name1="Bob")
    link = one.page.locator("#invitations a").get_attribute("href")
    other.page.goto(link)
    other.page.get_by_label("Your name").fill("Bob")
    other.page.get_by_role("button", name="Take the seat").click()
    tabs = [spectator]
    tabs += [spectator.context.new_page() for _ in range(6)]
    for tab in tabs:
        tab.goto(one.page.locator("a", has_text="this link").evaluate("(it) => it.href"))
    assert other.page.locator("#invitations a").count() == 0
    for number in (1, 2):  # then both wager
        person = next(person for person in (one, other) if person.decides())
        seen = person.look()
        person.play(seen, *person.choose(seen))
        for page in (one.page, other.page, *tabs):
            wait_for_log(page, number)
        for page in (one.page, other.page):
            page.wait_for_function(
                "() => window.readVersion === document.getElementById('version').value"
            )
    # Who leaves a seat is asked first.
    leave = other.page.get_by_role("button", name="Leave the seat")
    other.page.route("**/leave", _late)
    other.page.expected.append("status of 403")  # of the change that the page hears of meanwhile
    for answer in ("Cancel", "Leave the seat"):
        assert "/seat/" in other.page.url
        other.page.locator("#this-table > summary").click()
        leave.click()
        other.page.locator("dialog").get_by_role("button", name=answer).click()
    other.page.wait_for_url("**/watch/*")
    one.page.wait_for_selector("#open-seats")
    other.page.go_back()
    other.page.get_by_role("button", name="Take the seat").click()
    logs = [wait_for_log(page, 2) for page in (one.page, other.page, spectator)]
    assert len({len(log) for log in logs}) == 1
    assert any(line.lstrip("01").startswith("Ann ") for line in logs[1])
    assert not any("Ann " in line for line in logs[0])
    assert spectator.locator("#board .target, button[name=move]").count() == 0


def test_pages_fit_a_phone_and_have_no_serious_accessibility_fault(server, new_page):
    page = new_page(**PHONE)
    page.expected.append("status of 4")
    for address in ("", "?game=figaro&players=6", "no/such/page", "review", "learn",
                    "learn/shakespeare", "learn/figaro", "rules/figaro"):  # fmt: skip
        page.goto(server.address + address)
        assert page.evaluate("document.documentElement.scrollWidth") == 390, address
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            assert serious_findings(page) == [], (address, theme)
