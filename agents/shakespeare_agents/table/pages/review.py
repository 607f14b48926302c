"""Review: a finished game, position by position, with what an agent thinks of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from urllib.parse import urlencode

from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_agents.registry import default
from shakespeare_agents.table.guarding import LONGER
from shakespeare_agents.table.new_table import agents_for, allowed_agent
from shakespeare_agents.table.reviewed import Judging, Reviewed
from shakespeare_agents.table.reviews import Reviews
from shakespeare_agents.table.site import Site, owner_of, remembering
from shakespeare_agents.table.thinking import give_way
from shakespeare_env.errors import DatasetError
from shakespeare_env.film import default_title
from shakespeare_env.film.page import (
    SCRIPT,
    STYLE,
    forecast_graphs,
    mistakes_list,
    player,
    score_graph,
)

_LATEST = 20
_JUDGES = 2
"""Threads on which agents judge."""
_EVERY = 1.5
"""Seconds between graphs while verdicts come in."""
_ADDRESSES = (
    "/review/table/{table}",
    "/review/record/{record}",
    "/review/folder/{folder:int}/{game:int}",
)
_NOTHING = "Give a game as JSON lines: paste it, or choose a file that `play --save` wrote."


def routes(site: Site) -> list[Route]:
    """The pages of reviews."""
    reviews = Reviews(site)
    # There are few judges, so that pages find a thread, too.
    judges = ThreadPoolExecutor(_JUDGES, "judging", initializer=give_way)

    def start(request: Request) -> Response:
        """Games to choose from, and a form for others."""
        return _start(site, request)

    async def bring(request: Request) -> Response:
        """Keep a game from elsewhere and show it."""
        lines = await _lines(request)
        return await run_in_threadpool(_bring, site, reviews, request, lines)

    def found(request: Request) -> tuple[Reviewed, str]:
        """A game, and its address."""
        place = request.path_params
        parts = request.url.path.split("/")[: 5 if "folder" in place else 4]
        return reviews.get(place), "/".join(parts)

    def show(request: Request) -> Response:
        """A game at a position."""
        reviewed, address = found(request)
        return _show(site, request, reviewed, address)

    def film(request: Request) -> Response:
        """Every position, for the script."""
        reviewed, _ = found(request)
        headers = {"Content-Encoding": "gzip", "Cache-Control": "private, max-age=3600"}
        return Response(reviewed.data(), media_type="application/json", headers=headers)

    def share(request: Request) -> Response:
        """The game as one HTML file, with what the agent asked for has found so far."""
        reviewed, _ = found(request)
        page = reviewed.page(reviewed.judged(request.query_params.get("agent", "")))
        name = f"{reviewed.film.game.name}-game.html"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(page, media_type="text/html", headers=headers)

    def play_on(request: Request) -> Response:
        """The lobby's form for a table that begins here."""
        reviewed, _ = found(request)
        position = reviewed.game.positions[_ply(request, reviewed)]
        if position.to_move is None:
            raise HTTPException(409, "The game is over here; play on from an earlier position.")
        fields = {
            "game": position.game.name,
            "players": position.players,
            "position": json.dumps(position.to_dict(), separators=(",", ":")),
        }
        return RedirectResponse(f"/?{urlencode(fields)}", 303)

    async def analysis(request: Request) -> Response:
        """Server-sent events: graphs and verdicts, while somebody listens."""
        reviewed, address = await run_in_threadpool(found, request)
        name = await run_in_threadpool(_agent, site, request, reviewed)
        return EventSourceResponse(_judged_events(site, judges, reviewed, name, f"{address}/"))

    return [
        Route("/review", start),
        Route("/review", bring, methods=["POST"]),
        Route("/review/film.js", lambda request: FileResponse(SCRIPT)),
        Route("/review/film.css", lambda request: FileResponse(STYLE)),
        *(
            Route(f"{place}{suffix}", page)
            for place in _ADDRESSES
            for suffix, page in (
                ("", show),
                ("/{ply:int}", show),
                ("/{ply:int}/on", play_on),
                ("/film", film),
                ("/page", share),
                ("/analysis", analysis),
            )
        ),
    ]


