"""The lobby: begin a table, and find one's own again."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_agents.table.live_table import TableError
from shakespeare_agents.table.new_table import choices, plan_of
from shakespeare_agents.table.site import Fields, Site, owner_of, remembering
from shakespeare_env.core import registry

_LATEST = 20
_FIELDS = 64


def routes(site: Site) -> list[Route]:
    """The lobby's pages."""
    return [
        site.get("/", _show),
        site.get("/preparing/{game}", _preparing),
        site.post("/tables", _begin, _FIELDS),
    ]


def _show(site: Site, request: Request) -> Response:
    """The form, and tables begun before; a game that was not shown before has seats of its own."""
    said = dict(request.query_params)
    if said.get("shown") not in (None, said.get("game")):
        said = {name: said[name] for name in ("game", "seed") if name in said}
    return _lobby(site, request, said)


def _preparing(site: Site, request: Request) -> Response:
    """How much of a game's code is ready, and the button that waits for it."""
    return HTMLResponse(site.fragment("begin.html", game=request.path_params["game"]))


def _begin(site: Site, request: Request, said: Fields, _file: bytes) -> Response:
    """A new table; its first person's page, or the spectators' if nobody plays."""
    try:
        choice = choices(said, site.settings)
        site.preparing.wait(choice.game)
        plan, links = plan_of(choice, site.settings)
    except TableError as fault:
        return _lobby(site, request, said, str(fault))
    digest = registry.box_digest(plan.game)
    table_id, tokens = site.store.new_table(owner_of(request), plan, digest, links)
    to = f"/seat/{tokens[0]}" if tokens else f"/watch/{table_id}"
    return remembering(request, RedirectResponse(to, 303))


def _lobby(site: Site, request: Request, said: Fields, fault: str = "") -> Response:
    try:
        choice = choices(said, site.settings)
    except TableError as error:
        fault = fault or str(error)
        choice = choices({}, site.settings)
    tables = [
        (stored, site.store.links_of(stored.id))
        for stored in site.store.tables_of(owner_of(request), _LATEST)
    ]
    return site.page(
        request,
        "lobby.html",
        422 if fault else 200,
        choice=choice,
        games=list(registry.names()),
        fault=fault,
        tables=tables,
    )
