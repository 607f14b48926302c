"""The tables of a server: in memory as they are on disk; agents decide at them."""

from __future__ import annotations

import hashlib
import threading
import traceback
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any
from weakref import WeakValueDictionary

from shakespeare_env import Position
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_env.errors import IllegalMove, PositionError
from shakespeare_env.play.history import GameHistory
from shakespeare_table.browser.settings import Settings, TableError
from shakespeare_table.browser.store import Sitter, StoredTable, StoreError, TablePlan, TableStore
from shakespeare_table.browser.thinking import AgentThinkers, ThinkerError, as_seen, decide

_PROCESSES = 4  # the most processes in which agents decide
_FORMS = 1024  # forms of new tables that are known again
_KEPT = 64  # tables that stay open though nobody uses them; each takes up to about 0.7 MB


@dataclass(frozen=True, kw_only=True, eq=False)
class Snapshot(GameHistory):
    """A table as it is; equal after the same moves under the same names, as caches need it.

    Moves were taken back `undone` times; `fault` says why the agent to move does not.
    """

    id: str
    plan: TablePlan
    undone: int = 0
    fault: str = ""

    def __eq__(self, other: object) -> bool:
        """Whether it is the same table after the same moves."""
        return isinstance(other, Snapshot) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        return self.id, self.undone, len(self.moves), *self.plan.names

    @property
    def sitter(self) -> Sitter | None:
        """Who is to move; None once the game is over."""
        seat = self.position.to_move
        return None if seat is None else self.plan.seats[seat]

    @property
    def mover(self) -> str:
        """The name of who is to move, or empty."""
        seat = self.position.to_move
        return "" if seat is None else self.plan.names[seat]

    @property
    def version(self) -> str:
        """Text that changes whenever something else is to be seen."""
        shown = repr((self.fault, self.plan.seats)).encode()
        return f"{len(self.moves)}.{self.undone}.{zlib.crc32(shown):x}"

    def taken_back(self, seat: int) -> Snapshot:
        """The table without a seat's last move and what agents did since; TableError if not."""
        if self.is_over:
            raise TableError("the game is over")
        agents = {seat for seat, sitter in enumerate(self.plan.seats) if sitter.agent is not None}
        try:
            number = self.last_of(seat, agents)
        except ValueError as fault:
            raise TableError(str(fault)) from fault
        return replace(self.up_to(number), undone=self.undone + 1, fault="")


def first_snapshot(plan: TablePlan, table_id: str = "") -> Snapshot:
    """A table before its first move; TableError if its game cannot begin."""
    try:
        if plan.start is not None:
            first = Position.from_dict(plan.start, seed=plan.seed)
        else:
            named: Any = dict.fromkeys(plan.variants, True)
            first = Position.new(plan.game, players=plan.players, seed=plan.seed, **named)
    except (TypeError, ValueError, PositionError) as fault:
        raise TableError(str(fault)) from fault
    if (first.game.name, first.players) != (plan.game, plan.players):
        raise TableError("the position that the table begins with is of another table")
    return Snapshot([first], [], plan.names, id=table_id, plan=plan)


