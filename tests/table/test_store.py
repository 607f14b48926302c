"""The file of games, which holds every move that was shown and may come from a stranger."""

import json
import shutil
import signal
import sqlite3
from contextlib import closing
from typing import Any
from urllib.parse import unquote_plus
from weakref import ref

import httpx2
import pytest

from shakespeare_env.errors import DatasetError
from shakespeare_table.browser.storage import database as database_module
from shakespeare_table.browser.storage import store as store_module
from shakespeare_table.browser.storage.database import StoreError
from shakespeare_table.browser.storage.store import TableStore
from shakespeare_table.browser.tables import live
from shakespeare_table.recorded import read_json_lines
from tests.browser.table_server import TableServer
from tests.table.tables import (
    HTMX,
    begin,
    field,
    moves,
    play,
    served,
    site_of,
    spectators_address,
    wait_for_page,
)

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"


@pytest.fixture
def path(tmp_path):
    """Return a new file of games."""
    file = tmp_path / "games.sqlite"
    TableStore(file).close()
    return file


def change(path, script):
    """Change a file of games as another program might."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)


def table_id(page):
    return spectators_address(page).removeprefix("/watch/")


def test_a_file_that_is_no_database_is_refused_and_not_changed(tmp_path):
    path = tmp_path / "something.sqlite"
    path.write_text("not a database, but long enough to look like one" * 40)
    with pytest.raises(StoreError, match="not a file of games"):
        TableStore(path)
    assert path.read_text().startswith("not a database")


def test_a_folder_is_no_file_of_games(tmp_path):
    with pytest.raises(StoreError, match="not a file"):
        TableStore(tmp_path)


def test_a_file_that_another_server_uses_is_refused(path):
    with closing(TableStore(path)), pytest.raises(StoreError, match="another table server"):
        TableStore(path)


def test_damaged_tables_are_refused_and_run_no_code(tmp_path, monkeypatch):
    (tmp_path / "evil.py").write_text("open('was_run', 'w')\nclass Agent: pass\n")
    agent = json.dumps([{"name": "x", "agent": f"{tmp_path}/evil.py:Agent"}] * 2)
    messages = {
        "box_digest = 'other'": "cannot be opened",
        "plan = json_set(plan, '$.game', 'chess')": "not known here",
        "plan = '{'": "is damaged",
        f"plan = json_set(plan, '$.seed', '{'9' * 5000}')": "is damaged",
        f"plan = json_set(plan, '$.seats', json('{agent}'))": "is not offered here",
    }
    with served(tmp_path) as client:
        tables = [table_id(begin(client)) for _ in messages]
    for table, damage in zip(tables, messages, strict=True):
        change(tmp_path / "games.sqlite", f"UPDATE tables SET {damage} WHERE id = '{table}'")
    monkeypatch.chdir(tmp_path)
    other_agent_of_that_name = tmp_path / "mine" / "evil.py:Agent"
    with served(tmp_path, agents=[str(other_agent_of_that_name)]) as client:
        for table, message in zip(tables, messages.values(), strict=True):
            address = f"/watch/{table}"
            page = wait_for_page(
                client, address, lambda page, message=message: message in page.text
            )
            assert str(tmp_path) not in unquote_plus(page.text)
    assert not (tmp_path / "was_run").exists()


@pytest.mark.parametrize(
    "script",
    [
        f"DROP TABLE moves; CREATE VIEW moves AS SELECT x AS move FROM ({ENDLESS}) WHERE x < 0",
        f"CREATE TRIGGER each AFTER INSERT ON moves BEGIN SELECT * FROM ({ENDLESS}); END",
        "ALTER TABLE tables ADD COLUMN more TEXT AS (hex(zeroblob(99999999)))",
        "CREATE VIRTUAL TABLE more USING fts5(text)",
        "DROP INDEX tables_of_owner",
    ],
)
def test_a_file_with_another_schema_is_refused_and_not_changed(path, script):
    change(path, script)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="tables, views or triggers"):
        TableStore(path)
    assert path.read_bytes() == before


def test_a_file_whose_pages_are_damaged_is_refused(path):
    content = path.read_bytes()
    last_page = 4096
    path.write_bytes(content[:-last_page] + b"?" * last_page)
    with pytest.raises(StoreError, match="damaged"):
        TableStore(path)


def test_a_statement_that_takes_too_long_is_ended(path, monkeypatch):
    monkeypatch.setattr(database_module, "STEPS_BETWEEN_CHECKS", 1)
    with closing(TableStore(path)) as store:
        with monkeypatch.context() as impatient:
            impatient.setattr(database_module, "STATEMENT_LIMIT_S", 0.0)
            with pytest.raises(StoreError, match="too long to read"):
                store.tables_of("nobody", 1)
        assert store.tables_of("nobody", 1) == []


@pytest.fixture
def played(client):
    """Return the address of a table, and its page after three moves."""
    page = begin(client, seats=["person"], seed=3)
    address = page.url.path
    for _ in range(3):
        page = play(client, address, page, moves(page)[0])
    return address, page


def test_copies_taken_while_the_server_runs_hold_every_move(client, played, tmp_path):
    address, _ = played
    path = site_of(client).store.path
    copied = tmp_path / "copied.sqlite"
    shutil.copy(path, copied)
    backed_up = tmp_path / "backed_up.sqlite"
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("VACUUM INTO ?", [str(backed_up)])
    for copy in (copied, backed_up):
        with closing(TableStore(copy)) as store:
            link = store.link(address.removeprefix("/seat/"))
            assert link is not None
            table = store.table(link.table_id)
            assert table is not None
            assert len(table.moves) == 3


def test_a_file_of_games_given_as_a_recorded_game_is_explained(path):
    with pytest.raises(DatasetError, match="shakespeare table --games"):
        read_json_lines(path)


def test_a_program_that_reads_the_file_keeps_no_player_waiting(client, played):
    address, page = played
    with closing(sqlite3.connect(site_of(client).store.path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM moves").fetchone()
        assert play(client, address, page, moves(page)[0]).status_code == 200


def test_a_move_is_refused_while_another_program_writes_to_the_file(client, played):
    address, page = played
    path = site_of(client).store.path
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        refused = play(client, address, page, moves(page)[0])
    assert refused.status_code == 507
    assert "another program is writing to it" in refused.text
    assert moves(client.get(address)) == moves(page)


def test_a_move_that_cannot_be_kept_is_not_played(client):
    address = begin(client, seats=["person"], seed=3).url.path
    page = client.get(address)
    path = site_of(client).store.path
    change(
        path, "CREATE TRIGGER full BEFORE INSERT ON moves BEGIN SELECT RAISE(ABORT, 'full'); END"
    )
    form = {"move": moves(page)[0], "number": "0"}
    refused = [client.post(f"{address}/play", data=form, headers=kind) for kind in (HTMX, {})]
    change(path, "DROP TRIGGER full")
    for answer in refused:
        assert answer.status_code == 507
        assert "every move that was shown is kept" in answer.text
    assert moves(client.get(address)) == moves(page)
    assert play(client, address, page, moves(page)[0]).status_code == 200


def test_a_table_that_nobody_uses_is_closed_and_opened_again_unchanged(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "MAX_UNUSED_TABLES", 1)
    with served(tmp_path) as client:
        tables: Any = site_of(client).tables
        page = begin(client, seats=["person"])
        play(client, page.url.path, page, moves(page)[0])
        unused = table_id(page)
        closed = ref(tables.get(unused))
        before = tables.get(unused).state()
        used = table_id(begin(client, seats=["person"]))
        table = tables.get(used)
        assert closed() is None
        assert tables.get(unused).state().version == before.version
        assert tables.get(used) is table


def test_a_server_killed_at_any_moment_has_kept_every_move_it_answered(tmp_path):
    server = TableServer(tmp_path)
    seat = ""
    answered = 0
    cookies = httpx2.Cookies()
    for _ in range(2):
        with httpx2.Client(
            base_url=server.start().address, cookies=cookies, follow_redirects=True, timeout=60
        ) as client:
            seat = seat or begin(client, seats=["person"], seed=3).url.path
            cookies = client.cookies
            for _ in range(5):
                page = client.get(seat)
                assert field(page, "number") == str(answered)
                assert play(client, seat, page, moves(page)[0]).status_code == 200
                answered += 1
        server.end(signal.SIGKILL)


def test_of_too_many_verdicts_the_oldest_are_deleted(path, monkeypatch):
    monkeypatch.setattr(store_module, "MAX_VERDICTS", 3)
    with closing(TableStore(path)) as store:
        for key in ("a", "b", "c", "a", "d"):  # "a" is found again, so "b" is the oldest
            store.keep_verdict(key, key)
        kept = [key for key in "abcd" if store.verdict(key) is not None]
    assert kept == ["a", "c", "d"]
