"""The tables of a server: in memory as they are on disk; agents decide at them."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

from shakespeare_env import Position
from shakespeare_env.checks.values import shown
from shakespeare_env.core import registry
from shakespeare_env.datasets.recorded_columns import dealt
from shakespeare_env.errors import IllegalMove, PositionError, ShakespeareEnvError
from shakespeare_env.play.course import Course
from shakespeare_table.browser.store import SeatPlan, Store, StoredTable, StoreError, TablePlan
from shakespeare_table.browser.thinking import ThinkerError, Thinkers, as_seen, decide

_PROCESSES = 4
"""The most processes in which agents decide."""
_CHANGED = "the table has changed since; look, then choose again"


Allowed = Callable[[str, str], str]
"""What to make of an agent's name at a table of a game; ThinkerError if it may not play here."""


class TableError(ShakespeareEnvError, ValueError):
    """What a table cannot do: why, and what can be done instead."""


@dataclass(frozen=True)
class Moment:
    """A table after some of its moves; equal for the same moves, as caches need it."""

    game: str
    table_id: str
    undone: int
    number: int
    names: tuple[str, ...]
    course: Snapshot = field(compare=False, repr=False)

    @property
    def position(self) -> Position:
        """The position at this moment."""
        return self.course.positions[self.number]


@dataclass(frozen=True, kw_only=True)
class Snapshot(Course):
    """A table as it is.

    Attributes:
        undone: How often moves were taken back.
        fault: Why the agent to move does not, if it has failed.
    """

    id: str
    plan: TablePlan
    undone: int = 0
    fault: str = ""

    @property
    def seat_to_move(self) -> SeatPlan | None:
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

    def at(self, number: int) -> Moment:
        """This table after its first `number` moves."""
        names = tuple(self.plan.names)
        return Moment(self.plan.game, self.id, self.undone, number, names, self)


def first_snapshot(plan: TablePlan, table_id: str = "") -> Snapshot:
    """A table before its first move; TableError if its game cannot begin."""
    try:
        if plan.start is not None:
            first = Position.from_dict(plan.start, seed=plan.seed)
        else:
            first = dealt(plan.game, plan.players, plan.seed, 0, plan.variants)
    except (TypeError, ValueError, PositionError) as fault:
        raise TableError(str(fault)) from fault
    if (first.game.name, first.players) != (plan.game, plan.players):
        raise TableError("the position that the table begins with is of another table")
    return Snapshot([first], [], plan.names, id=table_id, plan=plan)


class LiveTable:
    """A table whose moves are on disk before anybody sees them; agents decide once at a time.

    Args:
        store: Where it is kept.
        stored: As it is there.
        thinkers: Where its agents decide.
        allowed: See `LiveTables`.

    Raises:
        TableError: it was played with another box, or its moves do not fit the rules.
    """

    def __init__(
        self, store: Store, stored: StoredTable, thinkers: Thinkers, allowed: Allowed
    ) -> None:
        self.id, self.owner = stored.id, stored.owner
        self._store = store
        self._thinkers, self._allowed = thinkers, allowed
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

    def play(self, number: int, move: str) -> None:
        """Play a move as number `number`, counted from 0.

        Raises:
            TableError: it is not legal, or not the next one any more.
        """
        with self._lock:
            now = self._now
            if number != len(now.moves):
                raise TableError(_CHANGED)
            try:
                after = now.pushed(move)
            except IllegalMove as fault:
                raise TableError(f"{shown(move)} is not legal now") from fault
            self._store.add_move(self.id, number, move, after.is_over)
            self._now = replace(after, fault="")
        self.let_agents_play()

    def take_back(self, seat: int) -> None:
        """Take back a seat's last move, and what agents have done since; TableError if not."""
        with self._lock:
            now = self._now
            if now.is_over:
                raise TableError("the game is over")
            try:
                number = now.last_of(seat, _agents(now))
            except ValueError as fault:
                raise TableError(str(fault)) from fault
            self._store.take_back(self.id, number)
            self._now = replace(now.up_to(number), undone=now.undone + 1, fault="")

    def seat(self, seat: int, plan: SeatPlan) -> None:
        """Let another hold a seat from now on."""
        with self._lock:
            seats = list(self._now.plan.seats)
            seats[seat] = plan
            self._store.seat(self.id, seats)
            whole = replace(self._now.plan, seats=tuple(seats))
            self._now = replace(self._now, plan=whole, names=whole.names, fault="")
        self.let_agents_play()

    def let_agents_play(self) -> None:
        """If an agent is to move, let it decide."""
        with self._lock:
            seat = self._now.seat_to_move
            waits = seat is None or seat.agent is None or self._now.fault or self._is_deciding
            if waits:
                return
            self._is_deciding = True
        try:
            self._thinkers.threads.submit(self._decide)
        except RuntimeError:  # the server ends
            self._is_deciding = False

    def _decide(self) -> None:
        now = self.now()
        number, seat, fault = len(now.moves), now.seat_to_move, ""
        assert seat is not None
        assert seat.agent is not None
        seen, seed = as_seen(now.position), now.plan.seed_of_agents
        try:
            agent = self._allowed(seat.agent, now.plan.game)
            job = partial(decide, agent, seen, seed, number)
            self.play(number, self._thinkers.result(job))
        except ThinkerError as error:
            fault = f"{now.mover} has failed: {error}"
        except StoreError as error:
            fault = f"the move of {now.mover} is not kept: {error}"
        except TableError:
            pass  # somebody has taken back a move meanwhile
        with self._lock:
            self._is_deciding = False
            if fault and number == len(self._now.moves):
                self._now = replace(self._now, fault=fault)
        self.let_agents_play()


def _agents(now: Snapshot) -> set[int]:
    return {seat for seat, one in enumerate(now.plan.seats) if one.agent is not None}


@lru_cache(256)
def can_take_back(moment: Moment, seat: int) -> bool:
    """Whether `LiveTable.take_back` would succeed, which takes a while to find out."""
    now = moment.course
    if now.is_over:
        return False
    try:
        now.last_of(seat, _agents(now))
    except ValueError:
        return False
    return True


class LiveTables:
    """Tables by id, opened when they are asked for.

    Args:
        store: Where they are kept.
        limit: The most seconds that an agent may think about a move.
        wait_for: Waits until a game can be played, before a table of it is opened.
        allowed: Asked before an agent is made: a stranger may have written the file of games.
    """

    def __init__(
        self, store: Store, limit: float, wait_for: Callable[[str], None], allowed: Allowed
    ) -> None:
        self._store = store
        self._wait_for, self._allowed = wait_for, allowed
        self._lock = threading.Lock()
        self._open: dict[str, LiveTable] = {}
        self._thinkers = Thinkers(_PROCESSES, limit)

    def get(self, table_id: str) -> LiveTable | None:
        """A table, None if there is none of this id; agents to move in it begin to decide."""
        with self._lock:
            table = self._open.get(table_id)
        if table is None:
            stored = self._store.table(table_id)
            if stored is None:
                return None
            self._wait_for(stored.plan.game)
            opened = LiveTable(self._store, stored, self._thinkers, self._allowed)
            with self._lock:
                table = self._open.setdefault(table_id, opened)
            table.let_agents_play()
        return table

    def close(self) -> None:
        """End all thinking; what has been decided is kept, the rest is decided anew later."""
        self._thinkers.close()
