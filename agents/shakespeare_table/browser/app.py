"""The table server: its pages put together, and served until somebody ends it.

Uvicorn itself counts whole requests alone, and waits for readers for ever, so that requests that
never become whole and answers that nobody reads would take every descriptor of the process.
Connections are counted here, requests must arrive in time, and answers must be read in time.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import resource
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
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
from shakespeare_table.browser import learn, lobby, play, review
from shakespeare_table.browser.capacity import RequestLimit
from shakespeare_table.browser.settings import HEADERS, Guard, Settings, TableError, is_local
from shakespeare_table.browser.site import STATIC, Site
from shakespeare_table.browser.store import StoreError
from shakespeare_table.browser.thinking import NotReadyError

_QUICKLY = 3  # the level at which answers are compressed: a third of the usual time
_BACKLOG = 64  # connections that are taken at a time
_DESCRIPTORS = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
MOST_CONNECTIONS = min(512, max(_DESCRIPTORS // 2 - _BACKLOG // 2, 8))
"""The most connections, some in any case; descriptors remain for files and processes."""
MOST_OF_ADDRESS = max(MOST_CONNECTIONS // 4, 8)
"""The most of these from one address: a proxy's, too, so it leaves room for many viewers."""
WHOLE_S = 30.0
"""Seconds for a request to arrive."""
READ_S = 60.0
"""Seconds for a browser to read what is sent; streams of events wait between events, not here."""
_NOT_KEPT = "What was asked for is not done; every move that was shown is kept."


def make_app(settings: Settings) -> Starlette:
    """The server as an ASGI application; StoreError if games cannot be kept."""
    site = Site(settings)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        site.preparing.start()
        yield
        await run_in_threadpool(site.end_streams)
        site.store.close()

    def failed(request: Request, fault: Exception) -> Response:
        # Starlette answers for the fault of a page outside of all middleware.
        answer = refused(request, fault)
        answer.headers.update(HEADERS)
        return answer

    def refused(request: Request, fault: Exception) -> Response:
        if isinstance(fault, ClientDisconnect):  # nobody reads it
            return PlainTextResponse("The request broke off.", 400)
        status, text = 400, str(fault)
        if isinstance(fault, HTTPException):
            status, text = fault.status_code, fault.detail
        elif isinstance(fault, StoreError):
            status, text = 507, f"{fault}. {_NOT_KEPT}"
        elif not isinstance(fault, TableError | NotReadyError | DatasetError):
            status, text = 500, f"The server has failed; its terminal says more. {_NOT_KEPT}"
        if "HX-Request" in request.headers:  # the page that asked shows it
            return PlainTextResponse(text[:1].upper() + text[1:], status)
        if isinstance(fault, NotReadyError) and request.method == "GET":
            return site.page(request, "waiting.html", 503, game=fault.game)
        title = "There is no such page" if status == 404 else "This cannot be done"
        return site.page(request, "error.html", status, title=title, text=text)

    pages = (lobby, play, review, learn)
    handled = (HTTPException, TableError, NotReadyError, StoreError, DatasetError, ClientDisconnect)
    app = Starlette(
        routes=[
            *(route for page in pages for route in page.routes(site)),
            Mount("/static", StaticFiles(directory=STATIC), name="static"),
        ],
        middleware=[
            Middleware(Guard, settings=settings),
            Middleware(RequestLimit),
            Middleware(GZipMiddleware, compresslevel=_QUICKLY),
        ],
        exception_handlers={**dict.fromkeys(handled, refused), Exception: failed},
        lifespan=lifespan,
    )
    app.state.site = site
    return app


def listening(settings: Settings) -> socket.socket:
    """A socket of the server's address; OSError if there is no such address, or it is taken."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    return socket.create_server((settings.host, settings.port), family=family)


def addresses(settings: Settings, port: int) -> list[str]:
    """What to enter in a browser, here first and then, as far as known, on other machines."""
    hosts = [{"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)]
    if hosts != [settings.host]:
        with suppress(OSError):
            found = socket.gethostbyname_ex(socket.gethostname())[2]
            hosts += [host for host in found if not is_local(host)]
    token = f"?token={settings.token}" if settings.token else ""
    return [f"http://{f'[{host}]' if ':' in host else host}:{port}/{token}" for host in hosts]


class Connection(H11Protocol):
    """HTTP as Uvicorn speaks it, with limits: `MOST_CONNECTIONS`, and times to arrive and be read.

    Refuses the connections of one address beyond `MOST_OF_ADDRESS`.
    """

    _arriving: asyncio.TimerHandle | None = None
    _being_read: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or end at once."""
        super().connection_made(transport)
        # Writing pauses for the least that the system does not take at once.
        transport.set_write_buffer_limits(high=0)
        if len(self.connections) > MOST_CONNECTIONS:
            _warn_of_many(f"there are {MOST_CONNECTIONS} connections")
            transport.abort()
        elif self._of_this_address() > MOST_OF_ADDRESS:
            _warn_of_many(f"there are {MOST_OF_ADDRESS} connections from one address")
            transport.abort()
        self._expect(True)

    def data_received(self, data: bytes) -> None:
        """A part of a request, or all of it."""
        super().data_received(data)
        self._expect(self.conn.their_state in (h11.IDLE, h11.SEND_BODY))

    def pause_writing(self) -> None:
        """Wait for the browser to read what was sent, for a limited time."""
        super().pause_writing()
        self._being_read = self.loop.call_later(READ_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on, as all that was sent is read or on its way."""
        super().resume_writing()
        self._is_read()

    def connection_lost(self, exc: Exception | None) -> None:
        """The end."""
        self._expect(False)
        self._is_read()
        super().connection_lost(exc)

    def _of_this_address(self) -> int:
        clients = [it.client for it in self.connections if isinstance(it, Connection)]
        return sum(client[:1] == self.client[:1] for client in clients if client and self.client)

    def _expect(self, request: bool) -> None:
        if request and self._arriving is None:
            self._arriving = self.loop.call_later(WHOLE_S, self.transport.abort)
        elif not request and self._arriving is not None:
            self._arriving.cancel()
            self._arriving = None

    def _is_read(self) -> None:
        if self._being_read is not None:
            self._being_read.cancel()
            self._being_read = None


@cache
def _warn_of_many(there_are: str) -> None:
    """Once, however many are refused."""
    logging.getLogger("uvicorn.error").warning("%s already; more are refused", there_are)


class _Server(uvicorn.Server):
    """Ends streams and thinking at once, which it would else wait for."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        threading.Thread(target=self._site.end_streams).start()
        super().handle_exit(sig, frame)


def serve(settings: Settings, announce: Callable[[list[str]], None]) -> None:
    """Serve until an interrupt or a request to terminate, which end it within two seconds.

    The addresses, this machine's first, are announced. StoreError if games cannot be kept, OSError
    if the address is taken.
    """
    with listening(settings) as bound:
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
        announce(addresses(settings, bound.getsockname()[1]))
        try:
            _Server(config, app.state.site).run([bound])
        finally:
            gc.freeze()  # to look for garbage in compiled rules takes the interpreter two seconds
