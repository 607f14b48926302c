"""The tables of a server, loaded on demand; agents decide at them, and listeners hear of it."""

from __future__ import annotations

import asyncio
import os
import threading
import traceback
from collections import OrderedDict, defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from shakespeare_agents.registry import make
from shakespeare_agents.session import choose
from shakespeare_agents.table.live_table import LiveTable, TableError
from shakespeare_agents.table.recent import Recent
from shakespeare_agents.table.store import Store
from shakespeare_env import IllegalMove
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.agent_faults import own_steps

_MOST_LOADED = 256
_LOOK_AGAIN = 0.5
"""Seconds between looks for what other servers have written."""
_THREADS = 2
"""Threads on which agents decide."""
_GIVE_WAY = 10
"""Niceness of the threads on which agents think."""


class LiveTables:
    """Tables by id; the latest stay in memory, and agents decide once at a time at each.

    Args:
        store: Where they are kept.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._loaded: OrderedDict[str, LiveTable] = OrderedDict()
        self._listeners: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._threads = ThreadPoolExecutor(_THREADS, "deciding", initializer=give_way)
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
        state = self.store.state()
        while True:
            await asyncio.sleep(_LOOK_AGAIN)
            if (latest := self.store.state()) != state:
                state = latest
                with self._lock:
                    tables = list(self._loaded.values())
                for table in tables:
                    await asyncio.to_thread(table.refresh)

    def close(self) -> None:
        """Wait for the decisions under way; begin none."""
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
        if now.seat_to_move is None or now.seat_to_move.agent is None or now.fault:
            return
        with self._lock:
            if table.id in self._deciding:
                return
            self._deciding.add(table.id)
        self._threads.submit(self._decide, table)

    def _decide(self, table: LiveTable) -> None:
        try:
            now = table.now()
            if now.seat_to_move is None or (name := now.seat_to_move.agent) is None:
                return
            number, game = len(now.moves), now.position.game
            try:
                lock, agent = self._agents.get(
                    (game.name, name), lambda: (threading.Lock(), make(name, game))
                )
                with lock:
                    move = choose(agent, now.position, now.plan.seed, number)
            except Exception as fault:  # an agent may be anybody's
                seat = now.seat_to_move.name
                table.set_fault(number, f"{seat} has failed: {_for_everybody(fault)}")
                return
            # Somebody may have taken back a move meanwhile, or another server has played it.
            with suppress(TableError):
                table.play(number, move)
        finally:
            with self._lock:
                self._deciding.discard(table.id)
            self._wake(table)


def _for_everybody(fault: Exception) -> str:
    """A fault in words that all may read; details may reveal a hand, so the server prints them."""
    if isinstance(fault, IllegalMove):
        return "the move it has chosen is not legal"
    steps = own_steps(fault)
    if not steps:
        return f"{type(fault).__name__}: {fault}"
    traceback.print_exception(fault)
    where = f"{Path(steps[-1].filename).name}, line {steps[-1].lineno}"
    return f"{type(fault).__name__} in {where} (the server's terminal shows more)"


def give_way() -> None:
    """Let every other thread go first, if the system can do that."""
    if hasattr(os, "setpriority"):
        # On Linux a thread has a niceness of its own; elsewhere there is no such process.
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _GIVE_WAY)
