"""Thinking aloud: what an agent would play in a person's place, as its search comes in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial

from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from shakespeare_agents.table.live_table import Snapshot
from shakespeare_agents.table.live_tables import for_everybody
from shakespeare_agents.table.new_table import allowed_agent
from shakespeare_agents.table.pages.play import PLACES, looking_at
from shakespeare_agents.table.site import Site
from shakespeare_agents.table.store import TablePlan
from shakespeare_agents.table.thinking.jobs import ThinkAloud, as_seen

BUDGETS = ("256", "4096", "65536")
"""Playouts of all moves together that a viewer may ask for."""
_MOST_MOVES = 8
"""Moves shown."""


def routes(site: Site) -> list[Route]:
    """The pages of every table for the viewer that decides."""
    return [
        route
        for place in PLACES
        for route in (
            site.get(f"{place}/thoughts", _ask),
            Route(f"{place}/thoughts/stream", partial(_stream, site)),
        )
    ]


def check_not_quiet(plan: TablePlan) -> None:
    """HTTPException if nobody may ask an agent at this table."""
    if plan.quiet:
        raise HTTPException(
            403,
            "Whoever began this table has forbidden to think aloud; the review of the finished "
            "game says what agents think.",
        )


def _asked(site: Site, request: Request, plan: TablePlan) -> tuple[str, int]:
    """The agent and the playouts that are asked for; HTTPException if nobody may ask."""
    check_not_quiet(plan)
    query = request.query_params
    name = allowed_agent(query.get("agent", ""), plan.game, site.settings)
    if (budget := query.get("playouts", "")) not in BUDGETS:
        raise HTTPException(400, f"The playouts are one of {', '.join(BUDGETS)}.")
    return name, int(budget)


def _ask(site: Site, request: Request) -> Response:
    """Where the thoughts will stand."""
    looking = looking_at(site, request)
    now = looking.table.now()
    name, budget = _asked(site, request, now.plan)
    if not looking.viewer.decides(now):
        return HTMLResponse("<p>It is not your turn.</p>")
    text = site.fragment(
        "thoughts.html",
        address=looking.address,
        agent=site.settings.called(name),
        playouts=budget,
        number=len(now.moves),
        seat=now.position.to_move if looking.viewer.revealed is not None else "",
    )
    return HTMLResponse(text)


async def _stream(site: Site, request: Request) -> Response:
    """Server-sent events: thoughts in words, again and again, until the search ends."""
    looking = await run_in_threadpool(looking_at, site, request)
    now = looking.table.now()
    if not looking.viewer.decides(now) or request.query_params.get("number") != str(len(now.moves)):
        raise HTTPException(409, "The table has changed since.")
    name, budget = await run_in_threadpool(_asked, site, request, now.plan)
    return EventSourceResponse(_thought_events(site, now, name, budget))


async def _thought_events(
    site: Site, now: Snapshot, name: str, budget: int
) -> AsyncIterator[dict[str, str]]:
    seen, seed = as_seen(now.position), now.plan.seed_of_agents
    job = ThinkAloud(name, seen, seed, len(now.moves), budget)
    try:
        async with aclosing(site.analysts.stream(job)) as coming:
            async for thought in coming:
                text = site.fragment("thought.html", now=now, thought=thought, most=_MOST_MOVES)
                yield {"event": "thought", "data": text}
    except Exception as fault:  # an agent may be anybody's
        said = {"name": site.settings.called(name), "fault": for_everybody(fault, name)}
        text = site.fragment("thought_failed.html", **said)
        yield {"event": "thought", "data": text}
    yield {"event": "done", "data": ""}
