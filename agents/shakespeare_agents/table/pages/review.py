"""Review: a finished game, position by position, with what an agent thinks of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_agents.table.guarding import LONGER
from shakespeare_agents.table.live_tables import for_everybody
from shakespeare_agents.table.new_table import agents_for
from shakespeare_agents.table.pages import practice
from shakespeare_agents.table.pages.pictures import picture_response
from shakespeare_agents.table.reviewed import Judging, Reviewed, Reviews, judging_of
from shakespeare_agents.table.site import Fields, Site, owner_of, remembering
from shakespeare_env.errors import DatasetError
from shakespeare_env.film import Film
from shakespeare_env.film.figures import chances_graph, mistakes_list, score_graph, summary
from shakespeare_env.film.page import SCRIPTS, STYLES, player

_LATEST = 20
_FIELDS = 8
_EVERY = 1.5
"""Seconds between graphs while verdicts come in."""
_ADDRESSES = (
    "/review/table/{table}",
    "/review/record/{record}",
    "/review/folder/{folder:int}/{game:int}",
)
_NOTHING = "Give a game as JSON lines: paste it, or choose a file that `play --save` wrote."
_Shown = Callable[[Site, Request, Reviewed, str], Response]


def routes(site: Site) -> list[Route]:
    """The pages of reviews."""
    reviews = Reviews(site)

    def found(request: Request) -> tuple[Reviewed, str]:
        """A game, and its address."""
        place = request.path_params
        parts = request.url.path.split("/")[: 5 if "folder" in place else 4]
        return reviews.get(place), "/".join(parts)

    def of_game(path: str, show: _Shown) -> list[Route]:
        """The routes to a page of every game."""

        def page(site: Site, request: Request) -> Response:
            return show(site, request, *found(request))

        return [site.get(f"{place}{path}", page) for place in _ADDRESSES]

    def practice_tried(site: Site, request: Request, said: Fields, _file: bytes) -> Response:
        return practice.tried(site, request, *found(request), said)

    async def analysis(request: Request) -> Response:
        """Server-sent events: graphs and verdicts, while somebody listens."""
        reviewed, address = await run_in_threadpool(found, request)
        judging = await run_in_threadpool(judging_of, site, request, reviewed)
        return EventSourceResponse(_judged_events(site, reviewed, judging, f"{address}/"))

    return [
        site.get("/review", _start),
        site.post("/review", partial(_bring, reviews), 2, LONGER["/review"], files=1),
        *(Route(f"/review/{file.name}", partial(_file, file)) for file in (*SCRIPTS, *STYLES)),
        *of_game("", _show),
        *of_game("/{ply:int}", _show),
        *of_game("/{ply:int}/on", _play_on),
        *of_game("/{ply:int}/line", _line),
        *of_game("/{ply:int}/picture.{kind}", _picture),
        *of_game("/film", _film),
        *of_game("/practice", practice.show),
        *of_game("/{ply:int}/explain", practice.explain),
        *(site.post(f"{place}/practice", practice_tried, _FIELDS) for place in _ADDRESSES),
        *of_game("/page", _share),
        *(Route(f"{place}/analysis", analysis) for place in _ADDRESSES),
    ]


def _file(file: Path, _request: Request) -> Response:
    return FileResponse(file)


def _start(site: Site, request: Request, fault: str = "") -> Response:
    """Games to choose from, and a form for others."""
    owner = owner_of(request)
    return site.page(
        request,
        "reviews.html",
        422 if fault else 200,
        fault=fault,
        tables=[one for one in site.store.tables_of(owner, _LATEST) if one.over],
        records=site.store.records_of(owner, _LATEST),
        most=LONGER["/review"] >> 20,
    )


def _bring(reviews: Reviews, site: Site, request: Request, said: Fields, file: bytes) -> Response:
    """Keep a game from elsewhere and show it."""
    lines = file or said.get("lines", "").encode()
    if not lines.strip():
        return _start(site, request, _NOTHING)
    try:
        record_id = reviews.keep(owner_of(request), lines)
    except DatasetError as fault:
        return _start(site, request, str(fault))
    return remembering(request, RedirectResponse(f"/review/record/{record_id}", 303))


def _show(site: Site, request: Request, reviewed: Reviewed, address: str) -> Response:
    """A game at a position."""
    at, film = _ply(request, reviewed), reviewed.film
    name = judging_of(site, request, reviewed).name
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
    shown = player(film, extras, source=f"{link}film", link=link, at=at, board=film.board(at))
    return site.page(
        request, "review.html", title=reviewed.title, player=shown, address=address, agent=name
    )


def _film(_site: Site, _request: Request, reviewed: Reviewed, _address: str) -> Response:
    """Every position, for the script."""
    headers = {"Content-Encoding": "gzip", "Cache-Control": "private, max-age=3600"}
    return Response(reviewed.data(), media_type="application/json", headers=headers)


def _share(_site: Site, request: Request, reviewed: Reviewed, _address: str) -> Response:
    """The game as one HTML file, with what the agent asked for has found so far."""
    page = reviewed.page(request.query_params.get("agent", ""))
    name = f"{reviewed.film.game.name}-game.html"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(page, media_type="text/html", headers=headers)


def _line(site: Site, request: Request, reviewed: Reviewed, _address: str) -> Response:
    """The best line from a position on, as a film for the script, with what the bar shows."""
    ply = _ply(request, reviewed)
    if reviewed.game.positions[ply].to_move is None:
        raise HTTPException(409, "The game is over here; ask for a line from an earlier position.")
    judging = judging_of(site, request, reviewed)
    try:
        line = judging.line(ply)
    except Exception as fault:  # an agent may be anybody's
        said = for_everybody(fault, judging.agent)
        raise HTTPException(409, f"{judging.name} has failed: {said}") from fault
    course, forecasts = line.course, line.forecasts
    film = json.loads(Film(course.positions, course.moves, reviewed.game.names or ()).data())
    values = forecasts.scores if reviewed.film.players == 1 else 100 * forecasts.chances
    title = f"Position {ply}: {judging.name} would go on as follows."
    return JSONResponse({**film, "title": title, "values": values.round(1).tolist()})


def _picture(_site: Site, request: Request, reviewed: Reviewed, _address: str) -> Response:
    """A position as a picture."""
    drawn = reviewed.film.picture(_ply(request, reviewed))
    return picture_response(drawn, request.path_params["kind"])


def _play_on(_site: Site, request: Request, reviewed: Reviewed, _address: str) -> Response:
    """The lobby's form for a table that begins here."""
    position = reviewed.game.positions[_ply(request, reviewed)]
    if position.to_move is None:
        raise HTTPException(409, "The game is over here; play on from an earlier position.")
    fields = {
        "game": position.game.name,
        "players": position.players,
        "position": json.dumps(position.to_dict(), separators=(",", ":")),
    }
    return RedirectResponse(f"/?{urlencode(fields)}", 303)


