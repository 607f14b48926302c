"""The lobby: begin a table, and find one's own again."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from shakespeare_agents.table.live_table import TableError
from shakespeare_agents.table.new_table import choices, plan_of
from shakespeare_agents.table.plans import StoredTable
from shakespeare_agents.table.site import Site, owner_of, remembering
from shakespeare_env import registry

_LATEST = 20
_FIELDS = 64


def routes(site: Site) -> list[Route]:
    """The lobby's pages."""

    def show(request: Request) -> Response:
        """The form, and tables begun before."""
        return _lobby(site, request, dict(request.query_params))

    async def begin(request: Request) -> Response:
        """A new table; its first person's page, or the spectators' if nobody plays."""
        async with request.form(max_files=0, max_fields=_FIELDS) as form:
            said = {key: value for key, value in form.items() if isinstance(value, str)}
        try:
            plan, links = plan_of(choices(said, site.settings), site.settings)
        except TableError as fault:
            return _lobby(site, request, said, str(fault))
        digest = registry.box_digest(plan.game)
        table_id, tokens = site.store.new_table(owner_of(request), plan, digest, links)
        to = f"/seat/{tokens[0]}" if tokens else f"/watch/{table_id}"
        return remembering(request, RedirectResponse(to, 303))

    return [Route("/", show), Route("/tables", begin, methods=["POST"])]


def _lobby(site: Site, request: Request, said: dict[str, str], fault: str = "") -> Response:
    try:
        choice = choices(said, site.settings)
    except TableError as error:
        fault = fault or str(error)
        choice = choices({}, site.settings)
    tables = [_known(site, stored) for stored in site.store.tables_of(owner_of(request), _LATEST)]
    return site.page(
        request,
        "lobby.html",
        422 if fault else 200,
        choice=choice,
        games=list(registry.names()),
        fault=fault,
        tables=tables,
    )


def _known(site: Site, stored: StoredTable) -> dict[str, Any]:
    links = site.store.links_of(stored.id)
    names = [seat.name for seat in stored.plan.seats]
    return {
        "title": f"{stored.plan.game.capitalize()}: {', '.join(names)}",
        "moves": len(stored.moves),
        "over": stored.over,
        "created": stored.created,
        "id": stored.id,
        "watch": f"/watch/{stored.id}",
        "seats": [
            (" and ".join(names[seat] for seat in seats), f"/seat/{token}")
            for token, seats in links.items()
        ],
    }
