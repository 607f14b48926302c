"""Limits of a viewer's share of the server, and the end of work that nobody waits for."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import Any
from unittest.mock import AsyncMock, MagicMock

import pytest
import uvicorn
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.testclient import TestClient
from uvicorn.server import ServerState

from shakespeare_table.browser import app, capacity, processes
from shakespeare_table.browser.capacity import PageThreads, SharedResults, cancel_on_disconnect
from shakespeare_table.browser.processes import AsyncPool, FairPool
from tests.table.tables import HOST, PATIENCE, site_of


def make_connection(answer: Any = HTTPException) -> tuple[ServerState, Callable[[], Any]]:
    """Return the state that a server's connections share, and a function that makes one."""
    state = ServerState()
    config = uvicorn.Config(answer, log_config=None, ws="none")
    return state, partial(app.Connection, config, state, {})


async def listening_server(connection):
    """Start a server and return it with its address."""
    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
    return server, server.sockets[0].getsockname()


def test_connections_are_limited_and_requests_must_arrive(monkeypatch):
    monkeypatch.setattr(app, "MAX_CONNECTIONS", 2)
    monkeypatch.setattr(app, "REQUEST_TIMEOUT_S", 0.3)
    _, connection = make_connection()

    async def attack():
        server, address = await listening_server(connection)
        opened = [await asyncio.open_connection(*address) for _ in range(4)]
        opened[0][1].write(b"GET / HT")
        # The last two are closed at once, the first two once their requests are late.
        for (reader, writer), patience in zip(opened[::-1], (0.2, 0.2, 5, 5), strict=True):
            assert await asyncio.wait_for(reader.read(), patience) == b""
            writer.close()
        server.close()

    asyncio.run(attack())


def test_one_address_has_its_share_of_the_connections(monkeypatch):
    monkeypatch.setattr(app, "MAX_CONNECTIONS_PER_ADDRESS", 2)
    _, connection = make_connection()

    async def is_refused(address):
        transport = MagicMock()
        transport.get_extra_info = {"peername": (address, 1)}.get
        connection().connection_made(transport)
        return transport.abort.called

    async def connect():
        addresses = ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]
        return [await is_refused(address) for address in addresses]

    assert asyncio.run(connect()) == [False, False, True, False]


def test_a_connection_that_never_reads_is_closed_and_an_idle_stream_is_not(monkeypatch):
    monkeypatch.setattr(app, "READ_TIMEOUT_S", 0.3)

    async def answer(scope, receive, send):
        await send({"type": "http.response.start", "status": 200})
        part = {"type": "http.response.body", "body": b"a" * 2**14, "more_body": True}
        await send(part)
        if scope["path"] == "/unread":
            unread = next(each for each in connections() if each.scope["path"] == "/unread")
            while not unread.transport.get_write_buffer_size():
                await send(part)
        await receive()  # the request
        await receive()  # its end

    state, connection = make_connection(answer)

    def connections() -> list[Any]:
        return list(state.connections)

    async def ask():
        server, address = await listening_server(connection)
        opened = []
        for path in ("/stream", "/unread"):
            reader, writer = await asyncio.open_connection(*address)
            writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            await reader.readuntil(b"a")
            opened.append(writer)
        while len(connections()) > 1:
            await asyncio.sleep(0.01)
        (left,) = connections()
        assert left.scope["path"] == "/stream"
        for writer in opened:
            writer.close()
        server.close()

    asyncio.run(asyncio.wait_for(ask(), 10))


def test_a_viewer_has_a_limited_number_of_requests_open(client, monkeypatch):
    monkeypatch.setattr(capacity, "MAX_OPEN_REQUESTS", 1)
    begun = threading.Event()
    go_on = threading.Event()

    def held(*_):
        begun.set()
        go_on.wait(60)
        return []

    with ThreadPoolExecutor(1) as thread, monkeypatch.context() as slow:
        slow.setattr(site_of(client).store, "tables_of", held)
        first = thread.submit(client.get, "/review")
        assert begun.wait(60)
        refused = client.get("/learn")
        other = TestClient(client.app, HOST, client=("192.0.2.1", 1)).get("/learn")
        go_on.set()
        assert first.result().status_code == other.status_code == 200
    assert refused.status_code == 429
    assert "try again" in refused.text
    assert int(refused.headers["retry-after"]) > 0
    assert "default-src" in refused.headers["content-security-policy"]
    assert client.get("/learn").status_code == 200


