"""Games that last: a move that was answered is on disk, whoever is killed or writes besides."""

import os
import signal
import subprocess
import sys
import threading
import urllib.parse
import urllib.request

import pytest

from shakespeare_agents.table.live_table import LiveTable, TableError
from shakespeare_agents.table.plans import SeatPlan, TablePlan
from shakespeare_agents.table.store import MoveTakenError, Store, StoreError
from shakespeare_env import Position, registry
from tests.table.tables import begin, field, links, moves, play, served

PLAN = TablePlan("figaro", 3, (), 5, tuple(SeatPlan(f"P{seat}") for seat in range(3)))


def opened(store, plan=PLAN):
    table_id, _ = store.new_table("me", plan, registry.box_digest(plan.game), [[0], [1], [2]])
    return table_id


def live(store, table_id):
    stored = store.table(table_id)
    assert stored is not None
    return LiveTable(store, stored, lambda table_id: None)


def test_a_table_is_read_as_it_was_kept(tmp_path):
    store = Store(tmp_path / "games.sqlite")
    start = Position.new("figaro", players=3, seed=9).to_dict()
    plan = TablePlan(
        "figaro", 3, (), 2**62, (SeatPlan("Ann"), SeatPlan("x", "random"), SeatPlan("B")), 4, start
    )
    table_id, tokens = store.new_table("me", plan, "box", [[0], [2]], ["take"])
    store.close()
    store = Store(tmp_path / "games.sqlite")
    stored = store.table(table_id)
    assert stored is not None
    assert stored.plan == plan
    assert (stored.moves, stored.undone, stored.over, stored.owner) == (("take",), 0, False, "me")
    assert [store.link(token) for token in tokens] == [(table_id, (0,)), (table_id, (2,))]
    assert (store.table("other"), store.link("other")) == (None, None)


def test_of_two_that_play_the_same_move_one_is_refused_and_sees_the_other(tmp_path):
    stores = [Store(tmp_path / "games.sqlite") for _ in range(2)]
    table_id = opened(stores[0])
    one, other = (live(store, table_id) for store in stores)
    first, second = one.now().position.moves()[:2]
    one.play(0, first)
    with pytest.raises(TableError, match="has changed since"):
        other.play(0, second)
    assert other.now().moves == [first]
    assert other.now().version == one.now().version
    with pytest.raises(MoveTakenError):
        stores[1].add_move(table_id, 0, second, 0, False)
    one.take_back(one.now().positions[0].to_move)
    other.refresh()
    assert other.now().moves == []
    with pytest.raises(MoveTakenError):  # it was undone meanwhile
        stores[1].add_move(table_id, 0, second, 0, False)


def test_many_that_write_at_once_lose_nothing(tmp_path):
    stores = [Store(tmp_path / "games.sqlite") for _ in range(4)]
    table_id = opened(stores[0])
    tables = [live(store, table_id) for store in stores]
    faults = []

    def play_on(table):
        while len(table.now().moves) < 40:
            now = table.now()
            try:
                table.play(len(now.moves), now.position.moves()[0])
            except TableError:
                continue
            except Exception as fault:
                faults.append(fault)
                return

    threads = [threading.Thread(target=play_on, args=(table,)) for table in tables]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    stored = stores[0].table(table_id)
    assert stored is not None
    position = Position.new("figaro", players=3, seed=5)
    for move in stored.moves:
        assert move == position.moves()[0]
        position.push(move)
    assert len(stored.moves) >= 40


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "games.sqlite"
    path.write_text("not a database, but long enough to look like one" * 40)
    with pytest.raises(StoreError, match="name another file"):
        Store(path)
    assert path.read_text().startswith("not a database")
    with pytest.raises(StoreError, match="name another file"):
        Store(tmp_path)


def test_a_table_of_another_box_says_so(tmp_path):
    with served(tmp_path) as client:
        page = begin(client)
        store = Store(tmp_path / "games.sqlite")
        store._database.execute("UPDATE tables SET box_digest = 'other'")
        store.close()
    with served(tmp_path) as client:
        answer = client.get(page.url.path)
        assert answer.status_code == 400
        assert "cannot be opened" in answer.text


def board_of(page):
    """All but the links, which only the table's owner is told."""
    return page.text.split("<h2>This table")[0]


def test_a_server_that_begins_again_shows_what_the_last_one_had_shown(tmp_path):
    with served(tmp_path) as client:
        page = begin(client, seed=5)
        addresses = links(page)
        mover = next(link for link in addresses if moves(client.get(link)))
        before = client.get(mover)
        play(client, mover, before, moves(before)[0])
        shown = [board_of(client.get(link)) for link in addresses]
    with served(tmp_path) as client:
        again = [board_of(client.get(link)) for link in addresses]
    assert again == shown


_SERVER = """
import sys, uvicorn
from pathlib import Path
from shakespeare_agents.table.serving import serve
from shakespeare_agents.table.settings import Settings
serve(Settings(Path(sys.argv[1]), port=0), lambda found: print(found[0], flush=True), opened=False)
"""


def started(path):
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip().rstrip("/")


class Page:
    """An answer, as `tables.py` reads it."""

    def __init__(self, text):
        self.text = text


def asked(address, said=None):
    data = None if said is None else urllib.parse.urlencode(said).encode()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with opener.open(urllib.request.Request(address, data), timeout=60) as answer:
        return answer.url, Page(answer.read().decode())


def test_a_server_killed_at_any_moment_has_kept_every_move_it_answered(tmp_path):
    path = tmp_path / "games.sqlite"
    seat = None
    answered = 0
    for _ in range(3):
        process, where = started(path)
        try:
            if seat is None:
                form = {"game": "shakespeare", "players": "1", "seat0": "person", "seed": "3"}
                url, page = asked(f"{where}/tables", form)
                seat = urllib.parse.urlsplit(url).path
            _, page = asked(where + seat)
            assert int(field(page, "number")) == answered
            for _ in range(5):
                said = {"move": moves(page)[0], "number": str(answered)}
                _, page = asked(f"{where}{seat}/play", said)
                answered = int(field(page, "number"))
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
    assert answered == 15
