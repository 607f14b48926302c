"""Several people at a table: with a browser each, on one screen, on two servers; spectators."""

import re

from tests.browser.people import Person, board_of, wait_for_log

_MOVES = 10
_HAND = re.compile(r"hand\d\.(red|orange|green|blue|purple|jester|ring)")


def _play(people, moves) -> None:
    for number in range(1, moves + 1):
        person = next(one for one in people if one.decides())
        person.play((seen := person.look()), *person.choose(seen))
        for one in people:
            wait_for_log(one.page, number)
        for one in people:
            one.page.wait_for_function(
                "window.readVersion === document.getElementById('version').value"
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


def test_on_one_screen_a_curtain_stands_between_secrets(server, new_page):
    person = Person(new_page())
    names = {f"name{seat}": name for seat, name in enumerate(("Ann", "Bob", "Cid"))}
    person.begin(server.address, "figaro", ["person"] * 3, **names, one_screen=True)
    page = person.page
    for number in range(1, 9):
        assert page.get_by_text("Pass the screen to").is_visible()
        assert not _HAND.search(page.content())
        name = page.locator("#curtain-words strong").inner_text()
        page.get_by_role("link", name=f"I am {name}").click()
        page.wait_for_selector("#moves-title")
        seen = person.look()
        assert page.locator('#board [data-place^="hand"] .mark').count() > 0
        person.play(seen, *person.choose(seen))
        wait_for_log(page, number)
        page.wait_for_selector(".curtain, #moves-title")
        if page.locator(".curtain").count() == 0:  # the same seat decides again
            break


def test_two_servers_share_a_file_of_games(server, new_server, new_page):
    one, other = Person(new_page(), 1), Person(new_page(), 2)
    one.begin(server.address, "shakespeare", ["person", "person"])
    other.page.goto(new_server(server.folder).address + _link_to_give_away(one.page).lstrip("/"))
    _play([one, other], 4)
    assert len(wait_for_log(one.page)) == len(wait_for_log(other.page)) == 4
    assert board_of(one.page)[:3] == board_of(other.page)[:3]
