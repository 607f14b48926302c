"""One sees what the others have done, and where to click, without scrolling."""

import os
from itertools import pairwise

import pytest

from tests.browser.people import DraggingPerson, Person, TouchingPerson
from tests.browser.sight import DESKTOP, PHONE, watched_game

axe = pytest.importorskip("tests.browser.axe_findings", reason="needs axe-playwright-python")
_MOVES = int(os.environ.get("TABLE_MOVES", "12"))
_FLIGHTS = """
window.flights = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...how) {
  window.flights++;
  return animate.apply(this, how);
};
"""


@pytest.mark.parametrize("look", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize(("game", "seats"), [("shakespeare", 4), ("figaro", 5)])
def test_what_the_others_did_and_a_legal_place_are_in_view(server, new_page, game, seats, look):
    page = new_page(**look, color_scheme="dark")
    person = (TouchingPerson if look is PHONE else DraggingPerson)(page, 3)
    person.begin(server.address, game, ["person", *["random"] * (seats - 1)], seed=3)
    sight = watched_game(person, _MOVES)
    print(f"{game}, {seats} seats, {look['viewport']}: {sight}")
    assert sight.seen >= 0.9 * sight.changed > 20, sight
    assert sight.reached == sight.decisions > 0, sight
    assert sight.screens <= (2.0 if look is PHONE else 1.01), sight
    assert axe.serious_findings(page) == []


@pytest.mark.parametrize("look", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_after_the_first_place_the_status_line_says_what_is_chosen(server, new_page, look):
    """A click elsewhere begins again; on a wide screen nothing moves."""
    page = new_page(**look)
    person = (TouchingPerson if look is PHONE else Person)(page, 2)
    person.begin(server.address, "figaro", ["person", *["random"] * 4], seed=1)
    _, places, words = next(move for move in person.look().moves if len(move[1]) == 2)
    strip = page.locator("#strip").bounding_box()
    person.press(page.locator(f"#board .target[data-place='{places[0]}']").first)
    step, sentence = page.locator("#step"), page.locator("#sentence")
    assert step.is_visible()
    assert sentence.is_hidden()
    chosen = step.inner_text().partition(" …: now choose where it goes.")[0]
    assert words.startswith(f"{chosen} ")
    assert len(chosen.split()) > 1
    assert look is PHONE or page.locator("#strip").bounding_box() == strip
    person.press(page.locator(".log-panel h2"))
    assert page.locator("#board .chosen").count() == 0
    assert sentence.is_visible()


def test_in_the_end_the_score_sheet_leaves_the_board_where_it_was(server, new_page):
    page = new_page(**DESKTOP)
    person = Person(page, 2)
    person.begin(server.address, "figaro", ["person", "random", "random"], seed=1)
    person.look()
    own = page.locator(".column.own .of-seat .pieces > *").first
    before = own.bounding_box()
    person.version = ""
    person.play_to_the_end()
    page.evaluate("scrollTo(0, 0)")
    after = own.bounding_box()
    assert (after["x"], after["y"], after["width"]) == (before["x"], before["y"], before["width"])
    for look in (DESKTOP, PHONE):
        page.set_viewport_size(look["viewport"])
        ways = [way.bounding_box() for way in page.locator(".onward .button").all()]
        assert len(ways) > 1
        for one, other in pairwise(ways):
            beside = one["x"] + one["width"] < other["x"]
            assert beside or one["y"] + one["height"] < other["y"]


def test_the_others_moves_are_shown_one_after_the_other(server, new_page):
    """Until one skips them; an entry of the strip shows its places."""
    page = new_page(reduced_motion="no-preference")
    page.add_init_script(_FLIGHTS)
    person = Person(page, 2)
    person.begin(server.address, "figaro", ["person", *["random"] * 4], seed=1)
    numbers = []
    for _ in range(3):
        seen, number = person.look(), int(page.input_value("#number"))
        person.play(seen, *person.choose(seen))
        page.wait_for_selector("#moves-title", state="detached")
        while not page.locator("#moves-title").count():
            page.wait_for_function(
                "(was) => document.getElementById('number').value !== was", arg=str(number)
            )
            numbers.append(int(page.input_value("#number")) - number)
            number += numbers[-1]
    assert numbers.count(1) > len(numbers) / 2
    assert page.evaluate("window.flights") > 3
    entry = page.locator("#since li:not(.own) .step").first
    entry.hover()
    page.wait_for_selector(".shown-mark", state="attached")
    assert "plays" in entry.inner_text()
    page.locator("#pace").select_option("0")
    person.play((seen := person.look()), *person.choose(seen))
    person.look()
    assert page.locator("#skip").is_hidden()


def test_the_theme_is_kept(server, new_page):
    page = new_page(color_scheme="light")
    page.goto(server.address)
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Dark or light").click()
    dark = page.evaluate(ground)
    page.reload()
    assert page.evaluate(ground) == dark != light


def test_a_card_is_dragged_or_put_back(server, new_page):
    page = new_page()
    person = DraggingPerson(page, 2)
    person.begin(server.address, "figaro", ["person", *["random"] * 4], seed=1)
    seen = person.look()
    one = next(move for move in seen.moves if len(move[1]) == 2)
    number = page.input_value("#number")
    page.locator(f"#board .target[data-place='{one[1][0]}']").locator("visible=true").first.hover()
    page.mouse.down()
    page.mouse.move(10, 10)
    assert (page.locator(".flying").count(), page.locator("#board .chosen").count()) == (1, 1)
    page.mouse.up()
    assert (page.locator(".flying").count(), page.locator("#board .chosen").count()) == (0, 0)
    assert page.input_value("#number") == number
    person.play(seen, *one)
    assert person.look().moves != seen.moves
