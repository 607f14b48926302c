"""A save that fails: nothing that was shown is lost, and every page says what is safe."""

import shutil
import sqlite3

import pytest

from shakespeare_agents.table.live_table import LiveTable
from shakespeare_agents.table.store import SeatPlan, Store, StoreError, TablePlan
from shakespeare_env.core import registry
from tests.table.tables import HTMX, begin, field, moves, play, seen, served, site_of

_SAFE = "every move that was shown is kept"


def test_a_full_disk_refuses_a_move_and_the_table_goes_on_once_there_is_room(tmp_path):
    with served(tmp_path) as client:
        address = begin(client, seats=["person", "random"], seed=3).url.path
        page = seen(client, address, moves)
        database = site_of(client).store._database
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        (most,) = database.execute("PRAGMA max_page_count").fetchone()
        database.execute(f"PRAGMA max_page_count = {pages}")
        refused = None
        while refused is None:
            page = seen(client, address, lambda page: moves(page) or "is not kept" in page.text)
            if not moves(page):
                break
            answer = play(client, address, page, moves(page)[0])
            refused = answer if answer.status_code != 200 else None
        if refused is not None:
            assert refused.status_code == 507
            assert _SAFE in refused.text
            assert "full" in refused.text
        database.execute(f"PRAGMA max_page_count = {most}")
        if refused is None:
            form = {"agent": "random", "since": field(page, "version")}
            client.post(f"{address}/agent", data=form, headers=HTMX)
        page = seen(client, address, moves)
        assert play(client, address, page, moves(page)[0]).status_code == 200


def test_a_moved_file_is_noticed_and_the_game_goes_on_once_it_is_back(tmp_path):
    path = tmp_path / "games.sqlite"
    store = Store(path)
    plan = TablePlan("figaro", 3, (), 5, tuple(SeatPlan(f"P{seat}") for seat in range(3)))
    table_id, _ = store.new_table("me", plan, registry.box_digest("figaro"), [[0], [1], [2]])
    stored = store.table(table_id)
    assert stored is not None
    table = LiveTable(store, stored, lambda table_id: None)
    move = table.now().position.moves()[0]
    path.rename(tmp_path / "elsewhere.sqlite")
    for _ in range(2):
        with pytest.raises(StoreError, match="is not where it was"):
            table.play(0, move)
        shutil.copy(tmp_path / "elsewhere.sqlite", path)  # another file of this name
    (tmp_path / "elsewhere.sqlite").replace(path)
    table.play(0, move)
    assert table.now().moves == [move]
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT move FROM moves").fetchall() == [(move,)]


def test_without_scripts_the_page_says_what_is_safe_too(tmp_path):
    with served(tmp_path) as client:
        address = begin(client, seats=["person"], seed=3).url.path
        page = client.get(address)
        (tmp_path / "games.sqlite").rename(tmp_path / "moved")
        form = {"move": moves(page)[0], "number": "0"}
        answer = client.post(f"{address}/play", data=form)
        assert answer.status_code == 507
        assert _SAFE in answer.text