def _start(site: Site, request: Request, fault: str = "") -> Response:
    owner = owner_of(request)
    tables = [
        (f"/review/table/{one.id}", f"{one.plan.game.capitalize()}: {', '.join(seats)}")
        for one in site.store.tables_of(owner, _LATEST)
        if one.over
        for seats in [[seat.name for seat in one.plan.seats]]
    ]
    records = [
        (f"/review/record/{record_id}", title)
        for record_id, title in site.store.records_of(owner, _LATEST)
    ]
    return site.page(
        request,
        "reviews.html",
        422 if fault else 200,
        fault=fault,
        tables=tables,
        records=records,
        most=LONGER["/review"] >> 20,
    )


async def _lines(request: Request) -> bytes:
    most = LONGER["/review"]
    async with request.form(max_files=1, max_fields=2, max_part_size=most) as form:
        file, text = form.get("file"), form.get("lines")
        if isinstance(file, UploadFile) and file.filename:
            return await file.read()
        return text.encode() if isinstance(text, str) else b""


def _bring(site: Site, reviews: Reviews, request: Request, lines: bytes) -> Response:
    if not lines.strip():
        return _start(site, request, _NOTHING)
    try:
        record_id = reviews.keep(owner_of(request), lines)
    except DatasetError as fault:
        return _start(site, request, str(fault))
    return remembering(request, RedirectResponse(f"/review/record/{record_id}", 303))


def _ply(request: Request, reviewed: Reviewed) -> int:
    ply = int(request.path_params.get("ply", 0))
    if ply > len(reviewed.film):
        last = len(reviewed.film)
        raise HTTPException(404, f"There is no position {ply}; they are numbered 0 to {last}.")
    return ply


def _agent(site: Site, request: Request, reviewed: Reviewed) -> str:
    game = reviewed.film.game
    return allowed_agent(
        request.query_params.get("agent") or default(game), game.name, site.settings
    )


def _show(site: Site, request: Request, reviewed: Reviewed, address: str) -> Response:
    at = _ply(request, reviewed)
    film = reviewed.film
    name = _agent(site, request, reviewed)
    offered = agents_for(film.game.name, site.settings)
    link = f"{address}/"
    extras = site.fragment(
        "review_extras.html",
        address=address,
        agent=name,
        offered=offered if name in offered else [name, *offered],
        scores=score_graph(film, link),
        at=at,
        last=len(film),
    )
    return site.page(
        request,
        "review.html",
        title=reviewed.title or default_title(film),
        player=player(film, extras, source=f"{link}film", link=link, at=at, board=film.board(at)),
    )


async def _judged_events(
    site: Site, judges: Executor, reviewed: Reviewed, name: str, link: str
) -> AsyncIterator[dict[str, str]]:
    film, last = reviewed.film, len(reviewed.film)

    def judging() -> Judging:
        return reviewed.judging(name, lambda: site.analysts.get(name, film.game))

    def graphs(found: Judging) -> dict[str, str]:
        mistakes = found.mistakes()
        drawn = forecast_graphs(film, found.forecasts(), mistakes, link)
        return {"event": "found", "data": drawn + mistakes_list(film, mistakes, link)}

    def progress(known: int) -> dict[str, str]:
        text = site.fragment("review_progress.html", known=known, last=last, name=name)
        return {"event": "progress", "data": text}

    asked = partial(asyncio.get_running_loop().run_in_executor, judges)
    try:
        found = await asked(judging)
        yield await asked(graphs, found)
        known, drawn_at = -1, time.monotonic()
        while known < (latest := await asked(found.more, known)):
            known = latest
            yield progress(known)
            if time.monotonic() - drawn_at > _EVERY:
                yield await asked(graphs, found)
                drawn_at = time.monotonic()
        yield await asked(graphs, found)
        yield progress(last)
    except Exception as fault:  # an agent may be anybody's
        text = site.fragment("thought_failed.html", name=name, fault=fault)
        yield {"event": "progress", "data": text}
    yield {"event": "done", "data": ""}