def test_pages_are_made_in_turn_and_none_for_viewers_who_have_left():
    go_on = threading.Event()
    begun = []

    def page(number):
        begun.append(number)
        go_on.wait(5)
        return number

    async def ask():
        threads = PageThreads()
        spectator = [asyncio.create_task(threads.run("spectator", page, n)) for n in range(60)]
        player = asyncio.create_task(threads.run("player", page, 99))
        while len(begun) < 3:
            await asyncio.sleep(0.01)
        for task in spectator:
            task.cancel()
        last = asyncio.create_task(threads.run("spectator", page, 100))
        await asyncio.sleep(0.05)
        assert sorted(begun) == [0, 1, 99]  # two threads are still at work for the spectator
        go_on.set()
        assert [await player, await last] == [99, 100]
        assert sorted(begun) == [0, 1, 99, 100]
        threads.close()
        with pytest.raises(HTTPException):
            await threads.run("player", page, 101)

    asyncio.run(ask())


class Results:
    """Results that are made once `may_end` is set, with lists of those made and given up."""

    def __init__(self):
        self.may_end = asyncio.Event()
        self.made = []
        self.given_up = []

    async def make(self, name):
        self.made.append(name)
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.given_up.append(name)
            raise
        return name


def test_shared_work_is_given_up_with_the_last_who_waits():
    async def ask():
        results = Results()
        shared = SharedResults(2)
        make = partial(results.make, "a")
        one = asyncio.create_task(shared.get("a", make))
        other = asyncio.create_task(shared.get("a", make))
        await asyncio.sleep(0)
        one.cancel()
        await asyncio.sleep(0.01)
        assert results.given_up == []
        other.cancel()
        await asyncio.sleep(0.01)
        assert results.given_up == results.made == ["a"]

    asyncio.run(ask())


def test_shared_results_are_made_once_and_the_oldest_are_forgotten():
    async def ask():
        results = Results()
        results.may_end.set()
        shared = SharedResults(2)
        for name in ("a", "b", "a", "c", "a", "b"):
            assert await shared.get(name, partial(results.make, name)) == name
        assert results.made == ["a", "b", "c", "b"]  # "b" was forgotten, since "a" was used

    asyncio.run(ask())


def test_a_failure_is_not_kept():
    async def ask():
        shared = SharedResults(2)
        for _ in range(2):
            with pytest.raises(HTTPException):
                await shared.get("wrong", AsyncMock(side_effect=HTTPException(404)))
        assert await shared.get("wrong", AsyncMock(return_value="right")) == "right"

    asyncio.run(ask())


def test_a_viewer_keeps_no_other_waiting_and_nobody_thinks_for_viewers_who_have_left(monkeypatch):
    begun = []

    class EndlessProcess(threading.Event):
        close = threading.Event.set

        def run(self, job, _limit):
            begun.append(job)
            yield from [None] * (not self.wait(5))

    async def ask_all():
        pool: Any = AsyncPool(3, 1.0)

        async def ask(viewer, *jobs, running):
            """Ask for jobs, and wait until so many jobs in all have begun, and for a wrong one."""
            tasks = [asyncio.create_task(pool.result(job, viewer)) for job in jobs]
            while len(begun) < running:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            return tasks

        tasks = await ask("spectator", *range(60), running=2)
        for task in [*tasks, *await ask("player", 99, running=3)]:
            assert begun == [0, 1, 99]
            task.cancel()
        await asyncio.sleep(0.1)
        (last,) = await ask("spectator", 100, running=4)
        assert begun == [0, 1, 99, 100]
        last.cancel()
        gone = Request({"type": "http"}, AsyncMock(return_value={"type": "http.disconnect"}))
        with pytest.raises(ClientDisconnect):
            await cancel_on_disconnect(gone, pool.result(101, "spectator"))

    monkeypatch.setattr(processes, "AgentProcess", EndlessProcess)
    asyncio.run(ask_all())


def test_agents_think_for_all_viewers_alike_and_within_a_viewers_share_for_all_owners():
    """Otherwise one person with many tables, or many cookies, would keep all others waiting."""
    pool = FairPool(3, 1.0)
    may_end = threading.Event()
    begun: SimpleQueue[str] = SimpleQueue()

    def work(name):
        begun.put(name)
        may_end.wait(PATIENCE)

    def submit(viewer, owner, table):
        pool.submit(partial(work, viewer + owner + table), viewer, owner, table)

    for number in range(20):
        submit("attacker", f"/cookie{number % 2}", f"/{number}")
    assert {begun.get(timeout=PATIENCE) for _ in range(2)} == {
        "attacker/cookie0/0",
        "attacker/cookie1/1",
    }
    submit("player", "/ann", "/a")
    assert begun.get(timeout=PATIENCE) == "player/ann/a"  # at once
    submit("player", "/ann", "/b")
    submit("player", "/bob", "/c")
    may_end.set()
    order = [begun.get(timeout=PATIENCE) for _ in range(20)]
    pool.close()
    assert order.index("player/bob/c") < order.index("player/ann/b") < 6
