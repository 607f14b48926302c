"""What happens in the middle of games: reloads, a killed server, second thoughts, bad agents."""

from tests.browser.people import Person, board_of, wait_for_log


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