class LiveTable:
    """A table whose moves are on disk before anybody sees them; agents decide once at a time.

    TableError if it was played with another box, or its moves do not fit the rules.
    """

    def __init__(
        self, store: TableStore, stored: StoredTable, thinkers: AgentThinkers, settings: Settings
    ) -> None:
        self.id, self.owner = stored.id, stored.owner
        self._store, self._thinkers, self._settings = store, thinkers, settings
        self._lock = threading.RLock()
        self._is_deciding = False
        if stored.box_digest != registry.box_digest(stored.plan.game):
            raise TableError(
                "this table cannot be opened: it was played with another box or another version "
                f"of {stored.plan.game}; start the server with that one"
            )
        now = first_snapshot(stored.plan, stored.id)
        try:
            for move in stored.moves:
                now = now.pushed(move)
        except IllegalMove as fault:
            raise TableError(f"table {self.id} cannot be opened: {fault}") from fault
        self._now = replace(now, undone=stored.undone)

    def now(self) -> Snapshot:
        """The table as it is."""
        with self._lock:
            return self._now

    def play(self, seat: int | None, number: int, move: str) -> None:
        """Play a seat's move as number `number`, from 0.

        TableError if the seat, None for a spectator, is not to move, or the move is not legal now.
        """
        with self._lock:
            now = self._now
            if seat is None or seat != now.position.to_move:
                raise TableError("it is not your turn")
            self._check_number(number)
            try:
                after = now.pushed(move)
            except IllegalMove as fault:
                raise TableError(f"{short_repr(move)} is not legal now") from fault
            self._store.add_move(self.id, number, move, after.is_over)
            self._now = replace(after, fault="")

    def take_back(self, seat: int | None, number: int) -> None:
        """Take back a seat's last move, and what agents have done since, after `number` moves.

        TableError if it stays played, or if the seat is None, as a spectator's is.
        """
        with self._lock:
            if seat is None:
                raise TableError("there is no move of yours to take back")
            self._check_number(number)
            before = self._now.taken_back(seat)
            self._store.take_back(self.id, len(before.moves))
            self._now = before

    def replace_agent(self, sitter: Sitter) -> None:
        """Give the seat of an agent that has failed to another one; TableError if none has."""
        with self._lock:
            seat = self._now.position.to_move
            if seat is None or not self._now.fault:
                raise TableError("no agent has failed here")
            seats = list(self._now.plan.seats)
            seats[seat] = sitter
            plan = replace(self._now.plan, seats=tuple(seats))
            self._store.change_plan(self.id, plan)
            self._now = replace(self._now, plan=plan, names=plan.names, fault="")

    def _check_number(self, number: int) -> None:
        if number != len(self._now.moves):
            raise TableError("the table has changed since; look, then choose again")

    def let_agents_play(self, viewer: str) -> None:
        """If an agent is to move, let it decide, as part of a viewer's share of all thinking."""
        with self._lock:
            sitter = self._now.sitter
            if sitter is None or sitter.agent is None or self._now.fault or self._is_deciding:
                return
            self._is_deciding = True
        try:
            self._thinkers.begin(partial(self._decide, viewer), viewer, self.owner, self.id)
        except RuntimeError:  # the server ends
            self._is_deciding = False

    def _decide(self, viewer: str) -> None:
        with self._lock:
            now = self._now
            number, sitter, fault = len(now.moves), now.sitter, ""
            if sitter is None or sitter.agent is None:
                # Somebody has taken back a move while this waited for its turn.
                self._is_deciding = False
                return
        try:
            seen = as_seen(now.position)
            seed = now.plan.seed_of_agents
            # A stranger may have written the file of games.
            self._settings.check_offered(sitter.agent, now.plan.game)
            move = self._thinkers.result(partial(decide, sitter.agent, seen, seed, number))
            with suppress(TableError):  # somebody has taken back a move meanwhile
                self.play(now.position.to_move, number, move)
        except (TableError, ThinkerError) as error:
            fault = f"{now.mover} has failed: {error}"
        except StoreError as error:
            fault = f"the move of {now.mover} is not kept: {error}"
        except Exception as error:  # on this thread nobody else would hear of it
            fault = f"{now.mover} has failed; the server's terminal shows more"
            traceback.print_exception(error)
        with self._lock:
            self._is_deciding = False
            if fault and number == len(self._now.moves):
                self._now = replace(self._now, fault=fault)
        self.let_agents_play(viewer)


@lru_cache(256)
def can_take_back(now: Snapshot, seat: int) -> bool:
    """Whether `LiveTable.take_back` would succeed."""
    try:
        now.taken_back(seat)
    except TableError:
        return False
    return True


class LiveTables:
    """Tables by id, opened when they are asked for; `wait_for` waits until a game can be played.

    A table stays open while anything refers to it, as streams and agents that think do. Of the
    others, those asked for most recently stay open.
    """

    def __init__(
        self, store: TableStore, settings: Settings, wait_for: Callable[[str], None]
    ) -> None:
        self._store, self._settings, self._wait_for = store, settings, wait_for
        self._open: WeakValueDictionary[str, LiveTable] = WeakValueDictionary()
        self._opening = threading.Lock()
        self._kept: Callable[[LiveTable], LiveTable] = lru_cache(_KEPT)(lambda table: table)
        self._thinkers = AgentThinkers(_PROCESSES, settings.limit)
        self._beginning = threading.Lock()
        self._begun: OrderedDict[bytes, tuple[str, list[str]]] = OrderedDict()

    def begin(
        self, owner: str, plan: TablePlan, links: Sequence[Sequence[int]], form: Mapping[str, str]
    ) -> tuple[str, list[str]]:
        """Begin a table, once for each form; see `TableStore.new_table`.

        A form that is sent again, as by a double click, leads to the table that it has begun. It is
        known by a field `form`, which is another one on each page.
        """
        said = repr((owner, sorted(form.items()))).encode()
        key = hashlib.blake2b(said).digest()
        with self._beginning:
            if "form" not in form:
                return self._store.new_table(owner, plan, links)
            if key not in self._begun:
                self._begun[key] = self._store.new_table(owner, plan, links)
            if len(self._begun) > _FORMS:
                self._begun.popitem(last=False)
            return self._begun[key]

    def get(self, table_id: str) -> LiveTable | None:
        """A table, None if there is none of this id."""
        if (table := self._open.get(table_id)) is None:
            if (stored := self._store.table(table_id)) is None:
                return None
            if (game := stored.plan.game) not in registry.names():
                raise TableError(
                    f"this table is of {short_repr(game)}, which is not known "
                    "here; start the table with --game and its file"
                )
            self._wait_for(game)
            with self._opening:  # of two that are open, one would miss the other's moves
                if (table := self._open.get(table_id)) is None:
                    # It may have been opened, played at and closed since it was read.
                    stored = self._store.table(table_id) or stored
                    table = LiveTable(self._store, stored, self._thinkers, self._settings)
                    self._open[table_id] = table
        return self._kept(table)

    def close(self) -> None:
        """End all thinking; what has been decided is kept, the rest is decided anew later."""
        self._thinkers.close()
