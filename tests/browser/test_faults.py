"""What goes wrong at a table, and what takes long there, as its page tells it."""

import time

from shakespeare_env.compile.folder import CACHE_VARIABLE
from tests.browser.people import Person

_MOVES = 8


def test_a_move_that_cannot_be_kept_is_reported_until_one_can(new_server, new_page, tmp_path):
    person = Person(new_page(), 1)
    page = person.page
    person.begin(new_server(tmp_path).address, "figaro", ["person", "random", "random"], seed=2)
    seen = person.look()
    page.expected.append("507")
    games = tmp_path / "games.sqlite"
    games.rename(tmp_path / "elsewhere.sqlite")
    person.play(seen, *(chosen := person.choose(seen)))
    report = page.get_by_role("alert").filter(has_text="is not where it was")
    report.wait_for(state="visible")
    assert "every move that was shown is kept" in report.inner_text()
    assert "Traceback" not in page.content()
    (tmp_path / "elsewhere.sqlite").rename(games)
    person.play(seen, *chosen)
    person.look()
    assert report.count() == 0 or not report.is_visible()


def test_an_explanation_stands_beside_its_card_until_the_next_move(server, new_page):
    person = Person(new_page(), 5)
    page = person.page
    person.begin(server.address, "shakespeare", ["person", "random"], seed=4)
    box, asked = page.locator("#explained"), 0
    for _ in range(_MOVES):
        seen = person.look()
        move, places, words = person.choose(seen)
        assert box.is_hidden()
        if places:
            asked += 1
            there = page.locator(f"#board .target[data-place='{places[0]}']")
            there.locator("visible=true").first.hover()
            box.wait_for(state="visible")
            assert page.locator("#board [aria-describedby=explained]").count() == 1
        person.play(seen, move, places, words)
    assert asked > 0
    person.look()
    page.locator("#board [data-place='order'] text").locator("visible=true").first.click()
    box.get_by_role("button", name="Close").click()
    assert box.is_hidden()


def test_a_first_run_shows_what_it_compiles_and_ends_when_asked(
    new_server, new_page, tmp_path, monkeypatch
):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    server, page, learner = new_server(tmp_path), new_page(), new_page()
    page.goto(server.address)
    bar = page.get_by_text("are being compiled for this computer")
    bar.wait_for(state="visible")
    before = bar.inner_text()
    page.wait_for_function(
        "(was) => document.getElementById('begin').innerText !== was", arg=before
    )
    assert page.get_by_role("button", name="Begin").is_disabled()
    # Both ask at once: each waits for the compiler, which may be done before a second wait is over.
    learner.goto(f"{server.address}learn")
    learner.expected.append("503")
    first_game = learner.locator("form[action='/learn/shakespeare/first-game']")
    first_game.evaluate("form => form.submit()")
    page.expected.append("")
    page.evaluate("document.getElementById('new').submit()")
    page.get_by_role("alert").filter(has_text="done once").wait_for(state="visible")
    learner.get_by_role("heading", name="Shakespeare is being prepared").wait_for(state="visible")
    assert learner.get_by_label("Compiled").is_visible()
    began = time.monotonic()
    assert "is kept" in server.end("SIGINT")
    assert time.monotonic() - began < 10.0  # two seconds on a machine that does little else
