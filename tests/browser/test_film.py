"""A recorded game as a page, opened from disk in a browser."""

import numpy as np
import pytest

from shakespeare_env.film import Film
from shakespeare_table.analysis.evaluation import Difference
from shakespeare_table.analysis.mistakes import Forecasts, JudgedDecision, annotated_page
from tests.agents.sessions import played_session
from tests.browser.people import serious_findings, small_texts

MOVES = 24


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """Write a game as a page and return its address."""
    game = played_session("figaro", 3, MOVES, names=["Ann", "Ben", "Cora"])
    path = tmp_path_factory.mktemp("film") / "game.html"
    chances = np.tile([0.5, 0.3, 0.2], (MOVES + 1, 1))
    decider = game.positions[9].to_move
    better = game.positions[9].moves()[-1]
    judged = JudgedDecision(10, decider, game.moves[9], better, Difference(0.2, 0.05, False))
    forecasts = Forecasts(chances, 10 * chances, "somebody")
    text = annotated_page(Film(game.history), forecasts, [judged])
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


def at(page, *keys):
    """Press some keys and return the number of the position shown."""
    for key in keys:
        page.keyboard.press(key)
    return int(page.locator(".film-place").inner_text().split("/")[0])


def test_keys_buttons_the_slider_and_links_lead_to_positions(film, new_page):
    page = new_page(viewport={"width": 390, "height": 844})
    page.clock.install()
    page.goto(f"{film}#7")
    page.locator(".film-board svg").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert serious_findings(page) == []
    assert small_texts(page) == []
    assert at(page) == 7
    assert at(page, "ArrowRight", "ArrowRight") == 9
    assert page.url.endswith("#9")
    assert at(page, "ArrowLeft") == 8
    assert at(page, "End") == MOVES
    assert at(page, "Home") == 0
    assert page.locator(".film-changed").count() == 0
    page.keyboard.press("Space")
    page.clock.run_for(2500)
    page.keyboard.press("Space")
    page.clock.run_for(5000)
    assert at(page) == 2
    assert at(page, "Home") == 0
    page.get_by_role("button", name="One move forward").click()
    assert at(page) == 1
    page.get_by_role("slider", name="Position").fill("12")
    assert at(page) == 12
    page.locator(".film-mistakes a").click()
    assert at(page) == 10
    assert "Better:" in page.locator(".film-verdict").inner_text()
    page.locator(".film-log summary").click()
    page.locator(".film-log a[data-ply='5']").click()
    assert at(page) == 5
    drawn = page.locator("svg[data-step]").first
    drawn.click(position={"x": drawn.bounding_box()["width"] / 2, "y": 40})
    assert 10 <= at(page) <= 12
