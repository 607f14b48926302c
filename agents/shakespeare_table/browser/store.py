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
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, Json, TypeAdapter, ValidationError

from shakespeare_env.checks.values import player_name, shown
from shakespeare_env.core import registry
from shakespeare_env.core.rng import FIRST_FRESH
from shakespeare_env.errors import DatasetError, ShakespeareEnvError
from shakespeare_env.play.named import numbered

FORMAT = 2
_T = TypeVar("_T")
_WAIT = 1.0
"""Seconds for another server to let go of the file."""
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
    deal INTEGER NOT NULL DEFAULT 0,
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


@dataclass(frozen=True)
class SeatPlan:
    """Who holds a seat: an agent by name, or else a person.

    Attributes:
        name: What the others read.
        agent: As `make` takes it; None is a person.
    """

    name: Annotated[str, AfterValidator(player_name)]
    agent: str | None = None


@dataclass(frozen=True)
class TablePlan:
    """What stays the same at a table from its first move to its last.

    Attributes:
        game: Its name.
        players: Number of seats.
        variants: The variants in force.
        seed: Decides the deal, chance and the agents' draws.
        seats: The holders of the seats.
        start: The position, in notation, that it begins with; None: the deal's first one.
    """

    game: str
    players: int
    variants: tuple[str, ...]
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    seats: tuple[SeatPlan, ...]
    start: Mapping[str, Any] | None = None

    @property
    def names(self) -> list[str]:
        """Who plays, by seat; players of one name are numbered."""
        return numbered([seat.name for seat in self.seats])

    @property
    def seed_of_agents(self) -> int:
        """Decides the agents' draws; it does not lead back to the seed, which gives the deal."""
        digest = hashlib.blake2b(str(self.seed).encode(), digest_size=8, person=b"agents")
        return int.from_bytes(digest.digest(), "big")

    @property
    def people(self) -> list[int]:
        """The seats that people hold."""
        return [seat for seat, one in enumerate(self.seats) if one.agent is None]

    @property
    def is_open_to_some(self) -> bool:
        """Whether one of several people may know the seed, which gives every hidden card."""
        return self.seed < FIRST_FRESH and len(self.people) > 1

    @property
    def title(self) -> str:
        """The game and who plays it."""
        return f"{self.game.capitalize()}: {', '.join(self.names)}"


@dataclass(frozen=True)
class StoredTable:
    """A table as it is on disk.

    Attributes:
        moves: Played so far.
        undone: How often moves were taken back.
    """

    id: str
    owner: str
    box_digest: str
    plan: TablePlan
    moves: tuple[str, ...]
    undone: int
    over: bool


