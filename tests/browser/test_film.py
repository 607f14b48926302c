"""A recorded game as a page in a browser, opened from disk or in a notebook."""

import numpy as np
import pytest

from shakespeare_env.film import Forecasts, Judged, film_page
from tests.agents.sessions import played
from tests.browser.people import serious_findings

MOVES = 24


@pytest.fixture(scope="module")
def game():
    return played("figaro", 3, MOVES)


@pytest.fixture(scope="module")
def text(game):
    chances = np.tile([0.5, 0.3, 0.2], (MOVES + 1, 1))
    decider = game.positions[9].to_move
    judged = Judged(10, decider, game.positions[9].moves()[-1], 0.2, 0.05)
    forecasts = Forecasts(chances, 10 * chances, "somebody")
    names = ["Ann", "Ben", "Cora"]
    return film_page(game.positions, game.moves, names, forecasts, judged=[judged])


@pytest.fixture
def film(text, tmp_path):
    path = tmp_path / "game.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


class Watcher:
    """Somebody who opens a film."""

    def __init__(self, page, address):
        self.page = page
        page.goto(address)
        page.locator(".film-board svg").first.wait_for()

    def at(self):
        return int(self.page.locator(".film-place").inner_text().split("/")[0])

    def board(self):
        return self.page.locator(".film-board").inner_html()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        return self.at()


def test_keys_buttons_the_slider_and_links_lead_to_positions(film, new_page):
    page = new_page()
    watcher = Watcher(page, f"{film}#7")
    assert watcher.at() == 7
    assert watcher.press("ArrowRight", "ArrowRight") == 9
    assert page.url.endswith("#9")
    assert watcher.press("ArrowLeft") == 8
    assert watcher.press("End") == MOVES
    assert watcher.press("Home") == 0
    page.get_by_role("button", name="One move forward").click()
    assert watcher.at() == 1
    page.get_by_role("slider", name="Position").fill("12")
    assert watcher.at() == 12
    page.locator(".film-mistakes a").click()
    assert watcher.at() == 10
    assert "Better:" in page.locator(".film-verdict").inner_text()
    page.locator(".film-log summary").click()
    page.locator(".film-log a[data-ply='5']").click()
    assert watcher.at() == 5
    drawn = page.locator("svg[data-step]").first
    drawn.click(position={"x": drawn.bounding_box()["width"] / 2, "y": 40})
    assert 10 <= watcher.at() <= 12
    page.evaluate("location.hash = '#3'")
    page.wait_for_function(
        "() => document.querySelector('.film-place').textContent.startsWith('3 ')"
    )


def test_playing_goes_on_until_it_is_stopped(film, new_page):
    page = new_page()
    page.clock.install()
    watcher = Watcher(page, f"{film}#2")
    page.keyboard.press("Space")
    page.clock.run_for(2500)
    assert watcher.at() == 4
    page.keyboard.press("Space")
    page.clock.run_for(5000)
    assert watcher.at() == 4
    page.get_by_role("button", name="Play", exact=True).click()
    page.clock.run_for(60_000)
    assert watcher.at() == MOVES


def test_a_position_looks_the_same_from_wherever_one_comes(film, new_page):
    page = new_page(viewport={"width": 390, "height": 844})
    watcher = Watcher(page, f"{film}#9")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert serious_findings(page) == []
    watcher.press("ArrowRight", "ArrowRight")
    forwards = watcher.board()
    watcher.press("End")
    while watcher.at() > 11:
        watcher.press("ArrowLeft")
    assert watcher.board() == forwards
    assert page.locator(".film-changed").count() >= 1
    page.goto("about:blank")
    assert Watcher(page, f"{film}#11").board() == forwards
    assert watcher.press("Home") == 0
    assert page.locator(".film-changed").count() == 0
