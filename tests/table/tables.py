"""Helpers that start servers for tests, send them requests and read their answers."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from html import unescape
from typing import Any

import pytest
from starlette.testclient import TestClient

from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_env.core.position import compile_all
from shakespeare_table.browser import site as site_module
from shakespeare_table.browser.app import make_app
from shakespeare_table.browser.processes import GameCompiler
from shakespeare_table.browser.settings import Settings
from shakespeare_table.browser.site import Site

HOST = "http://127.0.0.1:7764"
HTMX = {"HX-Request": "true"}
LAST_DAY = 6
"""The last day of a game of Shakespeare."""
PATIENCE = 60
"""The seconds that agents may take to decide on a busy machine."""
COMPILED = 600
"""The seconds that compiling rules may take on a busy machine."""


class CompiledGames(GameCompiler):
    """Games whose rules are compiled in this process when they are first waited for.

    Another process, as in `TableServer`, would take as long as many a test to start.
    """

    def start(self) -> None:
        """Compile nothing yet."""

    def wait(self, game: str, seconds: float = 0.0) -> None:
        """Compile a game's rules, unless that has been done."""
        _compile_rules(registry.game(game))


_compile_rules = cache(compile_all)


@contextmanager
def served(folder, **settings) -> Iterator[TestClient]:
    """Start a server with its games in a folder, and yield a client that follows redirects."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_module, "GameCompiler", CompiledGames)
        app = make_app(Settings(folder / "games.sqlite", **{"limit": COMPILED, **settings}))
    with TestClient(app, base_url=HOST) as client:
        yield client


def site_of(client) -> Site:
    """Return the parts of a client's server."""
    app: Any = client.app
    site: Site = app.state.site
    return site


def begin(client, game="shakespeare", seats=("person", "person"), seed=0, **fields):
    """Begin a table and return its page. Further fields of the form may be given."""
    form = {"game": game, "players": str(len(seats)), "seed": str(seed), **fields}
    for seat, occupant in enumerate(seats):
        form |= {f"seat{seat}": occupant, f"name{seat}": f"P{seat}"}
    return client.post("/tables", data=form)


def invitations(page):
    """Return the addresses of a new table's open seats, as its host sees them."""
    return list(dict.fromkeys(re.findall(r'href="[^"/]*//[^"/]+(/seat/[\w-]+)"', page.text)))


def claim(client, address, name=""):
    """Claim the seat of a link, and return the answer."""
    return client.post(f"{address}/claim", data={"name": name})


def seats_of(client, page):
    """Claim all open seats of a new table for its host; return the addresses of people's seats."""
    seats = [page.url.path, *invitations(page)]
    for address in seats[1:]:
        claim(client, address)
    return seats


def last_wagers(players):
    """Return a position of Shakespeare in which all seats wager for the last day."""
    position = Position.new("shakespeare", players=players, seed=4)
    while position.phase != "wager" or position.to_dict()["day"] < LAST_DAY:
        legal = position.moves()
        position.push("pass" if "pass" in legal else legal[0])
    return position


def begun(client, **options):
    """Begin a table and return the address of the seat that decides, and that of another seat."""
    seats = seats_of(client, begin(client, **options))
    mover = next(link for link in seats if moves(client.get(link)))
    return mover, next(link for link in seats if link != mover)


def spectators_address(page):
    """Return the address at which spectators see a page's table."""
    found = re.search(r'href="(/watch/[\w-]+)"', page.text)
    assert found
    return found[1]


def text_of(page):
    """Return the text of a page."""
    return unescape(re.sub(r"<[^>]*>", " ", page.text))


def moves(page):
    """Return the moves that a page offers."""
    return [move for move, _places, _words in turn(page)["moves"]]


def turn(page):
    """Return the data of a page's script: moves, changed places, and how far it is behind."""
    found = re.search(r'<script type="application/json" id="turn">(.*?)</script>', page.text, re.S)
    assert found, page.text[:500]
    return json.loads(found[1])


def wait_for_page(client, address, condition, pause=0.01):
    """Return a page once it fulfils a condition, such as that an agent has decided.

    The pause lets agents run, whose processes have a lower priority than the server.
    """
    deadline = time.monotonic() + PATIENCE
    page = client.get(address)
    while not condition(page):
        assert time.monotonic() < deadline, page.text
        time.sleep(pause)
        page = client.get(address)
    return page


def events(answer):
    """Return the (event, data) pairs of a stream that has ended."""
    assert answer.status_code == 200, answer.text
    found = []
    for block in answer.text.replace("\r\n", "\n").split("\n\n"):
        entries = [line.partition(": ") for line in block.splitlines()]
        data = "\n".join(value for key, _, value in entries if key == "data")
        found += [(value, data) for key, _, value in entries if key == "event"]
    return found


def field(page, name):
    """Return the value of a hidden field, or empty text."""
    found = re.search(rf'id="{name}"[^>]* value="([^"]*)"', page.text)
    return unescape(found[1]) if found else ""


def play(client, address, page, move, **fields):
    """Post a move as the page does, and return the answer, which holds the changes of the page."""
    form = {"move": move, "number": field(page, "number"), "since": field(page, "version")}
    form |= fields
    return client.post(f"{address}/play", data=form, headers=HTMX)
