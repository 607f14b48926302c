"""Measure when a review is ready: `python -m benchmarks.readiness GAME`.

A person's seat plays a game at random against three experts, at a table of a server in a process of
its own, with a pause before each move. Then the game's review is opened, and the seconds are
counted from the end of the game until all of the person's decisions have been judged, and all of
the others'.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from http import HTTPStatus
from http.cookiejar import CookieJar
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import typer

from shakespeare_agents.naming import default
from shakespeare_env.core import registry

PLAYERS = 4
_SERVER = (sys.executable, "-m", "shakespeare_env", "table", "--no-browser", "--port", "0")
_POLL_EVERY_S = 0.05
_BUSY = (sys.executable, "-c", "while True: pass")
_TURN = re.compile(r'<script type="application/json" id="turn">(.*?)</script>', re.DOTALL)
_REVIEW = re.compile(r"/review/table/[\w-]+")
_PROGRESS = re.compile(r"<[^>]*>")


class Browser:
    """A browser without scripts that has a seat at a table.

    Args:
        server: The address of the server, without a slash at its end.
    """

    def __init__(self, server: str) -> None:
        self._server = server
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def get(self, path: str) -> str:
        """Return a page."""
        with self._opener.open(self._server + path) as answer:
            text: str = answer.read().decode()
        return text

    def post(self, path: str, fields: Mapping[str, str]) -> tuple[str, str]:
        """Send a form, and return the path and the text of the page that answers."""
        request = Request(self._server + path, urlencode(fields).encode())
        with self._opener.open(request) as answer:
            return answer.url.removeprefix(self._server), answer.read().decode()

    def events(self, path: str) -> Iterator[tuple[str, str]]:
        """Yield the names and the data of server-sent events until the stream ends."""
        with self._opener.open(self._server + path) as answer:
            name = ""
            for line in answer:
                key, _, value = line.decode().strip().partition(":")
                if key == "event":
                    name = value.strip()
                elif key == "data":
                    yield name, value.strip()


@contextmanager
def processes_of(*commands: tuple[str, ...]) -> Iterator[list[subprocess.Popen[str]]]:
    """Run commands in processes, which end with the context."""
    processes = []
    for command in commands:
        processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    try:
        yield processes
    finally:
        for process in processes:
            process.terminate()
            process.wait()


def begin(browser: Browser, game: str, seed: int) -> str:
    """Begin a table, once the server has compiled the rules, and return the path of the seat."""
    form = {"game": game, "players": str(PLAYERS), "seed": str(seed), "seat0": "person"}
    for seat in range(1, PLAYERS):
        form[f"seat{seat}"] = default(registry.game(game))
    while True:
        try:
            path, _ = browser.post("/tables", form)
            return path
        except HTTPError as answer:
            if answer.code != HTTPStatus.SERVICE_UNAVAILABLE:
                raise
            time.sleep(_POLL_EVERY_S)


def play(browser: Browser, seat: str, chance: random.Random, pause: float) -> tuple[str, int]:
    """Play a game at random, and return the path of its review and the number of decisions."""
    decisions = 0
    while True:
        page = browser.get(seat)
        review = _REVIEW.search(page)
        if review:
            return review[0], decisions
        turn = _TURN.search(page)
        legal = [move for move, _, _ in json.loads(turn[1])["moves"]] if turn else []
        if not legal:
            time.sleep(_POLL_EVERY_S)
            continue
        time.sleep(pause)
        number = re.search(r'id="number"[^>]* value="(\d+)"', page)
        assert number
        browser.post(f"{seat}/play", {"move": chance.choice(legal), "number": number[1]})
        decisions += 1


def main(
    game: str,
    pause: Annotated[float, typer.Option(help="Seconds before each move.")] = 3.0,
    busy: Annotated[int, typer.Option(help="Cores that other work keeps busy.")] = 0,
    seed: int = 1,
) -> None:
    """Play a game at a table, and print how long its review takes to be ready."""
    with TemporaryDirectory() as folder:
        server = (*_SERVER, "--games", str(Path(folder) / "games.sqlite"))
        with processes_of(server, *[_BUSY] * busy) as (process, *_):
            assert process.stdout is not None
            address = process.stdout.readline().split()[-1].rstrip("/")
            browser = Browser(address)
            seat = begin(browser, game, seed)
            print(f"{game}, seed {seed}, {pause:g} s a move, {busy} cores busy", flush=True)
            began = time.monotonic()
            review, decisions = play(browser, seat, random.Random(seed), pause)
            ended = time.monotonic()
            print(f"{decisions} decisions, {ended - began:.0f} s", flush=True)
            for name, data in browser.events(f"{review}/analysis?seat=0"):
                seconds = time.monotonic() - ended
                if name == "progress":
                    print(f"{seconds:6.1f} s  {unescape(_PROGRESS.sub('', data)).strip()}")
                elif name == "ready":
                    print(f"{seconds:6.1f} s  all of the person's decisions have been judged")
                elif name == "done":
                    print(f"{seconds:6.1f} s  all decisions have been judged", flush=True)


if __name__ == "__main__":
    typer.run(main)
