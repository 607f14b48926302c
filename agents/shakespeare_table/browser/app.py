"""The table server as an application, and the loop that serves it until somebody ends it.

Uvicorn counts only complete requests, and waits for browsers for ever. Requests that never arrive
completely, and answers that nobody reads, could therefore use up the file descriptors of the
process. So this module limits the number of connections, and the time in which a browser must send
a request or read an answer.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import resource
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from types import FrameType

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from uvicorn.protocols.http.h11_impl import H11Protocol

from shakespeare_env.errors import DatasetError
from shakespeare_env.play.named import capitalised
from shakespeare_table.browser import learn, lobby, play, review, seats
from shakespeare_table.browser.access import SECURITY_HEADERS, AccessControl
from shakespeare_table.browser.capacity import RequestLimit
from shakespeare_table.browser.processes import NotReadyError
from shakespeare_table.browser.seats import SeatNotHeldError, seat_page
from shakespeare_table.browser.settings import Settings
from shakespeare_table.browser.site import STATIC, Site, owner_of, waiting_page
from shakespeare_table.browser.storage.database import StoreError
from shakespeare_table.browser.storage.plan import TableError

_GZIP_LEVEL = 3  # takes a third of the time of the usual level
_BACKLOG = 64  # connections that may wait to be accepted
_FILE_DESCRIPTORS = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
MAX_CONNECTIONS = min(512, max(_FILE_DESCRIPTORS // 2 - _BACKLOG // 2, 8))
"""The most connections. At least half of the descriptors stay free for files and processes."""
MAX_CONNECTIONS_PER_ADDRESS = max(MAX_CONNECTIONS // 4, 8)
"""The most connections from one address. The address may be that of a proxy with many viewers."""
REQUEST_TIMEOUT_S = 30.0
"""Seconds in which a request must arrive completely."""
READ_TIMEOUT_S = 60.0
"""Seconds in which a browser must read what is sent. Time when nothing is sent does not count."""
_NOT_DONE = "Your request was not carried out; every move that was shown is kept."


def make_app(settings: Settings) -> Starlette:
    """Return the server as an ASGI application.

    Raises:
        StoreError: The file of games cannot be used.
    """
    site = Site(settings)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        site.compiler.start()
        yield
        await run_in_threadpool(site.close)
        site.store.close()

    def holds_a_seat(request: Request) -> bool:
        return site.store.holds_a_seat(owner_of(request))

    def error_response(request: Request, error: Exception) -> Response:
        if isinstance(error, ClientDisconnect):  # nobody reads the answer
            return PlainTextResponse("The request broke off.", 400)
        status, text = _status_and_text(error)
        is_of_page = "HX-Request" in request.headers
        if isinstance(error, SeatNotHeldError):
            if is_of_page:  # the page shows a seat that its browser has lost
                lost = f"/seat/{error.link.token}"
                return PlainTextResponse(text, status, {"HX-Redirect": lost})
            return seat_page(site, request, error)
        if is_of_page:  # htmx sent it, and shows the text on its page
            return PlainTextResponse(capitalised(text), status)
        if isinstance(error, NotReadyError) and request.method == "GET":
            return waiting_page(site, request, error.game)
        title = "There is no such page" if status == 404 else "This cannot be done"
        return site.page(request, "error.html", status, title=title, text=text)

    def unexpected_error_response(request: Request, error: Exception) -> Response:
        # Starlette makes this answer outside all middleware, so nothing else sets its headers.
        response = error_response(request, error)
        response.headers.update(SECURITY_HEADERS)
        return response

    expected = (
        HTTPException,
        TableError,
        NotReadyError,
        StoreError,
        DatasetError,
        ClientDisconnect,
    )
    static = Mount("/static", StaticFiles(directory=STATIC), name="static")
    pages = [
        route for module in (lobby, seats, play, review, learn) for route in module.routes(site)
    ]
    app = Starlette(
        routes=[*pages, static],
        middleware=[
            Middleware(AccessControl, settings=settings, holds_a_seat=holds_a_seat),
            Middleware(RequestLimit),
            Middleware(GZipMiddleware, compresslevel=_GZIP_LEVEL),
        ],
        exception_handlers={
            **dict.fromkeys(expected, error_response),
            Exception: unexpected_error_response,
        },
        lifespan=lifespan,
    )
    app.state.site = site
    return app


def _status_and_text(error: Exception) -> tuple[int, str]:
    if isinstance(error, HTTPException):
        return error.status_code, error.detail
    if isinstance(error, StoreError):
        return 507, f"{error}. {_NOT_DONE}"
    if isinstance(error, TableError | NotReadyError | DatasetError):
        return 400, str(error)
    return 500, f"The server has failed; its terminal says more. {_NOT_DONE}"


class Connection(H11Protocol):
    """Uvicorn's HTTP connection, with limits.

    A connection is refused if there are `MAX_CONNECTIONS` already, or if its address has
    `MAX_CONNECTIONS_PER_ADDRESS`. It is closed if a request does not arrive within
    `REQUEST_TIMEOUT_S`, or if an answer is not read within `READ_TIMEOUT_S`.
    """

    _request_timer: asyncio.TimerHandle | None = None
    _read_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection, or close it at once."""
        super().connection_made(transport)
        # Call `pause_writing` as soon as the system does not accept all that is sent.
        transport.set_write_buffer_limits(high=0)
        if len(self.connections) > MAX_CONNECTIONS:
            _warn_once(f"There are {MAX_CONNECTIONS} connections; more are refused")
            transport.abort()
        elif self._connections_of_address() > MAX_CONNECTIONS_PER_ADDRESS:
            _warn_once(
                f"There are {MAX_CONNECTIONS_PER_ADDRESS} connections from one address; more are "
                "refused"
            )
            transport.abort()
        self._start_request_timer()

    def data_received(self, data: bytes) -> None:
        """Read a request, or a part of one."""
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._start_request_timer()
        else:
            self._stop_request_timer()

    def pause_writing(self) -> None:
        """Give the browser a limited time to read what was sent."""
        super().pause_writing()
        self._read_timer = self.loop.call_later(READ_TIMEOUT_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Write on, since the browser has read what was sent."""
        super().resume_writing()
        self._stop_read_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers of a connection that has ended."""
        self._stop_request_timer()
        self._stop_read_timer()
        super().connection_lost(exc)

    def _connections_of_address(self) -> int:
        if self.client is None:
            return 0
        address, _ = self.client
        others = [each for each in self.connections if isinstance(each, Connection)]
        return sum(other.client is not None and other.client[0] == address for other in others)

    def _start_request_timer(self) -> None:
        if self._request_timer is None:
            self._request_timer = self.loop.call_later(REQUEST_TIMEOUT_S, self.transport.abort)

    def _stop_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _stop_read_timer(self) -> None:
        if self._read_timer is not None:
            self._read_timer.cancel()
            self._read_timer = None


@cache
def _warn_once(text: str) -> None:
    logging.getLogger("uvicorn.error").warning(text)


class _Server(uvicorn.Server):
    """A server that ends streams and processes at once instead of waiting for them."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        threading.Thread(target=self._site.close).start()
        super().handle_exit(sig, frame)


def serve(settings: Settings, announce: Callable[[list[str]], None]) -> None:
    """Serve until a signal to interrupt or terminate, which ends the server within two seconds.

    Args:
        settings: The settings.
        announce: Called once the server listens, with its addresses, this machine's own first.

    Raises:
        StoreError: The file of games cannot be used.
        OSError: The address is in use, or this machine does not have it.
    """
    with settings.listen() as listening:
        app = make_app(settings)
        config = uvicorn.Config(
            app,
            http=Connection,
            backlog=_BACKLOG,
            log_level="warning",
            timeout_graceful_shutdown=1,
            lifespan="on",
            server_header=False,
        )
        announce(settings.addresses(listening.getsockname()[1]))
        try:
            _Server(config, app.state.site).run([listening])
        finally:
            # Otherwise the interpreter takes two seconds to collect the compiled rules.
            gc.freeze()
