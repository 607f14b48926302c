"""Learning in a browser: the guided game by mouse, keys and finger; terms; a puzzle."""

import pytest

from shakespeare_agents.table.learning.puzzle_set import puzzles_of
from tests.browser.sight import PHONE
from tests.browser.test_pages import fits

axe = pytest.importorskip("tests.browser.axe_findings", reason="needs axe-playwright-python")
# The guide's suggestion, once guide, board and server agree on what is to be decided.
_SUGGESTED = """(before) => {
  const guide = document.getElementById("guide");
  const version = document.getElementById("version").value;
  if (version === before || guide.dataset.version !== version) return null;
  if (document.querySelector("#moves a[href^='/review']")) {
    return guide.textContent.includes("The game is over") ? {version, over: true} : null;
  }
  const found = guide.querySelector(".suggestion");
  const moves = JSON.parse(document.getElementById("turn").textContent).moves;
  const legal = found && moves.find(([move]) => move === found.dataset.move);
  return legal ? {version, over: false, move: legal[0], places: legal[1], moves} : null;
}"""
_OFF = 9
"""Each ninth move of whoever plays is not the suggested one."""


def _begin(page, server, game):
    page.goto(f"{server.address}learn/{game}")  # which opens once its rules are compiled
    page.locator(f"form[action='/learn/{game}/first-game'] button").click(timeout=120_000)
    page.wait_for_selector("#guide")


def _by_mouse(page, found, number):
    """Clicks on the board, sometimes elsewhere than suggested."""
    legal = [(move, places) for move, places, _ in found["moves"] if len(places) == 1]
    if number % _OFF == _OFF - 1 and legal:
        page.locator(f"#board .target[data-place='{legal[-1][1][0]}']").click()
        asked = page.locator("dialog.asking button")
        if asked.count():
            asked.first.click()
    else:
        page.locator("#guide [data-guide=play]").click()


def _by_keys(page, found, number):
    """Enter on the button, which keeps the focus from move to move; once on the board."""
    if number % _OFF == 1:
        page.locator("#guide [data-guide=show]").focus()
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.closest('#board, #moves') !== null")
    if number % _OFF in (0, 1):
        page.locator("#guide [data-guide=play]").focus()
    page.keyboard.press("Enter")


def _by_finger(page, _found, number):
    if number % _OFF == 0:
        fits(page)
    page.locator("#guide [data-guide=play]").tap()


def _stays_in_place(page, seen):
    """The button is where it was at every decision; its words are in sight, and do not scroll."""
    button, top, bottom = page.evaluate("""() => {
      const at = (name) => document.querySelector(`#guide ${name}`).getBoundingClientRect();
      const [button, words] = [at("[data-guide=play]"), at(".suggestion")];
      return [[button.x, button.y], words.top, words.bottom];
    }""")
    seen.add(tuple(button))
    assert len(seen) == 1, seen
    assert 0 <= top < bottom <= page.viewport_size["height"]


def _play_guided(page, act, most):
    """Play a guided game to its end, or so many moves; how many it were."""
    version, number = "", 0
    places: set[tuple[float, ...]] = set()
    while number < most:
        found = page.wait_for_function(_SUGGESTED, arg=version).json_value()
        if found["over"]:
            break
        version = found["version"]
        if number == 0:
            marked = page.locator(".suggested-mark, #moves button.suggested")
            assert marked.count() >= 1
            assert axe.serious_findings(page) == []
        page.evaluate("scrollTo(0, 0)")
        _stays_in_place(page, places)
        act(page, found, number)
        number += 1
    return number


def test_the_guided_game_is_played_to_its_end(server, new_page):
    page = new_page()
    _begin(page, server, "figaro")
    assert 20 < _play_guided(page, _by_keys, 1000) < 1000
    assert page.get_by_text("How each score came about").is_visible()
    last, guide = (page.locator(f"#guide{one}").bounding_box() for one in (" .guide-head", ""))
    assert last["y"] + last["height"] < guide["y"] + guide["height"]
    # In the end it lies over nothing.
    assert page.locator("#guide").evaluate("it => getComputedStyle(it).position") == "static"
    assert axe.serious_findings(page) == []


@pytest.mark.parametrize(
    ("game", "act", "look"), [("shakespeare", _by_mouse, {}), ("figaro", _by_finger, PHONE)]
)
def test_the_guided_game_is_played_by_mouse_and_finger(server, new_page, game, act, look):
    page = new_page(**look)
    _begin(page, server, game)
    assert _play_guided(page, act, _OFF + 2) == _OFF + 2


