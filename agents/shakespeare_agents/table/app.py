"""The table server: its pages put together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module

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
from shakespeare_agents.table.settings import Settings
from shakespeare_agents.table.site import STATIC, Site
from shakespeare_env import registry
from shakespeare_env.kernels import compile_all

_QUICKLY = 3
"""The level at which answers are compressed: a third of the usual time."""
_PAGES = ("lobby", "play", "thoughts", "box", "folders", "review")


def _compile() -> None:
    for name in registry.names():
        with suppress(Exception):  # opening a table of this game shows the fault
            compile_all(registry.game(name))


def make_app(settings: Settings) -> Starlette:
    """The server as an ASGI application.

    Raises:
        StoreError: games cannot be kept.
    """
    site = Site(settings)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(site.tables.watch_store())
        # Whoever begins the first table of a new installation waits less.
        threading.Thread(target=_compile, name="compiling", daemon=True).start()
        yield
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        await asyncio.to_thread(site.close)

    def refused(request: Request, fault: Exception) -> Response:
        status, text = 400, str(fault)
        if isinstance(fault, HTTPException):
            status, text = fault.status_code, fault.detail
        title = "There is no such page" if status == 404 else "This cannot be done"
        return site.page(request, "error.html", status, title=title, text=text)

    def cut_off(_request: Request, _fault: Exception) -> Response:
        return PlainTextResponse("The request was longer than it may be, or broke off.\n", 413)

    routes: list[Route | Mount] = [
        route
        for name in _PAGES
        for route in import_module(f"shakespeare_agents.table.pages.{name}").routes(site)
    ]
    return Starlette(
        routes=[*routes, Mount("/static", StaticFiles(directory=STATIC), name="static")],
        middleware=[
            Middleware(Guard, settings=settings),
            Middleware(GZipMiddleware, compresslevel=_QUICKLY),
        ],
        exception_handlers={HTTPException: refused, TableError: refused, ClientDisconnect: cut_off},
        lifespan=lifespan,
    )
