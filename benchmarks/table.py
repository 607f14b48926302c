"""How fast the table server answers people's moves when many play at once.

The server runs on one core. At each table a person plays against agents, thinks a while between
moves and, as the page does, listens for changes and fetches them. What is timed is the answer to a
person's move, with everything that is drawn for it; agents' thinking comes after it.

All is timed twice: with the same agent at every table, and while three tables have agents that loop
for ever, exit and are slow. An agent that was ended is asked again. Times are of the other tables.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import httpx2 as httpx
import numpy as np

from benchmarks.report import machine
from shakespeare_env.core import registry

_LIMIT_S = 15.0
"""Seconds that an agent may think about a move."""
_SERVER = f"""
import os, sys
from pathlib import Path
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})
from shakespeare_agents.table.app import serve
from shakespeare_agents.table.settings import Settings
settings = Settings(Path(sys.argv[1]), port=0, agents=tuple(sys.argv[2:]), limit={_LIMIT_S})
serve(settings, lambda found: print(found[0], flush=True), opened=False)
"""
_BAD = """
import os, time

class Loops:
    def __init__(self, game): pass
    def act(self, observations, masks, rng):
        while True: pass

class Exits(Loops):
    def act(self, observations, masks, rng): os._exit(1)

class Slow(Loops):
    def act(self, observations, masks, rng):
        time.sleep(10)
        return masks.argmax(axis=1)
"""
_TURN = re.compile(r'<script type="application/json" id="turn">(.*?)</script>', re.S)
_HIDDEN = re.compile(r'id="(version|number)"[^>]* value="([^"]*)"')


class Player:
    """A person's browser at one table."""

    def __init__(self, client: httpx.AsyncClient, number: int, game: str, agent: str) -> None:
        self.client, self.game, self.agent, self.number = client, game, agent, number
        self.random = random.Random(number)
        self.address = ""
        self.text: dict[str, str] = {}
        self.moves: list[str] = []
        self.seconds: list[float] = []
        self.sizes: list[int] = []
        self.failures = 0
        self.has_failed = self.over = False

    async def begin(self) -> None:
        players = max(registry.seats(self.game)[0], 2)
        form = {"game": self.game, "players": str(players), "seed": str(self.number)}
        form |= {"seat0": "person", **{f"seat{seat}": self.agent for seat in range(1, players)}}
        page = await self.client.post("/tables", data=form)
        self.address = page.url.path
        self.read(page.text)

    def read(self, text: str) -> None:
        if (found := _TURN.search(text)) is not None:
            self.moves = [move for move, _places, _words in json.loads(found[1])["moves"]]
            self.text |= dict(_HIDDEN.findall(text))
            self.has_failed = 'form="agent">Let it play' in text
            self.over = "How each score came about" in text

    async def listen(self) -> None:
        async with self.client.stream("GET", f"{self.address}/events", timeout=None) as events:
            async for line in events.aiter_lines():
                if line.startswith("data:"):
                    since = self.text["version"]
                    answer = await self.client.get(f"{self.address}/changes?since={since}")
                    if since == self.text["version"]:
                        self.read(answer.text)

    async def play(self, until: float, pause: float) -> None:
        listening = asyncio.create_task(self.listen())
        try:
            await asyncio.sleep(self.random.uniform(0, 2 * pause))
            while time.perf_counter() < until and not self.over:
                if self.moves:
                    await self.move()
                elif self.has_failed:
                    await self.ask_again()
                await asyncio.sleep(self.random.uniform(0, 2 * pause))
        finally:
            listening.cancel()

    async def move(self) -> None:
        move = self.random.choice(self.moves)
        said = {"move": move, "number": self.text["number"], "since": self.text["version"]}
        began = time.perf_counter()
        answer = await self.client.post(
            f"{self.address}/play", data=said, headers={"HX-Request": "true"}
        )
        if answer.status_code == 200:
            self.seconds.append(time.perf_counter() - began)
            self.sizes.append(len(answer.content))
            self.read(answer.text)

    async def ask_again(self) -> None:
        said = {"agent": self.agent, "since": self.text["version"]}
        answer = await self.client.post(
            f"{self.address}/agent", data=said, headers={"HX-Request": "true"}
        )
        self.failures += 1
        self.read(answer.text)


async def play_all(where: str, agents: Sequence[str], options: argparse.Namespace) -> list[Player]:
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(
        base_url=where, limits=limits, timeout=120, follow_redirects=True
    ) as client:
        players = [
            Player(client, number, options.game, agent) for number, agent in enumerate(agents)
        ]
        for player in players:
            await player.begin()
        until = time.perf_counter() + options.seconds
        await asyncio.gather(*(player.play(until, options.pause) for player in players))
    return players


def served(agents: Sequence[str], bad: Sequence[str], options: argparse.Namespace) -> list[Player]:
    """The players at tables with these agents, after they have played on a new server."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", _SERVER, str(Path(folder) / "games.sqlite"), *bad]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            return asyncio.run(play_all(server.stdout.readline().strip(), agents, options))
        finally:
            server.terminate()
            server.wait()


def show(title: str, players: Sequence[Player]) -> None:
    times = 1000 * np.concatenate([player.seconds for player in players])
    sizes = np.concatenate([player.sizes for player in players]) / 1000
    print(f"{title}: {len(times)} moves at {len(players)} tables")
    for name, values, unit in (("answer", times, "ms"), ("its size, unpacked", sizes, "kB")):
        median, high, most = np.percentile(values, [50, 95, 100])
        print(f"  {name:20} median {median:6.1f}  95 % {high:6.1f}  most {most:6.1f} {unit}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="shakespeare", choices=registry.names())
    parser.add_argument("--agent", default="network")
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--pause", type=float, default=4.0, help="seconds a person thinks, mean")
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    print(machine())
    print(
        f"{options.tables} tables of {options.game}, one core, "
        f"a move every {options.pause:g} s at each, {options.seconds:g} s"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bad.py"
        path.write_text(_BAD)
        bad = [f"{path}:{name}" for name in ("Loops", "Exits", "Slow")]
        usual = [options.agent] * options.tables
        show(f"against {options.agent} alone", served(usual, bad, options)[: -len(bad)])
        *beside, loops, exits, slow = served([*usual[len(bad) :], *bad], bad, options)
    show("beside agents that loop, exit and are slow", beside)
    print(
        f"  failures that people answered: {loops.failures} of the one that loops, "
        f"{exits.failures} of the one that exits; moves against the slow one: {len(slow.seconds)}"
    )


if __name__ == "__main__":
    main()
