"""The tables of a server, loaded on demand; listeners are notified of changes."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, defaultdict

from shakespeare_agents.table.live_table import LiveTable
from shakespeare_agents.table.store import Store
from shakespeare_agents.table.thinking import Thinkers

_MOST_LOADED = 256
_LOOK_AGAIN = 0.5
"""Seconds between looks for what other servers have written."""


class LiveTables:
    """Tables by id; the latest stay in memory.

    Args:
        store: Where they are kept.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.thinkers = Thinkers()
        self._lock = threading.Lock()
        self._loaded: OrderedDict[str, LiveTable] = OrderedDict()
        self._listeners: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._loop: asyncio.AbstractEventLoop | None = None

    def get(self, table_id: str) -> LiveTable | None:
        """A table, None if there is none of this id; agents to move in it begin to think."""
        with self._lock:
            table = self._loaded.get(table_id)
            if table is not None:
                self._loaded.move_to_end(table_id)
        if table is None:
            stored = self.store.table(table_id)
            if stored is None:
                return None
            table = LiveTable(self.store, stored, self._tell)
            with self._lock:
                table = self._loaded.setdefault(table_id, table)
                self._forget_oldest()
        self.thinkers.wake(table)
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
                await asyncio.to_thread(_refresh, tables)

    def close(self) -> None:
        """Let agents finish the decisions under way."""
        self.thinkers.close()

    def _tell(self, table_id: str) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._set, table_id)
        with self._lock:
            table = self._loaded.get(table_id)
        if table is not None:
            self.thinkers.wake(table)

    def _set(self, table_id: str) -> None:
        for event in self._listeners.get(table_id, ()):
            event.set()

    def _forget_oldest(self) -> None:
        for table_id in list(self._loaded)[:-_MOST_LOADED]:
            if table_id not in self._listeners:
                del self._loaded[table_id]


def _refresh(tables: list[LiveTable]) -> None:
    for table in tables:
        table.refresh()
