"""Measure a table server while one viewer attacks it: `make bench ARGS=attacks`.

Each attack gets a server of its own, in a process on this machine. It comes from one address of the
loopback network, and a second viewer asks for pages from another address meanwhile. While the
attack still goes on, the server is interrupted as by Ctrl-C. Needs Linux, where all of 127.0.0.0/8
is this machine.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import math
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NamedTuple, TypeAlias

import httpx2
import numpy as np
import psutil
import typer
from rich.console import Console
from rich.table import Table

from benchmarks import report
from shakespeare_env import Position
from shakespeare_table.browser.store import Occupant, TablePlan, TableStore
from shakespeare_table.browser.tables import TableState, first_state

ATTACKER = "127.0.0.2"
VIEWER = "127.0.0.1"
EVERY_S = 0.25
"""Seconds from one page of the second viewer to the next, whether or not it is answered."""
UNDER_WAY_S = 3.0
"""Seconds of an attack before the second viewer begins a game of agents."""
HANG_UP_S = 0.3
"""Seconds after which the attacker hangs up."""
BOUNDARY = "a-boundary-of-parts"
LONGEST = 60 * 2**20
"""Bytes of a game's lines, unpacked; 64 MiB are read at most."""
ENDING_S = 90.0
"""Seconds after which a server that was interrupted is killed."""


