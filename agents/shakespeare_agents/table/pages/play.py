"""A table's pages: for those who hold seats, and for spectators."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_agents.table.live_table import LiveTable, Snapshot, TableError
from shakespeare_agents.table.new_table import NAMED, PERSON, agent_seat, agents_for
from shakespeare_agents.table.play_page import changes, moves_at, play_page
from shakespeare_agents.table.site import Fields, Site, owner_of
from shakespeare_agents.table.store import TablePlan
from shakespeare_agents.table.viewer import Viewer, explained

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
    return [
        route
        for place in PLACES
        for route in (
            site.get(place, _show),
            site.get(f"{place}/changes", _changed),
            Route(f"{place}/events", partial(_events, site)),
            site.get(f"{place}/explain", _explain),
            site.get(f"{place}/step", _step),
            site.post(f"{place}/play", partial(_act, _play), _FIELDS),
            site.post(f"{place}/agent", partial(_act, _seat_agent), _FIELDS),
        )
    ]


def looking_at(site: Site, request: Request, revealed: str | None = None) -> Looking:
    """Who looks; HTTPException if there is no such table.

    Args:
        site: The server.
        request: Its path names a link or a table.
        revealed: The seat that says that it looks; None takes it from the query.
    """
    seats: tuple[int, ...] = ()
    table_id = request.path_params.get("table")
    address = f"/watch/{table_id}"
    if table_id is None:
        token = request.path_params["token"]
        link = site.store.link(token)
        if link is None:
            raise HTTPException(404, "No table has this link; ask who gave it to you.")
        table_id, seats = link
        address = f"/seat/{token}"
    table = site.tables.get(table_id)
    if table is None:
        raise HTTPException(404, "There is no such table.")
    if revealed is None:
        revealed = request.query_params.get("as", "")
    shown = int(revealed) if revealed.isascii() and revealed.isdigit() else None
    return Looking(table, Viewer(seats, shown if shown in seats else None), address)


def _show(site: Site, request: Request) -> Response:
    """The whole page."""
    return site.page(request, "play.html", **_context(site, request, looking_at(site, request)))


def _changed(site: Site, request: Request) -> Response:
    """What is to be seen since a version, `step` by step; nothing if that is still the latest."""
    looking, asked = looking_at(site, request), request.query_params
    since, until = asked.get("since", ""), None
    if asked.get("step"):
        number = moves_at(since, now := looking.table.now())
        until = None if number is None else min(number + 1, len(now.moves))
    return _changes(site, request, looking, since, until=until)


def _explain(site: Site, request: Request) -> Response:
    """What something on the board does."""
    looking = looking_at(site, request)
    now = looking.table.now()
    name = request.query_params.get("name", "")[:_LONGEST_NAME]
    found = explained(now, looking.viewer.knows(now), name)
    return HTMLResponse(site.fragment("explained.html", found=found))


def _step(site: Site, request: Request) -> Response:
    """The places that a move has changed."""
    looking = looking_at(site, request)
    now, asked = looking.table.now(), request.query_params.get("number", "")
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 6 else -1
    if not 0 <= number < len(now.moves):
        raise HTTPException(404, "There is no such move.")
    return JSONResponse(site.drawings.step(now, number, looking.viewer.knows(now)).changed)


async def _events(site: Site, request: Request) -> Response:
    """Server-sent events: that the table has changed, nothing else."""
    looking = await run_in_threadpool(looking_at, site, request)

    async def versions() -> AsyncIterator[dict[str, str]]:
        event = await site.tables.listen(looking.table.id)
        try:
            while True:
                event.clear()
                yield {"event": "changed", "data": looking.table.now().version}
                await event.wait()
                await asyncio.sleep(_TOGETHER)
        finally:
            site.tables.leave(looking.table.id, event)

    return EventSourceResponse(versions(), ping=_PING)


def _act(
    act: Callable[[Site, Looking, Fields], None],
    site: Site,
    request: Request,
    said: Fields,
    _file: bytes,
) -> Response:
    """What has changed by what somebody did, or why nothing has; without scripts the page again."""
    looking, message = looking_at(site, request, said.get("as", "")), ""
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


def _play(_site: Site, looking: Looking, said: Fields) -> None:
    """Play a move, or take one back."""
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


def _seat_agent(site: Site, looking: Looking, said: Fields) -> None:
    """Let another agent, or the same once more, hold the seat of one that has failed."""
    now = looking.table.now()
    seat = now.position.to_move
    if not looking.viewer.seats or seat is None or not now.fault:
        raise TableError("no agent has failed here, or you hold no seat")
    looking.table.seat(seat, agent_seat(said.get("agent", ""), now.plan.game, site.settings))
    looking.table.set_fault(len(now.moves), "")


def _context(
    site: Site,
    request: Request,
    looking: Looking,
    message: str = "",
    number: int | None = None,
    seen: int | None = None,
) -> dict[str, Any]:
    now, owns = looking.table.now(), looking.table.owner == owner_of(request)
    plan = now.plan

    def called(agent: str) -> str:
        """An agent's name; only the owner of the table has typed, and reads, a folder."""
        known = agent in site.settings.agents
        return agent if owns and not known else site.settings.called(agent)

    return {
        **play_page(site.drawings, looking.table, looking.viewer, number, seen),
        "address": looking.address,
        "message": message,
        "again": _again(plan, called),
        "failed_agent": called(agent) if (agent := _agent_to_move(now)) else "",
        "links": site.store.links_of(looking.table.id) if owns else {},
        "agents": agents_for(plan.game, site.settings),
    }


def _agent_to_move(now: Snapshot) -> str | None:
    return None if now.seat_to_move is None else now.seat_to_move.agent


def _again(plan: TablePlan, called: Callable[[str], str]) -> str:
    """The lobby's address with the same seats filled in."""
    said = {"game": plan.game, "players": str(plan.players)}
    said |= {f"variant_{name}": "1" for name in plan.variants}
    said |= {"quiet": "1"} if plan.quiet else {}
    for seat, one in enumerate(plan.seats):
        said |= {f"seat{seat}": PERSON if one.agent is None else NAMED}
        said |= (
            {f"name{seat}": one.name} if one.agent is None else {f"agent{seat}": called(one.agent)}
        )
    return f"/?{urlencode(said)}"


def _changes(
    site: Site,
    request: Request,
    looking: Looking,
    since: str,
    message: str = "",
    until: int | None = None,
) -> Response:
    """What has changed since a version, up to a number of moves."""
    now = looking.table.now()
    if since == now.version and not message:
        return Response(status_code=204)
    context = _context(site, request, looking, message, until, moves_at(since, now))
    context.update(changes(site.drawings, context["now"], looking.viewer, since))
    return HTMLResponse(site.fragment("changes.html", **context), 409 if message else 200)
