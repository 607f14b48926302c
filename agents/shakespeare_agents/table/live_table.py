"""A table in memory, as it is on disk."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from shakespeare_agents.table.store import MoveTakenError, SeatPlan, Store, StoredTable, TablePlan
from shakespeare_env import Position
from shakespeare_env.checks.values import shown
from shakespeare_env.core.registry import box_fault
from shakespeare_env.datasets.playing_again import dealt
from shakespeare_env.errors import IllegalMove, PositionError, ShakespeareEnvError
from shakespeare_env.play.course import Course

_CHANGED = "the table has changed since; look, then choose again"


class TableError(ShakespeareEnvError, ValueError):
    """What a table cannot do: why, and what can be done instead."""


@dataclass(frozen=True, kw_only=True)
class Snapshot(Course):
    """A table at one moment.

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
    def agents(self) -> set[int]:
        """The seats that agents hold."""
        return {seat for seat, one in enumerate(self.plan.seats) if one.agent is not None}

    @property
    def version(self) -> str:
        """Text that changes whenever something else is to be seen."""
        shown = repr((self.fault, self.plan.seats)).encode()
        return f"{len(self.moves)}.{self.undone}.{zlib.crc32(shown):x}"


def first_snapshot(plan: TablePlan, table_id: str = "") -> Snapshot:
    """A table before its first move; TableError if its game cannot begin."""
    try:
        if plan.start is not None:
            first = Position.from_dict(plan.start, seed=plan.seed)
        else:
            first = dealt(plan.game, plan.players, plan.seed, plan.deal, plan.variants)
    except (TypeError, ValueError, PositionError) as fault:
        raise TableError(str(fault)) from fault
    return Snapshot([first], [], plan.names, id=table_id, plan=plan)


class LiveTable:
    """A table whose moves are on disk before anybody sees them.

    Args:
        store: Where it is kept.
        stored: As it is there.
        notify: Called with its id after each change, from any thread.

    Raises:
        TableError: it was played with another box, or its moves do not fit the rules.
    """

    def __init__(self, store: Store, stored: StoredTable, notify: Callable[[str], None]) -> None:
        self.id, self.owner = stored.id, stored.owner
        self._store = store
        self._notify = notify
        self._lock = threading.RLock()
        if (box := box_fault(stored.plan.game, stored.box_digest)) is not None:
            raise TableError(f"this table cannot be opened: {box}")
        self._now = first_snapshot(stored.plan, stored.id)
        # It takes a while to find out.
        self._can_take_back: tuple[Snapshot, dict[int, bool]] = self._now, {}
        self._load(stored)

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
                self._store.add_move(self.id, number, move, now.undone, after.is_over)
            except IllegalMove as fault:
                raise TableError(f"{shown(move)} is not legal now") from fault
            except MoveTakenError as fault:
                self.refresh()
                raise TableError(_CHANGED) from fault
            self._now = replace(after, fault="")
        self._notify(self.id)

    def take_back(self, seat: int) -> None:
        """Take back a seat's last move, and what agents have done since; TableError if not."""
        with self._lock:
            now = self._now
            try:
                number = self._last_of(now, seat)
                self._store.take_back(self.id, number, len(now.moves), now.undone)
            except (ValueError, MoveTakenError) as fault:
                raise TableError(str(fault)) from fault
            self.refresh()

    def can_take_back(self, seat: int) -> bool:
        """Whether `take_back` would succeed."""
        now = self.now()
        known, answers = self._can_take_back
        if known is not now:
            known, answers = self._can_take_back = now, {}
        if seat not in answers:
            try:
                self._last_of(now, seat)
                answers[seat] = True
            except ValueError:
                answers[seat] = False
        return answers[seat]

    def set_fault(self, number: int, fault: str) -> None:
        """Record why an agent has not made move `number`; "" lets it try again."""
        with self._lock:
            if number == len(self._now.moves):
                self._now = replace(self._now, fault=fault)
        self._notify(self.id)

    def seat(self, seat: int, plan: SeatPlan) -> None:
        """Let another hold a seat from now on."""
        with self._lock:
            seats = list(self._now.plan.seats)
            seats[seat] = plan
            self._store.seat(self.id, seats)
            self.refresh()

    def refresh(self) -> None:
        """Take over what has changed on disk."""
        with self._lock:
            stored = self._store.table(self.id)
            if stored is None:
                return
            before = self._now.version
            self._load(stored)
            changed = before != self._now.version
        if changed:
            self._notify(self.id)

    @staticmethod
    def _last_of(now: Snapshot, seat: int) -> int:
        if now.is_over:
            raise ValueError("the game is over")
        return now.last_of(seat, now.agents)

    def _load(self, stored: StoredTable) -> None:
        now, moves = self._now, list(stored.moves)
        same = 0
        while same < min(len(moves), len(now.moves)) and moves[same] == now.moves[same]:
            same += 1
        course = now.up_to(same)
        try:
            for move in moves[same:]:
                course = course.pushed(move)
        except IllegalMove as fault:
            raise TableError(f"table {self.id} cannot be opened: {fault}") from fault
        unchanged = moves == now.moves and stored.plan == now.plan
        self._now = replace(
            course,
            names=stored.plan.names,
            plan=stored.plan,
            undone=stored.undone,
            fault=now.fault if unchanged else "",
        )
