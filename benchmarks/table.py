"""How fast the table server answers people's moves when many play at once.

The server runs on one core. At each table a person plays against agents, thinks a while between
moves and, as the page does, listens for changes and fetches them. What is timed is the answer to a
person's move, with everything that is drawn for it; agents' thinking comes after it.
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
from pathlib import Path

import httpx2 as httpx
import numpy as np

from benchmarks.report import machine
from shakespeare_env.core import registry

_SERVER = """
import os, sys
from pathlib import Path
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from shakespeare_agents.table.app import serve
from shakespeare_agents.table.settings import Settings
serve(Settings(Path(sys.argv[1]), port=0), lambda found: print(found[0], flush=True), opened=False)
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
        self.over = False

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


async def play_all(where: str, options: argparse.Namespace) -> list[Player]:
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(
        base_url=where, limits=limits, timeout=120, follow_redirects=True
    ) as client:
        players = [
            Player(client, number, options.game, options.agent) for number in range(options.tables)
        ]
        for player in players:
            await player.begin()
        until = time.perf_counter() + options.seconds
        await asyncio.gather(*(player.play(until, options.pause) for player in players))
    return players


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="shakespeare", choices=registry.names())
    parser.add_argument("--agent", default="network")
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--pause", type=float, default=4.0, help="seconds a person thinks, mean")
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.sqlite"
        server = subprocess.Popen(
            [sys.executable, "-c", _SERVER, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        try:
            where = server.stdout.readline().strip()
            players = asyncio.run(play_all(where, options))
        finally:
            server.terminate()
            server.wait()
    times = 1000 * np.concatenate([player.seconds for player in players])
    sizes = np.concatenate([player.sizes for player in players]) / 1000
    print(
        f"{options.tables} tables of {options.game} against {options.agent}, one core, "
        f"a move every {options.pause:g} s at each, {options.seconds:g} s: {len(times)} moves"
    )
    for name, values, unit in (("answer", times, "ms"), ("its size, unpacked", sizes, "kB")):
        median, high, most = np.percentile(values, [50, 95, 100])
        print(f"  {name:20} median {median:6.1f}  95 % {high:6.1f}  most {most:6.1f} {unit}")


if __name__ == "__main__":
    main()
