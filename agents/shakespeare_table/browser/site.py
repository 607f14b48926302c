"""What all pages of a table server share."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from shakespeare_env.core.seat_names import with_names
from shakespeare_table.browser.capacity import PageThreads, viewer_of, while_waited_for
from shakespeare_table.browser.lessons import lesson, with_links
from shakespeare_table.browser.settings import Settings, cookie, set_cookie
from shakespeare_table.browser.store import TableStore, new_token
from shakespeare_table.browser.tables import LiveTables
from shakespeare_table.browser.thinking import Analysts, Preparing
from shakespeare_table.browser.viewing import in_words, titled

STATIC = Path(__file__).parent / "static"
_OWNER = "shakespeare_owner"  # the cookie by which a browser finds its tables again
_A_YEAR = 365 * 86_400
_ANALYSTS = 3  # the most processes for thoughts and reviews
_DRAWING_S = 60.0  # the most seconds for a film or a picture of a game

Fields = dict[str, str]
"""What a form says, by the names of its fields."""
Page = Callable[["Site", Request], Response]
Answer = Callable[["Site", Request, Fields], Response]
"""Called with what a form says."""
_Answer = TypeVar("_Answer", bound=Response)


class Site:
    """The parts of a running server; StoreError if games cannot be kept."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = TableStore(settings.database)
        self.preparing = Preparing()
        self.tables = LiveTables(self.store, settings, self.preparing.wait)
        self.analysts = Analysts(_ANALYSTS, settings.limit)
        # Reads and draws whole games, which would keep other pages waiting, or Ctrl-C.
        self.renderer = Analysts(1, _DRAWING_S)
        self.threads = PageThreads()
        self.is_closing = False
        self._templates = Environment(
            loader=PackageLoader("shakespeare_table.browser"),
            autoescape=select_autoescape(),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals |= {"lesson": lesson, "new_token": new_token}
        self._templates.filters |= {
            "in_words": in_words,
            "sentence": lambda text: text[:1].upper() + text[1:],
            "named": with_names,
            "titled": titled,
            "minus": lambda number: str(number).replace("-", "−"),
            "rules": with_links,
            "drawn": Markup,  # SVG that we have drawn, escaped already
        }

    def get(self, path: str, page: Page) -> Route:
        """The route to a page, made on a thread."""

        async def made(request: Request) -> Response:
            return await self.threads.run(viewer_of(request), page, self, request)

        return self.waited(path, made)

    def waited(
        self, path: str, answer: Callable[[Request], Coroutine[Any, Any, Response]]
    ) -> Route:
        """The route of an answer that is given up once the browser does not wait for it."""

        async def while_waited(request: Request) -> Response:
            return await while_waited_for(request, answer(request))

        return Route(path, while_waited)

    def post(
        self, path: str, answer: Answer, allowed: Callable[[Site, Request], Any] | None = None
    ) -> Route:
        """The route of a form, which is answered on a thread, whether or not anybody waits.

        Nothing of it is read before `allowed` has returned, which raises if it may not be sent.
        """

        async def read_and_answer(request: Request) -> Response:
            viewer = viewer_of(request)
            if allowed is not None:
                await self.threads.run(viewer, allowed, self, request)
            fields, _ = await read_form(request)
            return await self.threads.run(viewer, answer, self, request, fields)

        return Route(path, read_and_answer, methods=["POST"])

    def page(
        self, request: Request, template: str, status: int = 200, **context: Any
    ) -> HTMLResponse:
        """A template as a page; its owner's cookie is renewed."""
        return remembering(request, HTMLResponse(self.fragment(template, **context), status))

    def fragment(self, template: str, **context: Any) -> str:
        """A template as text."""
        return self._templates.get_template(template).render(site=self, **context)

    def end_streams(self) -> None:
        """End all streams, and all that agents think about."""
        self.is_closing = True
        self.threads.close()
        self.preparing.close()
        self.analysts.close()
        self.renderer.close()
        self.tables.close()


async def read_form(request: Request) -> tuple[Fields, bytes]:
    """Read a form: what it says, and the file in its field `file`, if any."""
    async with request.form(max_files=1, max_fields=64) as form:
        fields = {key: value for key, value in form.items() if isinstance(value, str)}
        upload = form.get("file")
        file = await upload.read() if isinstance(upload, UploadFile) else b""
    return fields, file


def remembering(request: Request, response: _Answer) -> _Answer:
    """The same response, with the cookie by which the browser is known again."""
    set_cookie(request, response, _OWNER, owner_of(request), _A_YEAR)
    return response


def owner_of(request: Request) -> str:
    """The secret id of the owner of a browser's tables."""
    given = cookie(request, _OWNER)
    if re.fullmatch(r"[\w-]{16,64}", given):
        return given
    if not hasattr(request.state, "owner"):
        request.state.owner = new_token()
    owner: str = request.state.owner
    return owner
