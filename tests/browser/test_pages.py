"""Every page in a browser: nothing serious by axe-core, nothing beyond the screen of a phone."""

import pytest

from shakespeare_env.cli.recorded import write_json_lines
from tests.agents.sessions import played
from tests.browser.people import Person, TouchingPerson
from tests.browser.sight import PHONE

axe = pytest.importorskip("tests.browser.axe_findings", reason="needs axe-playwright-python")
_WIDTH = 390
_MOVES = 14
# Targets of less than 24 CSS pixels in either direction (WCAG 2.2, 2.5.8).
_TOO_SMALL = """() => {
  const found = [];
  for (const it of document.querySelectorAll("button, .button, input, select, #board .target")) {
    if (!it.checkVisibility({visibilityProperty: true}) || it.type === "hidden") continue;
    const {width, height} = (it.closest("label.check") || it).getBoundingClientRect();
    if (width < 24 || height < 24) {
      found.push([it.dataset.place || it.textContent || it.name, width, height]);
    }
  }
  return found;
}"""


def fits(page) -> None:
    width, room = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= room == _WIDTH, page.url
    assert page.evaluate(_TOO_SMALL) == [], page.url


def test_nothing_serious_and_nothing_beyond_a_phone(server, new_page):
    page = new_page(**PHONE)
    page.expected.append("status of 4")
    for address in ("", "?game=figaro&players=6", "?game=none", "no/such/page", "folders",
                    "folders/0", "review", "box", "box/figaro", "box/shakespeare", "learn",
                    "learn/shakespeare", "learn/figaro", "rules/figaro", "puzzles",
                    "puzzles/shakespeare/1"):  # fmt: skip
        page.goto(server.address + address)
        assert page.evaluate("document.documentElement.scrollWidth") == _WIDTH, address
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            assert axe.serious_findings(page) == [], (address, theme)


@pytest.mark.parametrize(("game", "moves"), [("shakespeare", 9), ("figaro", 5)])
def test_a_finger_plays_on_a_phone(server, new_page, game, moves):
    person = TouchingPerson(new_page(**PHONE), 2)
    seats = ["person", "random", "random"]
    person.begin(server.address, game, seats, seed=2)
    for _ in range(moves):
        seen = person.look()
        fits(person.page)
        person.play(seen, *person.choose(seen))
    assert axe.serious_findings(person.page) == []
    person.page.goto(server.address)
    fits(person.page)


def test_nothing_serious_where_a_move_has_to_be_distinguished_from_another(server, new_page):
    person = Person(new_page())
    page = person.page
    person.begin(server.address, "shakespeare", ["person"])
    assert axe.serious_findings(page) == []
    alike: list[str] = []
    while not alike:
        seen = person.look()
        places = [places for _, places, _ in seen.moves]
        alike = next((one for one in places if places.count(one) > 1 and one), [])
        if not alike:
            person.play(seen, *person.choose(seen))
    for place in alike:
        page.locator(f"#board .target[data-place='{place}']").click()
    assert page.get_by_text("Which move?").is_visible()
    assert axe.serious_findings(page) == []
    page.keyboard.press("Escape")
    assert page.get_by_text("Which move?").count() == 0
    assert page.locator("#board .chosen").count() == 0


def test_a_game_is_brought_looked_at_and_played_on(server, new_page, tmp_path):
    game = played("figaro", 3, _MOVES, names=["Ann", "Ben", "Cora"])
    lines = tmp_path / "game.jsonl"
    write_json_lines(lines, game.course)
    page = new_page(viewport={"width": _WIDTH, "height": 844})
    page.goto(f"{server.address}review")
    page.get_by_label("File").set_input_files(lines)
    page.get_by_role("button", name="Review").click()
    page.wait_for_url("**/review/record/*")
    page.get_by_text(f"has judged all {_MOVES} decisions").wait_for(timeout=60_000)
    assert page.get_by_text("Chance to win, as").is_visible()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert page.locator(".film-place").inner_text() == f"5 / {_MOVES}"
    assert page.url.endswith("/5")
    assert page.locator(".film-judged [data-line='0']").inner_text().endswith("%")
    assert page.evaluate("document.documentElement.scrollWidth") == _WIDTH
    assert axe.serious_findings(page) == []
    board = page.locator(".film-board").inner_html()
    page.reload()
    page.locator(".film-told p").first.wait_for()
    assert page.locator(".film-board").inner_html() == board
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as one page").click()
    assert download.value.suggested_filename == "figaro-game.html"
    page.get_by_role("link", name="Play on from here").click()
    assert "begins in the middle of a game" in page.content()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/seat/*")
    assert page.locator("#board svg").count() > 0
