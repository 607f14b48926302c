"""What a server refuses and keeps, and agents that loop or exit."""

import asyncio
import json
import shutil
import signal
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from queue import SimpleQueue
from typing import Any
from unittest.mock import AsyncMock, MagicMock
from urllib.parse import unquote_plus
from weakref import ref

import httpx2
import pytest
import uvicorn
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.testclient import TestClient
from uvicorn.server import ServerState

from shakespeare_agents.naming import make
from shakespeare_env import Position
from shakespeare_env.errors import DatasetError
from shakespeare_table.browser import app, capacity, thinking
from shakespeare_table.browser import store as module_of_store
from shakespeare_table.browser.capacity import PageThreads, Shared, while_waited_for
from shakespeare_table.browser.settings import Settings
from shakespeare_table.browser.store import StoreError, TableStore
from shakespeare_table.browser.thinking import (
    AgentThinkers,
    Analysts,
    Thinker,
    ThinkerError,
    as_seen,
    decide,
)
from shakespeare_table.recorded import read_json_lines
from shakespeare_table.session import choose
from tests.browser.table_server import TableServer
from tests.table.tables import (
    HOST,
    HTMX,
    PATIENCE,
    begin,
    field,
    moves,
    play,
    seen,
    served,
    site_of,
    watching,
)

_AGENTS = """
import os, pathlib, sys, time

class Agent:
    def __init__(self, game): pass

class Loops(Agent):
    def act(self, observations, masks, rng):
        pathlib.Path(__file__).with_name("looping").touch()
        while True: time.sleep(0.01)

class Exits(Agent):
    def act(self, observations, masks, rng): sys.exit("enough")

class Ends(Agent):
    def act(self, observations, masks, rng): os._exit(1)

"""
_SAYS = {
    "Loops": "more than 6 seconds and was ended",
    "Exits": "RuntimeError in mine.py, line 13 (the server",
    "Ends": "its process has ended",
}
_LIMIT_S, _END_S, _PAUSE = 6.0, 2.0, 0.3


@pytest.fixture
def agents(tmp_path):
    """The names of the agents above, by their classes'."""
    (tmp_path / "mine.py").write_text(_AGENTS)
    return {name: f"{tmp_path}/mine.py:{name}" for name in _SAYS}


def has_moved(page):
    return int(field(page, "number")) > 0


def test_agents_that_loop_or_exit_keep_nobody_waiting_and_can_be_replaced(tmp_path, agents):
    with served(tmp_path, agents=tuple(agents.values()), limit=_LIMIT_S) as client:
        bad = {
            who: begin(client, "figaro", ["person", f"mine.py:{who}", "person"], 3).url.path
            for who in _SAYS
        }
        address = begin(client, "figaro", ["person", "random", "random"], 1).url.path
        page = seen(client, address, moves)
        play(client, address, page, moves(page)[0])
        seen(client, address, moves)
        for who, says in _SAYS.items():
            page = seen(client, bad[who], lambda page, says=says: says in page.text, _PAUSE)
            assert f"mine.py:{who} has failed" in page.text
            assert str(tmp_path) not in page.text
            form = {"agent": "random", "since": field(page, "version")}
            answer = client.post(f"{bad[who]}/agent", data=form, headers=HTMX)
            assert answer.status_code == 200
            seen(client, bad[who], has_moved, _PAUSE)
            assert client.post(f"{bad[who]}/agent", data=form, headers=HTMX).status_code == 409


def test_an_agent_apart_plays_as_it_would_here_and_sees_no_more_than_its_seat(monkeypatch):
    position = Position.new("figaro", players=3, seed=4)
    seat = position.to_move
    assert seat is not None
    shown = as_seen(position)
    assert shown.seen_by(seat) == position.seen_by(seat)
    assert shown == as_seen(position.determinize(seat, 99))
    assert shown.to_dict() != position.to_dict()
    assert shown.record()["random"] != position.record()["random"]
    thinker, job = Thinker(), partial(decide, "search,simulations=32", shown, 7, 2)
    (apart,) = thinker.ask(job, 60.0)
    assert apart == choose(make("search,simulations=32", position.game), position, 7, 2)
    thinker.close()
    with pytest.raises(ThinkerError):
        list(thinker.ask(job, 60.0))
    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(Thinker().ask(job, 60.0))


