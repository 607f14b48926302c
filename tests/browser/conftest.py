"""One Chromium and one table server for all tests of a worker, and pages whose faults count."""

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
# Tells when a page has read what the server has sent, which takes it some 20 ms.
_TELL_WHEN_READ = """
for (const [where, name] of [[document, "DOMContentLoaded"], [document, "htmx:afterSettle"]]) {
  where.addEventListener(name, () => {
    const version = document.getElementById("version");
    window.readVersion = version && version.value;
  });
}
"""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser; skips where there is none."""
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
    """A table server that runs for all tests."""
    running = TableServer(tmp_path_factory.mktemp("table")).start()
    yield running
    running.end()
    assert "Traceback" not in running.errors()


@pytest.fixture
def new_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages, each in a browser of its own. None may report a fault or ask another machine."""
    heard: list[str] = []
    contexts = []

    def listen(page: Any) -> None:
        def said(words: Any) -> None:
            expected = any(known in words.text for known in page.expected)
            if words.type in ("error", "warning") and not expected:
                heard.append(f"{page.url}: {words.text}")

        def asked(request: Any) -> None:
            if urlsplit(request.url).hostname not in ("127.0.0.1", None):
                heard.append(f"{page.url} asks for {request.url}")

        page.on("pageerror", lambda fault: heard.append(f"{page.url}: {fault}"))
        page.on("console", said)
        page.on("request", asked)

    def opened(**look: object) -> Any:
        context = chromium.new_context(**{**_LOOK, **look})
        contexts.append(context)
        context.set_default_timeout(_PATIENCE)
        context.add_init_script(_TELL_WHEN_READ)
        page = context.new_page()
        page.expected = []
        listen(page)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert heard == []
