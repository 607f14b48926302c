"""A table in memory, as it is on disk."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from shakespeare_agents.table.plans import SeatPlan, StoredTable, TablePlan
from shakespeare_agents.table.store import MoveTakenError, Store
from shakespeare_agents.taking_back import last_own
from shakespeare_env import Position, registry
from shakespeare_env.datasets.playing_again import dealt
from shakespeare_env.errors import IllegalMove, PositionError, ShakespeareEnvError
from shakespeare_env.values import shown


class TableError(ShakespeareEnvError, ValueError):
    """What a table cannot do: why, and what can be done instead."""


@dataclass(frozen=True)
class Snapshot:
    """A table at one moment.

    Attributes:
        positions: One more than there are moves; not to be played on.
        moves: The moves between them.
        undone: How often moves were taken back.
        fault: Why the agent to move does not, if it has failed.
    """

    id: str
    plan: TablePlan
    positions: Sequence[Position]
    moves: Sequence[str]
    undone: int
    fault: str = ""

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    @property
    def names(self) -> list[str]:
        """Who plays, by seat."""
        return [seat.name for seat in self.plan.seats]

    @property
    def agents(self) -> set[int]:
        """The seats that agents hold."""
        return {seat for seat, one in enumerate(self.plan.seats) if one.agent is not None}

    @property
    def version(self) -> str:
        """Text that changes whenever something else is to be seen."""
        shown = repr((self.fault, self.plan.seats)).encode()
        return f"{len(self.moves)}.{self.undone}.{zlib.crc32(shown):x}"


def first_position(plan: TablePlan) -> Position:
    """Where a table's game begins.

    Raises:
        TableError: it cannot.
    """
    try:
        if plan.start is not None:
            return Position.from_dict(plan.start, seed=plan.seed)
        return dealt(plan.game, plan.players, plan.seed, plan.deal, plan.variants)
    except (TypeError, ValueError, PositionError) as fault:
        raise TableError(str(fault)) from fault


class LiveTable:
    """A table whose moves are on disk before anybody sees them.

    Args:
        store: Where it is kept.
        stored: As it is there.
        tell: Called with its id after each change, from any thread.

    Raises:
        TableError: it was played with another box, or its moves do not fit the rules.
    """

    def __init__(self, store: Store, stored: StoredTable, tell: Callable[[str], None]) -> None:
        self.id, self.owner = stored.id, stored.owner
        self._store = store
        self._tell = tell
        self._lock = threading.RLock()
        if (box := registry.box_fault(stored.plan.game, stored.box_digest)) is not None:
            raise TableError(f"this table cannot be opened: {box}")
        self._now = Snapshot(stored.id, stored.plan, [first_position(stored.plan)], [], 0)
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
                raise TableError("the table has changed since; look, then choose again")
            after = now.position.copy()
            try:
                after.push(move)
            except IllegalMove as fault:
                raise TableError(f"{shown(move)} is not legal now") from fault
            try:
                self._store.add_move(self.id, number, move, now.undone, after.to_move is None)
            except MoveTakenError as fault:
                self.refresh()
                raise TableError("the table has changed since; look, then choose again") from fault
            self._now = replace(
                now, positions=[*now.positions, after], moves=[*now.moves, move], fault=""
            )
        self._tell(self.id)

    def take_back(self, seat: int) -> None:
        """Take back a seat's last move, and what agents have done since; TableError if not."""
        with self._lock:
            now = self._now
            if now.position.to_move is None:
                raise TableError("the game is over")
            try:
                number = last_own(now.positions, now.moves, seat, now.agents)
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
                last_own(now.positions, now.moves, seat, now.agents)
                answers[seat] = now.position.to_move is not None
            except ValueError:
                answers[seat] = False
        return answers[seat]

    def fail(self, number: int, fault: str) -> None:
        """Record why an agent has not made move `number`."""
        with self._lock:
            if number == len(self._now.moves):
                self._now = replace(self._now, fault=fault)
        self._tell(self.id)

    def retry(self) -> None:
        """Forget that an agent has failed: it may try again."""
        with self._lock:
            self._now = replace(self._now, fault="")
        self._tell(self.id)

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
            self._tell(self.id)

    def _load(self, stored: StoredTable) -> None:
        now, moves = self._now, list(stored.moves)
        same = 0
        while same < min(len(moves), len(now.moves)) and moves[same] == now.moves[same]:
            same += 1
        positions = list(now.positions[: same + 1])
        for move in moves[same:]:
            after = positions[-1].copy()
            try:
                after.push(move)
            except IllegalMove as fault:
                raise TableError(f"table {self.id} cannot be opened: {fault}") from fault
            positions.append(after)
        unchanged = len(moves) == len(now.moves) == same and stored.plan == now.plan
        why = now.fault if unchanged else ""
        self._now = Snapshot(self.id, stored.plan, positions, moves, stored.undone, why)
