"""Thinking aloud: what an agent would play in a person's place, as its search comes in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
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

BUDGETS = (256, 4096, 65_536)
"""Playouts of all moves together that a viewer may ask for."""
_MOST_MOVES = 8


def routes(site: Site) -> list[Route]:
    """The pages of every table for the viewer that decides."""

    def ask(request: Request) -> Response:
        """Where the thoughts will stand."""
        query = request.query_params
        looking = looking_at(site, request, query.get("as", ""))
        now = looking.table.now()
        name = allowed_agent(query.get("agent", ""), now.plan.game, site.settings)
        budget = _budget(query.get("playouts", ""))
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

    async def stream(request: Request) -> Response:
        """Server-sent events: thoughts in words, again and again, until the search ends."""
        query = request.query_params
        looking = await run_in_threadpool(looking_at, site, request, query.get("as", ""))
        now = looking.table.now()
        if not looking.viewer.decides(now) or query.get("number") != str(len(now.moves)):
            raise HTTPException(409, "The table has changed since.")
        name = allowed_agent(query.get("agent", ""), now.plan.game, site.settings)
        rounds = _rounds(site, now, name, _budget(query.get("playouts", "")))
        return EventSourceResponse(_thought_events(site, now, name, rounds))

    return [
        route
        for place in PLACES
        for route in (Route(f"{place}/thoughts", ask), Route(f"{place}/thoughts/stream", stream))
    ]


def _budget(text: str) -> int:
    if text not in map(str, BUDGETS):
        raise HTTPException(400, f"The playouts are one of {', '.join(map(str, BUDGETS))}.")
    return int(text)


def _rounds(site: Site, now: Snapshot, name: str, playouts: int) -> Iterator[Thoughts]:
    """Each round is played while nobody else uses the agent."""
    lock, analyst = site.analysts.get(name, now.position.game)
    with lock:
        found = thoughts(
            now.position, analyst, seed=now.plan.seed, number=len(now.moves), playouts=playouts
        )
    while True:
        with lock:
            thought = next(found, None)
        if thought is None:
            return
        yield thought


async def _thought_events(
    site: Site, now: Snapshot, name: str, rounds: Iterator[Thoughts]
) -> AsyncIterator[dict[str, str]]:
    try:
        while (thought := await run_in_threadpool(next, rounds, None)) is not None:
            text = site.fragment("thought.html", **_words(now, thought))
            yield {"event": "thought", "data": text}
    except Exception as fault:  # an agent may be anybody's
        text = site.fragment("thought_failed.html", name=name, fault=fault)
        yield {"event": "thought", "data": text}
    yield {"event": "done", "data": ""}


def _words(now: Snapshot, thought: Thoughts) -> dict[str, Any]:
    """A thought, by the names that its template uses."""
    colours = now.position.game.presentation.seat_colours
    seats = [
        {
            "name": one.name,
            "seat": seat,
            "fill": colours[seat][0],
            "chance": None if thought.chances is None else 100 * thought.chances[seat],
            "score": None if thought.scores is None else thought.scores[seat],
        }
        for seat, one in enumerate(now.plan.seats)
    ]
    alone = len(seats) == 1
    moves = [
        {
            "words": now.position.describe_move(one.move),
            "likely": None if one.probability is None else 100 * one.probability,
            "playouts": one.playouts,
            "worth": None if one.worth is None else one.worth * (1 if alone else 100),
            "margin": None if one.margin is None else one.margin * (1 if alone else 100),
        }
        for one in thought.moves[:_MOST_MOVES]
    ]
    return {"seats": seats, "moves": moves, "alone": alone, "playouts": thought.playouts}
