"""Folders to watch: standings of arenas and the latest games of arenas and datasets, live."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from shakespeare_agents.arena import wording
from shakespeare_agents.arena.report.axes import linear
from shakespeare_agents.arena.standings import Standings
from shakespeare_agents.table.site import Site
from shakespeare_agents.table.watching.finding import find
from shakespeare_agents.table.watching.watched import Seen, Watched

_WAIT = 0.8
"""Seconds that a page waits for a folder's first reading; it is told of later ones."""


def routes(site: Site) -> list[Route]:
    """The pages of watched folders."""
    folders = [Watched(folder) for folder in site.settings.folders]

    def chosen(request: Request) -> tuple[int, Watched]:
        number = request.path_params["number"]
        if number >= len(folders):
            raise HTTPException(404, "This server watches no such folder.")
        return number, folders[number]

    def every(request: Request) -> Response:
        """All folders."""
        seen = [(watched.folder, watched.seen(_WAIT)) for watched in folders]
        return site.page(request, "folders.html", folders=seen)

    def show(request: Request) -> Response:
        """One of them."""
        number, watched = chosen(request)
        view = _view(request, number, watched, watched.seen(_WAIT))
        return site.page(request, "folder.html", **view)

    def news(request: Request) -> Response:
        """What is new since a version; nothing if that is still the latest."""
        number, watched = chosen(request)
        seen = watched.seen()
        if request.query_params.get("since") == str(seen.version):
            return Response(status_code=204)
        view = _view(request, number, watched, seen)
        return HTMLResponse(site.fragment("folder_news.html", **view))

    return [
        Route("/folders", every),
        Route("/folders/{number:int}", show),
        Route("/folders/{number:int}/news", news),
    ]


def _view(request: Request, number: int, watched: Watched, seen: Seen) -> dict[str, Any]:
    query = request.query_params
    page = query.get("page", "1")
    place = int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1
    agent = query.get("agent", "")
    found = None if seen.listing is None else find(seen.listing, agent, place)
    own = f"/folders/{number}"
    return {
        "folder": watched.folder,
        "number": number,
        "seen": seen,
        "found": found,
        "agent": agent if found is None else found.agent,
        "written": None if seen.changed is None else datetime.fromtimestamp(seen.changed, UTC),
        "news": f"{own}/news?{urlencode({'since': seen.version, 'agent': agent, 'page': place})}",
        "page_of": lambda page: f"{own}?{urlencode({'agent': agent, 'page': page})}",
        "ladder": _ladder(seen.standings),
        "word": wording,
    }


def _ladder(standings: Standings | None) -> dict[str, Any] | None:
    """An arena's order, by rating, or by mean score if all its games are solo."""
    if standings is None:
        return None
    alone = not standings.ladder.height
    frame, column = (standings.solo, "mean") if alone else (standings.ladder, "rating")
    rows = frame.to_dicts()
    ends = [row[end] for row in rows for end in ("low", column, "high")]
    return {
        "rows": rows,
        "column": column,
        "alone": alone,
        "digits": 1 if alone else 0,
        "axis": linear(ends),
        "settled": wording.settled(frame),
    }
