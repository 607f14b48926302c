"""A hint that says why: what the suggested move gains, in each row of the score sheet."""

from __future__ import annotations

from contextlib import aclosing
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from shakespeare_agents.table.learning.guide import effects_in_words, sure_events
from shakespeare_agents.table.live_table import TableError
from shakespeare_agents.table.live_tables import for_everybody
from shakespeare_agents.table.pages.play import PLACES, looking_at
from shakespeare_agents.table.pages.thoughts import check_not_quiet
from shakespeare_agents.table.site import Site
from shakespeare_agents.table.thinking.hint import Hint
from shakespeare_agents.table.thinking.jobs import as_seen
from shakespeare_agents.table.told import called

_MOST_ROWS = 6
_LEAST_GAIN = 0.05
"""Points; smaller differences are left out."""


def routes(site: Site) -> list[Route]:
    """The hint at every table, for the viewer that decides."""
    return [Route(f"{place}/hint", partial(_hint, site)) for place in PLACES]


async def _hint(site: Site, request: Request) -> Response:
    """The best move found by playing on, and why."""
    looking = await run_in_threadpool(looking_at, site, request)
    now = looking.table.now()
    check_not_quiet(now.plan)
    if not looking.viewer.decides(now):
        raise TableError("it is not your turn")
    seen, found = as_seen(now.position), None
    job = Hint(seen, now.plan.seed_of_agents, len(now.moves))
    try:
        async with aclosing(site.analysts.stream(job)) as coming:
            async for latest in coming:
                found = latest
    except Exception as fault:  # it may have thought for too long
        raise TableError(f"there is no hint: {for_everybody(fault, 'network')}") from fault
    assert found is not None
    position = now.position
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
