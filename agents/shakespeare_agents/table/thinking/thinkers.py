"""Some processes that think, each about one thing at a time; who comes later waits in turn."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import LifoQueue

from shakespeare_agents.table.thinking.thinker import Job, R, Thinker


class Thinkers:
    """Processes that think, started as they are needed.

    Args:
        size: The most processes.
        limit: The most seconds from one result to the next; a process that takes longer is ended.

    Attributes:
        threads: As many threads as processes; what runs on them may ask for a `result`.
    """

    def __init__(self, size: int, limit: float) -> None:
        self.limit = limit
        self._all = [Thinker() for _ in range(size)]
        # The latest first: it has made its agents.
        self._idle: LifoQueue[Thinker] = LifoQueue()
        for thinker in self._all:
            self._idle.put(thinker)
        # A thread for each, so whoever has a thread finds a process, too.
        self.threads = ThreadPoolExecutor(size, "thinking")

    def result(self, job: Job[R]) -> R:
        """The only result of a job, asked on one of `threads`; errors as of `Thinker.ask`."""
        (found,) = self._ask(job, lambda result: None)
        return found

    async def stream(self, job: Job[R]) -> AsyncGenerator[R, None]:
        """The results of a job as they come; errors as of `Thinker.ask`.

        Closing the iterator ends the job, also while it waits for its turn.
        """
        loop, heard = asyncio.get_running_loop(), asyncio.Queue[tuple[R | None, Exception | None]]()
        gone = threading.Event()

        def tell(result: R | None, fault: Exception | None = None) -> None:
            if gone.is_set():
                raise _GoneError
            loop.call_soon_threadsafe(heard.put_nowait, (result, fault))

        def drive() -> None:
            with suppress(_GoneError, RuntimeError):  # nobody listens, or the loop has ended
                try:
                    self._ask(job, tell)
                    tell(None)
                except _GoneError:
                    raise
                except Exception as fault:
                    tell(None, fault)

        driving = self.threads.submit(drive)
        try:
            while True:
                result, fault = await heard.get()
                if fault is not None:
                    raise fault
                if result is None:
                    return
                yield result
        finally:
            gone.set()
            driving.cancel()

    def close(self) -> None:
        """End all processes at once."""
        self.threads.shutdown(wait=False, cancel_futures=True)
        for thinker in self._all:
            thinker.close()

    def _ask(self, job: Job[R], tell: Callable[[R], None]) -> list[R]:
        thinker = self._idle.get()
        results = thinker.ask(job, self.limit)
        try:
            found = []
            for result in results:
                found.append(result)
                tell(result)
            return found
        finally:
            results.close()
            self._idle.put(thinker)


class _GoneError(Exception):
    """Nobody listens any more."""
