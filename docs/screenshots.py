"""Take the screenshots of the browser's table with Chromium: `python docs/screenshots.py`."""

from __future__ import annotations

import io
import shutil
import tempfile
import threading
from pathlib import Path

import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from shakespeare_table.browser.app import make_app
from shakespeare_table.browser.settings import Settings

DOCS = Path(__file__).parent
SEED = 5
SEATS = 3
MOVES = 13
COLOURS = 256
"""The number of colours in the files, which keeps them small."""


def main() -> None:
    """Write screenshots of a game after MOVES moves, on a desktop and on a phone."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder) / "games.sqlite", port=0)
        with settings.listen() as listener:
            server = uvicorn.Server(uvicorn.Config(make_app(settings), log_level="warning"))
            thread = threading.Thread(target=server.run, args=([listener],))
            thread.start()
            try:
                port = listener.getsockname()[1]
                _take_screenshots(f"http://127.0.0.1:{port}")
            finally:
                server.should_exit = True
                thread.join()


def _take_screenshots(address: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        page.add_init_script("localStorage.setItem('confirm', 'no')")
        page.goto(f"{address}/learn/shakespeare")  # this page opens once the rules are compiled
        page.get_by_role("heading", name="How to play").wait_for(timeout=600_000)
        page.goto(f"{address}/?players={SEATS}")
        page.fill("[name=seed]", str(SEED))
        page.fill("[name=name0]", "Ann")
        page.get_by_role("button", name="Begin", exact=True).click()
        for number in range(MOVES):
            moves = page.locator("#moves button[name=move]")
            moves.first.wait_for(timeout=120_000, state="attached")
            before = page.input_value("#number")  # changes once the move is played
            moves.nth(number % moves.count()).evaluate("button => button.click()")
            page.wait_for_function(
                "number => document.getElementById('number').value != number", arg=before
            )
        page.locator("#moves button[name=move]").first.wait_for(timeout=120_000, state="attached")
        page.mouse.move(0, 0)
        _save(page, "table.png")
        page.set_viewport_size({"width": 390, "height": 844})
        _save(page, "table_phone.png")
        browser.close()


def _save(page: Page, name: str) -> None:
    page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_timeout(300)  # until everything is drawn
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(DOCS / name, optimize=True)


if __name__ == "__main__":
    main()