def test_the_server_ends_within_two_seconds_whatever_agents_do(tmp_path, agents):
    server = TableServer(tmp_path, "--agent", agents["Loops"])
    address = server.start().address
    with httpx2.Client(base_url=address, follow_redirects=True, timeout=60) as client:
        seats = ["person", "mine.py:Loops", "person"]
        seat = begin(client, "figaro", seats, 3).url.path
        with client.stream("GET", "events", params={"of": seat}) as events:
            next(events.iter_lines())
            while not (tmp_path / "looping").exists():
                time.sleep(_PAUSE)
            began = time.monotonic()
            server.end(signal.SIGINT)
    assert time.monotonic() - began < _END_S
    assert "ASGI" not in server.errors()


def test_other_host_names_and_sites_are_refused(client):
    """Else a name that somebody points here would be our origin."""
    for host in ("evil.example", "127.0.0.1.evil.example:7764", "", "[::1"):
        assert client.get("/", headers={"Host": host}).status_code == 421, host
    for host in ("127.0.0.1:1", "localhost:7764", "[::1]:7764"):
        assert client.get("/", headers={"Host": host}).status_code == 200, host
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
        answer = client.post("/tables", data={"game": "figaro"}, headers={"Origin": origin})
        assert answer.status_code == 403, origin
        assert client.get("/", headers={"Origin": origin}).status_code == 403
    client.cookies.set("shakespeare_owner", "guess me; path=/", domain="127.0.0.1")
    page = client.get("/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})
    assert page.status_code == 200
    assert "guess me" not in page.headers["set-cookie"]
    assert "httponly" in page.headers["set-cookie"].lower()
    assert page.headers["cache-control"] == "no-store"  # the Back button shows what is now
    policy = page.headers["content-security-policy"]
    assert {"default-src 'self'", "frame-ancestors 'none'"} <= set(policy.split("; "))
    assert "unsafe" not in policy
    assert page.headers["cross-origin-resource-policy"] == "same-origin"


def test_long_requests_and_strange_forms_are_refused_before_they_are_read(client):
    def asked(path, content=b"&", kind="application/x-www-form-urlencoded", **more):
        headers = {"Content-Type": kind, **more}
        return client.post(path, content=content, headers=headers).status_code

    assert asked("/tables", b"a" * 2**17 + b"a") == asked("/review/", b"a" * 2**18) == 413
    assert asked("/tables", **{"Content-Length": "9" * 5000}) == 413
    assert asked("/tables", iter([b"a"])) == 411
    assert asked("/seat/none/play", b"a&" * 99) == 404
    for charset in ("punycode", "undefined", "unicode_escape"):
        assert asked("/tables", kind=f"multipart/form-data; boundary=b; charset={charset}") == 415
    assert asked("/review") == 415


def test_what_cannot_be_read_is_no_fault_of_the_server(client, monkeypatch):
    for address in (f"/review/record/none/{'9' * 5000}", "/learn/levels"):
        assert client.get(address).status_code == 404
    for start in ('["\\ud800"]', "9" * 5000):
        assert client.get("/", params={"position": start}).status_code == 422
    monkeypatch.setattr(site_of(client).store, "link", lambda _: 1 / 0)
    answer = TestClient(client.app, HOST, raise_server_exceptions=False).get("/seat/none")
    assert answer.status_code == 500
    assert "default-src" in answer.headers["content-security-policy"]


def test_connections_are_counted_and_requests_must_arrive(monkeypatch):
    monkeypatch.setattr(app, "MOST_CONNECTIONS", 2)
    monkeypatch.setattr(app, "WHOLE_S", 0.3)
    config, state = uvicorn.Config(HTTPException, log_config=None, ws="none"), ServerState()

    async def attack():
        connection = partial(app.Connection, config, state, {})
        server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
        opened = [await asyncio.open_connection(*server.sockets[0].getsockname()) for _ in "abcd"]
        opened[0][1].write(b"GET / HT")
        for (reader, writer), patience in zip(opened[::-1], (0.2, 0.2, 5, 5), strict=True):
            assert await asyncio.wait_for(reader.read(), patience) == b""
            writer.close()
        server.close()

    asyncio.run(attack())


def test_one_address_has_its_share_of_the_connections(monkeypatch):
    monkeypatch.setattr(app, "MOST_OF_ADDRESS", 2)
    config, state = uvicorn.Config(HTTPException, log_config=None, ws="none"), ServerState()

    async def refused(address):
        transport = MagicMock()
        transport.get_extra_info = {"peername": (address, 1)}.get
        app.Connection(config, state, {}).connection_made(transport)
        return transport.abort.called

    async def connect():
        addresses = ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]
        return [await refused(address) for address in addresses]

    assert asyncio.run(connect()) == [False, False, True, False]


