"""What happens in the middle of games: reloads, a killed server, second thoughts, bad agents."""

from tests.browser.people import Person, board_of, wait_for_log


def _play(person, moves) -> None:
    for _ in range(moves):
        seen = person.look()
        person.play(seen, *person.choose(seen))


def test_a_page_reloaded_in_the_middle_shows_the_same(server, new_page):
    person = Person(new_page(), 3)
    person.begin(server.address, "shakespeare", ["person", "random"], seed=3)
    _play(person, 6)
    seen = person.look()
    log, board, marks = (
        wait_for_log(person.page),
        board_of(person.page),
        person.page.locator(".mark"),
    )
    marked = marks.count()
    person.page.reload()
    person.version = ""
    assert person.look() == seen
    assert wait_for_log(person.page) == log
    assert board_of(person.page) == board
    assert marks.count() == marked > 0
    person.play(seen, *person.choose(seen))
    person.look()


def test_half_a_move_is_forgotten_by_escape_and_by_a_click_on_its_first_place(server, new_page):
    person = Person(new_page())
    person.begin(server.address, "figaro", ["person", "person", "person"], seed=3, one_screen=True)
    person.page.locator("#reveal").click()
    person.page.wait_for_selector("#moves-title")
    seen = person.look()
    first = next(places[0] for _, places, _ in seen.moves if len(places) == 2)
    marked = person.page.locator("#board .target").count()
    for again in (
        lambda: person.page.keyboard.press("Escape"),
        lambda: person.page.locator(f"#board [data-place='{first}']").click(),
    ):
        person.page.locator(f"#board .target[data-place='{first}']").click()
        assert person.page.locator("#board .chosen").count() == 1
        again()
        assert person.page.locator("#board .chosen").count() == 0
        assert person.page.locator("#board .target").count() == marked


def test_a_server_killed_and_started_again_has_lost_nothing_that_was_shown(
    new_server, new_page, tmp_path
):
    server, person = new_server(tmp_path), Person(new_page(), 4)
    page = person.page
    person.begin(server.address, "shakespeare", ["person", "random"], seed=5)
    _play(person, 5)
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
    _play(person, 2)
    assert wait_for_log(page)[: len(log)] == log
