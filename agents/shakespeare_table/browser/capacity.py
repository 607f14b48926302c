"""How much of the server one viewer may have, decided here for every route.

- A viewer has at most `MOST_REQUESTS` requests open, streams of events among them; more are refused
  with status 429 (`RequestLimit`).
- Pages are made on threads, for each viewer a few at a time (`PageThreads`). The others wait in
  turn without a thread.
- Results that take longer are made once for all who ask for them, and kept (`Shared`).
- Work that nobody waits for any more is not begun, or given up (`while_waited_for`).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

MOST_REQUESTS = 64
"""The most requests that one viewer may have open; a browser has six connections."""
_RETRY_S = 5
_EACH = 2  # pages of one viewer that are made at a time: Python runs one thread at a time anyway
_THREADS = 16
_Result = TypeVar("_Result")


def viewer_of(request: HTTPConnection) -> str:
    """Who asks, as far as a server can tell people apart who want more than their share."""
    return request.client.host if request.client else ""


async def while_waited_for(request: Request, work: Coroutine[Any, Any, _Result]) -> _Result:
    """The result of some work; ClientDisconnect, and its end, once the browser does not wait."""

    async def leaving() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working, left = asyncio.create_task(work), asyncio.create_task(leaving())
    try:
        await asyncio.wait((working, left), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        left.cancel()


class RequestLimit:
    """Middleware that refuses the requests of a viewer who has `MOST_REQUESTS` open already."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        viewer = viewer_of(HTTPConnection(scope))
        if self._open[viewer] >= MOST_REQUESTS:
            refusal = PlainTextResponse(
                f"Your address has {MOST_REQUESTS} requests open here, and no more are taken; "
                f"close some pages, or try again in {_RETRY_S} seconds.\n",
                429,
                {"Retry-After": str(_RETRY_S)},
            )
            await refusal(scope, receive, send)
            return
        self._open[viewer] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[viewer] -= 1
            if not self._open[viewer]:
                del self._open[viewer]


class PageThreads:
    """Threads on which pages are made, of which each viewer has at most `_EACH` at a time."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, "pages")
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._is_closed = False

    async def run(self, viewer: str, work: Callable[..., _Result], *given: Any) -> _Result:
        """Return what some work returns, once it is the viewer's turn.

        If the caller is cancelled before its turn, the work is not begun; a thread that has begun
        keeps the turn until it is done. HTTPException once the server ends.
        """
        loop = asyncio.get_running_loop()
        turn = self._turns.setdefault(viewer, asyncio.Semaphore(_EACH))
        await turn.acquire()

        def release(_done: Future[_Result]) -> None:
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(turn.release)

        working = self._threads.submit(self._unless_closed, work, *given)
        working.add_done_callback(release)
        return await asyncio.wrap_future(working)

    def close(self) -> None:
        """Begin no more work."""
        self._is_closed = True

    def _unless_closed(self, work: Callable[..., _Result], *given: Any) -> _Result:
        if self._is_closed:
            raise HTTPException(503, "The server has ended.")
        return work(*given)


class Shared:
    """Results of work that takes long, the latest `most` of them.

    Each is made once for all who ask for it while it is made or kept. What fails is not kept, and
    work that nobody waits for any more is cancelled.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}  # the latest asked for is the last
        self._waiting: Counter[asyncio.Task[Any]] = Counter()

    async def get(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
        """Return the result of this key, made by `make` unless it is there or under way."""
        task = self._tasks.pop(key) if key in self._tasks else asyncio.create_task(make())
        self._tasks[key] = task
        self._waiting[task] += 1
        try:
            result: _Result = await asyncio.shield(task)
            return result
        finally:
            self._waiting[task] -= 1
            if not self._waiting[task]:
                del self._waiting[task]
                task.cancel()  # which does nothing to work that is done
            is_made = task.done() and not task.cancelled() and task.exception() is None
            if not is_made and not self._waiting[task] and self._tasks.get(key) is task:
                del self._tasks[key]
            self._forget()

    def _forget(self) -> None:
        kept = [key for key, task in self._tasks.items() if task.done()]
        for key in kept[: max(0, len(kept) - self._most)]:
            del self._tasks[key]
