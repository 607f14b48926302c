"""The parts of a running server that all its pages share: routes, templates, stores and pools."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from shakespeare_env.core.seat_names import with_names
from shakespeare_env.play.named import capitalised
from shakespeare_table.analysis.evaluation import POINTS_PER_PLACE
from shakespeare_table.analysis.reasons import clear_rows
from shakespeare_table.browser.access import cookie, set_cookie
from shakespeare_table.browser.capacity import PageThreads, cancel_on_disconnect, viewer_of
from shakespeare_table.browser.judging.background import BackgroundJudge
from shakespeare_table.browser.judging.known import KnownPositions
from shakespeare_table.browser.learning.lessons import lesson, with_links
from shakespeare_table.browser.opponents import Opponents, agent_in_words, with_level
from shakespeare_table.browser.processes import AsyncPool, GameCompiler
from shakespeare_table.browser.settings import Settings
from shakespeare_table.browser.storage.store import TableStore, new_token
from shakespeare_table.browser.tables.live import LiveTables

STATIC = Path(__file__).parent / "static"
_OWNER_COOKIE = "shakespeare_owner"  # it lets a browser find its tables again
_YEAR_S = 365 * 86_400
_ANALYSIS_PROCESSES = 3  # for thinking aloud, hints and reviews
_DRAWING_LIMIT_S = 60.0  # for a film or a picture of a game

FormFields = dict[str, str]
"""The values of a form by the names of its fields."""
Page = Callable[["Site", Request], Response]
"""A function that makes a page."""
FormHandler = Callable[["Site", Request, FormFields], Response]
"""A function that does what a form asks for, and makes the answer."""
_Response = TypeVar("_Response", bound=Response)


class Site:
    """A running server.

    Attributes:
        settings: The server's settings.
        store: The games on disk.
        opponents: The agents that the server offers.
        compiler: The compiler of the games' rules.
        tables: The tables that are open.
        analyses: The processes in which agents think aloud, give hints and review games.
        known: The playouts of positions that agents have evaluated.
        judge: The judge of the decisions that people make, whose verdicts reviews show.
        drawings: The process that reads uploaded games and draws films and pictures.
        threads: The threads that make pages.
        is_closing: Whether streams of events must end.

    Raises:
        StoreError: The file of games cannot be used.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = TableStore(settings.database)
        self.opponents = Opponents(settings.agents)
        self.compiler = GameCompiler()
        self.analyses = AsyncPool(_ANALYSIS_PROCESSES, settings.limit)
        self.known = KnownPositions()
        self.judge = BackgroundJudge(self.store, self.known, self._is_idle, settings.limit)
        self.tables = LiveTables(
            self.store,
            self.opponents,
            settings.limit,
            self.compiler.wait,
            on_move=self.judge.add,
            on_take_back=self.judge.forget,
        )
        # Complete games are read and drawn in a process, since a thread would delay other pages
        # and Ctrl-C.
        self.drawings = AsyncPool(1, _DRAWING_LIMIT_S)
        self.threads = PageThreads()
        self.is_closing = False
        self._templates = _templates()

    def page_route(self, path: str, page: Page) -> Route:
        """Return the route of a page, which is made on a thread."""

        async def make_page(request: Request) -> Response:
            return await self.threads.run(viewer_of(request), page, self, request)

        return self.async_route(path, make_page)

    def async_route(
        self, path: str, answer: Callable[[Request], Coroutine[Any, Any, Response]]
    ) -> Route:
        """Return the route of an answer, which is cancelled if the browser stops waiting for it."""

        async def answer_while_connected(request: Request) -> Response:
            return await cancel_on_disconnect(request, answer(request))

        return Route(path, answer_while_connected)

    def form_route(
        self, path: str, handler: FormHandler, check: Callable[[Site, Request], Any] | None = None
    ) -> Route:
        """Return the route of a form, which is handled on a thread even if the browser has left.

        Args:
            path: The path.
            handler: The function that handles the form.
            check: A function that raises if the form may not be sent. It is called before the form
                is read.
        """

        async def read_and_handle(request: Request) -> Response:
            viewer = viewer_of(request)
            if check is not None:
                await self.threads.run(viewer, check, self, request)
            fields, _ = await read_form(request)
            return await self.threads.run(viewer, handler, self, request, fields)

        return Route(path, read_and_handle, methods=["POST"])

    def page(
        self, request: Request, template: str, status: int = 200, **context: Any
    ) -> HTMLResponse:
        """Render a template as a page, and renew the cookie that identifies the browser.

        The template is told whether the reader is a guest, who has a seat here but no token.
        """
        text = self.render(template, is_guest=request.state.is_guest, **context)
        return with_owner_cookie(request, HTMLResponse(text, status))

    def render(self, template: str, **context: Any) -> str:
        """Render a template as text."""
        return self._templates.get_template(template).render(site=self, **context)

    def close(self) -> None:
        """End all streams of events and all processes; the store stays open."""
        self.is_closing = True
        self.threads.close()
        self.compiler.close()
        self.judge.close()
        self.analyses.close()
        self.drawings.close()
        self.tables.close()

    def _is_idle(self) -> bool:
        """Return whether nobody waits for an agent."""
        return self.tables.is_idle and self.analyses.is_idle


def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("shakespeare_table.browser"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals |= {
        "lesson": lesson,
        "new_token": new_token,
        "POINTS_PER_PLACE": POINTS_PER_PLACE,
    }
    templates.filters |= {
        "in_words": agent_in_words,
        "with_level": with_level,
        "sentence": capitalised,
        "at_seat": lambda seat, values: values[seat],
        "named": with_names,
        "minus": lambda number: str(number).replace("-", "−"),
        "clear_rows": clear_rows,
        "rules": with_links,
        "date": lambda seconds: f"{datetime.fromtimestamp(seconds):%d %b %Y}",
        "drawn": Markup,  # our own SVG, in which all text is escaped already
    }
    return templates


def waiting_page(
    site: Site, request: Request, game: str, fields: FormFields | None = None
) -> HTMLResponse:
    """Return a page that waits until a game's rules are compiled, and then asks again.

    Args:
        site: The server.
        request: The request that has to wait.
        game: The name of the game.
        fields: The fields of the form that was sent; None for a page.
    """
    address = request.url.path
    return site.page(request, "waiting.html", 503, game=game, address=address, fields=fields)


async def read_form(request: Request) -> tuple[FormFields, bytes]:
    """Return the fields of a form, and the content of the file in its field `file`, if any."""
    async with request.form(max_files=1, max_fields=64) as form:
        fields = {key: value for key, value in form.items() if isinstance(value, str)}
        upload = form.get("file")
        file = await upload.read() if isinstance(upload, UploadFile) else b""
    return fields, file


def with_owner_cookie(request: Request, response: _Response) -> _Response:
    """Set the cookie that identifies the browser, and return the response."""
    set_cookie(request, response, _OWNER_COOKIE, owner_of(request), _YEAR_S)
    return response


def owner_of(request: Request) -> str:
    """Return the secret id of a browser, which owns the tables that it begins."""
    given = cookie(request, _OWNER_COOKIE)
    if re.fullmatch(r"[A-Za-z0-9_-]{16,64}", given):
        return given
    if not hasattr(request.state, "owner"):
        request.state.owner = new_token()
    owner: str = request.state.owner
    return owner