@dataclass
class Server:
    """A running table server.

    Attributes:
        process: The server's process.
        port: Its port.
        finished: The id of a finished game.
        playing: The id of a game that is being played.
        last: The number of moves of the finished game.
        opened: The attacker's connections, which are closed after the server has ended.
    """

    process: subprocess.Popen[str]
    port: int
    finished: str
    playing: str
    last: int
    opened: AsyncExitStack

    async def connect(
        self, address: str, receive_buffer: int = 0
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the server from an address; a small buffer makes the server wait."""
        end = socket.socket()
        end.setblocking(False)
        if receive_buffer:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        end.bind((address, 0))
        await asyncio.get_running_loop().sock_connect(end, (VIEWER, self.port))
        return await asyncio.open_connection(sock=end, limit=receive_buffer or 2**16)

    async def ask(self, address: str, path: str) -> int:
        """Request a page, read it, and return the status, 0 if the connection is reset."""
        try:
            reader, writer = await self.connect(address)
            try:
                writer.write(_request(path))
                status = (await reader.readline()).split()
                while await reader.read(2**16):
                    pass
            finally:
                writer.close()
        except OSError:
            return 0
        return int(status[1]) if status else 0

    def browser(self, address: str) -> httpx2.AsyncClient:
        """Return a client with an address of its own, which keeps cookies and follows redirects."""
        return httpx2.AsyncClient(
            base_url=f"http://{VIEWER}:{self.port}",
            transport=httpx2.AsyncHTTPTransport(local_address=address),
            follow_redirects=True,
            timeout=None,
        )

    async def hang_up(self, path: str) -> None:
        """Request a page and hang up before it is answered."""
        with suppress(OSError):
            _, writer = await self.connect(ATTACKER)
            writer.write(_request(path))
            await asyncio.sleep(HANG_UP_S)
            writer.close()

    async def upload(self, file: bytes) -> None:
        """Upload a file as a form does, and wait for the answer."""
        field = 'Content-Disposition: form-data; name="file"; filename="game"'
        part = f"--{BOUNDARY}\r\n{field}\r\n\r\n"
        content = part.encode() + file + f"\r\n--{BOUNDARY}--\r\n".encode()
        head = _head(
            "POST /review HTTP/1.1",
            f"Host: {VIEWER}",
            f"Content-Type: multipart/form-data; boundary={BOUNDARY}",
            f"Content-Length: {len(content)}",
            "Connection: close",
        )
        with suppress(OSError):
            reader, writer = await self.connect(ATTACKER)
            writer.write(head + content)
            await reader.read()
            writer.close()

    async def never_read(self, path: str) -> None:
        """Request a page again and again on one connection, and read nothing."""
        with suppress(OSError):
            _, writer = await self.connect(ATTACKER, receive_buffer=4096)
            self.opened.callback(writer.close)
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            writer.write(_request(path, "keep-alive") * 4)


def _request(path: str, connection: str = "close") -> bytes:
    return _head(f"GET {path} HTTP/1.1", f"Host: {VIEWER}", f"Connection: {connection}")


def _head(*lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


async def _nothing(server: Server) -> None:
    """Do nothing: the second viewer is alone."""


async def _reviews(server: Server) -> None:
    """Request the page to share of a finished game 60 times, and hang up at once."""
    path = f"/review/table/{server.finished}/page"
    await asyncio.gather(*(server.hang_up(path) for _ in range(60)))


async def _pictures(server: Server) -> None:
    """Request 100 pictures of a finished game, and wait for them."""
    path = f"/review/table/{server.finished}/{{}}/picture.png"
    await asyncio.gather(*(server.ask(ATTACKER, path.format(n % server.last)) for n in range(100)))


async def _steps(server: Server) -> None:
    """Request 300 times what a move has changed, and hang up at once."""
    path = f"/watch/{server.finished}/step?number={{}}"
    await asyncio.gather(*(server.hang_up(path.format(n % server.last)) for n in range(300)))


async def _readers(server: Server) -> None:
    """Open 560 connections that request large pages and read nothing."""
    path = f"/watch/{server.finished}"
    await asyncio.gather(*(server.never_read(path) for _ in range(560)))


async def _uploads(server: Server) -> None:
    """Upload 8 games of the longest lines that are read to the review."""
    position = Position.new("shakespeare", players=4)
    start = {"position": position.to_dict()}
    line = json.dumps({"move": position.moves()[0], **start})
    lines = "\n".join([json.dumps(start), *[line] * (LONGEST // (len(line) + 1))])
    file = await asyncio.to_thread(gzip.compress, lines.encode())
    await asyncio.gather(*(server.upload(file) for _ in range(8)))


async def _thinking(server: Server) -> None:
    """Begin 40 tables of agents that think for two seconds a move, each as another owner."""
    for _ in range(40):
        async with server.browser(ATTACKER) as browser:
            await browser.post("/tables", data=_three("search,seconds=2"))


def _three(agent: str) -> dict[str, str]:
    """Return the form's fields that begin a table of three copies of an agent."""
    return {"game": "figaro", "players": "3", **{f"seat{seat}": agent for seat in range(3)}}


Attack: TypeAlias = Callable[[Server], Coroutine[Any, Any, None]]

ATTACKS: dict[str, Attack] = {
    "none": _nothing,
    "reviews": _reviews,
    "pictures": _pictures,
    "steps": _steps,
    "uploads": _uploads,
    "readers": _readers,
    "thinking": _thinking,
}
"""Attacks by name; each makes a bounded number of requests, and ends when its server does."""


@dataclass(frozen=True)
class AttackResult:
    """The effects of an attack on a server and on the second viewer.

    Attributes:
        waited: Seconds for each page; for one that never came, those until it was given up.
        unanswered: The number of these pages that were refused, reset or given up.
        playing: Seconds for a game of three random agents that the second viewer begins; infinite
            if it was not over in time.
        memory: The most bytes that the server and its processes held.
        ending: Seconds from the interrupt to the server's end.
    """

    waited: list[float]
    unanswered: int
    playing: float
    memory: int
    ending: float


async def measure(attack: Attack, seconds: float) -> AttackResult:
    """Start a server, attack it for some seconds, and interrupt it."""
    with TemporaryDirectory() as folder:
        games = Path(folder) / "games.sqlite"
        kept = _keep_games(games)
        async with AsyncExitStack() as opened:
            process, port = await asyncio.to_thread(_start, games)
            server = Server(process, port, kept.finished, kept.playing, kept.moves, opened)
            try:
                await _until_ready(server)
                return await _attacked(server, attack, seconds)
            finally:
                process.kill()
                process.wait()


async def _attacked(server: Server, attack: Attack, seconds: float) -> AttackResult:
    pages = (f"/watch/{server.playing}", "/", "/learn/figaro")
    waited: list[float] = []
    unanswered = 0

    async def view(path: str) -> None:
        nonlocal unanswered
        began = time.monotonic()
        status = 0
        try:
            status = await server.ask(VIEWER, path)
        finally:
            waited.append(time.monotonic() - began)
            unanswered += status != 200

    attacking = asyncio.create_task(attack(server))
    agents_playing = asyncio.create_task(_random_game(server))
    until = time.monotonic() + seconds
    viewing: list[asyncio.Task[None]] = []
    memory = 0
    while time.monotonic() < until:
        viewing.append(asyncio.create_task(view(pages[len(viewing) % len(pages)])))
        memory = max(memory, _memory_of(server.process.pid))
        await asyncio.sleep(EVERY_S)
    began = time.monotonic()
    playing = agents_playing.result() if agents_playing.done() else math.inf
    for task in (*viewing, agents_playing):
        task.cancel()
    server.process.send_signal(signal.SIGINT)
    await asyncio.gather(*viewing, agents_playing, return_exceptions=True)
    with suppress(subprocess.TimeoutExpired):
        await asyncio.to_thread(server.process.wait, ENDING_S)
    ending = time.monotonic() - began
    attacking.cancel()
    with suppress(asyncio.CancelledError):
        await attacking
    return AttackResult(waited, unanswered, playing, memory, ending)


async def _random_game(server: Server) -> float:
    """Begin a game of random agents once the attack is under way, and return its seconds."""
    await asyncio.sleep(UNDER_WAY_S)
    began = time.monotonic()
    async with server.browser(VIEWER) as browser:
        page = await browser.post("/tables", data=_three("random"))
        while "/review/table/" not in page.text:
            await asyncio.sleep(EVERY_S)
            page = await browser.get(page.url)
    return time.monotonic() - began


class _KeptGames(NamedTuple):
    finished: str  # the id of a finished game of four seats
    playing: str  # the id of a game that is being played
    moves: int  # of the finished game


def _keep_games(file: Path) -> _KeptGames:
    seats = tuple(Occupant(name) for name in ("Ann", "Ben", "Cora", "Dan"))
    plan = TablePlan("shakespeare", 4, (), 0, seats)
    rng = random.Random(0)
    game: TableState = first_state(plan)
    while not game.is_over:
        game = game.pushed(rng.choice(game.position.moves()))
    store = TableStore(file)
    playing, _ = store.new_table("nobody", plan, [])
    finished, _ = store.new_table("nobody", plan, [])
    for number, move in enumerate(game.moves):
        store.add_move(finished, number, move, over=number + 1 == len(game.moves))
    store.close()
    return _KeptGames(finished, playing, len(game.moves))


def _start(games: Path) -> tuple[subprocess.Popen[str], int]:
    command = [sys.executable, "-m", "shakespeare_env", "table", "--no-browser", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--games", str(games)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    said = process.stdout.readline()
    port = re.search(r":(\d+)/", said)
    assert port, said
    return process, int(port[1])


async def _until_ready(server: Server) -> None:
    for path in (f"/watch/{server.playing}", f"/watch/{server.finished}", "/learn/figaro"):
        while await server.ask(VIEWER, path) != 200:
            await asyncio.sleep(EVERY_S)


def _memory_of(process_id: int) -> int:
    """Return the bytes that a process and those it has started hold; 0 once it has ended."""
    held = 0
    with suppress(psutil.Error):
        parent = psutil.Process(process_id)
        for process in (parent, *parent.children(recursive=True)):
            with suppress(psutil.Error):
                held += process.memory_info().rss
    return held


def main(
    attacks: Annotated[
        list[str] | None, typer.Argument(help=f"Some of: {', '.join(ATTACKS)}.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, max=60, help="Of each attack.")] = 20,
    output: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
) -> None:
    """Measure how one viewer's attacks slow down another one, and Ctrl-C."""
    table = Table(
        "attack", "pages, p50", "p95", "longest", "unanswered", "agents", "memory", "to end"
    )
    figures: dict[str, float] = {}
    for name in attacks or ATTACKS:
        found = asyncio.run(measure(ATTACKS[name], seconds))
        half, most, longest = np.percentile(found.waited, (50, 95, 100))
        table.add_row(
            name,
            *(f"{waited * 1000:,.0f} ms" for waited in (half, most, longest)),
            f"{found.unanswered} of {len(found.waited)}",
            f"{found.playing:.1f} s",
            f"{found.memory / 1e6:,.0f} MB",
            f"{found.ending:.1f} s",
        )
        figures |= {f"{name}, p50": half, f"{name}, p95": most, f"{name}, end": found.ending}
        figures |= {f"{name}, agents": found.playing, f"{name}, bytes": found.memory}
    Console().print(table)
    report.save(output, {}, figures)


if __name__ == "__main__":
    typer.run(main)
