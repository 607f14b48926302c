"""The table server: its pages put together, and served until somebody ends it."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from importlib import import_module
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from shakespeare_agents.table.guarding import Guard
from shakespeare_agents.table.live_table import TableError
from shakespeare_agents.table.preparing import NotReadyError
from shakespeare_agents.table.settings import Settings, is_local
from shakespeare_agents.table.site import STATIC, Site
from shakespeare_agents.table.store import StoreError
from shakespeare_env.checks.values import shown

_BACKLOG = 128
_LONGEST_END_S = 1.0
"""Seconds that the server may take to end in an orderly way."""
_QUICKLY = 3
"""The level at which answers are compressed: a third of the usual time."""
_NOT_KEPT = "What was asked for is not done; every move that was shown is kept."
_PAGES = (
    "lobby",
    "play",
    "thoughts",
    "pictures",
    "box",
    "folders",
    "review",
    "learn",
    "puzzles",
    "hints",
    "demo",
)


def make_app(settings: Settings) -> Starlette:
    """The server as an ASGI application.

    Raises:
        StoreError: games cannot be kept.
    """
    site = Site(settings)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(site.tables.watch_store())
        site.preparing.start()
        yield
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        await asyncio.to_thread(site.close)

    def refused(request: Request, fault: Exception) -> Response:
        status, text = 400, str(fault)
        if isinstance(fault, HTTPException):
            status, text = fault.status_code, fault.detail
        elif isinstance(fault, StoreError):
            status, text = 507, f"{fault}. {_NOT_KEPT}"
        elif not isinstance(fault, TableError):
            status, text = 500, f"The server has failed; its terminal says more. {_NOT_KEPT}"
        if "HX-Request" in request.headers:  # the page that asked shows it
            return PlainTextResponse(text[:1].upper() + text[1:], status)
        if isinstance(fault, NotReadyError) and request.method == "GET":
            return site.page(request, "waiting.html", 503, game=fault.game)
        title = "There is no such page" if status == 404 else "This cannot be done"
        return site.page(request, "error.html", status, title=title, text=text)

    def cut_off(_request: Request, _fault: Exception) -> Response:
        return PlainTextResponse("The request was longer than it may be, or broke off.\n", 413)

    routes: list[Route | Mount] = [
        route
        for name in _PAGES
        for route in import_module(f"shakespeare_agents.table.pages.{name}").routes(site)
    ]
    app = Starlette(
        routes=[*routes, Mount("/static", StaticFiles(directory=STATIC), name="static")],
        middleware=[
            Middleware(Guard, settings=settings),
            Middleware(GZipMiddleware, compresslevel=_QUICKLY),
        ],
        exception_handlers={
            **dict.fromkeys((HTTPException, TableError, StoreError, Exception), refused),
            ClientDisconnect: cut_off,
        },
        lifespan=lifespan,
    )
    app.state.site = site
    return app


def listening(settings: Settings) -> socket.socket:
    """A socket of the server's address; OSError if there is no such address, or it is taken."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((settings.host, settings.port))
        found.listen(_BACKLOG)
    except OSError:
        found.close()
        raise
    except (TypeError, ValueError) as fault:  # no valid host name
        found.close()
        raise OSError(f"there is no host {shown(settings.host)}") from fault
    return found


def address(settings: Settings, port: int) -> str:
    """What to enter in a browser."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    token = f"?token={settings.token}" if settings.token else ""
    return f"http://{host}:{port}/{token}"


def with_path(found: str, path: str) -> str:
    """The address of a page, from that of the lobby."""
    return found.replace("/?", f"/{path}?") if "/?" in found else found + path


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


class _Server(uvicorn.Server):
    """Ends soon after it is asked to, whatever agents and requests do meanwhile.

    Args:
        config: How it serves.
        site: What it serves.
        say: Called with a word when it is asked to end.
    """

    def __init__(self, config: uvicorn.Config, site: Site, say: Callable[[str], None]) -> None:
        super().__init__(config)
        self._site = site
        self._say = say

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """An interrupt: what was answered is on disk, so nothing has to be waited for."""
        if not self.should_exit:
            with suppress(OSError):  # nobody may listen any more
                self._say("The table server ends; every move that was shown is kept.")
            last = threading.Timer(_LONGEST_END_S, os._exit, [128 + sig])
            for thread in (last, threading.Thread(target=self._site.stop_thinking)):
                thread.daemon = True
                thread.start()
        super().handle_exit(sig, frame)


def serve(
    settings: Settings,
    announce: Callable[[list[str]], None],
    *,
    opened: bool,
    say: Callable[[str], None] = print,
) -> None:
    """Serve until an interrupt or a request to terminate, which end it within two seconds.

    Args:
        settings: How the server is set up.
        announce: Called with the addresses, this machine's first, once requests are answered.
        opened: Whether to show it in a browser.
        say: Called with a word in the end.

    Raises:
        StoreError: games cannot be kept.
        OSError: the address is taken.
    """
    with listening(settings) as found:
        app = make_app(settings)
        where = address(settings, found.getsockname()[1])
        config = uvicorn.Config(
            app,
            log_level="warning",
            timeout_graceful_shutdown=1,
            lifespan="on",
            server_header=False,
        )
        announce([where, *other_addresses(settings, found.getsockname()[1])])
        if opened:
            webbrowser.open(where if settings.pace is None else with_path(where, "demo"))
        _Server(config, app.state.site, say).run([found])
