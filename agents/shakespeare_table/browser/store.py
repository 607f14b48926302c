"""Games that last: tables as deals and moves, and games brought from elsewhere, in SQLite.

A move is on disk before anybody sees it. A stranger may have made the file: it is used only if its
schema is exactly this module's and its pages are sound, and reading it is bounded.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from shakespeare_env.checks.values import player_name, short_name, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.rng import FIRST_FRESH
from shakespeare_env.errors import DatasetError, ShakespeareEnvError
from shakespeare_env.play.named import numbered

FORMAT = 3
_T = TypeVar("_T")
_WAIT = 1.0  # seconds for another program to end what it writes to the file
_LONGEST_S = 5.0  # the most seconds that statements may compute
_CHECKING_S = 60.0  # the most seconds to look through a whole file
_STEPS = 10_000  # of SQLite's virtual machine, between looks at the clock
_MOST_BYTES = 2**24  # of one value, such as a game brought from elsewhere
_LONGEST_PLAN = 2**18  # characters; the form that makes one is shorter
_LONGEST_MOVE = 1_000
_LONGEST_TITLE = 1_000
_MOST_MOVES = 100_000
_MOST_LINKS = 100
_IN_WORDS = {
    "SQLITE_BUSY": "another program is writing to it; try again, or end that program",
    "SQLITE_INTERRUPT": "it takes too long to read; bring back a copy",
    "SQLITE_CORRUPT": "it is damaged; bring back a copy",
    "SQLITE_TOOBIG": "it is damaged; bring back a copy",
    "SQLITE_NOTADB": "it is no file of games",
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
CREATE TABLE records (
    id TEXT PRIMARY KEY,
    created REAL NOT NULL,
    owner TEXT NOT NULL,
    title TEXT NOT NULL,
    lines BLOB NOT NULL
) STRICT;
"""


class StoreError(ShakespeareEnvError):
    """The file of games cannot be used: why, and what can be done."""


@dataclass(frozen=True)
class Sitter:
    """Who holds a seat: an agent, as `make` takes it, or else a person; all read the name."""

    name: Annotated[str, AfterValidator(player_name)]
    agent: str | None = None


@dataclass(frozen=True)
class TablePlan:
    """What stays the same at a table from its first move to its last.

    The seed decides the deal, chance and the agents' draws; `start` is the position, in notation,
    that the game begins with, None the deal's first one.
    """

    game: str
    players: int
    variants: tuple[str, ...]
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    seats: tuple[Sitter, ...]
    start: Mapping[str, Any] | None = None

    @property
    def names(self) -> list[str]:
        """Who plays, by seat; players of one name are numbered."""
        return numbered([sitter.name for sitter in self.seats])

    @property
    def seed_of_agents(self) -> int:
        """Decides the agents' draws; it does not lead back to the seed, which gives the deal."""
        digest = hashlib.blake2b(str(self.seed).encode(), digest_size=8, person=b"agents")
        return int.from_bytes(digest.digest(), "big")

    @property
    def people(self) -> list[int]:
        """The seats that people hold."""
        return [seat for seat, sitter in enumerate(self.seats) if sitter.agent is None]

    @property
    def is_open_to_some(self) -> bool:
        """Whether one of several people may know the seed, which gives every hidden card."""
        return self.seed < FIRST_FRESH and len(self.people) > 1


@dataclass(frozen=True)
class StoredTable:
    """A table as it is on disk, after `moves`; moves were taken back `undone` times."""

    id: str
    owner: str
    box_digest: str
    plan: TablePlan
    moves: tuple[str, ...]
    undone: int
    over: bool


_PLAN, _SEATS = TypeAdapter(TablePlan), TypeAdapter(tuple[int, ...])


def new_token() -> str:
    """Text that nobody guesses: 128 random bits."""
    return secrets.token_urlsafe(16)


