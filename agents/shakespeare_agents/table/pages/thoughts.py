"""Thinking aloud: what an agent would play in a person's place, as its search comes in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from shakespeare_agents.analysis.thinking import Thoughts, thoughts
from shakespeare_agents.table.live_table import Snapshot
from shakespeare_agents.table.new_table import allowed_agent
from shakespeare_agents.table.pages.play import PLACES, looking_at
from shakespeare_agents.table.site import Site

BUDGETS = ("256", "4096", "65536")
"""Playouts of all moves together that a viewer may ask for."""
_MOST_MOVES = 8


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


def _asked(site: Site, request: Request, game: str) -> tuple[str, int]:
    """The agent and the playouts that are asked for."""
    query = request.query_params
    name = allowed_agent(query.get("agent", ""), game, site.settings)
    if (budget := query.get("playouts", "")) not in BUDGETS:
        raise HTTPException(400, f"The playouts are one of {', '.join(BUDGETS)}.")
    return name, int(budget)


def _ask(site: Site, request: Request) -> Response:
    """Where the thoughts will stand."""
    looking = looking_at(site, request)
    now = looking.table.now()
    name, budget = _asked(site, request, now.plan.game)
    if not looking.viewer.decides(now):
        return HTMLResponse("<p>It is not your turn.</p>")
    text = site.fragment(
        "thoughts.html",
        address=looking.address,
        agent=name,
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
    name, budget = await run_in_threadpool(_asked, site, request, now.plan.game)
    return EventSourceResponse(_thought_events(site, now, name, budget))


async def _thought_events(
    site: Site, now: Snapshot, name: str, budget: int
) -> AsyncIterator[dict[str, str]]:
    def all_rounds() -> Iterator[Thoughts]:
        """Each is played while nobody else uses the agent."""
        lock, analyst = site.analyst(name, now.position.game)
        about = {"seed": now.plan.seed, "number": len(now.moves), "playouts": budget}
        with lock:
            found = thoughts(now.position, analyst, **about)
        while True:
            with lock:
                thought = next(found, None)
            if thought is None:
                return
            yield thought

    rounds = all_rounds()
    try:
        while (thought := await run_in_threadpool(next, rounds, None)) is not None:
            text = site.fragment("thought.html", **_words(now, thought))
            yield {"event": "thought", "data": text}
    except Exception as fault:  # an agent may be anybody's
        text = site.fragment("thought_failed.html", name=name, fault=fault)
        yield {"event": "thought", "data": text}
    yield {"event": "done", "data": ""}


def _words(now: Snapshot, thought: Thoughts) -> dict[str, Any]:
    """A thought, by the names that its template uses; chances in percent."""
    colours, names = now.position.game.seat_colours, now.plan.names
    seats = [
        {
            "name": name,
            "seat": seat,
            "fill": colours[seat][0],
            "chance": None if thought.chances is None else 100 * thought.chances[seat],
            "score": None if thought.scores is None else thought.scores[seat],
        }
        for seat, name in enumerate(names)
    ]
    unit = 1 if len(names) == 1 else 100  # alone, moves are worth points
    moves = [
        {
            "words": now.position.describe_move(one.move),
            "likely": None if one.probability is None else 100 * one.probability,
            "worth": None if one.worth is None else one.worth * unit,
            "margin": None if one.margin is None else one.margin * unit,
        }
        for one in thought.moves[:_MOST_MOVES]
    ]
    return {"seats": seats, "moves": moves, "alone": unit == 1, "playouts": thought.playouts}