def test_a_browser_that_never_reads_is_left_and_an_idle_stream_is_not(monkeypatch):
    monkeypatch.setattr(app, "READ_S", 0.3)

    async def answer(scope, receive, send):
        await send({"type": "http.response.start", "status": 200})
        part = {"type": "http.response.body", "body": b"a" * 2**14, "more_body": True}
        await send(part)
        if scope["path"] == "/unread":
            (unread,) = (it for it in state.connections if it.scope["path"] == "/unread")
            while not unread.transport.get_write_buffer_size():
                await send(part)
        await receive()  # the request
        await receive()  # its end

    config: Any = uvicorn.Config(answer, log_config=None, ws="none")
    state: Any = ServerState()

    async def ask():
        connection = partial(app.Connection, config, state, {})
        server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
        (listening,) = server.sockets
        opened = []
        for path in ("/stream", "/unread"):
            reader, writer = await asyncio.open_connection(*listening.getsockname())
            writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            await reader.readuntil(b"a")
            opened.append(writer)
        while len(state.connections) > 1:
            await asyncio.sleep(0.01)
        (left,) = state.connections
        assert left.scope["path"] == "/stream"
        for writer in opened:
            writer.close()
        server.close()

    asyncio.run(asyncio.wait_for(ask(), 10))


def test_a_viewer_has_a_limited_number_of_requests_open(client, monkeypatch):
    monkeypatch.setattr(capacity, "MOST_REQUESTS", 1)
    begun, go_on = threading.Event(), threading.Event()

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


def test_pages_are_made_in_turn_and_none_for_those_who_have_left():
    go_on, begun = threading.Event(), []

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


def test_what_takes_long_is_made_once_and_given_up_with_the_last_who_waits():
    made, given_up = [], []

    async def make(name, result):
        made.append(name)
        try:
            return await result.wait() and name
        except asyncio.CancelledError:
            given_up.append(name)
            raise

    async def ask():
        shared, done = Shared(2), asyncio.Event()
        one, other = (
            asyncio.create_task(shared.get("a", partial(make, "a", done))) for _ in range(2)
        )
        await asyncio.sleep(0)
        for left, still in ((one, []), (other, ["a"])):
            left.cancel()
            await asyncio.sleep(0.01)
            assert given_up == still
        done.set()
        for name in ("a", "b", "a", "c", "a", "b"):
            assert await shared.get(name, partial(make, name, done)) == name
        assert made == ["a", "a", "b", "c", "b"]  # "b" was forgotten, as the others were used
        for _ in range(2):
            with pytest.raises(HTTPException):
                await shared.get("wrong", AsyncMock(side_effect=HTTPException(404)))
        assert await shared.get("wrong", partial(make, "wrong", done)) == "wrong"

    asyncio.run(ask())


def test_a_viewer_keeps_no_other_waiting_and_nobody_thinks_for_those_who_have_left(monkeypatch):
    begun = []

    class Endless(threading.Event):
        close = threading.Event.set

        def ask(self, job, _limit):
            begun.append(job)
            yield from [None] * (not self.wait(5))

    async def asked():
        analysts: Any = Analysts(3, 1.0)

        async def ask(viewer, *jobs):
            tasks = [asyncio.create_task(analysts.answer(job, viewer)) for job in jobs]
            await asyncio.sleep(0.1)
            return tasks

        for task in [*await ask("spectator", *range(60)), *await ask("player", 99)]:
            assert begun == [0, 1, 99]
            task.cancel()
        await asyncio.sleep(0.1)
        (last,) = await ask("spectator", 100)
        assert begun == [0, 1, 99, 100]
        last.cancel()
        gone = Request({"type": "http"}, AsyncMock(return_value={"type": "http.disconnect"}))
        with pytest.raises(ClientDisconnect):
            await while_waited_for(gone, analysts.answer(101, "spectator"))

    monkeypatch.setattr(thinking, "Thinker", Endless)
    asyncio.run(asked())


