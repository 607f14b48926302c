"""The open tables of a server, and who plays at them."""

from __future__ import annotations

import hashlib
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from weakref import WeakValueDictionary

from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.rng import fresh_seed
from shakespeare_env.errors import IllegalMove
from shakespeare_table.browser.opponents import Opponents
from shakespeare_table.browser.processes import FairPool, JobError, decide, possible_position
from shakespeare_table.browser.storage.database import StoreError
from shakespeare_table.browser.storage.plan import Occupant, TableError, TablePlan, person
from shakespeare_table.browser.storage.store import SeatLink, StoredTable, TableStore
from shakespeare_table.browser.tables.state import TableState, first_state, result_of

_PROCESSES = 4  # in which agents decide
_MAX_FORMS = 1024  # forms of new tables that are recognised if they are sent again
_HAS_CHANGED = "the table has changed since; look, then choose again"
MAX_UNUSED_TABLES = 64
"""The number of tables that stay open though nobody uses them, of up to about 0.7 MB each."""


MoveCallback = Callable[[TableState, str], None]
"""Called with a table before a move and with the move, once it is played or taken back."""


class LiveTable:
    """An open table. A move is on disk before anybody sees it, and one agent decides at a time.

    Args:
        store: The file of games.
        stored: The table as the file holds it.
        opponents: The agents that may play.
        pool: The processes in which they decide.
        on_move: Called with the table before each move and with the move.
        on_take_back: Called in the same way for each move that is taken back.

    Attributes:
        id: The id by which spectators reach the table.
        owner: The secret id of the browser that began it, whose user is the host.

    Raises:
        TableError: The table was played with another box (the file of the game's cards and
            numbers), or its moves are not legal.
    """

    def __init__(
        self,
        store: TableStore,
        stored: StoredTable,
        opponents: Opponents,
        pool: FairPool,
        on_move: MoveCallback,
        on_take_back: MoveCallback,
    ) -> None:
        self.id = stored.id
        self.owner = stored.owner
        self._store = store
        self._opponents = opponents
        self._pool = pool
        self._on_move = on_move
        self._on_take_back = on_take_back
        self._lock = threading.RLock()
        self._is_deciding = False
        if stored.box_digest != registry.box_digest(stored.plan.game):
            raise TableError(
                "this table cannot be opened, since it was played with another box or another "
                f"version of {stored.plan.game}. Start the server with that one"
            )
        state = first_state(stored.plan, stored.id)
        try:
            for move in stored.moves:
                state = state.pushed(move)
            for seat, move in stored.choices.items():
                state = state.played(seat, move)
        except (IllegalMove, TableError) as fault:
            raise TableError(f"table {self.id} cannot be opened: {fault}") from fault
        self._state = replace(
            state, undone=stored.undone, held=self._held_seats(), rematch=stored.rematch
        )

    def _held_seats(self) -> frozenset[int]:
        links = self._store.links_of(self.id)
        return frozenset(seat for link in links if link.holder for seat in link.seats)

    def state(self) -> TableState:
        """Return the table at this moment."""
        with self._lock:
            return self._state

    def play(self, seat: int | None, number: int, move: str) -> None:
        """Play a move.

        Args:
            seat: The seat that plays; None for a spectator, who may not.
            number: The move's number, counted from 0.
            move: The move in notation.

        Raises:
            TableError: It is not the seat's turn, or the move is not the next one or not legal.
            StoreError: The move cannot be kept, so it is not played.
        """
        with self._lock:
            state = self._state
            if seat is None or not state.awaits(seat):
                raise TableError("it is not your turn")
            self._check_number(seat, number)
            after = state.played(seat, move)
            self._store.keep_moves(
                self.id,
                len(state.moves),
                after.moves[len(state.moves) :],
                after.chosen,
                result_of(after) if after.is_over else None,
            )
            self._state = after
        for played in range(len(state.moves), len(after.moves)):
            self._on_move(after.up_to(played), after.moves[played])

    def take_back(self, seat: int | None, number: int) -> None:
        """Take back a seat's last move and the moves of agents since.

        Args:
            seat: The seat; None for a spectator, who may not.
            number: The number of moves that the page has shown, which must be all moves so far.

        Raises:
            TableError: The move cannot be taken back. The message says why.
            StoreError: The file of games cannot be written, so nothing is taken back.
        """
        with self._lock:
            if seat is None:
                raise TableError("you have no move to take back")
            if number != len(self._state.moves):
                raise TableError(_HAS_CHANGED)
            state = self._state
            before = state.taken_back(seat)
            self._store.take_back(self.id, len(before.moves))
            self._state = before
        for played in range(len(before.moves), len(state.moves)):
            self._on_take_back(state.up_to(played), state.moves[played])

    def take_back_choice(self, seat: int | None) -> None:
        """Take back a seat's secret choice that waits for those of others.

        Raises:
            TableError: There is no such choice.
            StoreError: The file of games cannot be written, so nothing is taken back.
        """
        with self._lock:
            state = self._state
            if seat not in state.chosen:
                raise TableError("there is no choice of yours to take back; all have chosen")
            others = {other: move for other, move in state.chosen.items() if other != seat}
            self._store.keep_moves(self.id, len(state.moves), (), others, None)
            self._state = replace(state, chosen=others)

    def claim(self, token: str, browser: str, name: str) -> None:
        """Let a browser hold the seats of a link.

        Args:
            token: The token of the link.
            browser: The secret id of the browser.
            name: The name that its user gives, if the link opens a single seat; empty keeps the
                name of the seat.

        Raises:
            TableError: Another browser holds the seats, or nobody can be called by the name.
        """
        with self._lock:
            link = self._link(token)
            if link.holder is not None:
                if link.is_held_by(browser):
                    return
                raise TableError("somebody has just taken this seat; ask the host for another one")
            plan = self._state.plan
            if len(link.seats) == 1:
                (seat,) = link.seats
                seats = list(plan.seats)
                seats[seat] = person(name or seats[seat].name, seat)
                plan = replace(plan, seats=tuple(seats))
            self._store.claim(link, browser, plan.seats[link.seats[0]].name, plan)
            self._state = replace(self._state, plan=plan, names=plan.names, held=self._held_seats())

    def leave(self, token: str, browser: str) -> None:
        """Open the seats that a browser holds by a link to be claimed again.

        Raises:
            TableError: The browser does not hold them.
        """
        with self._lock:
            link = self._link(token)
            if not link.is_held_by(browser):
                raise TableError("you do not hold this seat")
            self._store.leave(link)
            self._state = replace(self._state, held=self._held_seats())

    def take_seat_back(self, seat: int) -> None:
        """Take a seat from the browser that holds it. The seat has another link afterwards.

        Raises:
            TableError: Nobody holds the seat.
        """
        with self._lock:
            links = [link for link in self._store.links_of(self.id) if seat in link.seats]
            if not links or links[0].holder is None:
                raise TableError("nobody holds this seat")
            self._store.renew_link(links[0])
            self._state = replace(self._state, held=self._held_seats())

    def begin_rematch(self) -> str:
        """Begin the table on which everybody plays again, unless it exists; return its id.

        Raises:
            TableError: The game is not over.
        """
        with self._lock:
            state = self._state
            if not state.is_over:
                raise TableError("the game is not over yet")
            if state.rematch is None:
                first, *others = state.plan.seats
                plan = replace(state.plan, seed=fresh_seed(), seats=(*others, first), start=None)
                links = self._store.links_of(self.id)
                next_id, _ = self._store.new_table(
                    self.owner,
                    plan,
                    [state.after_rematch(link.seats) for link in links],
                    [link.holder for link in links],
                    self.id,
                )
                self._state = replace(state, rematch=next_id)
            assert self._state.rematch is not None
            return self._state.rematch

    def _link(self, token: str) -> SeatLink:
        link = self._store.link(token)
        if link is None or link.table_id != self.id or not link.seats:
            raise TableError("this link opens no seat any more")
        return link

    def replace_agent(self, occupant: Occupant) -> None:
        """Seat another agent in place of the one that has failed.

        Raises:
            TableError: No agent has failed.
        """
        with self._lock:
            seat = self._state.position.to_move
            if seat is None or not self._state.fault:
                raise TableError("no agent has failed here")
            seats = list(self._state.plan.seats)
            seats[seat] = occupant
            plan = replace(self._state.plan, seats=tuple(seats))
            self._store.change_plan(self.id, plan)
            self._state = replace(self._state, plan=plan, names=plan.names, fault="")

    def _check_number(self, seat: int, number: int) -> None:
        """Check that a page that has shown `number` moves asks for a seat's present decision."""
        state = self._state
        if number == len(state.moves):
            return
        # Others may have chosen at the same time.
        if 0 <= number < len(state.moves):
            movers = [position.to_move for position in state.positions[number:-1]]
            if seat not in movers and seat in state.up_to(number).choosing:
                return
        raise TableError(_HAS_CHANGED)

    def let_agents_play(self, viewer: str) -> None:
        """Let the agent to move decide, if there is one, within a viewer's share of the pool."""
        with self._lock:
            occupant = self._state.occupant_to_move
            is_agent = occupant is not None and occupant.agent is not None
            if not is_agent or self._state.fault or self._is_deciding:
                return
            self._is_deciding = True
        try:
            self._pool.submit(partial(self._decide, viewer), viewer, self.owner, self.id)
        except RuntimeError:  # the server is ending
            self._is_deciding = False

    def _decide(self, viewer: str) -> None:
        with self._lock:
            state = self._state
            occupant = state.occupant_to_move
            if occupant is None or occupant.agent is None:
                # Somebody has taken back a move while this waited for its turn.
                self._is_deciding = False
                return
        fault = self._play_agent(state, occupant.agent)
        with self._lock:
            self._is_deciding = False
            # A fault no longer matters if a move has been taken back meanwhile.
            if fault and len(state.moves) == len(self._state.moves):
                self._state = replace(self._state, fault=fault)
        self.let_agents_play(viewer)  # the next seat may be an agent's too

    def _play_agent(self, state: TableState, agent: str) -> str:
        """Let an agent decide and play its move; return why it has failed, or empty text."""
        number = len(state.moves)
        try:
            possible = possible_position(state.position)
            # The file of games may name any agent, since a stranger may have written it.
            self._opponents.check(agent, state.plan.game)
            job = partial(decide, agent, possible, state.plan.agents_seed, number)
            move = self._pool.last_result(job)
            with suppress(TableError):  # somebody has taken back a move meanwhile
                self.play(state.position.to_move, number, move)
        except (TableError, JobError) as error:
            return f"{state.name_to_move} has failed: {error}"
        except StoreError as error:
            return f"The move of {state.name_to_move} cannot be kept: {error}"
        except Exception as error:  # nothing else reports errors of this thread
            traceback.print_exception(error)
            return f"{state.name_to_move} has failed; the server's terminal shows more"
        return ""


