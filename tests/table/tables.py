"""Servers to ask in tests, and what they answer."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from typing import Any

from starlette.testclient import TestClient

from shakespeare_env.core import registry
from shakespeare_table.browser.app import make_app
from shakespeare_table.browser.settings import Settings
from shakespeare_table.browser.site import Site

HOST = "http://127.0.0.1:7764"
HTMX = {"HX-Request": "true"}
PATIENCE = 60
"""Seconds for agents to decide on a busy machine."""
COMPILED = 600
"""Seconds for rules to be compiled there."""


@contextmanager
def served(folder, **settings) -> Iterator[TestClient]:
    """A server with games in a folder; its clients follow redirects."""
    app = make_app(Settings(folder / "games.sqlite", **{"limit": COMPILED, **settings}))
    with TestClient(app, base_url=HOST) as client:
        for name in registry.names():
            app.state.site.compiler.wait(name, COMPILED)
        yield client


def site_of(client) -> Site:
    """The parts of a client's server."""
    app: Any = client.app
    site: Site = app.state.site
    return site


def begin(client, game="shakespeare", seats=("person", "person"), seed=0, **said):
    """A new table's page."""
    form = {"game": game, "players": str(len(seats)), "seed": str(seed), **said}
    for seat, who in enumerate(seats):
        form |= {f"seat{seat}": who, f"name{seat}": f"P{seat}"}
    return client.post("/tables", data=form)


def links(page):
    """The addresses of a new table's seats, by name, as its owner sees them."""
    return list(dict.fromkeys([page.url.path, *re.findall(r'href="(/seat/[\w-]+)"', page.text)]))


def begun(client, **how):
    """The addresses of the seat that decides at a new table, and of another one."""
    seats = links(begin(client, **how))
    mover = next(link for link in seats if moves(client.get(link)))
    return mover, next(link for link in seats if link != mover)


def watching(page):
    """The spectators' address."""
    found = re.search(r'href="(/watch/[\w-]+)"', page.text)
    assert found
    return found[1]


def text_of(page):
    """What a page says."""
    return unescape(re.sub(r"<[^>]*>", " ", page.text))


def moves(page):
    """The moves that a page offers."""
    return [move for move, _places, _words in turn(page)["moves"]]


def turn(page):
    """What a page tells its script."""
    found = re.search(r'<script type="application/json" id="turn">(.*?)</script>', page.text, re.S)
    assert found, page.text[:500]
    return json.loads(found[1])


def seen(client, address, holds, pause=0.01):
    """The page, once something holds of it: an agent has decided, or has failed.

    Agents in processes of their own give way to a server that is asked without a pause.
    """
    until = time.monotonic() + PATIENCE
    while not holds(page := client.get(address)):
        assert time.monotonic() < until, page.text
        time.sleep(pause)
    return page


def events(answer):
    """(event, data) of a stream that has ended."""
    assert answer.status_code == 200, answer.text
    found = []
    for block in answer.text.replace("\r\n", "\n").split("\n\n"):
        entries = [line.partition(": ") for line in block.splitlines()]
        data = "\n".join(value for key, _, value in entries if key == "data")
        found += [(value, data) for key, _, value in entries if key == "event"]
    return found


def field(page, name):
    """The value of a hidden field, or empty."""
    found = re.search(rf'id="{name}"[^>]* value="([^"]*)"', page.text)
    return unescape(found[1]) if found else ""


def play(client, address, page, move, **said):
    """Post a move as the page does; the answer is what has changed."""
    form = {"move": move, "number": field(page, "number"), "since": field(page, "version"), **said}
    return client.post(f"{address}/play", data=form, headers=HTMX)