def test_terms_are_explained_on_hover_focus_and_tap(server, new_page):
    page = new_page()
    page.goto(f"{server.address}learn/shakespeare")
    box = page.locator("#explained")
    page.locator(".term", has_text="dress rehearsals").first.hover()
    box.get_by_text("every complete costume gives its power").wait_for()
    page.keyboard.press("Escape")
    assert not box.is_visible()
    page.locator(".term[data-topic=mood]").first.focus()
    box.get_by_text("each purple stage set left on display").wait_for()
    assert axe.serious_findings(page) == []
    phone = new_page(**PHONE)
    _begin(phone, server, "figaro")
    phone.wait_for_function(_SUGGESTED, arg="")
    phone.get_by_role("button", name="How do I win?").tap()
    phone.locator("#explained").get_by_text("Have the shortest road").wait_for()
    fits(phone)


@pytest.mark.parametrize("look", [{}, PHONE])
def test_a_puzzle_is_solved_on_the_board(server, new_page, look):
    number, puzzle = next(
        (number, one)
        for number, one in enumerate(puzzles_of("figaro"), 1)
        if one.best.startswith("play:")
    )
    page = new_page(**look)
    page.goto(f"{server.address}puzzles/figaro/{number}")
    assert axe.serious_findings(page) == []
    moves = page.evaluate("JSON.parse(document.getElementById('turn').textContent).moves")
    for wanted, said in ((next(m for m in moves if m[0] != puzzle.best and len(m[1]) > 1), "Not"),
                         (next(m for m in moves if m[0] == puzzle.best), "Right!")):  # fmt: skip
        for place in wanted[1]:
            page.locator(f"#board .target[data-place='{place}']").click()
        page.locator(".verdict h2", has_text=said).wait_for()
    assert page.locator("#sentence").inner_text().endswith("Solved.")
    page.locator("#board .target").first.wait_for(state="detached")
    assert axe.serious_findings(page) == []
    page.goto(f"{server.address}puzzles")
    assert page.locator("[data-puzzles=figaro] .solved").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_hint_is_given_and_goes_with_the_next_move(server, new_page):
    page = new_page()
    _begin(page, server, "figaro")
    found = page.wait_for_function(_SUGGESTED, arg="").json_value()
    page.locator("#hint > summary").click()
    # The first hint of a computer compiles what a search needs.
    page.get_by_text("is best when games are played on").wait_for(timeout=120_000)
    move = page.locator("#hinted [data-move]").get_attribute("data-move")
    assert move in [known for known, _, _ in found["moves"]]
    page.locator("#guide [data-guide=play]").click()
    page.wait_for_function(_SUGGESTED, arg=found["version"])
    assert page.get_by_text("is best when games are played on").count() == 0


def test_the_guide_waits_for_the_others_and_leaves_the_board_in_sight(server, new_page):
    page = new_page(**PHONE, reduced_motion="no-preference")
    _begin(page, server, "figaro")
    found = page.wait_for_function(_SUGGESTED, arg="").json_value()
    guide, high = page.locator("#guide"), page.viewport_size["height"]
    assert guide.bounding_box()["height"] <= 0.41 * high
    first = next(places[0] for _, places, _ in found["moves"] if len(places) > 1)
    page.locator(f"#board .target[data-place='{first}']").locator("visible=true").first.tap()
    page.wait_for_selector("#board .chosen")
    assert guide.bounding_box()["height"] < 0.2 * high
    page.keyboard.press("Escape")
    for act, least, most in (("Fold", 0.0, 0.2), ("Read again", 0.2, 0.41)):
        guide.get_by_role("button", name=act).tap()
        assert least * high < guide.bounding_box()["height"] < most * high
    guide.get_by_role("button", name="Fold").tap()
    guide.get_by_role("button", name="Play it").tap()
    page.wait_for_selector("#guide.waits")
    assert guide.get_by_role("button", name="Play it").count() == 0
    page.wait_for_function(_SUGGESTED, arg=found["version"])
    for _ in range(2):  # it stays folded, also when the page is opened again
        page.locator("#guide.small .suggestion").wait_for()
        assert guide.get_by_role("button", name="Play it").is_visible()
        assert guide.bounding_box()["height"] < 0.2 * high
        page.reload()
