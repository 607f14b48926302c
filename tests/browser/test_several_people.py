"""Several people at a table: with a browser each, on one screen, on two servers; spectators."""

from tests.browser.people import Person, wait_for_log

_MOVES = 10


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
    return page.get_by_role("link", name="link to give away").first.get_attribute("href")


def test_two_browsers_play_at_one_table_and_a_third_watches(server, new_page):
    one, other, spectator = Person(new_page(), 1), Person(new_page(), 2), new_page()
    one.begin(server.address, "shakespeare", ["person"] * 2, name0="Ann", name1="Bob")
    other.page.goto(server.address + _link_to_give_away(one.page).lstrip("/"))
    spectator.goto(server.address)
    assert spectator.get_by_role("link", name="Play as").count() == 0
    spectator.goto(one.page.get_by_role("link", name="this link").evaluate("(it) => it.href"))
    assert other.page.get_by_role("link", name="link to give away").count() == 0
    _play([one, other], _MOVES)
    logs = [wait_for_log(page, _MOVES) for page in (one.page, other.page, spectator)]
    public = [line for line in logs[2] if "in secret" not in line]
    assert len(public) > _MOVES / 3
    for log in logs[:2]:
        assert [line for line in log if line in public] == public
    assert spectator.locator("#board .target, button[name=move]").count() == 0
    for person, name in ((one, "Ann"), (other, "Bob")):
        assert name in person.page.locator(".chip").filter(has_text="(you)").inner_text()
