"""Games that last: tables as deals and moves, and games brought from elsewhere, in SQLite.

A move is on disk before anybody sees it.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from shakespeare_env.checks.values import player_name, shown
from shakespeare_env.core import registry
from shakespeare_env.core.rng import FIRST_FRESH
from shakespeare_env.errors import DatasetError, ShakespeareEnvError
from shakespeare_env.play.named import numbered

FORMAT = 3
_T = TypeVar("_T")
_WAIT = 1.0  # seconds for another server to let go of the file
_SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (
    id TEXT PRIMARY KEY,
    created REAL NOT NULL,
    owner TEXT NOT NULL,
    box_digest TEXT NOT NULL,
    plan TEXT NOT NULL,
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


class Store:
    """The games of a file, which one server has to itself.

    Raises:
        StoreError: it cannot be read or written; so do all methods, which then change nothing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                path, timeout=_WAIT, check_same_thread=False, isolation_level=None
            )
            for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"):
                self._database.execute(f"PRAGMA {pragma}")
            with self._using() as run:
                (found,) = run("PRAGMA user_version").fetchone()
                if found not in (0, FORMAT):
                    raise OSError(f"it has format {found}, this version reads {FORMAT}")
                for statement in _SCHEMA.split(";\n"):
                    run(statement)
                run(f"PRAGMA user_version = {FORMAT}")
        except (StoreError, sqlite3.Error, OSError, ValueError) as fault:
            raise StoreError(
                f"the games in {str(path)!r} cannot be used: {fault}; name another file, or end "
                "the other server that has it open"
            ) from fault

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

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
        find = "SELECT token, seats FROM links WHERE table_id = ? ORDER BY seats"
        return {token: _checked(_SEATS, seats) for token, seats in self._rows(find, table_id)}

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
        """Keep a game brought from elsewhere, as gzipped JSON lines; its id."""
        row = (new_token(), time.time(), owner, title, lines)
        with self._using() as run:
            run("INSERT INTO records VALUES (?, ?, ?, ?, ?)", row)
        return row[0]

    def record(self, record_id: str) -> tuple[str, bytes] | None:
        """Title and lines of a game brought from elsewhere."""
        found = self._rows("SELECT title, lines FROM records WHERE id = ?", record_id)
        return found[0] if found else None

    def records_of(self, owner: str, most: int) -> list[tuple[str, str]]:
        """Ids and titles of an owner's latest games from elsewhere."""
        find = "SELECT id, title FROM records WHERE owner = ? ORDER BY created DESC LIMIT ?"
        return self._rows(find, owner, most)

    @contextmanager
    def _using(self) -> Iterator[Callable[..., sqlite3.Cursor]]:
        """Run statements, of which either all count or none."""
        try:
            with self._lock, self._database:
                self._database.execute("BEGIN")
                yield self._database.execute
        except sqlite3.Error as fault:
            raise StoreError(
                f"the file of games, {self.path.name}, cannot be used: {fault}; make room on the "
                "disk, or let the server write there"
            ) from fault

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        with self._using() as run:
            return run(statement, values).fetchall()

    def _tables(self, wanted: str, *values: Any) -> Iterator[StoredTable]:
        find = f"SELECT id, owner, box_digest, plan, undone, over FROM tables WHERE {wanted}"
        for table_id, owner, box_digest, text, undone, over in self._rows(find, *values):
            plan = _checked(_PLAN, text)
            if len(plan.seats) != plan.players:
                raise DatasetError(
                    f"a kept table has {plan.players} seats, of which {len(plan.seats)} are held"
                )
            rows = self._rows("SELECT move FROM moves WHERE table_id = ? ORDER BY number", table_id)
            moves = tuple(move for (move,) in rows)
            yield StoredTable(table_id, owner, box_digest, plan, moves, undone, bool(over))


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
            f"a kept table is damaged: {where}: {shown(fault['input'])}: {fault['msg']}; bring "
            "back an older copy of the file"
        ) from error
