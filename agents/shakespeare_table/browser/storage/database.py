"""The file of games as an SQLite database: its schema, its checks, and its transactions.

A stranger may have made the file. The file is therefore used only if its schema is exactly the one
of this module and SQLite finds no damage in it. The time of reading is limited.
"""

from __future__ import annotations

import fcntl
import math
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from shakespeare_env.checks.values import short_name
from shakespeare_env.errors import ShakespeareEnvError

FORMAT = 5
"""The version of the schema, which the file holds as `user_version`."""
_BUSY_TIMEOUT_S = 1.0  # for another program to finish writing to the file
STATEMENT_LIMIT_S = 5.0
"""Seconds in which the statements of a transaction must be done."""
_CHECK_LIMIT_S = 60.0  # for the check of the complete file
STEPS_BETWEEN_CHECKS = 10_000
"""The steps of SQLite's virtual machine after which the time of a statement is checked."""
_MAX_VALUE_BYTES = 2**24  # a value may be an uploaded game
_SQLITE_ERRORS = {
    "SQLITE_BUSY": "another program is writing to it; try again, or end that program",
    "SQLITE_INTERRUPT": "it takes too long to read; bring back a copy",
    "SQLITE_CORRUPT": "it is damaged; bring back a copy",
    "SQLITE_TOOBIG": "it is damaged; bring back a copy",
    "SQLITE_NOTADB": "it is not a file of games",
}
_SCHEMA = """
CREATE TABLE tables (
    id TEXT PRIMARY KEY,
    created REAL NOT NULL,
    owner TEXT NOT NULL,
    box_digest TEXT NOT NULL,
    plan TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0,
    over INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX tables_of_owner ON tables (owner, created);
CREATE TABLE links (
    token TEXT PRIMARY KEY,
    table_id TEXT NOT NULL REFERENCES tables (id),
    seats TEXT NOT NULL
) STRICT;
CREATE INDEX links_of_table ON links (table_id);
CREATE TABLE moves (
    table_id TEXT NOT NULL REFERENCES tables (id),
    number INTEGER NOT NULL,
    move TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (table_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE claims (
    token TEXT PRIMARY KEY REFERENCES links (token),
    holder TEXT NOT NULL,
    name TEXT NOT NULL,
    at REAL NOT NULL
) STRICT;
CREATE INDEX claims_of_holder ON claims (holder, at);
CREATE TABLE choices (
    table_id TEXT NOT NULL REFERENCES tables (id),
    seat INTEGER NOT NULL,
    move TEXT NOT NULL,
    PRIMARY KEY (table_id, seat)
) STRICT, WITHOUT ROWID;
CREATE TABLE results (
    table_id TEXT PRIMARY KEY REFERENCES tables (id),
    at REAL NOT NULL,
    result TEXT NOT NULL
) STRICT;
CREATE TABLE rematches (
    table_id TEXT PRIMARY KEY REFERENCES tables (id),
    next_id TEXT NOT NULL
) STRICT;
CREATE TABLE records (
    id TEXT PRIMARY KEY,
    created REAL NOT NULL,
    owner TEXT NOT NULL,
    title TEXT NOT NULL,
    lines BLOB NOT NULL
) STRICT;
CREATE TABLE verdicts (
    key TEXT PRIMARY KEY,
    content TEXT NOT NULL
) STRICT;
"""


class StoreError(ShakespeareEnvError):
    """A file of games that cannot be used. The message says why, and what to do."""


class Database:
    """An open file of games, which one server uses at a time.

    Other programs may read and copy the file meanwhile. SQLite's log is written into the file after
    each transaction, so a copy holds every transaction that has ended.

    Args:
        path: The file. It is made if there is none.

    Raises:
        StoreError: The file cannot be read or written. Any method may raise this error. The method
            has then changed nothing.
    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._lock = threading.RLock()
        self._deadline = math.inf
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and not path.is_file():
                raise OSError("it is not a file")
            with ExitStack() as opened:
                opened.enter_context(_locked(path.with_name(f"{path.name}.lock")))
                self._connection = opened.enter_context(closing(_connection(str(path))))
                self._check_and_set_up()
                self._opened = opened.pop_all()  # keeps the file open until `close`
        except (sqlite3.Error, OSError, ValueError) as fault:
            raise StoreError(
                f"the games in {str(path)!r} cannot be used: {_described(fault)} (--games names "
                "another file)"
            ) from fault

    def _check_and_set_up(self) -> None:
        """Check the file and set it up. A file that no server has made is not changed."""
        run = self._connection.execute
        self._deadline = time.monotonic() + _CHECK_LIMIT_S
        self._connection.set_progress_handler(self._is_late, STEPS_BETWEEN_CHECKS)
        (found,) = run("PRAGMA user_version").fetchone()
        if found not in (0, FORMAT):  # 0: the file is new
            raise OSError(f"it has format {found}, but this version reads format {FORMAT}")
        schema = _schema_of(self._connection)
        with closing(_connection(":memory:")) as new:
            new.executescript(_SCHEMA)
            if schema and schema != _schema_of(new):
                raise OSError("its tables, views or triggers are not those that a server makes")
        (health,) = run("PRAGMA quick_check(1)").fetchone()
        if health != "ok":
            raise OSError(f"it is damaged ({short_name(health)}); bring back a copy")
        # A log that is written into the file after each transaction leaves the file complete for
        # programs that copy it, and programs that read it do not block the server.
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 1"):
            run(f"PRAGMA {pragma}")
        if not schema:
            self._connection.executescript(f"BEGIN; {_SCHEMA}; COMMIT")
        run(f"PRAGMA user_version = {FORMAT}")

    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._opened.close()

    @contextmanager
    def transaction(self) -> Iterator[Callable[..., sqlite3.Cursor]]:
        """Yield a function that runs statements. Either all of them take effect or none does."""
        try:
            with self._lock, self._connection:
                self._deadline = time.monotonic() + STATEMENT_LIMIT_S
                self._connection.execute("BEGIN")
                yield self._connection.execute
        except sqlite3.Error as fault:
            raise StoreError(
                f"the file of games, {self._name}, cannot be used: {_described(fault)}"
            ) from fault

    def rows(self, statement: str, *values: Any) -> list[Any]:
        """Return the rows that a statement finds."""
        with self.transaction() as run:
            return run(statement, values).fetchall()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock a file against other servers.

    Raises:
        OSError: Another server has locked it.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as fault:
        raise OSError("another table server has it open; end that one") from fault
    finally:
        os.close(descriptor)


def _connection(name: str) -> sqlite3.Connection:
    """Open a database that a stranger may have made."""
    database = sqlite3.connect(
        name, timeout=_BUSY_TIMEOUT_S, check_same_thread=False, isolation_level=None
    )
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    return database


def _schema_of(database: sqlite3.Connection) -> set[tuple[str, str, str, str | None]]:
    """Return everything that a database declares: tables, indexes, views and triggers."""
    return set(database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def _described(fault: Exception) -> str:
    """Return what is wrong with a file, and what to do about it."""
    if not isinstance(fault, sqlite3.Error):
        return str(fault)
    # The first two words of a name such as SQLITE_BUSY_SNAPSHOT are the kind of the error.
    kind = "_".join(getattr(fault, "sqlite_errorname", "").split("_")[:2])
    return _SQLITE_ERRORS.get(
        kind, f"{fault}; make room on the disk, or let the server write there"
    )
