"""Measure a table server while one viewer attacks it: `make bench ARGS=attacks`.

Each attack gets a server of its own, in a process on this machine. The attacker has one address of
the loopback network. Meanwhile a second viewer requests pages from another address. The server is
interrupted as by Ctrl-C while the attack still goes on. This needs Linux, where all of 127.0.0.0/8
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
from shakespeare_table.browser.storage.plan import Occupant, TablePlan
from shakespeare_table.browser.storage.store import TableStore
from shakespeare_table.browser.tables.state import TableState, first_state, result_of

ATTACKER = "127.0.0.2"
VIEWER = "127.0.0.1"
REQUEST_EVERY_S = 0.25
"""Seconds from one request of the second viewer to the next, answered or not."""
GAME_BEGINS_S = 3.0
"""Seconds of an attack before the second viewer begins a game of agents."""
HANG_UP_S = 0.3
"""Seconds after which the attacker hangs up."""
BOUNDARY = "a-boundary-of-parts"
UPLOAD_BYTES = 60 * 2**20
"""Bytes of an uploaded game, unpacked. The server reads 64 MiB at most."""
ENDING_S = 90.0
"""Seconds after which an interrupted server is killed."""


@dataclass
class Server:
    """A running table server.

    Attributes:
        process: The server's process.
        port: Its port.
        finished: The id of a finished game.
        playing: The id of a game that is being played.
        moves: The number of moves of the finished game.
        connections: The attacker's connections, which are closed after the server has ended.
    """

    process: subprocess.Popen[str]
    port: int
    finished: str
    playing: str
    moves: int
    connections: AsyncExitStack

    async def connect(
        self, address: str, receive_buffer: int = 0
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the server from an address. A small receive buffer makes the server wait."""
        client = socket.socket()
        client.setblocking(False)
        if receive_buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        client.bind((address, 0))
        await asyncio.get_running_loop().sock_connect(client, (VIEWER, self.port))
        return await asyncio.open_connection(sock=client, limit=receive_buffer or 2**16)

    async def get(self, address: str, path: str) -> int:
        """Request a page, read it, and return its status, or 0 if the connection fails."""
        try:
            reader, writer = await self.connect(address)
            try:
                writer.write(_request(path))
                status_line = (await reader.readline()).split()
                while await reader.read(2**16):
                    pass
            finally:
                writer.close()
        except OSError:
            return 0
        return int(status_line[1]) if status_line else 0

    def browser(self, address: str) -> httpx2.AsyncClient:
        """Return an HTTP client of an address, which keeps cookies and follows redirects."""
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
        """Request a page four times on one connection, and read nothing."""
        with suppress(OSError):
            _, writer = await self.connect(ATTACKER, receive_buffer=4096)
            self.connections.callback(writer.close)
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            writer.write(_request(path, "keep-alive") * 4)


def _request(path: str, connection: str = "close") -> bytes:
    return _head(f"GET {path} HTTP/1.1", f"Host: {VIEWER}", f"Connection: {connection}")


def _head(*lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


async def _no_attack(server: Server) -> None:
    """Do nothing, to measure a second viewer that is alone."""


async def _reviews(server: Server) -> None:
    """Request the page for sharing a finished game 60 times, and hang up at once."""
    path = f"/review/table/{server.finished}/page"
    await asyncio.gather(*(server.hang_up(path) for _ in range(60)))


async def _pictures(server: Server) -> None:
    """Request 100 pictures of a finished game, and wait for them."""
    moves = [number % server.moves for number in range(100)]
    paths = [f"/review/table/{server.finished}/{move}/picture.png" for move in moves]
    await asyncio.gather(*(server.get(ATTACKER, path) for path in paths))


async def _steps(server: Server) -> None:
    """Request the changes of a move 300 times, and hang up at once."""
    moves = [number % server.moves for number in range(300)]
    paths = [f"/watch/{server.finished}/step?number={move}" for move in moves]
    await asyncio.gather(*(server.hang_up(path) for path in paths))


async def _readers(server: Server) -> None:
    """Open 560 connections that request large pages and never read them."""
    path = f"/watch/{server.finished}"
    await asyncio.gather(*(server.never_read(path) for _ in range(560)))


async def _uploads(server: Server) -> None:
    """Upload 8 games for review that are nearly as long as the server reads."""
    position = Position.new("shakespeare", players=4)
    start = {"position": position.to_dict()}
    line = json.dumps({"move": position.moves()[0], **start})
    lines = "\n".join([json.dumps(start), *[line] * (UPLOAD_BYTES // (len(line) + 1))])
    file = await asyncio.to_thread(gzip.compress, lines.encode())
    await asyncio.gather(*(server.upload(file) for _ in range(8)))


async def _thinking(server: Server) -> None:
    """Begin 40 tables of agents that think for two seconds a move, each from a new browser."""
    for _ in range(40):
        async with server.browser(ATTACKER) as browser:
            await browser.post("/tables", data=_table_of_three("search,seconds=2"))


def _table_of_three(agent: str) -> dict[str, str]:
    """Return the form fields that begin a table of three copies of an agent."""
    return {"game": "figaro", "players": "3", "seat0": agent, "seat1": agent, "seat2": agent}


Attack: TypeAlias = Callable[[Server], Coroutine[Any, Any, None]]

ATTACKS: dict[str, Attack] = {
    "none": _no_attack,
    "reviews": _reviews,
    "pictures": _pictures,
    "steps": _steps,
    "uploads": _uploads,
    "readers": _readers,
    "thinking": _thinking,
}
"""Attacks by name. Each makes a bounded number of requests, and ends when its server does."""


@dataclass(frozen=True)
class AttackResult:
    """The effects of an attack on a server and on the second viewer.

    Attributes:
        page_seconds: Seconds for each page, or until it was given up.
        unanswered: The number of these pages that were refused, reset or given up.
        game_seconds: Seconds for a game of three random agents that the second viewer begins;
            infinite if it was not over in time.
        most_bytes: The most bytes that the server and its processes held.
        ending_seconds: Seconds from the interrupt to the server's end.
    """

    page_seconds: list[float]
    unanswered: int
    game_seconds: float
    most_bytes: int
    ending_seconds: float


async def measure(attack: Attack, seconds: float) -> AttackResult:
    """Start a server, attack it for some seconds, and interrupt it."""
    with TemporaryDirectory() as folder:
        games = Path(folder) / "games.sqlite"
        stored = _store_games(games)
        async with AsyncExitStack() as connections:
            process, port = await asyncio.to_thread(_start, games)
            server = Server(
                process=process,
                port=port,
                finished=stored.finished,
                playing=stored.playing,
                moves=stored.moves,
                connections=connections,
            )
            try:
                await _wait_until_ready(server)
                return await _measure_attack(server, attack, seconds)
            finally:
                process.kill()
                process.wait()


async def _measure_attack(server: Server, attack: Attack, seconds: float) -> AttackResult:
    pages = (f"/watch/{server.playing}", "/", "/learn/figaro")
    page_seconds: list[float] = []
    unanswered = 0

    async def view(path: str) -> None:
        nonlocal unanswered
        began = time.monotonic()
        status = 0
        try:
            status = await server.get(VIEWER, path)
        finally:
            page_seconds.append(time.monotonic() - began)
            unanswered += status != 200

    attack_task = asyncio.create_task(attack(server))
    game_task = asyncio.create_task(_play_random_game(server))
    view_tasks: list[asyncio.Task[None]] = []
    most_bytes = 0
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        page = pages[len(view_tasks) % len(pages)]
        view_tasks.append(asyncio.create_task(view(page)))
        most_bytes = max(most_bytes, _memory_of(server.process.pid))
        await asyncio.sleep(REQUEST_EVERY_S)

    interrupted = time.monotonic()
    game_seconds = game_task.result() if game_task.done() else math.inf
    for task in (*view_tasks, game_task):
        task.cancel()
    server.process.send_signal(signal.SIGINT)
    await asyncio.gather(*view_tasks, game_task, return_exceptions=True)
    with suppress(subprocess.TimeoutExpired):
        await asyncio.to_thread(server.process.wait, ENDING_S)
    ending_seconds = time.monotonic() - interrupted

    attack_task.cancel()
    with suppress(asyncio.CancelledError):
        await attack_task
    return AttackResult(page_seconds, unanswered, game_seconds, most_bytes, ending_seconds)


async def _play_random_game(server: Server) -> float:
    """Begin a game of random agents once the attack is under way, and return its seconds."""
    await asyncio.sleep(GAME_BEGINS_S)
    began = time.monotonic()
    async with server.browser(VIEWER) as browser:
        page = await browser.post("/tables", data=_table_of_three("random"))
        # A finished game has a link to its review.
        while "/review/table/" not in page.text:
            await asyncio.sleep(REQUEST_EVERY_S)
            page = await browser.get(page.url)
    return time.monotonic() - began


class _StoredGames(NamedTuple):
    finished: str  # the id of a finished game of four seats
    playing: str  # the id of a game that is being played
    moves: int  # the number of moves of the finished game


def _store_games(file: Path) -> _StoredGames:
    seats = tuple(Occupant(name) for name in ("Ann", "Ben", "Cora", "Dan"))
    plan = TablePlan("shakespeare", players=4, variants=(), seed=0, seats=seats)
    rng = random.Random(0)
    game: TableState = first_state(plan)
    while not game.is_over:
        game = game.pushed(rng.choice(game.position.moves()))
    store = TableStore(file)
    playing, _ = store.new_table(owner="nobody", plan=plan, links=[], holders=[])
    finished, _ = store.new_table(owner="nobody", plan=plan, links=[], holders=[])
    store.keep_moves(finished, 0, game.moves, {}, result_of(game))
    store.close()
    return _StoredGames(finished, playing, len(game.moves))


def _start(games: Path) -> tuple[subprocess.Popen[str], int]:
    command = [sys.executable, "-m", "shakespeare_env", "table", "--no-browser", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--games", str(games)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    first_line = process.stdout.readline()
    port = re.search(r":(\d+)/", first_line)
    assert port, first_line
    return process, int(port[1])


async def _wait_until_ready(server: Server) -> None:
    for path in (f"/watch/{server.playing}", f"/watch/{server.finished}", "/learn/figaro"):
        while await server.get(VIEWER, path) != 200:
            await asyncio.sleep(REQUEST_EVERY_S)


def _memory_of(process_id: int) -> int:
    """Return the bytes that a process and its children hold, or 0 if it has ended."""
    total = 0
    with suppress(psutil.Error):
        parent = psutil.Process(process_id)
        for process in (parent, *parent.children(recursive=True)):
            with suppress(psutil.Error):
                total += process.memory_info().rss
    return total


def main(
    attacks: Annotated[
        list[str] | None, typer.Argument(help=f"Some of: {', '.join(ATTACKS)}.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, max=60, help="Seconds of each attack.")] = 20,
    output: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
) -> None:
    """Measure how one viewer's attacks slow down another viewer, and the server's end at Ctrl-C."""
    table = Table(
        "attack",
        "page, median",
        "page, 95 %",
        "page, longest",
        "unanswered",
        "game of agents",
        "memory",
        "Ctrl-C to end",
    )
    figures: dict[str, float] = {}
    for name in attacks or ATTACKS:
        result = asyncio.run(measure(ATTACKS[name], seconds))
        p50, p95, longest = np.percentile(result.page_seconds, (50, 95, 100))
        table.add_row(
            name,
            *(f"{1000 * page:,.0f} ms" for page in (p50, p95, longest)),
            f"{result.unanswered} of {len(result.page_seconds)}",
            f"{result.game_seconds:.1f} s",
            f"{result.most_bytes / 1e6:,.0f} MB",
            f"{result.ending_seconds:.1f} s",
        )
        figures[f"{name}, p50"] = p50
        figures[f"{name}, p95"] = p95
        figures[f"{name}, end"] = result.ending_seconds
        figures[f"{name}, agents"] = result.game_seconds
        figures[f"{name}, bytes"] = result.most_bytes
    Console().print(table)
    report.save(output, {}, figures)


if __name__ == "__main__":
    typer.run(main)
