"""All that a browser is sent, events included, is the same whatever its seat may not know."""

import json
import random
import re
from typing import Any

import pytest

from shakespeare_env import Position
from tests.browser.people import wait_for_log
from tests.table.swapping import moves_on, played, swapped, without_identifiers

_STEPS = 4


class _Browser:
    """A seat's or a spectator's browser at a new table, and all that it hears."""

    def __init__(self, new_page, address, position, knows):
        self._owner = new_page().request
        self._address = address.rstrip("/")
        form = {"game": position.game.name, "players": str(position.players), "seed": "0"}
        form |= {"position": json.dumps(position.to_dict())}
        for seat in range(position.players):
            form |= {f"seat{seat}": "person", f"name{seat}": f"P{seat}", f"agent{seat}": ""}
        begun = self._owner.post(f"{address}tables", form=form)
        text = begun.text()
        seats = re.findall(r'href="(/seat/[\w-]+)"', text)
        self._seats = [begun.url.removeprefix(self._address), *seats]
        watch = re.findall(r'href="(/watch/[\w-]+)"', text)[0]
        self._heard: list[Any] = []
        self._page = new_page()
        wire = self._page.context.new_cdp_session(self._page)
        wire.send("Network.enable")
        wire.on("Network.eventSourceMessageReceived", self._hear_event)
        self._page.on("requestfinished", lambda request: self._heard.append(request))
        self._page.goto(self._address + (watch if knows is None else self._seats[knows]))
        self._page.wait_for_function("window.readVersion")
        self._moves = 0

    def push(self, seat, move):
        """A move by another browser, until this one shows it."""
        form = {"move": move, "number": str(self._moves)}
        assert self._owner.post(f"{self._address}{self._seats[seat]}/play", form=form).ok
        self._moves += 1
        wait_for_log(self._page, self._moves)

    def heard(self):
        """Answers and events, without what is random in them."""
        said = set()
        for it in self._heard:
            if not isinstance(it, str):
                answer = it.response()
                body = "" if answer.status == 204 else answer.body().decode()
                it = f"{it.url.removeprefix(self._address)} {answer.status} {body}"
            said.add(without_identifiers(it))
        return said

    def _hear_event(self, event):
        self._heard.append(f"{event['eventName']}: {event['data']}")


@pytest.mark.parametrize(
    ("game", "players", "plies", "knows"), [("figaro", 3, 0, 1), ("shakespeare", 4, 150, None)]
)
def test_a_browser_hears_nothing_of_what_is_hidden(server, new_page, game, players, plies, knows):
    position = played(game, players, plies)
    pair = [Position.from_dict(it.to_dict(), seed=0) for it in (position, swapped(position, knows))]
    browsers = [_Browser(new_page, server.address, it, knows) for it in pair]
    rng, steps = random.Random(plies), 0
    while steps < _STEPS and (found := moves_on(rng, pair, knows)):
        seat = pair[0].to_move
        pair, moves = found
        for browser, move in zip(browsers, moves, strict=True):
            browser.push(seat, move)
        steps += 1
    assert steps > 1
    one, other = (browser.heard() for browser in browsers)
    assert any(it.startswith("changed: ") for it in one)
    assert one == other