class TableStore:
    """The games of a file, which one server has to itself.

    Other programs may read the file meanwhile, and copy it. It holds every move that was shown:
    SQLite's log is put into it after each one.

    Raises:
        StoreError: it cannot be read or written; so do all methods, which then change nothing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._until = math.inf
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and not path.is_file():
                raise OSError("it is no file")
            with ExitStack() as opened:
                opened.enter_context(_held(path.with_name(f"{path.name}.lock")))
                self._database = opened.enter_context(closing(_connection(str(path))))
                self._begin()
                self._opened = opened.pop_all()
        except (sqlite3.Error, OSError, ValueError) as fault:
            raise StoreError(
                f"the games in {str(path)!r} cannot be used: {_in_words(fault)} (--games names "
                "another file)"
            ) from fault

    def _begin(self) -> None:
        """Check the file, which is not changed unless it is new or ours."""
        run = self._database.execute
        self._until = time.monotonic() + _CHECKING_S
        self._database.set_progress_handler(self._is_late, _STEPS)
        (found,) = run("PRAGMA user_version").fetchone()
        if found not in (0, FORMAT):
            raise OSError(f"it has format {found}, this version reads {FORMAT}")
        schema = _schema_of(self._database)
        with closing(_connection(":memory:")) as new:
            new.executescript(_SCHEMA)
            if schema and schema != _schema_of(new):
                raise OSError("it holds other tables, views or triggers than a server makes")
        (health,) = run("PRAGMA quick_check(1)").fetchone()
        if health != "ok":
            raise OSError(f"it is damaged ({short_name(health)}); bring back a copy")
        # A log that is put into the file after each transaction leaves the file whole for those
        # who copy it, and nobody who reads it keeps us waiting.
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 1"):
            run(f"PRAGMA {pragma}")
        if not schema:
            self._database.executescript(f"BEGIN; {_SCHEMA}; COMMIT")
        run(f"PRAGMA user_version = {FORMAT}")

    def _is_late(self) -> bool:
        return time.monotonic() > self._until

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._opened.close()

    def new_table(
        self, owner: str, plan: TablePlan, links: Sequence[Sequence[int]]
    ) -> tuple[str, list[str]]:
        """The id of a new table, which spectators know, and the tokens of links to its seats."""
        table_id, tokens = new_token(), [new_token() for _ in links]
        row = (table_id, time.time(), owner, registry.box_digest(plan.game), _text(plan))
        with self._using() as run:
            run("INSERT INTO tables VALUES (?, ?, ?, ?, ?, 0, 0)", row)
            for token, held in zip(tokens, links, strict=True):
                run("INSERT INTO links VALUES (?, ?, ?)", (token, table_id, json.dumps(list(held))))
        return table_id, tokens

    def table(self, table_id: str) -> StoredTable | None:
        """A table, None if there is none of this id."""
        return next(self._tables("id = ?", table_id), None)

    def tables_of(self, owner: str, most: int) -> list[StoredTable]:
        """The latest tables of an owner."""
        return list(self._tables("owner = ? ORDER BY created DESC LIMIT ?", owner, most))

    def link(self, token: str) -> tuple[str, tuple[int, ...]] | None:
        """The table and the seats of a link."""
        found = self._rows("SELECT table_id, seats FROM links WHERE token = ?", token)
        return (found[0][0], _checked(_SEATS, found[0][1])) if found else None

    def links_of(self, table_id: str) -> dict[str, tuple[int, ...]]:
        """The links of a table, and their seats."""
        find = "SELECT token, seats FROM links WHERE table_id = ? ORDER BY seats LIMIT ?"
        rows = self._rows(find, table_id, _MOST_LINKS)
        return {token: _checked(_SEATS, seats) for token, seats in rows}

    def add_move(self, table_id: str, number: int, move: str, over: bool) -> None:
        """Keep a table's move of this number, counted from 0."""
        with self._using() as run:
            run("INSERT INTO moves VALUES (?, ?, ?, ?)", (table_id, number, move, time.time()))
            run("UPDATE tables SET over = ? WHERE id = ?", (over, table_id))

    def take_back(self, table_id: str, number: int) -> None:
        """Forget the moves from `number` on."""
        with self._using() as run:
            run("DELETE FROM moves WHERE table_id = ? AND number >= ?", (table_id, number))
            run("UPDATE tables SET undone = undone + 1 WHERE id = ?", (table_id,))

    def change_plan(self, table_id: str, plan: TablePlan) -> None:
        """Keep another plan of a table, such as one with other sitters."""
        with self._using() as run:
            run("UPDATE tables SET plan = ? WHERE id = ?", (_text(plan), table_id))

    def keep_record(self, owner: str, title: str, lines: bytes) -> str:
        """Keep a game brought from elsewhere, as gzipped JSON lines; its id.

        A game that its owner has brought before is kept once.
        """
        row = (new_token(), time.time(), owner, title, lines)
        find = "SELECT id FROM records WHERE owner = ? AND title = ? AND lines = ?"
        with self._using() as run:
            kept: tuple[str] | None = run(find, row[2:]).fetchone()
            if kept is not None:
                return kept[0]
            run("INSERT INTO records VALUES (?, ?, ?, ?, ?)", row)
        return row[0]

    def record(self, record_id: str) -> tuple[str, bytes] | None:
        """Title and lines of a game brought from elsewhere."""
        found = self._rows("SELECT title, lines FROM records WHERE id = ?", record_id)
        return found[0] if found else None

    def records_of(self, owner: str, most: int) -> list[tuple[str, str]]:
        """Ids and titles of an owner's latest games from elsewhere."""
        find = (
            f"SELECT id, substr(title, 1, {_LONGEST_TITLE}) FROM records "
            "WHERE owner = ? ORDER BY created DESC LIMIT ?"
        )
        return self._rows(find, owner, most)

    @contextmanager
    def _using(self) -> Iterator[Callable[..., sqlite3.Cursor]]:
        """Run statements, of which either all count or none."""
        try:
            with self._lock, self._database:
                self._until = time.monotonic() + _LONGEST_S
                self._database.execute("BEGIN")
                yield self._database.execute
        except sqlite3.Error as fault:
            raise StoreError(
                f"the file of games, {self.path.name}, cannot be used: {_in_words(fault)}"
            ) from fault

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        with self._using() as run:
            return run(statement, values).fetchall()

    def _tables(self, wanted: str, *values: Any) -> Iterator[StoredTable]:
        find = (
            f"SELECT id, owner, box_digest, substr(plan, 1, {_LONGEST_PLAN}), undone, over "
            f"FROM tables WHERE {wanted}"
        )
        find_moves = (
            f"SELECT substr(move, 1, {_LONGEST_MOVE}) FROM moves "
            "WHERE table_id = ? ORDER BY number LIMIT ?"
        )
        for table_id, owner, box_digest, text, undone, over in self._rows(find, *values):
            plan = _checked(_PLAN, text)
            if len(plan.seats) != plan.players:
                raise DatasetError(
                    f"a kept table has {plan.players} seats, of which {len(plan.seats)} are held"
                )
            rows = self._rows(find_moves, table_id, _MOST_MOVES)
            moves = tuple(move for (move,) in rows)
            yield StoredTable(table_id, owner, box_digest, plan, moves, undone, bool(over))


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Keep other servers away by a lock on a file; OSError if one has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as fault:
        raise OSError("another table server has it open; end that one") from fault
    finally:
        os.close(descriptor)


def _connection(name: str) -> sqlite3.Connection:
    """Open a file that a stranger may have made."""
    database = sqlite3.connect(name, timeout=_WAIT, check_same_thread=False, isolation_level=None)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    return database


def _schema_of(database: sqlite3.Connection) -> set[tuple[str, str, str, str | None]]:
    """Return everything that a database declares: tables, indexes, views and triggers."""
    return set(database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def _in_words(fault: Exception) -> str:
    """Say what is wrong with the file, and what can be done."""
    if not isinstance(fault, sqlite3.Error):
        return str(fault)
    kind = "_".join(getattr(fault, "sqlite_errorname", "").split("_")[:2])
    return _IN_WORDS.get(kind, f"{fault}; make room on the disk, or let the server write there")


def _text(plan: TablePlan) -> str:
    return _PLAN.dump_json(plan).decode()


def _checked(kind: TypeAdapter[_T], text: str) -> _T:
    """What the file holds, which a stranger may have written; DatasetError if it is no such."""
    try:
        return kind.validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise DatasetError(
            f"a kept table is damaged: {where}: {short_repr(fault['input'])}: {fault['msg']}; "
            "bring "
            "back an older copy of the file"
        ) from error
