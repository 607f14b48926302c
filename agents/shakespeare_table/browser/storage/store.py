"""The games of a server in a file: tables, who sits there, and uploaded games.

A move is on disk before anybody sees it.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_env.errors import DatasetError
from shakespeare_table.browser.storage.database import Database
from shakespeare_table.browser.storage.plan import TablePlan

_T = TypeVar("_T")
_MAX_PLAN_CHARS = 2**18  # more than a form may have
_MAX_MOVE_CHARS = 1_000
_MAX_TITLE_CHARS = 1_000
_MAX_MOVES = 100_000
_MAX_LINKS = 100
MAX_VERDICTS = 20_000
"""The verdicts that are kept, those of some hundred games. Older ones can be found again."""


@dataclass(frozen=True)
class StoredTable:
    """A table as it is on disk.

    Attributes:
        id: The id by which spectators reach the table.
        owner: The secret id of the browser that began it.
        box_digest: The digest of the box (the file of the game's cards and numbers) that the table
            is played with.
        plan: The setup.
        moves: The moves so far.
        choices: The secret choices by seat that have been made but are not among the moves yet.
        undone: The number of times that moves were taken back.
        over: Whether the game is over.
        rematch: The id of the table on which the same players play again; None if there is none.
    """

    id: str
    owner: str
    box_digest: str
    plan: TablePlan
    moves: tuple[str, ...]
    choices: Mapping[int, str]
    undone: int
    over: bool
    rematch: str | None


class _TableRow(NamedTuple):
    """The columns of a table that are read together."""

    id: str
    owner: str
    box_digest: str
    plan: str
    undone: int
    over: int
    rematch: str | None


@dataclass(frozen=True)
class SeatLink:
    """A link to a table, by which one browser claims its seats.

    Attributes:
        token: The secret token in its address.
        table_id: The id of the table.
        seats: The seats that it opens; none if the host has taken them back.
        holder: The secret id of the browser that has claimed them; None if nobody has.
    """

    token: str
    table_id: str
    seats: tuple[int, ...]
    holder: str | None

    def is_held_by(self, browser: str) -> bool:
        """Return whether a browser, given by its secret id, has claimed the seats."""
        if self.holder is None:
            return False
        return secrets.compare_digest(self.holder.encode(), browser.encode())


class Result(NamedTuple):
    """The result of a finished game, by seat: scores as people read them, and places from 1 on."""

    scores: tuple[int, ...]
    places: tuple[int, ...]


@dataclass(frozen=True)
class FinishedGame:
    """A finished game in which a browser holds seats.

    Attributes:
        table_id: The id of the table.
        ended: The time of its end, in seconds since 1970.
        plan: The setup.
        seats: The seats that the browser holds by one link.
        result: The result.
    """

    table_id: str
    ended: float
    plan: TablePlan
    seats: tuple[int, ...]
    result: Result


_PLAN = TypeAdapter(TablePlan)
_NUMBERS = TypeAdapter(tuple[int, ...])
_RESULT = TypeAdapter(Result)


def new_token() -> str:
    """Return a random text of 128 bits, which nobody can guess."""
    return secrets.token_urlsafe(16)


class TableStore:
    """The games in a file, which one server uses at a time.

    Other programs may read and copy the file meanwhile. A copy holds every move that was shown,
    since SQLite's log is written into the file after each move.

    Args:
        path: The file. It is made if there is none.

    Attributes:
        path: The file.

    Raises:
        StoreError: The file cannot be read or written. Any method may raise this error. The method
            has then changed nothing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = Database(path)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def new_table(
        self,
        owner: str,
        plan: TablePlan,
        links: Sequence[Sequence[int]],
        holders: Sequence[str | None],
        previous: str | None = None,
    ) -> tuple[str, list[str]]:
        """Keep a new table.

        Args:
            owner: The secret id of the browser that begins it.
            plan: The setup.
            links: For each link to the table, the seats that it opens.
            holders: For each link, the secret id of the browser that holds its seats from the
                start; None if they are open to be claimed.
            previous: The id of a finished table of which this is the rematch. A table has one
                rematch at most.

        Returns:
            The table's id, which spectators know, and the secret token of each link.
        """
        table_id = new_token()
        tokens = [new_token() for _ in links]
        row = (table_id, time.time(), owner, registry.box_digest(plan.game), _as_json(plan))
        with self._database.transaction() as run:
            run("INSERT INTO tables VALUES (?, ?, ?, ?, ?, 0, 0)", row)
            for token, seats, holder in zip(tokens, links, holders, strict=True):
                values = (token, table_id, json.dumps(list(seats)))
                run("INSERT INTO links VALUES (?, ?, ?)", values)
                if holder is not None:
                    _insert_claim(run, token, holder, plan.seats[seats[0]].name)
            if previous is not None:
                run("INSERT INTO rematches VALUES (?, ?)", (previous, table_id))
        return table_id, tokens

    def table(self, table_id: str) -> StoredTable | None:
        """Return the table with an id; None if there is none."""
        return next(self._tables("id = ?", table_id), None)

    def tables_of(self, browser: str, limit: int) -> list[StoredTable]:
        """Return the latest tables that a browser has begun or sits at, the latest first."""
        seated = (
            "SELECT links.table_id FROM claims JOIN links ON links.token = claims.token "
            "WHERE claims.holder = ?"
        )
        condition = f"owner = ? OR id IN ({seated}) ORDER BY created DESC LIMIT ?"
        return list(self._tables(condition, browser, browser, limit))

    def link(self, token: str) -> SeatLink | None:
        """Return the link with a token; None if there is none."""
        return next(self._links("links.token = ?", token), None)

    def links_of(self, table_id: str) -> list[SeatLink]:
        """Return the links of a table that open seats, in the order of the seats."""
        return [link for link in self._links("links.table_id = ?", table_id) if link.seats]

    def holds_a_seat(self, browser: str) -> bool:
        """Return whether a browser holds a seat at any table."""
        return bool(self._database.rows("SELECT 1 FROM claims WHERE holder = ? LIMIT 1", browser))

    def name_of(self, browser: str, besides: str) -> str:
        """Return the name that a browser has used last, besides one; empty if there is none."""
        find = (
            f"SELECT substr(name, 1, {_MAX_TITLE_CHARS}) FROM claims "
            "WHERE holder = ? AND name <> ? ORDER BY at DESC LIMIT 1"
        )
        rows = self._database.rows(find, browser, besides)
        return str(rows[0][0]) if rows else ""

    def claim(self, link: SeatLink, holder: str, name: str, plan: TablePlan) -> None:
        """Let a browser hold the seats of a link that nobody holds.

        Args:
            link: The link.
            holder: The secret id of the browser.
            name: The name that it gives.
            plan: The table's setup with this name.
        """
        with self._database.transaction() as run:
            _insert_claim(run, link.token, holder, name)
            run("UPDATE tables SET plan = ? WHERE id = ?", (_as_json(plan), link.table_id))

    def leave(self, link: SeatLink) -> None:
        """Open the seats of a link to be claimed again."""
        with self._database.transaction() as run:
            run("DELETE FROM claims WHERE token = ?", (link.token,))

    def renew_link(self, link: SeatLink) -> None:
        """Put another link, which nobody holds, in the place of one that opens no seat any more."""
        row = (new_token(), link.table_id, json.dumps(list(link.seats)))
        with self._database.transaction() as run:
            run("DELETE FROM claims WHERE token = ?", (link.token,))
            run("UPDATE links SET seats = '[]' WHERE token = ?", (link.token,))
            run("INSERT INTO links VALUES (?, ?, ?)", row)

    def keep_moves(
        self,
        table_id: str,
        number: int,
        moves: Sequence[str],
        choices: Mapping[int, str],
        result: Result | None,
    ) -> None:
        """Keep moves of a table, and the secret choices that are not among the moves yet.

        Args:
            table_id: The id of the table.
            number: The number of the first of the moves, counted from 0.
            moves: The moves in notation.
            choices: All secret choices by seat that are waiting.
            result: The result if the moves end the game.
        """
        now = time.time()
        with self._database.transaction() as run:
            for place, move in enumerate(moves, number):
                run("INSERT INTO moves VALUES (?, ?, ?, ?)", (table_id, place, move, now))
            run("DELETE FROM choices WHERE table_id = ?", (table_id,))
            for seat, move in choices.items():
                run("INSERT INTO choices VALUES (?, ?, ?)", (table_id, seat, move))
            run("UPDATE tables SET over = ? WHERE id = ?", (result is not None, table_id))
            if result is not None:
                row = (table_id, now, _RESULT.dump_json(result).decode())
                run("INSERT INTO results VALUES (?, ?, ?)", row)

    def take_back(self, table_id: str, number: int) -> None:
        """Forget the moves from `number` on."""
        with self._database.transaction() as run:
            run("DELETE FROM moves WHERE table_id = ? AND number >= ?", (table_id, number))
            run("UPDATE tables SET undone = undone + 1 WHERE id = ?", (table_id,))

    def change_plan(self, table_id: str, plan: TablePlan) -> None:
        """Replace the setup of a table, since another agent takes the place of a failed one."""
        with self._database.transaction() as run:
            run("UPDATE tables SET plan = ? WHERE id = ?", (_as_json(plan), table_id))

    def finished_games_of(self, browser: str, limit: int) -> list[FinishedGame]:
        """Return the latest finished games in which a browser holds seats, the latest first."""
        find = (
            f"SELECT tables.id, results.at, substr(plan, 1, {_MAX_PLAN_CHARS}), seats, result "
            "FROM claims JOIN links ON links.token = claims.token "
            "JOIN tables ON tables.id = links.table_id "
            "JOIN results ON results.table_id = tables.id "
            "WHERE holder = ? ORDER BY results.at DESC LIMIT ?"
        )
        return [
            FinishedGame(
                table_id=table_id,
                ended=ended,
                plan=_validated(_PLAN, plan),
                seats=_validated(_NUMBERS, seats),
                result=_validated(_RESULT, result),
            )
            for table_id, ended, plan, seats, result in self._database.rows(find, browser, limit)
        ]

    def keep_record(self, owner: str, title: str, lines: bytes) -> str:
        """Keep an uploaded game and return its id. A game that is uploaded again is kept once.

        Args:
            owner: The secret id of the browser that uploads it.
            title: The title that lists show.
            lines: The game as gzipped JSON lines.
        """
        record_id = new_token()
        find = "SELECT id FROM records WHERE owner = ? AND title = ? AND lines = ?"
        with self._database.transaction() as run:
            kept: tuple[str] | None = run(find, (owner, title, lines)).fetchone()
            if kept is not None:
                return kept[0]
            row = (record_id, time.time(), owner, title, lines)
            run("INSERT INTO records VALUES (?, ?, ?, ?, ?)", row)
        return record_id

    def record(self, record_id: str) -> tuple[str, bytes] | None:
        """Return the title and the gzipped lines of an uploaded game; None without such a game."""
        found = self._database.rows("SELECT title, lines FROM records WHERE id = ?", record_id)
        return found[0] if found else None

    def owns_record(self, owner: str, record_id: str) -> bool:
        """Return whether a browser, given by its secret id, has uploaded a game."""
        find = "SELECT 1 FROM records WHERE id = ? AND owner = ?"
        return bool(self._database.rows(find, record_id, owner))

    def records_of(self, owner: str, limit: int) -> list[tuple[str, str]]:
        """Return the ids and titles of an owner's latest uploaded games."""
        find = (
            f"SELECT id, substr(title, 1, {_MAX_TITLE_CHARS}) FROM records "
            "WHERE owner = ? ORDER BY created DESC LIMIT ?"
        )
        return self._database.rows(find, owner, limit)

    def keep_verdict(self, key: str, content: str) -> None:
        """Keep the verdict on a decision, as JSON, by the key of the decision and its judge.

        The oldest verdicts are deleted if there are too many.
        """
        oldest = "(SELECT max(rowid) FROM verdicts) - ?"
        with self._database.transaction() as run:
            run("INSERT OR REPLACE INTO verdicts VALUES (?, ?)", (key, content))
            run(f"DELETE FROM verdicts WHERE rowid <= {oldest}", (MAX_VERDICTS,))

    def verdict(self, key: str) -> str | None:
        """Return a verdict as JSON; None if there is none."""
        rows = self._database.rows("SELECT content FROM verdicts WHERE key = ?", key)
        return rows[0][0] if rows else None

    def delete_verdict(self, key: str) -> None:
        """Delete the verdict on a decision that has been taken back."""
        with self._database.transaction() as run:
            run("DELETE FROM verdicts WHERE key = ?", (key,))

    def _tables(self, condition: str, *values: Any) -> Iterator[StoredTable]:
        """Yield the tables that fulfil an SQL condition, which may end with an order and limit."""
        find = (
            f"SELECT id, owner, box_digest, substr(plan, 1, {_MAX_PLAN_CHARS}), undone, "
            "over, (SELECT next_id FROM rematches WHERE table_id = id) "
            f"FROM tables WHERE {condition}"
        )
        find_moves = (
            f"SELECT substr(move, 1, {_MAX_MOVE_CHARS}) FROM moves "
            "WHERE table_id = ? ORDER BY number LIMIT ?"
        )
        find_choices = (
            f"SELECT seat, substr(move, 1, {_MAX_MOVE_CHARS}) FROM choices "
            "WHERE table_id = ? LIMIT ?"
        )
        for values_of_row in self._database.rows(find, *values):
            row = _TableRow(*values_of_row)
            plan = _validated(_PLAN, row.plan)
            if len(plan.seats) != plan.players:
                raise DatasetError(
                    f"a stored table has {plan.players} seats but {len(plan.seats)} players"
                )
            moves = self._database.rows(find_moves, row.id, _MAX_MOVES)
            yield StoredTable(
                id=row.id,
                owner=row.owner,
                box_digest=row.box_digest,
                plan=plan,
                moves=tuple(move for (move,) in moves),
                choices=dict(self._database.rows(find_choices, row.id, _MAX_LINKS)),
                undone=row.undone,
                over=bool(row.over),
                rematch=row.rematch,
            )

    def _links(self, condition: str, value: str) -> Iterator[SeatLink]:
        find = (
            "SELECT links.token, links.table_id, links.seats, claims.holder FROM links "
            f"LEFT JOIN claims ON claims.token = links.token WHERE {condition} "
            "ORDER BY links.seats LIMIT ?"
        )
        for token, table_id, seats, holder in self._database.rows(find, value, _MAX_LINKS):
            yield SeatLink(token, table_id, _validated(_NUMBERS, seats), holder)


def _insert_claim(run: Callable[..., Any], token: str, holder: str, name: str) -> None:
    run("INSERT INTO claims VALUES (?, ?, ?, ?)", (token, holder, name, time.time()))


def _as_json(plan: TablePlan) -> str:
    return _PLAN.dump_json(plan).decode()


def _validated(kind: TypeAdapter[_T], text: str) -> _T:
    """Return a value that the file holds as JSON, after checks, as a stranger may have written it.

    Raises:
        DatasetError: The text holds no such value.
    """
    try:
        return kind.validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise DatasetError(
            f"a stored table is damaged: {where}: {short_repr(fault['input'])}: {fault['msg']}; "
            "bring back an older copy of the file"
        ) from error
