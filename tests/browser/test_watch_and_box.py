"""Watched folders and the box desk in a browser."""

import re
from pathlib import Path

import pytest

axe = pytest.importorskip("tests.browser.axe_findings", reason="needs axe-playwright-python")
_WIDTH = 390


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


def test_the_box_desk_is_filled_in_and_saves_a_box(server, new_page):
    page = new_page()
    page.goto(f"{server.address}box")
    assert axe.serious_findings(page) == []
    page.get_by_role("link", name=re.compile("Figaro")).first.click()
    assert axe.serious_findings(page) == []
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("(Save|Download)")).first.click()
    assert Path(waiting.value.path()).read_text().strip()


def test_watching_and_the_box_desk_fit_a_phone(server, new_page):
    page = new_page(viewport={"width": _WIDTH, "height": 844}, has_touch=True, is_mobile=True)
    for address in ("folders", "folders/0", "review", "box", "box/figaro", "box/shakespeare"):
        page.goto(server.address + address)
        assert page.evaluate("document.documentElement.scrollWidth") == _WIDTH, address
        assert axe.serious_findings(page) == [], address
