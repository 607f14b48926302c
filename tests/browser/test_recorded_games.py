"""A game from elsewhere reviewed in a browser: stepping, verdicts, playing on."""

from __future__ import annotations

import re

import pytest

from shakespeare_agents import RandomAgent
from shakespeare_agents.single_game import SingleGame
from shakespeare_env import Position
from shakespeare_env.cli.recorded import Recorded, write_json_lines

MOVES = 14


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    game = SingleGame(
        Position.new("figaro", players=3, seed=4), dict.fromkeys(range(3), RandomAgent()), 4
    )
    game.play_out(lambda *told: None, MOVES)
    path = tmp_path_factory.mktemp("lines") / "game.jsonl"
    write_json_lines(path, Recorded(game.positions, game.moves, ["Ann", "Ben", "Cora"]))
    return path


@pytest.mark.parametrize("width", [390, 1280])
def test_a_game_is_brought_looked_at_and_played_on(server, new_page, lines, width):
    page = new_page(viewport={"width": width, "height": 844})
    axe = pytest.importorskip("tests.browser.axe_findings", reason="needs axe-playwright-python")
    page.goto(f"{server.address}review")
    assert axe.serious_findings(page) == []
    page.get_by_label("File").set_input_files(lines)
    page.get_by_role("button", name="Review").click()
    page.wait_for_url("**/review/record/*")
    page.locator(".film-told p").first.wait_for()
    page.get_by_text(f"has judged all {MOVES} decisions").wait_for(timeout=60_000)
    assert page.get_by_text("Chance to win, as").is_visible()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert page.locator(".film-place").inner_text() == f"5 / {MOVES}"
    assert page.url.endswith("/5")
    assert page.locator(".film-judged [data-line='0']").inner_text().endswith("%")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert axe.serious_findings(page) == []
    board = page.locator(".film-board").inner_html()
    page.reload()
    page.locator(".film-told p").first.wait_for()
    assert page.locator(".film-board").inner_html() == board
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as one page").click()
    assert download.value.suggested_filename == "figaro-game.html"
    page.get_by_role("link", name="Play on from here").click()
    assert re.search(r"begins in the middle of a game", page.content())
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/seat/*")
    assert page.locator("#board svg").count() > 0