def test_agents_think_for_all_viewers_alike_and_within_a_viewers_share_for_all_owners():
    """Else forty tables of one person, who may pretend to be forty, keep all others waiting."""
    thinkers = AgentThinkers(3, 1.0)
    may_end = threading.Event()
    served: SimpleQueue[str] = SimpleQueue()

    def work(name):
        served.put(name)
        may_end.wait(PATIENCE)

    def begin_table(viewer, owner, table):
        thinkers.begin(partial(work, viewer + owner + table), viewer, owner, table)

    for number in range(20):
        begin_table("attacker", f"/cookie{number % 2}", f"/{number}")
    assert {served.get(timeout=PATIENCE) for _ in range(2)} == {
        "attacker/cookie0/0",
        "attacker/cookie1/1",
    }
    begin_table("player", "/ann", "/a")
    assert served.get(timeout=PATIENCE) == "player/ann/a"  # at once
    begin_table("player", "/ann", "/b")
    begin_table("player", "/bob", "/c")
    may_end.set()
    order = [served.get(timeout=PATIENCE) for _ in range(20)]
    thinkers.close()
    assert order.index("player/bob/c") < order.index("player/ann/b") < 6


def test_a_proxys_name_is_ours_and_cookies_of_https_are_for_https_alone(tmp_path):
    """Whether it keeps the host or replaces it; a host's ports share its cookies."""
    name = "play.example.org"
    with served(tmp_path, token="open", names=[name]) as client:
        for base, starts in ((f"https://{name}", "__Host-shakespeare"), (HOST, "shakespeare")):
            ask = partial(client.get, f"{base}/?token=open", follow_redirects=False)
            cookie = ask(headers={"Origin": f"https://{name}"}).headers["set-cookie"]
            assert cookie.startswith(f"{starts}_token_{'443' if 'https' in base else '7764'}=")
            assert ("Secure" in cookie) == base.startswith("https")
            assert ask(headers={"Origin": f"http://{name}:81"}).status_code == 403


def test_a_server_for_other_machines_needs_a_token(tmp_path):
    for open_by in ({"host": "0.0.0.0"}, {"names": ["play.example.org"]}):
        with pytest.raises(ValueError, match="token"):
            Settings(tmp_path / "games.sqlite", **open_by)
    with served(tmp_path, host="0.0.0.0", token="open sesame") as client:
        assert client.get("/").status_code == 403
        assert client.get("/", params={"token": "wrong"}).status_code == 403
        let_in = client.get("/", params={"token": "open sesame"})
        assert let_in.status_code == 200
        assert "token" not in str(let_in.url)
        away = client.get(f"{HOST}//evil.example", params={"token": "open sesame"})
        assert away.history[0].headers["location"] == "/evil.example"
        seat = begin(client).url.path
        client.cookies.clear()
        # Links to seats and what pages are made of need none.
        for address in (seat, "/static/table.css", "/film/theme.css"):
            assert client.get(address).status_code == 200
        assert client.get("/review/table/none").status_code == 404
        for address in ("/", "/review", "/review/record/none"):
            assert client.get(address).status_code == 403


def test_what_else_a_file_may_hold_is_refused_and_not_run(tmp_path, monkeypatch):
    path = tmp_path / "something.sqlite"
    path.write_text("not a database, but long enough to look like one" * 40)
    for wrong in (path, tmp_path):
        with pytest.raises(StoreError):
            TableStore(wrong)
    assert path.read_text().startswith("not a database")
    (tmp_path / "evil.py").write_text("open('was_run', 'w')\nclass Agent: pass\n")
    agent = json.dumps([{"name": "x", "agent": f"{tmp_path}/evil.py:Agent"}] * 2)
    damage = {
        "box_digest = 'other'": "cannot be opened",
        "plan = json_set(plan, '$.game', 'chess')": "not known here",
        "plan = '{'": "is damaged",
        f"plan = json_set(plan, '$.seed', '{'9' * 5000}')": "is damaged",
        f"plan = json_set(plan, '$.seats', json('{agent}'))": "is not offered here",
    }
    with served(tmp_path) as client:
        with pytest.raises(StoreError, match="another table server has it open"):
            TableStore(tmp_path / "games.sqlite")
        tables = [watching(begin(client)) for _ in damage]
        for address, change in zip(tables, damage, strict=True):
            table = address.removeprefix("/watch/")
            site_of(client).store._database.execute(
                f"UPDATE tables SET {change} WHERE id = ?", [table]
            )
    monkeypatch.chdir(tmp_path)
    other_agent_of_that_name = tmp_path / "mine" / "evil.py:Agent"
    with served(tmp_path, agents=[str(other_agent_of_that_name)]) as client:
        for address, says in zip(tables, damage.values(), strict=True):
            page = seen(client, address, lambda page, says=says: says in page.text)
            assert str(tmp_path) not in unquote_plus(page.text)
    assert not (tmp_path / "was_run").exists()


_ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"


