"""Games in the browser: whole ones, by several people, and what happens in the middle of them."""

from typing import Any

import pytest

from tests.browser.people import Person, TypingPerson, board_of, wait_for_log

axe = pytest.importorskip("tests.browser.axe_findings", reason="needs axe-playwright-python")
_FIRST_PAGE, _ANSWER = 300_000, 60_000
"""Bytes on the wire: at most of all that a page needs, and of a move's answer."""
_MOVES = 10


@pytest.mark.parametrize(
    ("someone", "game", "seats"),
    [
        (Person, "shakespeare", ["person", *["random"] * 3]),
        (Person, "figaro", ["person", *["random"] * 5]),
        (TypingPerson, "shakespeare", ["person"]),
    ],
)
def test_a_whole_game_is_played(server, new_page, someone, game, seats):
    """The page says at the end who has won, and what each score is made of."""
    person, loaded = someone(new_page()), list[Any]()
    page = person.page
    page.on("requestfinished", lambda request: loaded.append(request))
    with page.expect_request_finished(lambda request: "board.js" in request.url):
        person.begin(server.address, game, seats)
    page.wait_for_load_state("load")
    sizes = [it.sizes()["responseBodySize"] for it in loaded]
    assert 10_000 < sum(sizes) < _FIRST_PAGE
    assert person.play_to_the_end() > 15
    answers = [it for it in loaded if it.url.endswith("/play") or "/changes?" in it.url]
    assert max(it.sizes()["responseBodySize"] for it in answers) < _ANSWER
    assert page.get_by_text("How each score came about").is_visible()
    rows = page.locator("#moves tbody tr").all_inner_texts()
    table = [row.replace("−", "-").split("\t") for row in rows]
    totals = next(row for row in table if row[0].startswith("in all"))
    parts = [row for row in table if row[0] and not row[0].startswith("in all")]
    for seat in range(1, len(totals)):
        assert sum(int(row[seat]) for row in parts) == int(totals[seat])
    assert "wins" in rows[-1]
    assert axe.serious_findings(page) == []


def _play(people, moves) -> None:
    for number in range(1, moves + 1):
        person = next(one for one in people if one.decides())
        person.play((seen := person.look()), *person.choose(seen))
        for one in people:
            wait_for_log(one.page, number)
        for one in people:
            # A function: pages forbid the `eval` that asks an expression a second time.
            one.page.wait_for_function(
                "() => window.readVersion === document.getElementById('version').value"
            )


def _link_to_give_away(page):
    return page.locator("a", has_text="link to give away").first.get_attribute("href")


def test_two_browsers_play_at_one_table_and_a_third_watches(server, new_page):
    one, other, spectator = Person(new_page(), 1), Person(new_page(), 2), new_page()
    one.begin(server.address, "shakespeare", ["person"] * 2, name0="Ann", name1="Bob")
    other.page.goto(server.address + _link_to_give_away(one.page).lstrip("/"))
    spectator.goto(server.address)
    assert spectator.get_by_role("link", name="Play as").count() == 0
    spectator.goto(one.page.locator("a", has_text="this link").evaluate("(it) => it.href"))
    assert other.page.locator("a", has_text="link to give away").count() == 0
    _play([one, other], _MOVES)
    logs = [wait_for_log(page, _MOVES) for page in (one.page, other.page, spectator)]
    public = [line for line in logs[2] if "in secret" not in line]
    assert len(public) > _MOVES / 3
    assert any(line.lstrip("01").startswith("Ann ") for line in logs[1])
    assert not any("Ann " in line for line in logs[0])
    for log in logs[:2]:
        assert len(log) == len(logs[2])
    assert spectator.locator("#board .target, button[name=move]").count() == 0
    for person, name in ((one, "Ann"), (other, "Bob")):
        assert person.page.locator(".column.own .of-seat .unfold").text_content() == name


def test_a_page_reloaded_in_the_middle_shows_the_same(server, new_page):
    person = Person(new_page(), 3)
    person.begin(server.address, "shakespeare", ["person", "random"], seed=3)
    person.play_some(6)
    seen = person.look()
    log, board = wait_for_log(person.page), board_of(person.page)
    marks = person.page.locator(".mark")
    marked = marks.count()
    person.page.reload()
    person.version = ""
    assert person.look() == seen
    assert wait_for_log(person.page) == log
    assert board_of(person.page) == board
    assert marks.count() == marked > 0
    person.play(seen, *person.choose(seen))
    person.look()


def test_a_server_killed_and_started_again_has_lost_nothing_that_was_shown(
    new_server, new_page, tmp_path
):
    server, person = new_server(tmp_path), Person(new_page(), 4)
    page = person.page
    person.begin(server.address, "shakespeare", ["person", "random"], seed=5)
    person.play_some(5)
    seen = person.look()
    log, board = wait_for_log(page), board_of(page)
    page.expected.append("")
    server.kill()
    offline = page.get_by_text("The server does not answer")
    offline.wait_for(state="visible")
    person.play(seen, *person.choose(seen))  # nobody hears it
    assert (wait_for_log(page), board_of(page)) == (log, board)
    server.start()
    offline.wait_for(state="hidden")
    page.expected.clear()
    assert wait_for_log(page) == log
    person.play(seen, *person.choose(seen))
    wait_for_log(page, len(log) + 1)
    person.play_some(2)
    assert wait_for_log(page)[: len(log)] == log
