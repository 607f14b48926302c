"""Asking an agent in one's place: its thoughts as its search comes in, and a hint that says why."""

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

from shakespeare_table.browser.learning.guide import effects_in_words, sure_events
from shakespeare_table.browser.lobby import allowed_agent
from shakespeare_table.browser.play import PLACES, looking_at
from shakespeare_table.browser.site import Site, viewer_of, while_waited_for
from shakespeare_table.browser.tables import Snapshot, TableError
from shakespeare_table.browser.thinking import ThinkerError, as_seen, hint, think_aloud
from shakespeare_table.browser.viewing import called

BUDGETS = ("256", "4096", "65536")
"""Playouts of all moves together that a viewer may ask for."""
_MOST_MOVES = 8
_MOST_ROWS = 6
_LEAST_GAIN = 0.05
"""Points; smaller differences are left out."""


def routes(site: Site) -> list[Route]:
    """What the viewer that decides may ask at every table."""
    return [
        route
        for place in PLACES
        for route in (
            site.get(f"{place}/thoughts", _ask),
            Route(f"{place}/thoughts/stream", partial(_stream, site)),
            Route(f"{place}/hint", partial(_hint, site)),
        )
    ]


def _asked(site: Site, request: Request) -> tuple[Snapshot, str, str, int]:
    """The table, and the agent, its name on pages and the playouts that are asked for."""
    looking, query = looking_at(site, request), request.query_params
    now = looking.table.now()
    if not looking.viewer.decides(now):
        raise TableError("it is not your turn")
    shown = query.get("agent", "")
    name = allowed_agent(shown, now.plan.game, site.settings)
    if (budget := query.get("playouts", "")) not in BUDGETS:
        raise HTTPException(400, f"The playouts are one of {', '.join(BUDGETS)}.")
    return now, name, shown, int(budget)


def _ask(site: Site, request: Request) -> Response:
    """Where the thoughts will stand."""
    now, _, agent, budget = _asked(site, request)
    text = site.fragment(
        "thoughts.html",
        address=request.url.path,
        agent=agent,
        playouts=budget,
        number=len(now.moves),
        seat=request.query_params.get("as", ""),
    )
    return HTMLResponse(text)


async def _stream(site: Site, request: Request) -> Response:
    """Server-sent events: thoughts in words, again and again, until the search ends."""
    now, name, shown, budget = await run_in_threadpool(_asked, site, request)
    if request.query_params.get("number") != str(len(now.moves)):
        raise HTTPException(409, "The table has changed since.")
    events = _thought_events(site, now, name, shown, budget, viewer_of(request))
    return EventSourceResponse(events)


async def _thought_events(
    site: Site, now: Snapshot, name: str, shown: str, budget: int, viewer: str
) -> AsyncIterator[dict[str, str]]:
    seen, seed = as_seen(now.position), now.plan.seed_of_agents
    job = partial(think_aloud, name, seen, seed, len(now.moves), budget)
    try:
        async with aclosing(site.analysts.stream(job, viewer)) as coming:
            async for thought in coming:
                text = site.fragment("thought.html", now=now, thought=thought, most=_MOST_MOVES)
                yield {"event": "thought", "data": text}
    except ThinkerError as fault:
        yield {"event": "thought", "data": site.fragment("failed.html", name=shown, fault=fault)}
    yield {"event": "done", "data": ""}


async def _hint(site: Site, request: Request) -> Response:
    """The best move found by playing on, and why: its gain in each row of the score sheet."""
    looking = await run_in_threadpool(looking_at, site, request)
    now = looking.table.now()
    if not looking.viewer.decides(now):
        raise TableError("it is not your turn")
    position = now.position
    job = partial(hint, as_seen(position), now.plan.seed_of_agents, len(now.moves))
    try:
        answer = site.analysts.answer(job, viewer_of(request))
        found = await while_waited_for(request, answer)
    except ThinkerError as fault:
        raise TableError(f"there is no hint: {fault}") from fault
    gains = await run_in_threadpool(sure_events, position, found.move)
    context = {
        "position": position,
        "found": found,
        "names": called(now.plan.names, position.to_move),
        "alone": position.players == 1,
        "rows": [row for row in found.rows if abs(row.gain) >= _LEAST_GAIN][:_MOST_ROWS],
        "gains": effects_in_words(gains, position.to_move, now.plan.names),
    }
    return HTMLResponse(site.fragment("hint.html", **context))
