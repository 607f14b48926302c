"""A table's pages: for those who hold seats, and for spectators."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_agents.table.explaining import explained
from shakespeare_agents.table.live_table import LiveTable, TableError
from shakespeare_agents.table.new_table import NAMED, PERSON, agent_seat, agents_for
from shakespeare_agents.table.plans import TablePlan
from shakespeare_agents.table.seeing import Viewer
from shakespeare_agents.table.site import Site, owner_of
from shakespeare_agents.table.telling import changes, view

PLACES = ("/seat/{token}", "/watch/{table}")
_FIELDS = 8
_LONGEST_NAME = 100
_TOGETHER = 0.05
"""Seconds for which the moves of several agents are gathered into one update."""
_PING = 20
"""Seconds after which a silent connection says that it is still there."""


@dataclass(frozen=True)
class Looking:
    """A table, and who looks at it from where.

    Attributes:
        address: The page's path.
    """

    table: LiveTable
    viewer: Viewer
    address: str


def routes(site: Site) -> list[Route]:
    """The pages of tables."""

    def show(request: Request) -> Response:
        """The whole page."""
        looking = looking_at(site, request, request.query_params.get("as", ""))
        return site.page(request, "play.html", **_view(site, request, looking))

    def changed(request: Request) -> Response:
        """What is to be seen since a version; nothing if that is still the latest."""
        query = request.query_params
        looking = looking_at(site, request, query.get("as", ""))
        return _changes(site, request, looking, query.get("since", ""))

    async def events(request: Request) -> Response:
        """Server-sent events: that the table has changed, nothing else."""
        looking = await run_in_threadpool(looking_at, site, request, "")
        return EventSourceResponse(_versions(site, looking.table), ping=_PING)

    def explain(request: Request) -> Response:
        """What something on the board does."""
        query = request.query_params
        looking = looking_at(site, request, query.get("as", ""))
        now = looking.table.now()
        found = explained(now, looking.viewer.knows(now), query.get("name", "")[:_LONGEST_NAME])
        return HTMLResponse(site.fragment("explained.html", found=found))

    async def play(request: Request) -> Response:
        """Play a move, or take one back."""
        said = await _said(request)
        return await run_in_threadpool(_play, site, request, said)

    async def seat_agent(request: Request) -> Response:
        """Let another agent, or the same once more, hold the seat of one that has failed."""
        said = await _said(request)
        return await run_in_threadpool(_seat_agent, site, request, said)

    return [
        route
        for place in PLACES
        for route in (
            Route(place, show),
            Route(f"{place}/changes", changed),
            Route(f"{place}/events", events),
            Route(f"{place}/explain", explain),
            Route(f"{place}/play", play, methods=["POST"]),
            Route(f"{place}/agent", seat_agent, methods=["POST"]),
        )
    ]


async def _said(request: Request) -> dict[str, str]:
    async with request.form(max_files=0, max_fields=_FIELDS) as form:
        return {key: value for key, value in form.items() if isinstance(value, str)}


def looking_at(site: Site, request: Request, revealed: str) -> Looking:
    """Who looks; HTTPException if there is no such table."""
    seats: tuple[int, ...] = ()
    table_id = request.path_params.get("table")
    if table_id is None:
        token = request.path_params["token"]
        link = site.store.link(token)
        if link is None:
            raise HTTPException(404, "No table has this link; ask who gave it to you.")
        table_id, seats = link
        address = f"/seat/{token}"
    else:
        address = f"/watch/{table_id}"
    table = site.tables.get(table_id)
    if table is None:
        raise HTTPException(404, "There is no such table.")
    shown = int(revealed) if revealed.isascii() and revealed.isdigit() else None
    return Looking(table, Viewer(seats, shown if shown in seats else None), address)


def _view(site: Site, request: Request, looking: Looking, message: str = "") -> dict[str, Any]:
    owns = looking.table.owner == owner_of(request)
    return {
        **view(site.seer, looking.table, looking.viewer),
        "address": looking.address,
        "message": message,
        "again": _again(looking.table.now().plan),
        "links": site.store.links_of(looking.table.id) if owns else {},
        "agents": agents_for(looking.table.now().plan.game, site.settings),
    }


def _again(plan: TablePlan) -> str:
    """The lobby's address with the same seats filled in."""
    said = {"game": plan.game, "players": str(plan.players)}
    said |= {f"variant_{name}": "1" for name in plan.variants}
    for seat, one in enumerate(plan.seats):
        said |= {f"seat{seat}": PERSON if one.agent is None else NAMED}
        said |= {f"name{seat}": one.name} if one.agent is None else {f"agent{seat}": one.agent}
    return f"/?{urlencode(said)}"


def _changes(
    site: Site, request: Request, looking: Looking, since: str, message: str = ""
) -> Response:
    now = looking.table.now()
    if since == now.version and not message:
        return Response(status_code=204)
    context = _view(site, request, looking, message)
    context.update(changes(site.seer, now, looking.viewer, since))
    return HTMLResponse(site.fragment("changes.html", **context), 409 if message else 200)


def _play(site: Site, request: Request, said: dict[str, str]) -> Response:
    looking = looking_at(site, request, said.get("as", ""))
    return _answered(site, request, looking, said, _chosen)


def _chosen(_site: Site, looking: Looking, said: dict[str, str]) -> None:
    table, viewer = looking.table, looking.viewer
    now = table.now()
    if "undo" in said:
        seat = viewer.knows(now)
        if seat is None or seat not in viewer.seats:
            raise TableError("there is no move of yours to take back")
        table.take_back(seat)
        return
    if not viewer.decides(now):
        raise TableError("it is not your turn")
    if "move" not in said:
        raise TableError("nothing was chosen, since the table has changed; look, then choose again")
    if said.get("number", "") != str(len(now.moves)):
        raise TableError("the table has changed since; look, then choose again")
    table.play(len(now.moves), said["move"])


def _seat_agent(site: Site, request: Request, said: dict[str, str]) -> Response:
    looking = looking_at(site, request, said.get("as", ""))
    return _answered(site, request, looking, said, _seated)


def _seated(site: Site, looking: Looking, said: dict[str, str]) -> None:
    now = looking.table.now()
    seat = now.position.to_move
    if not looking.viewer.seats or seat is None or not now.fault:
        raise TableError("no agent has failed here, or you hold no seat")
    looking.table.seat(seat, agent_seat(said.get("agent", ""), now.plan.game, site.settings))
    looking.table.retry()


def _answered(
    site: Site,
    request: Request,
    looking: Looking,
    said: dict[str, str],
    act: Callable[[Site, Looking, dict[str, str]], None],
) -> Response:
    """What has changed by what somebody did, or why nothing has; without scripts the page again."""
    message = ""
    try:
        act(site, looking, said)
    except TableError as fault:
        message = str(fault)
    if "HX-Request" in request.headers:
        return _changes(site, request, looking, said.get("since", ""), message)
    if message:
        raise TableError(message)
    revealed = looking.viewer.revealed
    return RedirectResponse(
        f"{looking.address}{'' if revealed is None else f'?as={revealed}'}", 303
    )


async def _versions(site: Site, table: LiveTable) -> AsyncIterator[dict[str, str]]:
    event = await site.tables.listen(table.id)
    try:
        while True:
            event.clear()
            yield {"event": "changed", "data": table.now().version}
            await event.wait()
            await asyncio.sleep(_TOGETHER)
    finally:
        site.tables.leave(table.id, event)