class LiveTables:
    """The tables of a server by id. A table is opened when it is first asked for.

    A table stays open while anything refers to it, as streams and deciding agents do. Of the unused
    tables, those that were asked for most recently stay open.

    Args:
        store: The file of games.
        opponents: The agents that may play.
        limit: The time that an agent may take for a move, in seconds.
        wait_for_game: A function that waits until the game of a name can be played.
        on_move: Called with a table before each move and with the move.
        on_take_back: Called in the same way for each move that is taken back.
    """

    def __init__(
        self,
        store: TableStore,
        opponents: Opponents,
        limit: float,
        wait_for_game: Callable[[str], None],
        on_move: MoveCallback,
        on_take_back: MoveCallback,
    ) -> None:
        self._store = store
        self._opponents = opponents
        self._wait_for_game = wait_for_game
        self._on_move = on_move
        self._on_take_back = on_take_back
        self._pool = FairPool(_PROCESSES, limit)
        self._open: WeakValueDictionary[str, LiveTable] = WeakValueDictionary()
        self._opening = threading.Lock()
        # The cache refers to the tables asked for most recently, so that they stay open.
        self._kept_open: Callable[[LiveTable], LiveTable] = lru_cache(MAX_UNUSED_TABLES)(_itself)
        self._beginning = threading.Lock()
        self._begun: OrderedDict[bytes, tuple[str, list[str]]] = OrderedDict()

    def begin(
        self, owner: str, plan: TablePlan, links: Sequence[Sequence[int]], form: Mapping[str, str]
    ) -> tuple[str, list[str]]:
        """Begin a table, or return the one that the same form has already begun.

        The browser that begins it holds the seats of the first link. A form may be sent twice, as
        by a double click. It is recognised by its field `form`, which has another value on each
        page.

        Args:
            owner: The secret id of the browser.
            plan: The table's setup.
            links: For each link to the table, the seats that it opens.
            form: The fields of the form.

        Returns:
            The table's id and the tokens of its links, as `TableStore.new_table`.
        """
        content = repr((owner, sorted(form.items()))).encode()
        key = hashlib.blake2b(content).digest()
        holders = [owner if number == 0 else None for number, _ in enumerate(links)]
        with self._beginning:
            if "form" not in form:  # it cannot be recognised
                return self._store.new_table(owner, plan, links, holders)
            if key not in self._begun:
                self._begun[key] = self._store.new_table(owner, plan, links, holders)
            if len(self._begun) > _MAX_FORMS:
                self._begun.popitem(last=False)
            return self._begun[key]

    def get(self, table_id: str) -> LiveTable | None:
        """Return the table with an id; None if there is none.

        Raises:
            TableError: The table cannot be opened. The message says why.
        """
        table = self._open.get(table_id)
        if table is None:
            stored = self._store.table(table_id)
            if stored is None:
                return None
            table = self._opened(stored)
        return self._kept_open(table)

    def _opened(self, stored: StoredTable) -> LiveTable:
        game = stored.plan.game
        if game not in registry.names():
            raise TableError(
                f"this table is of {short_repr(game)}, which is not known here. Start the server "
                "with --game and the game's file"
            )
        self._wait_for_game(game)
        with self._opening:  # of two open copies, one would miss the moves of the other
            table = self._open.get(stored.id)
            if table is None:
                # The table may have been opened, changed and closed since it was read.
                latest = self._store.table(stored.id) or stored
                table = LiveTable(
                    self._store,
                    latest,
                    self._opponents,
                    self._pool,
                    self._on_move,
                    self._on_take_back,
                )
                self._open[stored.id] = table
        return table

    @property
    def is_idle(self) -> bool:
        """Whether no agent decides or waits for its turn."""
        return self._pool.is_idle

    def close(self) -> None:
        """End all agents. They make unfinished decisions again once their tables are opened."""
        self._pool.close()


def _itself(table: LiveTable) -> LiveTable:
    return table
