"""Games that last: a move that was answered is on disk, whoever is killed or writes besides."""

import sqlite3
import threading
from contextlib import closing

import httpx2
import pytest

from shakespeare_agents.table.live_table import LiveTable, TableError
from shakespeare_agents.table.store import MoveTakenError, SeatPlan, Store, StoreError, TablePlan
from shakespeare_env import Position
from shakespeare_env.core import registry
from tests.browser.table_server import TableServer
from tests.table.tables import begin, field, moves, play, served

PLAN = TablePlan("figaro", 3, (), 5, tuple(SeatPlan(f"P{seat}") for seat in range(3)))


@pytest.fixture
def tables(tmp_path):
    """One table, as four processes have it open."""
    stores = [Store(tmp_path / "games.sqlite") for _ in range(4)]
    digest = registry.box_digest(PLAN.game)
    table_id, _ = stores[0].new_table("me", PLAN, digest, [[0], [1], [2]])
    stored = stores[0].table(table_id)
    assert stored is not None
    return [LiveTable(store, stored, lambda table_id: None) for store in stores]


def test_a_table_is_read_as_it_was_kept(tmp_path):
    store = Store(tmp_path / "games.sqlite")
    start = Position.new("figaro", players=3, seed=9).to_dict()
    seats = (SeatPlan("Ann"), SeatPlan("x", "random"), SeatPlan("B"))
    plan = TablePlan("figaro", 3, (), 2**62, seats, 4, start, quiet=True)
    table_id, tokens = store.new_table("me", plan, "box", [[0], [2]], ["take"])
    store.close()
    store = Store(tmp_path / "games.sqlite")
    stored = store.table(table_id)
    assert stored is not None
    assert stored.plan == plan
    assert (stored.moves, stored.undone, stored.over, stored.owner) == (("take",), 0, False, "me")
    assert [store.link(token) for token in tokens] == [(table_id, (0,)), (table_id, (2,))]
    assert (store.table("other"), store.link("other")) == (None, None)


def test_a_file_of_the_format_before_is_read(tmp_path):
    path = tmp_path / "games.sqlite"
    store = Store(path)
    table_id, _ = store.new_table("o", PLAN, "box", [[0]])
    store.close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("ALTER TABLE tables DROP COLUMN quiet")
        database.execute("PRAGMA user_version = 1")
    for _ in range(2):
        store = Store(path)
        found = store.table(table_id)
        store.close()
        assert found is not None
        assert found.plan == PLAN


def test_of_two_that_play_the_same_move_one_is_refused_and_sees_the_other(tables, tmp_path):
    one, other, *_ = tables
    store, table_id = Store(tmp_path / "games.sqlite"), one.now().id
    first, second = one.now().position.moves()[:2]
    one.play(0, first)
    with pytest.raises(TableError, match="has changed since"):
        other.play(0, second)
    assert other.now().moves == [first]
    assert other.now().version == one.now().version
    with pytest.raises(MoveTakenError):
        store.add_move(table_id, 0, second, 0, False)
    one.take_back(one.now().positions[0].to_move)
    other.refresh()
    assert other.now().moves == []
    with pytest.raises(MoveTakenError):  # it was undone meanwhile
        store.add_move(table_id, 0, second, 0, False)


def test_many_that_write_at_once_lose_nothing(tables):
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
    tables[0].refresh()
    found = tables[0].now().moves
    assert len(found) >= 40
    position = Position.new("figaro", players=3, seed=5)
    for move in found:
        assert move == position.moves()[0]
        position.push(move)


def test_a_file_of_something_else_and_a_table_of_another_box_are_refused(tmp_path):
    path = tmp_path / "something.sqlite"
    path.write_text("not a database, but long enough to look like one" * 40)
    for wrong in (path, tmp_path):
        with pytest.raises(StoreError, match="name another file"):
            Store(wrong)
    assert path.read_text().startswith("not a database")
    with served(tmp_path) as client:
        address = begin(client).url.path
        store = Store(tmp_path / "games.sqlite")
        store._database.execute("UPDATE tables SET box_digest = 'other'")
        store.close()
    with served(tmp_path) as client:
        answer = client.get(address)
        assert answer.status_code == 400
        assert "cannot be opened" in answer.text


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
        server.kill()
