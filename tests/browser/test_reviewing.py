"""A review in a browser, with verdicts, the bar of chances, and a better line on the board."""

import numpy as np
import pytest

from shakespeare_env.film import Film
from shakespeare_env.play.history import GameHistory
from shakespeare_table.analysis.evaluation import Difference
from shakespeare_table.analysis.lessons import MOST_LESSONS
from shakespeare_table.analysis.mistakes import JudgedDecision, lessons_list, mistakes_list
from shakespeare_table.analysis.reasons import Finding, Reasons, RowGain
from shakespeare_table.recorded import to_json_lines
from tests.agents.sessions import played_session
from tests.browser.people import serious_findings, small_texts

_NAMES = ["Ann", "Ben", "Cora"]
_JUDGED = 120_000
"""The milliseconds that judging two decisions, or drawing a game, may take on a busy machine."""
_BLUNDER = 114
"""A decision of random players that Figaro's bundled network calls a blunder."""


_IS_IN_SIGHT = """(it) => {
  const {x, y, width, height} = it.getBoundingClientRect();
  const found = document.elementFromPoint(x + width / 2, y + height / 2);
  return found !== null && (it.contains(found) || found.closest("svg")?.contains(it) === true);
}"""
_COVERED_TEXTS = """() => {
  const texts = [...document.querySelectorAll(".film-board svg text")];
  const signs = [...document.querySelectorAll(".puzzle-mark circle")];
  const isCovered = (text) => signs.some((sign) => {
    const [one, other] = [text, sign].map((it) => it.getBoundingClientRect());
    return Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
      && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  });
  const ofBoard = texts.filter((it) => !it.closest(".puzzle-mark"));
  return ofBoard.filter(isCovered).map((it) => it.textContent);
}"""
"""The texts of the board that a sign of the puzzle covers."""
_DESKTOP = {"viewport": {"width": 1440, "height": 900}}
_PHONE = {"viewport": {"width": 390, "height": 844}}
_LANDSCAPE = {"viewport": {"width": 844, "height": 390}}


def _judged(game):
    """Return the server-sent events of a review of seat 0, in which many moves were mistakes."""
    film = Film(game)
    own = [number for number, each in enumerate(game.positions) if each.to_move == 0]
    advice = "Compare all that it brings, and do so before you decide: " * 3
    judged = []
    for count, number in enumerate(own[::4]):
        topic = str(count % MOST_LESSONS)
        finding = Finding(topic, "You get 4.6 more of it instead of 3.6.", f"{advice}{topic}.", 1.0)
        reasons = Reasons((RowGain("stage", 1.0, 0.1),), (finding,))
        loss = Difference(0.2 - count / 1000, 0.01, in_points=False)
        move = game.moves[number]
        judged.append(JudgedDecision(number + 1, 0, move, move, loss, reasons))
    told = {
        "lessons": lessons_list(film, judged),
        "mistakes": mistakes_list(film, judged),
        "progress": "<p>The computer has judged all decisions.</p>",
        "ready": "",
        "done": "",
    }
    lines = [
        f"event: {name}\n" + "".join(f"data: {line}\n" for line in data.splitlines() or [""])
        for name, data in told.items()
    ]
    return "\n".join([*lines, ""])


def _screens(page):
    """Return the height and width of a page in screens, float64[2]."""
    return np.array(
        page.evaluate(
            "[document.documentElement.scrollHeight / innerHeight,"
            " document.documentElement.scrollWidth / innerWidth]"
        )
    )


@pytest.mark.parametrize("name", ["shakespeare", "figaro"])
def test_a_review_fits_one_screen_of_a_desktop_and_two_of_a_phone(server, new_page, tmp_path, name):
    names = ["you", *_NAMES]
    played = played_session(name, 4, names=names)
    game = GameHistory(played.positions, played.moves, names)
    last = len(game.moves)
    lines = tmp_path / "game.jsonl"
    lines.write_bytes(to_json_lines(game))
    page = new_page()
    events = _judged(game)
    page.route(
        "**/analysis?*", lambda route: route.fulfill(body=events, content_type="text/event-stream")
    )
    page.goto(f"{server.address}review")
    page.get_by_label("File").set_input_files(lines)
    page.get_by_role("button", name="Review").click()
    address = page.locator("#review").get_attribute("data-address")
    looks = ((_DESKTOP, "light", 1), (_PHONE, "dark", 2), (_LANDSCAPE, "light", 4))
    for look, theme, screens in looks:
        page.set_viewport_size(look["viewport"])
        page.emulate_media(color_scheme=theme)
        page.goto(f"{server.address}{address.lstrip('/')}")
        # It opens at the worst mistake, with the lessons beside it.
        page.locator(".puzzle-target").first.wait_for(timeout=_JUDGED)
        assert page.locator(".film-lessons li:visible").count() == MOST_LESSONS
        assert all(_screens(page) <= [screens, 1])
        assert serious_findings(page) == []
        page.keyboard.press("End")
        page.get_by_text(f"{last} / {last}").wait_for()
        page.locator(".film-folded").first.wait_for()
        assert all(_screens(page) <= [screens, 1])
        assert small_texts(page) == []
        assert page.locator(".standings li").count() == 4
        # A button opens the board of another seat, which then stands in full.
        page.get_by_role("button", name="Open the board").first.click(timeout=_JUDGED)
        assert page.locator(".film-seat:not(.film-folded)").count() == 1
        assert serious_findings(page) == []
        # Another one opens the lessons again, which make room for the board on a small screen.
        if not page.locator(".findings").evaluate("(it) => it.open"):
            page.get_by_text("Lessons and mistakes").click()
        # A reload asks for the better move once more.
        page.locator(".film-mistake:visible").nth(1).get_by_role("link").first.click()
        page.locator(".puzzle-target").first.wait_for()
        asked = page.locator(".puzzle h2").inner_text()
        page.reload()
        page.locator(".puzzle-target").first.wait_for(timeout=_JUDGED)
        assert page.locator(".puzzle h2").inner_text() == asked


