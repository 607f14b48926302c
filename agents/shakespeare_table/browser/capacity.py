"""The share of the server that one viewer may take, decided here for every route.

- A viewer may have `MAX_OPEN_REQUESTS` requests open, streams of events among them. Further ones
  are refused with status 429 (`RequestLimit`).
- Pages are made on threads, a few at a time for each viewer (`PageThreads`). Further pages wait
  for their turn, and take no thread meanwhile.
- Results that take long are made once for everybody who asks for them, and kept (`SharedResults`).
- Work that nobody waits for any more is cancelled, or not begun (`cancel_on_disconnect`).
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

MAX_OPEN_REQUESTS = 64
"""The number of requests that one viewer may have open; a browser opens six connections."""
_RETRY_AFTER_S = 5
_PAGES_PER_VIEWER = 2  # made at a time; Python runs one thread at a time anyway
_THREADS = 16
_Result = TypeVar("_Result")


def viewer_of(request: HTTPConnection) -> str:
    """Return the address that a request comes from, which stands for its viewer.

    Everything else in a request, such as a cookie, can be changed by a person who wants more than
    one share.
    """
    return request.client.host if request.client else ""


async def cancel_on_disconnect(request: Request, work: Coroutine[Any, Any, _Result]) -> _Result:
    """Do some work and return its result, but cancel it if the browser closes the connection.

    Raises:
        ClientDisconnect: The browser has closed the connection.
    """

    async def wait_for_disconnect() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working = asyncio.create_task(work)
    disconnected = asyncio.create_task(wait_for_disconnect())
    try:
        await asyncio.wait((working, disconnected), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        disconnected.cancel()


class RequestLimit:
    """Middleware that refuses a viewer's requests beyond `MAX_OPEN_REQUESTS`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        viewer = viewer_of(HTTPConnection(scope))
        if self._open[viewer] >= MAX_OPEN_REQUESTS:
            refusal = PlainTextResponse(
                f"Your address has {MAX_OPEN_REQUESTS} requests open here, which is the limit. "
                f"Close some pages, or try again in {_RETRY_AFTER_S} seconds.\n",
                429,
                {"Retry-After": str(_RETRY_AFTER_S)},
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
    """Threads that make pages, `_PAGES_PER_VIEWER` at a time for each viewer."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, "pages")
        # By viewer. A semaphore is forgotten once no request of its viewer refers to it.
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._is_closed = False

    async def run(self, viewer: str, work: Callable[..., _Result], *arguments: Any) -> _Result:
        """Call a function on a thread once it is the viewer's turn, and return its result.

        If the caller is cancelled before its turn, the function is not called. A thread that has
        begun keeps the turn until it is done.

        Raises:
            HTTPException: The server is ending.
        """
        loop = asyncio.get_running_loop()
        turn = self._turns.setdefault(viewer, asyncio.Semaphore(_PAGES_PER_VIEWER))
        await turn.acquire()

        def release(_done: Future[_Result]) -> None:
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(turn.release)

        working = self._threads.submit(self._unless_closed, work, *arguments)
        working.add_done_callback(release)
        return await asyncio.wrap_future(working)

    def close(self) -> None:
        """Begin no more work."""
        self._is_closed = True

    def _unless_closed(self, work: Callable[..., _Result], *arguments: Any) -> _Result:
        if self._is_closed:
            raise HTTPException(503, "The server has ended.")
        return work(*arguments)


class SharedResults:
    """A cache of results that take long to make.

    Each result is made once for everybody who asks for it while it is being made or kept. A failure
    is not kept. Work that nobody waits for any more is cancelled.

    Args:
        size: The number of results to keep. The ones that were asked for most recently are kept.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}  # least recently asked for first
        self._waiting: Counter[asyncio.Task[Any]] = Counter()  # how many callers await each task

    async def get(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
        """Return the result of a key; `make` is called unless it is kept or being made."""
        task = self._tasks.pop(key, None)
        if task is None:
            task = asyncio.create_task(make())
        self._tasks[key] = task  # at the end, as the one most recently asked for
        self._waiting[task] += 1
        try:
            result: _Result = await asyncio.shield(task)
            return result
        finally:
            self._waiting[task] -= 1
            if not self._waiting[task]:
                del self._waiting[task]
                task.cancel()  # does nothing if the task is done
            is_made = task.done() and not task.cancelled() and task.exception() is None
            if not is_made and not self._waiting[task] and self._tasks.get(key) is task:
                del self._tasks[key]
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        done = [key for key, task in self._tasks.items() if task.done()]
        for key in done[: max(0, len(done) - self._size)]:
            del self._tasks[key]
