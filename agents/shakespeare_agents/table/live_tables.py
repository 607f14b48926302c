"""The tables of a server, loaded on demand; agents decide at them, and listeners hear of it."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import traceback
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from shakespeare_agents import naming
from shakespeare_agents.registry import make
from shakespeare_agents.session import choose
from shakespeare_agents.table.live_table import LiveTable, Snapshot, TableError
from shakespeare_agents.table.recent import Recent
from shakespeare_agents.table.store import Store, StoreError
from shakespeare_agents.table.thinking.jobs import Decide, as_seen
from shakespeare_agents.table.thinking.thinker import ThinkerError, give_way
from shakespeare_agents.table.thinking.thinkers import Thinkers
from shakespeare_env import IllegalMove
from shakespeare_env.errors import own_steps
from shakespeare_env.play.agent import AnyAgent

_MOST_LOADED = 256
_LOOK_AGAIN = 0.5
"""Seconds between looks for what other servers have written."""
_THREADS = 2
"""Threads on which agents decide that take milliseconds."""
_PROCESSES = 4
"""The most processes in which all other agents decide."""
_BRIEF = ("random", "heuristic", "greedy", "network")
"""Agents of this package that take milliseconds, with options that do not change it."""
_OPTIONS = {"greedy", "version"}


class LiveTables:
    """Tables by id; the latest stay in memory, and agents decide once at a time at each.

    Args:
        store: Where they are kept.
        limit: The most seconds that an agent may think about a move.
        wait_for: Waits until a game can be played, before a table of it is opened.
    """

    def __init__(self, store: Store, limit: float, wait_for: Callable[[str], None]) -> None:
        self.store = store
        self._wait_for = wait_for
        self._lock = threading.Lock()
        self._loaded: OrderedDict[str, LiveTable] = OrderedDict()
        self._listeners: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._threads = ThreadPoolExecutor(
            _THREADS, "deciding", initializer=lambda: give_way(threading.get_native_id())
        )
        self._thinkers = Thinkers(_PROCESSES, limit)
        self._is_closed = False
        self._deciding: set[str] = set()
        # With the lock to hold while the agent decides.
        self._agents: Recent[tuple[threading.Lock, AnyAgent]] = Recent()

    def get(self, table_id: str) -> LiveTable | None:
        """A table, None if there is none of this id; agents to move in it begin to decide."""
        with self._lock:
            table = self._loaded.get(table_id)
            if table is not None:
                self._loaded.move_to_end(table_id)
        if table is None:
            stored = self.store.table(table_id)
            if stored is None:
                return None
            self._wait_for(stored.plan.game)
            table = LiveTable(self.store, stored, self._notify)
            with self._lock:
                table = self._loaded.setdefault(table_id, table)
                for oldest in list(self._loaded)[:-_MOST_LOADED]:
                    if oldest not in self._listeners:
                        del self._loaded[oldest]
        self._wake(table)
        return table

    async def listen(self, table_id: str) -> asyncio.Event:
        """An event that is set whenever a table has changed; `leave` ends it."""
        event = asyncio.Event()
        self._listeners[table_id].add(event)
        return event

    def leave(self, table_id: str, event: asyncio.Event) -> None:
        """End what `listen` began."""
        self._listeners[table_id].discard(event)
        if not self._listeners[table_id]:
            del self._listeners[table_id]

    async def watch_store(self) -> None:
        """For as long as the server runs, take over what others write into the same file."""
        self._loop = asyncio.get_running_loop()
        latest = state = self.store.state()
        while True:
            await asyncio.sleep(_LOOK_AGAIN)
            with suppress(StoreError):
                latest = self.store.state()
            if latest != state:
                state = latest
                with self._lock:
                    tables = list(self._loaded.values())
                for table in tables:
                    with suppress(StoreError, TableError):  # whoever looks at it sees the fault
                        await asyncio.to_thread(table.refresh)

    def close(self) -> None:
        """End all thinking; what has been decided is kept, the rest is decided anew later."""
        self._is_closed = True
        self._thinkers.close()
        self._threads.shutdown(cancel_futures=True)

    def _notify(self, table_id: str) -> None:
        """Let listeners and agents know that a table has changed."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._set, table_id)
        with self._lock:
            table = self._loaded.get(table_id)
        if table is not None:
            self._wake(table)

    def _set(self, table_id: str) -> None:
        for event in self._listeners.get(table_id, ()):
            event.set()

    def _wake(self, table: LiveTable) -> None:
        """If an agent is to move, let it."""
        now = table.now()
        if now.seat_to_move is None or (name := now.seat_to_move.agent) is None or now.fault:
            return
        with self._lock:
            if table.id in self._deciding:
                return
            self._deciding.add(table.id)
        brief = is_brief(name)
        threads = self._threads if brief else self._thinkers.threads
        with suppress(RuntimeError):  # the server ends
            threads.submit(self._decide, table, now, name, self._at_once if brief else self._apart)

    def _decide(
        self, table: LiveTable, now: Snapshot, name: str, decided: Callable[[str, Snapshot], str]
    ) -> None:
        """Let an agent play on, unless the table has changed since."""
        try:
            if table.now().version != now.version:
                return
            number = len(now.moves)
            try:
                move = decided(name, now)
            except Exception as fault:  # an agent may be anybody's
                if self._is_closed:
                    return
                table.set_fault(number, f"{now.mover} has failed: {for_everybody(fault, name)}")
                return
            # Somebody may have taken back a move meanwhile, or another server has played it.
            with suppress(TableError):
                table.play(number, move)
        except StoreError as fault:
            table.set_fault(len(now.moves), f"the move of {now.mover} is not kept: {fault}")
        finally:
            with self._lock:
                self._deciding.discard(table.id)
            self._wake(table)

    def _at_once(self, name: str, now: Snapshot) -> str:
        """The move of an agent that takes milliseconds."""
        game = now.position.game
        lock, agent = self._agents.get(
            (game.name, name), lambda: (threading.Lock(), make(name, game))
        )
        with lock:
            return choose(agent, now.position, now.plan.seed_of_agents, len(now.moves))

    def _apart(self, name: str, now: Snapshot) -> str:
        """The move of any agent, which is shown no more than its seat may know."""
        seen = as_seen(now.position)
        return self._thinkers.result(Decide(name, seen, now.plan.seed_of_agents, len(now.moves)))


def is_brief(name: str) -> bool:
    """Whether an agent is known to decide in milliseconds."""
    bare, options = naming.split_options(name)
    return options.keys() <= _OPTIONS and (bare in _BRIEF or os.path.isdir(bare))


def for_everybody(fault: Exception, name: str) -> str:
    """A fault of an agent in words that all may read.

    Details may reveal a hand, so the server prints them; the agent's folder is its owner's alone.
    """
    if isinstance(fault, ThinkerError):
        return str(fault)
    if isinstance(fault, IllegalMove):
        return "the move it has chosen is not legal"
    steps = own_steps(fault)
    if not steps:
        folder = os.path.dirname(naming.split_options(name)[0])
        text = f"{type(fault).__name__}: {fault}"
        return text.replace(folder + os.sep, "") if folder else text
    traceback.print_exception(fault)
    print("".join(traceback.format_list(steps)), file=sys.stderr)
    where = f"{Path(steps[-1].filename).name}, line {steps[-1].lineno}"
    return f"{type(fault).__name__} in {where} (the server's terminal shows more)"
