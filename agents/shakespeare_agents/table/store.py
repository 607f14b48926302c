"""Games that last: tables as deals and moves, and games brought from elsewhere, in SQLite.

A move is on disk before anybody sees it. Several servers may share a file, since only one of them
can take a move's number.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from shakespeare_agents.table.plans import SeatPlan, StoredTable, TablePlan
from shakespeare_env.errors import ShakespeareEnvError
from shakespeare_env.values import shown

FORMAT = 1
_WAIT = 10.0
"""Seconds for another server to finish writing."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (
    id TEXT PRIMARY KEY,
    created REAL NOT NULL,
    owner TEXT NOT NULL,
    game TEXT NOT NULL,
    box_digest TEXT NOT NULL,
    players INTEGER NOT NULL,
    variants TEXT NOT NULL,
    seed TEXT NOT NULL,
    deal INTEGER NOT NULL,
    start TEXT,
    seats TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0,
    over INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS tables_of_owner ON tables (owner, created);
CREATE TABLE IF NOT EXISTS links (
    token TEXT PRIMARY KEY,
    table_id TEXT NOT NULL REFERENCES tables (id),
    seats TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS links_of_table ON links (table_id);
CREATE TABLE IF NOT EXISTS moves (
    table_id TEXT NOT NULL REFERENCES tables (id),
    number INTEGER NOT NULL,
    move TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (table_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (
    id TEXT PRIMARY KEY,
    created REAL NOT NULL,
    owner TEXT NOT NULL,
    title TEXT NOT NULL,
    lines BLOB NOT NULL
) STRICT;
"""


class StoreError(ShakespeareEnvError):
    """The file of games cannot be used: why, and what can be done."""


class MoveTakenError(ShakespeareEnvError):
    """Another server has played a move of this number."""


def new_token() -> str:
    """Text that nobody guesses: 128 random bits."""
    return secrets.token_urlsafe(16)


class Store:
    """The games of a file.

    Raises:
        StoreError: it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        try:
            if path.exists() and not path.is_file():
                raise OSError("it is no file")
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                path, timeout=_WAIT, check_same_thread=False, isolation_level=None
            )
            self._set_up()
        except (sqlite3.Error, OSError, ValueError) as fault:  # ValueError: not a path
            raise StoreError(
                f"the games in {shown(str(path))} cannot be used: {fault}; name another file"
            ) from fault

    def _set_up(self) -> None:
        run = self._database.execute
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run("PRAGMA foreign_keys = ON")
        with self._lock, self._database:
            run("BEGIN IMMEDIATE")
            (found,) = run("PRAGMA user_version").fetchone()
            if found not in (0, FORMAT):
                raise StoreError(
                    f"{str(self.path)!r} has format {found}, this version reads {FORMAT}; name "
                    "another file"
                )
            for statement in _SCHEMA.split(";\n"):
                run(statement)
            run(f"PRAGMA user_version = {FORMAT}")

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

    def state(self) -> int:
        """A number that changes when another server has written."""
        return int(self._one("PRAGMA data_version")[0])

    def new_table(
        self,
        owner: str,
        plan: TablePlan,
        box_digest: str,
        links: Sequence[Sequence[int]],
        moves: Sequence[str] = (),
    ) -> tuple[str, list[str]]:
        """Keep a new table, its first moves too.

        Args:
            owner: The owner, who may find it again.
            plan: What it is.
            box_digest: The digest of the box in force.
            links: The seats of each link.
            moves: Already played.

        Returns:
            Its id, which spectators know, and the links' tokens.
        """
        table_id, tokens = new_token(), [new_token() for _ in links]
        seats = [{"name": seat.name, "agent": seat.agent} for seat in plan.seats]
        with self._lock, self._database:
            run = self._database.execute
            run("BEGIN IMMEDIATE")
            run(
                "INSERT INTO tables (id, created, owner, game, box_digest, players, variants, seed,"
                " deal, start, seats) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    table_id, time.time(), owner, plan.game, box_digest, plan.players,
                    json.dumps(plan.variants), str(plan.seed), plan.deal,
                    None if plan.start is None else json.dumps(plan.start), json.dumps(seats),
                ),
            )  # fmt: skip
            for token, held in zip(tokens, links, strict=True):
                run("INSERT INTO links VALUES (?, ?, ?)", (token, table_id, json.dumps(list(held))))
            now = time.time()
            for number, move in enumerate(moves):
                run("INSERT INTO moves VALUES (?, ?, ?, ?)", (table_id, number, move, now))
        return table_id, tokens

    def table(self, table_id: str) -> StoredTable | None:
        """A table, None if there is none of this id."""
        with self._lock, closing(self._database.cursor()) as cursor:
            cursor.row_factory = sqlite3.Row
            row = cursor.execute("SELECT * FROM tables WHERE id = ?", (table_id,)).fetchone()
            return None if row is None else self._stored(row)

    def tables_of(self, owner: str, most: int) -> list[StoredTable]:
        """The latest tables of an owner."""
        with self._lock, closing(self._database.cursor()) as cursor:
            cursor.row_factory = sqlite3.Row
            rows = cursor.execute(
                "SELECT * FROM tables WHERE owner = ? ORDER BY created DESC LIMIT ?", (owner, most)
            ).fetchall()
            return [self._stored(row) for row in rows]

    def _stored(self, row: sqlite3.Row) -> StoredTable:
        moves = self._database.execute(
            "SELECT move FROM moves WHERE table_id = ? ORDER BY number", (row["id"],)
        ).fetchall()
        plan = TablePlan(
            row["game"],
            row["players"],
            tuple(json.loads(row["variants"])),
            int(row["seed"]),
            tuple(SeatPlan(**seat) for seat in json.loads(row["seats"])),
            row["deal"],
            None if row["start"] is None else json.loads(row["start"]),
        )
        return StoredTable(
            row["id"],
            row["created"],
            row["owner"],
            row["box_digest"],
            plan,
            tuple(move for (move,) in moves),
            row["undone"],
            bool(row["over"]),
        )

    def link(self, token: str) -> tuple[str, tuple[int, ...]] | None:
        """The table and the seats of a link."""
        row = self._one("SELECT table_id, seats FROM links WHERE token = ?", (token,))
        return None if row is None else (row[0], tuple(json.loads(row[1])))

    def links_of(self, table_id: str) -> dict[str, tuple[int, ...]]:
        """The links of a table, and their seats."""
        with self._lock:
            rows = self._database.execute(
                "SELECT token, seats FROM links WHERE table_id = ? ORDER BY seats", (table_id,)
            ).fetchall()
        return {token: tuple(json.loads(seats)) for token, seats in rows}

    def add_move(self, table_id: str, number: int, move: str, undone: int, over: bool) -> None:
        """Keep a table's move of this number, counted from 0.

        Raises:
            MoveTakenError: it is not the next one any more.
        """
        with self._lock, self._database:
            run = self._database.execute
            run("BEGIN IMMEDIATE")
            self._check_next(table_id, number, undone)
            run("INSERT INTO moves VALUES (?, ?, ?, ?)", (table_id, number, move, time.time()))
            if over:
                run("UPDATE tables SET over = 1 WHERE id = ?", (table_id,))

    def take_back(self, table_id: str, number: int, last: int, undone: int) -> None:
        """Forget the moves from `number` on; MoveTakenError unless there are `last` moves."""
        with self._lock, self._database:
            run = self._database.execute
            run("BEGIN IMMEDIATE")
            self._check_next(table_id, last, undone)
            run("DELETE FROM moves WHERE table_id = ? AND number >= ?", (table_id, number))
            run("UPDATE tables SET undone = undone + 1 WHERE id = ?", (table_id,))

    def _check_next(self, table_id: str, number: int, undone: int) -> None:
        count, state = self._database.execute(
            "SELECT (SELECT count(*) FROM moves WHERE table_id = tables.id), undone FROM tables "
            "WHERE id = ?",
            (table_id,),
        ).fetchone()
        if (count, state) != (number, undone):
            raise MoveTakenError(f"table {table_id} has {count} moves, not {number}")

    def seat(self, table_id: str, seats: Sequence[SeatPlan]) -> None:
        """Let others hold a table's seats from now on."""
        held = json.dumps([{"name": seat.name, "agent": seat.agent} for seat in seats])
        with self._lock, self._database:
            self._database.execute("UPDATE tables SET seats = ? WHERE id = ?", (held, table_id))

    def keep_record(self, owner: str, title: str, lines: bytes) -> str:
        """Keep a game brought from elsewhere, as gzipped JSON lines; its id."""
        record_id = new_token()
        with self._lock, self._database:
            self._database.execute(
                "INSERT INTO records VALUES (?, ?, ?, ?, ?)",
                (record_id, time.time(), owner, title, lines),
            )
        return record_id

    def record(self, record_id: str) -> tuple[str, bytes] | None:
        """Title and lines of a game brought from elsewhere."""
        row = self._one("SELECT title, lines FROM records WHERE id = ?", (record_id,))
        return None if row is None else (row[0], row[1])

    def records_of(self, owner: str, most: int) -> list[tuple[str, str]]:
        """Ids and titles of an owner's latest games from elsewhere."""
        with self._lock:
            return self._database.execute(
                "SELECT id, title FROM records WHERE owner = ? ORDER BY created DESC LIMIT ?",
                (owner, most),
            ).fetchall()

    def _one(self, statement: str, values: Sequence[Any] = ()) -> Any:
        with self._lock:
            return self._database.execute(statement, values).fetchone()
