"""The table server: its pages put together, and served until somebody ends it."""

from __future__ import annotations

import gc
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from types import FrameType

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

from shakespeare_env.errors import DatasetError
from shakespeare_table.browser import learn, lobby, play, review, thoughts
from shakespeare_table.browser.connections import BACKLOG, Connection
from shakespeare_table.browser.settings import HEADERS, Guard, Settings, is_local
from shakespeare_table.browser.site import STATIC, Site
from shakespeare_table.browser.store import StoreError
from shakespeare_table.browser.tables import TableError
from shakespeare_table.browser.thinking import NotReadyError

_QUICKLY = 3
"""The level at which answers are compressed: a third of the usual time."""
_NOT_KEPT = "What was asked for is not done; every move that was shown is kept."


def make_app(settings: Settings) -> Starlette:
    """The server as an ASGI application.

    Raises:
        StoreError: games cannot be kept.
    """
    site = Site(settings, partial(lobby.seated_agent, settings=settings))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        site.preparing.start()
        yield
        await run_in_threadpool(site.close)

    def failed(request: Request, fault: Exception) -> Response:
        # Starlette answers for the fault of a page outside of all middleware.
        answer = refused(request, fault)
        answer.headers.update(HEADERS)
        return answer

    def refused(request: Request, fault: Exception) -> Response:
        status, text = 400, str(fault)
        if isinstance(fault, HTTPException):
            status, text = fault.status_code, fault.detail
        elif isinstance(fault, StoreError):
            status, text = 507, f"{fault}. {_NOT_KEPT}"
        elif isinstance(fault, ClientDisconnect):
            text = "The request broke off."
        elif not isinstance(fault, TableError | NotReadyError | DatasetError):
            status, text = 500, f"The server has failed; its terminal says more. {_NOT_KEPT}"
        if "HX-Request" in request.headers:  # the page that asked shows it
            return PlainTextResponse(text[:1].upper() + text[1:], status)
        if isinstance(fault, NotReadyError) and request.method == "GET":
            return site.page(request, "waiting.html", 503, game=fault.game)
        title = "There is no such page" if status == 404 else "This cannot be done"
        return site.page(request, "error.html", status, title=title, text=text)

    pages = (lobby, play, thoughts, review, learn)
    handled = (HTTPException, TableError, NotReadyError, StoreError, DatasetError, ClientDisconnect)
    app = Starlette(
        routes=[
            *(route for page in pages for route in page.routes(site)),
            Mount("/static", StaticFiles(directory=STATIC), name="static"),
        ],
        middleware=[
            Middleware(Guard, settings=settings),
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


def address(settings: Settings, port: int) -> str:
    """What to enter in a browser."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
    host = f"[{host}]" if ":" in host else host
    token = f"?token={settings.token}" if settings.token else ""
    return f"http://{host}:{port}/{token}"


def other_addresses(settings: Settings, port: int) -> list[str]:
    """What to enter in browsers of other machines, as far as this machine knows its addresses."""
    if settings.host not in ("0.0.0.0", "::"):
        return []
    try:
        found = socket.gethostbyname_ex(socket.gethostname())[2]
    except OSError:
        return []
    hosts = [host for host in found if not is_local(host)]
    return [address(replace(settings, host=host), port) for host in hosts]


def _open_browser(url: str) -> None:
    """Show a page; a process of its own, without a terminal, waits for a browser in text."""
    apart = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    command = [sys.executable, "-I", "-m", "webbrowser", url]
    run = partial(subprocess.run, command, **apart, start_new_session=True)
    threading.Thread(target=run, daemon=True).start()


class _Server(uvicorn.Server):
    """Ends streams and thinking at once, which it would else wait for."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        threading.Thread(target=self._site.end_streams).start()
        super().handle_exit(sig, frame)


def serve(settings: Settings, announce: Callable[[list[str]], None], *, opened: bool) -> None:
    """Serve until an interrupt or a request to terminate, which end it within two seconds.

    Args:
        settings: How the server is set up.
        announce: Called with the addresses, this machine's first, once requests are answered.
        opened: Whether to show it in a browser.

    Raises:
        StoreError: games cannot be kept.
        OSError: the address is taken.
    """
    with listening(settings) as found:
        port = found.getsockname()[1]
        app = make_app(settings)
        config = uvicorn.Config(
            app,
            http=Connection,
            backlog=BACKLOG,
            log_level="warning",
            timeout_graceful_shutdown=1,
            lifespan="on",
            server_header=False,
        )
        announce([address(settings, port), *other_addresses(settings, port)])
        if opened:
            _open_browser(address(settings, port))
        try:
            _Server(config, app.state.site).run([found])
        finally:
            gc.freeze()  # to look for garbage in compiled rules takes the interpreter two seconds