_PLAN, _JSON = TypeAdapter(TablePlan), TypeAdapter(Json[Any])
_SEATS = TypeAdapter(Json[tuple[int, ...]])


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
            self._database.row_factory = sqlite3.Row
            for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"):
                self._database.execute(f"PRAGMA {pragma}")
            with self._writing() as run:
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
        self, owner: str, plan: TablePlan, box_digest: str, links: Sequence[Sequence[int]]
    ) -> tuple[str, list[str]]:
        """Keep a new table.

        Args:
            owner: The owner, who may find it again.
            plan: What it is.
            box_digest: The digest of the box in force.
            links: The seats of each link.

        Returns:
            Its id, which spectators know, and the links' tokens.
        """
        table_id, tokens = new_token(), [new_token() for _ in links]
        start = None if plan.start is None else json.dumps(plan.start)
        row = (
            table_id,
            time.time(),
            owner,
            plan.game,
            box_digest,
            plan.players,
            json.dumps(plan.variants),
            str(plan.seed),
            start,
            _seats_text(plan.seats),
        )
        with self._writing() as run:
            run(
                "INSERT INTO tables (id, created, owner, game, box_digest, players, variants, seed,"
                " deal, start, seats) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)",
                row,
            )
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
        with self._writing() as run:
            run("INSERT INTO moves VALUES (?, ?, ?, ?)", (table_id, number, move, time.time()))
            if over:
                run("UPDATE tables SET over = 1 WHERE id = ?", (table_id,))

    def take_back(self, table_id: str, number: int) -> None:
        """Forget the moves from `number` on."""
        with self._writing() as run:
            run("DELETE FROM moves WHERE table_id = ? AND number >= ?", (table_id, number))
            run("UPDATE tables SET undone = undone + 1 WHERE id = ?", (table_id,))

    def seat(self, table_id: str, seats: Sequence[SeatPlan]) -> None:
        """Let others hold a table's seats from now on."""
        with self._writing() as run:
            run("UPDATE tables SET seats = ? WHERE id = ?", (_seats_text(seats), table_id))

    def keep_record(self, owner: str, title: str, lines: bytes) -> str:
        """Keep a game brought from elsewhere, as gzipped JSON lines; its id."""
        row = (new_token(), time.time(), owner, title, lines)
        with self._writing() as run:
            run("INSERT INTO records VALUES (?, ?, ?, ?, ?)", row)
        return row[0]

    def record(self, record_id: str) -> tuple[str, bytes] | None:
        """Title and lines of a game brought from elsewhere."""
        found = self._rows("SELECT title, lines FROM records WHERE id = ?", record_id)
        return (found[0][0], found[0][1]) if found else None

    def records_of(self, owner: str, most: int) -> list[tuple[str, str]]:
        """Ids and titles of an owner's latest games from elsewhere."""
        find = "SELECT id, title FROM records WHERE owner = ? ORDER BY created DESC LIMIT ?"
        return [(record_id, title) for record_id, title in self._rows(find, owner, most)]

    @contextmanager
    def _writing(self) -> Iterator[Callable[..., sqlite3.Cursor]]:
        """Executes statements, all of them or none."""
        with self._lock, self._readable(), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            yield self._database.execute

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Turns SQLite's errors into those of this module."""
        try:
            yield
        except sqlite3.Error as fault:
            raise StoreError(
                f"the file of games, {self.path.name}, cannot be used: {fault}; make room on the "
                "disk, or let the server write there"
            ) from fault

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        with self._lock, self._readable():
            return self._database.execute(statement, values).fetchall()

    def _tables(self, wanted: str, *values: Any) -> Iterator[StoredTable]:
        for row in self._rows(f"SELECT * FROM tables WHERE {wanted}", *values):
            find = "SELECT move FROM moves WHERE table_id = ? ORDER BY number"
            moves = tuple(move for (move,) in self._rows(find, row["id"]))
            about = (row["id"], row["owner"], row["box_digest"])
            yield StoredTable(*about, _plan(row), moves, row["undone"], bool(row["over"]))


def _plan(row: sqlite3.Row) -> TablePlan:
    """What a row says of its table, which a stranger may have written; DatasetError if nothing."""
    said = {name: row[name] for name in ("game", "players", "seed", "start")}
    for name in ("variants", "seats", *(["start"] if said["start"] else [])):
        said[name] = _checked(_JSON, row[name])
    plan = _checked(_PLAN, said)
    if plan.game not in registry.names():
        raise DatasetError(f"a kept table is of {shown(plan.game)}, a game that is not known here")
    if len(plan.seats) != plan.players:
        raise DatasetError(
            f"a kept table has {plan.players} seats, of which {len(plan.seats)} are held"
        )
    return plan


def _checked(kind: TypeAdapter[_T], value: Any) -> _T:
    """What the file holds; DatasetError if it is no such thing."""
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise DatasetError(
            f"a kept table is damaged: {where}: {shown(fault['input'])}: {fault['msg']}; bring "
            "back an older copy of the file"
        ) from error


def _seats_text(seats: Sequence[SeatPlan]) -> str:
    return json.dumps([asdict(seat) for seat in seats])