def _ply(request: Request, reviewed: Reviewed) -> int:
    ply = int(request.path_params.get("ply", 0))
    if ply > (last := len(reviewed.film)):
        raise HTTPException(404, f"There is no position {ply}; they are numbered 0 to {last}.")
    return ply


async def _judged_events(
    site: Site, reviewed: Reviewed, found: Judging, link: str
) -> AsyncIterator[dict[str, str]]:
    film, last = reviewed.film, len(reviewed.film)

    def figures() -> list[dict[str, str]]:
        judged = found.judged()
        parts = {
            "graph": chances_graph(film, found.forecasts(), judged, link),
            "learn": practice.offer(site, reviewed, found, link),
            "mistakes": mistakes_list(film, judged, link),
            "summary": summary(film, judged),
        }
        return [{"event": event, "data": data} for event, data in parts.items()]

    def progress(known: int) -> dict[str, str]:
        text = site.fragment("review_progress.html", known=known, last=last, name=found.name)
        return {"event": "progress", "data": text}

    asked = partial(asyncio.get_running_loop().run_in_executor, site.analysts.threads)
    try:
        for part in await asked(figures):
            yield part
        known, drawn_at = -1, time.monotonic()
        while known < (latest := await asked(found.more, known)):
            known = latest
            yield progress(known)
            if time.monotonic() - drawn_at > _EVERY:
                for part in await asked(figures):
                    yield part
                drawn_at = time.monotonic()
        for part in await asked(figures):
            yield part
        yield progress(last)
    except Exception as fault:  # an agent may be anybody's
        said = {"name": found.name, "fault": for_everybody(fault, found.agent)}
        text = site.fragment("thought_failed.html", **said)
        yield {"event": "progress", "data": text}
    yield {"event": "done", "data": ""}
