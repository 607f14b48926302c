"""The guided game by keys and by finger, terms, and a hint, in a browser."""

import pytest

from tests.browser.people import PHONE, check_fit, serious_findings

# The guide's suggestion, once guide, board and server agree on what is to be decided.
_SUGGESTED = """(before) => {
  const guide = document.getElementById("guide");
  const version = document.getElementById("version").value;
  if (version === before || window.readVersion !== version) return null;
  const found = guide.querySelector(".suggestion");
  const moves = JSON.parse(document.getElementById("turn").textContent).moves;
  const legal = found && moves.find(([move]) => move === found.dataset.move);
  return legal ? {version, moves} : null;
}"""
_MOVES = 6


def _begin(page, server, game):
    page.goto(f"{server.address}learn/{game}")  # the page opens once the rules are compiled
    page.locator(f"form[action='/learn/{game}/first-game'] button").click(timeout=120_000)
    page.wait_for_selector("#guide")
    page.wait_for_load_state()  # taps are lost before its scripts have run


def test_a_page_that_waits_for_its_rules_opens_at_the_part_that_was_asked_for(server, new_page):
    page = new_page()
    address = f"{server.address}learn/figaro"
    waits = '<link rel="icon" href="data:,"><script src="/static/waiting.js" defer></script>'
    page.route(address, lambda route: route.fulfill(content_type="text/html", body=waits), times=1)
    page.goto(f"{address}#first-game")
    assert page.locator("#first-game").count() == 0
    page.locator("#first-game").wait_for(timeout=120_000)


def _by_keys(page, number):
    if number == 1:
        page.locator("#guide-show").focus()
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.closest('#board, #moves') !== null")
    if number < 3:
        page.locator("#guide-play").focus()
    page.keyboard.press("Enter")


def _by_finger(page, number):
    if number == 0:
        check_fit(page)
    page.locator("#guide-play").tap()


@pytest.mark.parametrize(
    ("game", "act", "look"), [("shakespeare", _by_keys, {}), ("figaro", _by_finger, PHONE)]
)
def test_the_guided_game_is_played_by_keys_and_finger(server, new_page, game, act, look):
    """The guide's button stays at the same place at every decision."""
    page = new_page(**look)
    _begin(page, server, game)
    version = ""
    places = set()
    for number in range(_MOVES):
        found = page.wait_for_function(_SUGGESTED, arg=version).json_value()
        version = found["version"]
        assert page.locator(".suggested-mark, #moves button.suggested").count() >= 1
        page.evaluate("scrollTo(0, 0)")
        box = page.locator("#guide-play").bounding_box()
        places.add((box["x"], box["y"]))
        assert len(places) == 1
        act(page, number)
    assert serious_findings(page) == []


def test_terms_are_explained_on_hover_focus_and_tap(server, new_page):
    page = new_page()
    page.goto(f"{server.address}learn/shakespeare")
    box = page.locator("#explained")
    page.locator(".term", has_text="dress rehearsals").first.hover()
    box.get_by_text("every complete costume gives its power").wait_for()
    page.locator(".term[data-topic=mood]").first.focus()
    box.get_by_text("each purple stage set left on display").wait_for()
    phone = new_page(**PHONE)
    _begin(phone, server, "figaro")
    phone.get_by_role("button", name="How do I win?").tap()
    phone.locator("#explained").get_by_text("Have the shortest road").wait_for()


def test_a_hint_is_given_and_removed_after_the_next_move(server, new_page):
    page = new_page()
    _begin(page, server, "figaro")
    found = page.wait_for_function(_SUGGESTED, arg="").json_value()
    page.locator("#hint > summary").click()
    page.get_by_role("button", name="What is best, and why?").click()
    # The first hint of a computer compiles what a search needs.
    page.get_by_text("possible games, which agree with all").wait_for(timeout=120_000)
    best = [it.get_attribute("data-move") for it in page.locator("#hinted [data-move]").all()]
    assert {*best} <= {known for known, _, _ in found["moves"]}
    assert best or "No clear difference" in page.locator("#hinted").inner_text()
    page.keyboard.press("Escape")  # closes the popup over the page
    page.locator("#guide-play").click()
    page.wait_for_function(_SUGGESTED, arg=found["version"])
    assert page.locator("#hinted").inner_text() == ""
