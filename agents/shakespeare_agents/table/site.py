"""What all pages of a table server share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from shakespeare_agents.table.analysts import Analysts
from shakespeare_agents.table.live_tables import LiveTables
from shakespeare_agents.table.new_table import in_words
from shakespeare_agents.table.seeing import Seer
from shakespeare_agents.table.settings import Settings
from shakespeare_agents.table.store import Store, new_token

STATIC = Path(__file__).parent / "static"
OWNER = "shakespeare_owner"
"""The cookie by which a browser finds its tables again."""
_TOKEN = re.compile(r"[\w-]{16,64}")


class Site:
    """The parts of a running server.

    Args:
        settings: How it is set up.

    Attributes:
        store: Games on disk.
        tables: The tables being played.
        seer: Draws the tables.
        analysts: The agents that judge positions.

    Raises:
        StoreError: games cannot be kept.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings.database)
        self.tables = LiveTables(self.store)
        self.seer = Seer()
        self.analysts = Analysts()
        self._templates = Environment(
            loader=PackageLoader("shakespeare_agents.table"),
            autoescape=select_autoescape(),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["in_words"] = in_words
        self._templates.filters["sentence"] = lambda text: text[:1].upper() + text[1:]
        self._templates.filters["minus"] = lambda number: str(number).replace("-", "−")
        self._templates.filters["drawn"] = Markup  # SVG that we have drawn, escaped already

    def page(
        self, request: Request, template: str, status: int = 200, **context: Any
    ) -> HTMLResponse:
        """A template as a page; its owner's cookie is renewed."""
        return remembering(request, HTMLResponse(self.fragment(template, **context), status))

    def fragment(self, template: str, **context: Any) -> str:
        """A template as text."""
        return self._templates.get_template(template).render(site=self, **context)

    def close(self) -> None:
        """Let go of everything."""
        self.tables.close()
        self.store.close()


_Answer = TypeVar("_Answer", bound=Response)


def remembering(request: Request, response: _Answer) -> _Answer:
    """The same response, with the cookie by which the browser is known again."""
    response.set_cookie(
        OWNER, owner_of(request), httponly=True, samesite="lax", max_age=365 * 86_400
    )
    return response


def owner_of(request: Request) -> str:
    """The secret id of the owner of a browser's tables."""
    given = request.cookies.get(OWNER, "")
    if _TOKEN.fullmatch(given):
        return given
    if not hasattr(request.state, "owner"):
        request.state.owner = new_token()
    owner: str = request.state.owner
    return owner
