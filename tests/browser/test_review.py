"""Recorded games in the browser: watched folders, review, playing on, the page to share."""

import re
from pathlib import Path

import pytest

from shakespeare_env.cli.recorded import Recorded, write_json_lines
from shakespeare_env.cli.recorded_folders import from_folder
from tests.browser.people import Person
from tests.browser.table_server import QUICK_JUDGE

axe = pytest.importorskip("tests.browser.axe_findings", reason="needs axe-playwright-python")
_PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


_MOVES = 8


@pytest.fixture(scope="module")
def lines(recorded, tmp_path_factory):
    """The first moves of a game, as `shakespeare play --save` writes them."""
    game = from_folder(recorded, 1)
    path = tmp_path_factory.mktemp("lines") / "game.jsonl"
    first = Recorded(game.positions[: _MOVES + 1], game.moves[:_MOVES], game.agents)
    write_json_lines(path, first)
    return path.read_text()


def _paste(page, server, lines) -> None:
    """Bring a game to review."""
    page.goto(f"{server.address}review")
    page.get_by_label("Or its lines").fill(lines)
    page.get_by_role("button", name="Review").click()
    page.wait_for_selector(".film-board")


def _place(page) -> int:
    return int(page.locator(".film-place").inner_text().partition(" / ")[0])


def _press(page, key, place) -> None:
    """A key, and the position that it leads to."""
    page.keyboard.press(key)
    page.wait_for_function(
        "(at) => document.querySelector('.film-place').textContent.startsWith(`${at} /`)", arg=place
    )
    assert page.url.endswith(f"/{place}")


def _no_wider_than_the_screen(page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_game_is_reviewed_and_played_on(server, new_page, lines):
    page = new_page()
    _paste(page, server, lines)
    page.get_by_label("Judged by").select_option(QUICK_JUDGE)
    page.get_by_role("button", name="Ask this agent").click()
    page.locator(".film-found [data-graph]").first.wait_for()
    assert axe.serious_findings(page) == []
    board = page.locator(".film-board")
    begun = board.inner_html()
    _press(page, "ArrowRight", 1)
    assert board.inner_html() != begun
    _press(page, "ArrowRight", 2)
    _press(page, "ArrowLeft", 1)
    _press(page, "End", _MOVES)
    _press(page, "Home", 0)
    assert board.inner_html() == begun
    _press(page, "ArrowRight", 1)
    told = page.locator(".film-told p").first
    shown = told.inner_text()
    page.reload()
    told.wait_for()
    assert (_place(page), told.inner_text()) == (1, shown)
    page.get_by_role("link", name="Play on from here").click()
    person = Person(page)
    page.locator("[name=seat0]").select_option("person")
    page.get_by_role("button", name="Begin").click()
    seen = person.look()
    person.play(seen, *person.choose(seen))
    person.look()


def test_a_watched_folder_leads_to_its_games(server, new_page, recorded):
    page = new_page()
    page.goto(server.address)
    page.get_by_role("link", name="Watch").click()
    assert axe.serious_findings(page) == []
    page.get_by_role("link", name=recorded.name).first.click()
    game = page.locator("a[href^='/review/folder/0/']").first
    game.wait_for()
    assert axe.serious_findings(page) == []
    game.click()
    page.wait_for_selector(".film-board")


def test_review_and_watch_fit_a_phone(server, new_page, lines):
    page = new_page(**_PHONE)
    for address in ("folders", "folders/0", "review", "box", "box/figaro", "box/shakespeare"):
        page.goto(server.address + address)
        assert _no_wider_than_the_screen(page), address
        assert axe.serious_findings(page) == [], address
    _paste(page, server, lines)
    assert _no_wider_than_the_screen(page)
    assert axe.serious_findings(page) == []


def test_the_page_to_share_needs_no_server(server, new_page, lines, tmp_path):
    page = new_page()
    _paste(page, server, lines)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download as one page").click()
    kept = tmp_path / "game.html"
    waiting.value.save_as(kept)
    assert re.search("https?://(?!www.w3.org)", kept.read_text()) is None
    alone = new_page(offline=True)
    alone.goto(kept.as_uri())
    begun = alone.locator(".film-board").inner_html()
    alone.keyboard.press("ArrowRight")
    alone.wait_for_function("document.querySelector('.film-place').textContent.startsWith('1 /')")
    assert alone.locator(".film-board").inner_html() != begun
    assert axe.serious_findings(alone) == []


def test_the_box_desk_is_filled_in_and_saves_a_box(server, new_page):
    page = new_page()
    page.goto(f"{server.address}box")
    assert axe.serious_findings(page) == []
    page.get_by_role("link", name=re.compile("Figaro")).first.click()
    assert axe.serious_findings(page) == []
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("(Save|Download)")).first.click()
    assert Path(waiting.value.path()).read_text().strip()
