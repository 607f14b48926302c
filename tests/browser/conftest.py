"""Fixtures: a Chromium and a table server for the tests of a module, and pages without faults."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser.table_server import TableServer

playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs Playwright's Python package: make setup"
)

_PATIENCE = 30_000
"""Milliseconds for an answer on a busy machine."""
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_LOOK = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
# Notes the version that a page's scripts have read, which they do some 20 ms after an answer.
_TELL_WHEN_READ = """
for (const [where, name] of [[document, "DOMContentLoaded"], [document, "htmx:afterSettle"]]) {
  where.addEventListener(name, () => {
    const version = document.getElementById("version");
    window.readVersion = version && version.value;
  });
}
"""


# Playwright's event loop runs until the browser is closed. With the scope of a session, it would
# still run in the worker's other tests, whose own loops would then fail.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Start a browser. Tests are skipped where there is none."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=found, args=as_root)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableServer]:
    """Start a table server for all tests."""
    running = TableServer(tmp_path_factory.mktemp("table")).start()
    yield running
    running.end()
    assert "Traceback" not in running.errors()


@pytest.fixture
def new_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that opens a page in a browser of its own.

    No page may report a fault or send a request to another machine.
    """
    faults: list[str] = []
    contexts = []

    def listen(page: Any) -> None:
        def on_console(message: Any) -> None:
            is_expected = any(text in message.text for text in page.expected)
            if message.type in ("error", "warning") and not is_expected:
                faults.append(f"{page.url}: {message.text}")

        def on_request(request: Any) -> None:
            if urlsplit(request.url).hostname not in ("127.0.0.1", None):
                faults.append(f"{page.url} requests {request.url}")

        page.on("pageerror", lambda fault: faults.append(f"{page.url}: {fault}"))
        page.on("console", on_console)
        page.on("request", on_request)

    def open_page(**look: object) -> Any:
        context = chromium.new_context(**{**_LOOK, **look})
        contexts.append(context)
        context.set_default_timeout(_PATIENCE)
        context.add_init_script(_TELL_WHEN_READ)
        page = context.new_page()
        page.expected = []
        listen(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []
