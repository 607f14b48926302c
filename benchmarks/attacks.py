"""Attacks on a table server from one address of this machine: files, seats and thinking time.

Each is bounded in what it asks for. It needs Linux, where all of 127.0.0.0/8 is this machine.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import httpx2

from shakespeare_env import Position
from shakespeare_table.browser.store import Store

ATTACKER = "127.0.0.2"
TABLES = 40
AT_ONCE = 24
"""Moves for the next seat that are sent while one's own is."""
THINKS_LONG = "search,seconds=2"
STRANGER = "stranger"
"""The id of a table in a stranger's file."""
_ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"


def stranger_file(path: Path) -> None:
    """Write a file of games that looks like a server's, but whose moves never end."""
    Store(path).close()
    with closing(sqlite3.connect(path)) as database, database:
        seats = [{"name": "a stranger"}] * 3
        plan = {"game": "figaro", "players": 3, "variants": [], "seed": 1, "seats": seats}
        row = (STRANGER, STRANGER, json.dumps(plan))
        database.execute("INSERT INTO tables VALUES (?, 0, ?, '', ?, 0, 0)", row)
        database.execute("DROP TABLE moves")
        database.execute(
            f"CREATE VIEW moves AS SELECT '' AS move, x AS number, '{STRANGER}' AS table_id "
            f"FROM ({_ENDLESS}) WHERE x < 0"
        )


def attack_stranger(url: str, seconds: float) -> None:
    """Ask for the table of a stranger's file, again and again."""
    until = time.monotonic() + seconds
    with _client(url, timeout=seconds) as client:
        while time.monotonic() < until:
            with suppress(httpx2.TransportError):
                client.get(f"/watch/{STRANGER}")
            time.sleep(0.1)


def attack_next_seat(url: str, seconds: float) -> None:
    """Send one's own move and one for the next seat at the same time, table after table."""
    until = time.monotonic() + seconds
    seed = 0
    with _client(url) as client, ThreadPoolExecutor(AT_ONCE + 1) as threads:
        while time.monotonic() < until:
            plays_for_next_seat(client, threads, seed)
            seed += 1


def plays_for_next_seat(client: httpx2.Client, threads: ThreadPoolExecutor, seed: int) -> bool:
    """Try it at a new table of three people; whether the server has played both moves."""
    position = Position.new("figaro", players=3, seed=seed)
    seat = position.to_move
    seats = {f"seat{number}": "person" for number in range(3)}
    form = {"game": "figaro", "players": "3", "seed": str(seed), **seats}
    page = client.post("/tables", data=form)
    links = [page.url.path, *re.findall(r'href="(/seat/[\w-]+)"', page.text)]
    own = next(link for link in links if 'name="move"' in client.get(link).text)
    moves = [position.moves()[0]]
    position.push(moves[0])
    if position.to_move == seat:
        return False
    moves.append(position.moves()[0])
    numbers = [1] * (AT_ONCE // 2) + [0] + [1] * (AT_ONCE // 2)
    sent = [
        threads.submit(client.post, f"{own}/play", data={"move": moves[n], "number": str(n)})
        for n in numbers
    ]
    for answer in sent:
        answer.result()
    number = re.search(r'id="number"[^>]* value="(\d+)"', client.get(own).text)
    return number is not None and number[1] == "2"


def attack_thinking(url: str, seconds: float) -> None:
    """Begin many tables of agents that think for long, each as another owner."""
    until = time.monotonic() + seconds
    for _ in range(TABLES):
        with _client(url) as client:
            seats = {f"seat{number}": THINKS_LONG for number in range(3)}
            client.post("/tables", data={"game": "figaro", "players": "3", **seats})
    time.sleep(max(0.0, until - time.monotonic()))


def _client(url: str, timeout: float = 60.0) -> httpx2.Client:
    transport = httpx2.HTTPTransport(local_address=ATTACKER)
    return httpx2.Client(base_url=url, transport=transport, follow_redirects=True, timeout=timeout)