def _with_twins(route):
    """Answer with the legal moves, each twice, so that several have the same places."""
    found = route.fetch().json()
    moves = found["moves"]
    twins = [[move, places, f"{words} (once more)"] for move, places, words in moves]
    route.fulfill(json={**found, "moves": [*moves, *twins]})


@pytest.mark.parametrize("look", [{}, _PHONE])
def test_the_better_move_of_a_mistake_is_found_and_its_line_shown(server, new_page, tmp_path, look):
    at = _BLUNDER
    game = played_session("figaro", 3, at + 2, names=_NAMES)
    lines = tmp_path / "game.jsonl"
    lines.write_bytes(to_json_lines(GameHistory(game.positions[at:], game.moves[at:], _NAMES)))
    page = new_page(**look)
    page.route("**/choices", _with_twins)
    drawing = []  # the request for the drawn game, which is held back
    page.route("**/film", lambda request: drawing.append(request))
    page.goto(f"{server.address}review")
    page.get_by_label("File").set_input_files(lines)
    page.get_by_role("button", name="Review").click()
    page.get_by_text("The computer has judged all 2 decisions").wait_for(timeout=_JUDGED)
    seat = game.positions[at].to_move
    page.get_by_label("Mistakes of").select_option(str(seat))
    mistake = page.locator(".film-mistake:visible")
    assert "blunder" in mistake.inner_text()
    assert "Better" not in mistake.inner_text()  # it is to be found first

    # The puzzle opens in view, below the controls, however far the list has been scrolled.
    page.locator(".film-side").evaluate("(it) => { it.scrollTop = it.scrollHeight; }")
    mistake.get_by_role("link").evaluate("(it) => it.click()")
    puzzle = page.locator(".puzzle")
    puzzle.get_by_text("Which move is better?").wait_for()
    assert page.locator(".puzzle-target").count() == 0  # it waits until the game is drawn
    for request in drawing:
        request.continue_()
    page.locator(".puzzle-target").first.wait_for()
    for part in ("h2", ".task", "[data-show-me]"):
        assert puzzle.locator(part).evaluate(_IS_IN_SIGHT), part

    # A click on a place of the board, or on the list, is a guess.
    assert serious_findings(page) == []
    best, played = (mistake.get_attribute(f"data-{kind}") for kind in ("better", "played"))
    if look:  # three mistakes would be in view
        box = mistake.bounding_box()
        assert box["y"] + 3 * box["height"] < look["viewport"]["height"]
        puzzle.get_by_text("List of moves").click()
        others = [move for move in game.positions[at].moves() if move not in (best, played)]
        puzzle.locator(f".move-list button[data-guess='{others[0]}']").first.click()
    else:
        page.locator(".puzzle-target").first.click()
        page.locator(".puzzle-target").first.click()
        page.locator("dialog").get_by_role("button", name="(once more)").click()
    puzzle.get_by_text("(your choice)").or_(puzzle.get_by_text("(played)")).first.wait_for(
        timeout=_JUDGED
    )
    # After a wrong guess the answer is still to be found.
    if puzzle.get_by_text("Not that one").count():
        assert page.locator(".puzzle-mark.better").count() == 0
        assert best not in puzzle.locator(".compared").inner_html()
        puzzle.get_by_role("button", name="Try again").click()
        page.locator(".puzzle-target").first.wait_for()
    if puzzle.locator("[data-show-me]").is_visible():
        puzzle.get_by_role("button", name="Show me").click()
        puzzle.get_by_role("button", name="The better line").wait_for(timeout=_JUDGED)
    # The board tells the better move from the one that was played, not by colour alone.
    for kind, sign in (("better", "✓"), ("played", "?")):
        for mark in page.locator(f".puzzle-mark.{kind}").all():
            assert mark.locator("text").text_content() == sign
    assert page.locator(".puzzle-mark:is(.better, .played)").count() >= 2
    assert page.evaluate(_COVERED_TEXTS) == []
    assert page.locator(".puzzle-mark").first.evaluate(_IS_IN_SIGHT)
    assert page.locator(".film-place").inner_text() == "0 / 2"

    page.keyboard.press("ArrowRight")
    if look:  # the lessons and mistakes have made room for the board
        page.get_by_text("Lessons and mistakes").click()
    assert "Better" in mistake.inner_text()
    verdict = page.locator(".film-verdict")
    assert "blunder" in verdict.inner_text()
    shares = page.locator(".film-eval > span").evaluate_all(
        "(all) => all.map((it) => it.style.flexGrow)"
    )
    assert sum(map(float, shares)) == pytest.approx(100, abs=1)
    assert serious_findings(page) == []

    page.get_by_role("button", name="Show the better line").click()
    page.get_by_text("The computer is looking for the best line").wait_for()
    page.locator(".film-in-line").wait_for(timeout=_JUDGED)
    place = page.locator(".film-place")
    first, last = place.inner_text().split(" / ")
    assert first == "1" < last
    assert page.locator(".puzzle-mark").count() == 0
    assert page.locator(".film-told p").first.get_attribute("title") == best
    page.keyboard.press("ArrowRight")
    page.locator(".film-line li button").last.click()
    assert place.inner_text() == f"{last} / {last}"
    page.keyboard.press("Escape")
    assert place.inner_text() == "0 / 2"

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