@pytest.mark.parametrize(
    "change",
    [
        f"DROP TABLE moves; CREATE VIEW moves AS SELECT x AS move FROM ({_ENDLESS}) WHERE x < 0",
        f"CREATE TRIGGER each AFTER INSERT ON moves BEGIN SELECT * FROM ({_ENDLESS}); END",
        "ALTER TABLE tables ADD COLUMN more TEXT AS (hex(zeroblob(99999999)))",
        "CREATE VIRTUAL TABLE more USING fts5(text)",
        "DROP INDEX tables_of_owner",
    ],
)
def test_a_file_of_games_with_another_schema_is_refused_as_it_was(tmp_path, change):
    path = tmp_path / "games.sqlite"
    TableStore(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.executescript(change)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="other tables, views"):
        TableStore(path)
    assert path.read_bytes() == before


def test_a_file_of_games_whose_pages_are_damaged_is_refused(tmp_path):
    path = tmp_path / "games.sqlite"
    TableStore(path).close()
    content = path.read_bytes()
    last_page = 4096
    path.write_bytes(content[:-last_page] + b"?" * last_page)
    with pytest.raises(StoreError, match="damaged"):
        TableStore(path)


def test_no_statement_computes_for_long(tmp_path, monkeypatch):
    monkeypatch.setattr(module_of_store, "_LONGEST_S", 0.01)
    store = TableStore(tmp_path / "games.sqlite")
    with pytest.raises(StoreError, match="too long to read"):
        store._rows(_ENDLESS)
    assert store.tables_of("nobody", 1) == []
    store.close()


def test_a_copy_taken_while_the_server_runs_holds_every_move(client, tmp_path):
    path = site_of(client).store.path
    page = begin(client, seats=["person"], seed=3)
    address = page.url.path
    for _ in range(3):
        page = play(client, address, page, moves(page)[0])
    copied = tmp_path / "copied.sqlite"
    shutil.copy(path, copied)
    backed_up = tmp_path / "backed_up.sqlite"
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("VACUUM INTO ?", [str(backed_up)])
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM moves").fetchone()
        # A program that reads keeps no player waiting.
        assert play(client, address, page, moves(page)[0]).status_code == 200
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        refused = client.post(f"{address}/play", data={"undo": "1", "number": "4"})
        assert refused.status_code == 507
        assert "another program is writing to it" in refused.text
    for copy in (copied, backed_up):
        store = TableStore(copy)
        link = store.link(address.removeprefix("/seat/"))
        assert link is not None
        kept = store.table(link[0])
        assert kept is not None
        assert len(kept.moves) == 3
        store.close()
    with pytest.raises(DatasetError, match="shakespeare table --games"):
        read_json_lines(copied)


def test_a_move_that_cannot_be_kept_is_not_played(client):
    address = begin(client, seats=["person"], seed=3).url.path
    page, database = client.get(address), site_of(client).store._database
    database.execute("PRAGMA query_only = 1")
    form = {"move": moves(page)[0], "number": "0"}
    refused = [client.post(f"{address}/play", data=form, headers=kind) for kind in (HTMX, {})]
    database.execute("PRAGMA query_only = 0")
    for answer in refused:
        assert answer.status_code == 507
        assert "every move that was shown is kept" in answer.text
    assert moves(client.get(address)) == moves(page)
    assert play(client, address, page, moves(page)[0]).status_code == 200


def test_a_table_that_nobody_uses_is_closed_and_opened_again_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr("shakespeare_table.browser.tables._KEPT", 1)
    with served(tmp_path) as client:
        live: Any = site_of(client).tables
        pages = [begin(client, seats=["person"]) for _ in "ab"]
        play(client, pages[0].url.path, pages[0], moves(pages[0])[0])
        unused, used = (watching(page).removeprefix("/watch/") for page in pages)
        closed, before = ref(live.get(unused)), live.get(unused).now()
        table = live.get(used)
        assert closed() is None
        assert live.get(unused).now().version == before.version
        assert live.get(used) is table


def test_a_server_killed_at_any_moment_has_kept_every_move_it_answered(tmp_path):
    server, seat, answered = TableServer(tmp_path), "", 0
    for _ in range(2):
        address = server.start().address
        with httpx2.Client(base_url=address, follow_redirects=True, timeout=60) as client:
            seat = seat or begin(client, seats=["person"], seed=3).url.path
            for _ in range(5):
                page = client.get(seat)
                assert field(page, "number") == str(answered)
                assert play(client, seat, page, moves(page)[0]).status_code == 200
                answered += 1
        server.end(signal.SIGKILL)
