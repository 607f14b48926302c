"""Folders to watch: standings of arenas and the latest games of arenas and datasets, live."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from shakespeare_agents.arena import wording
from shakespeare_agents.arena.standings import Standings
from shakespeare_agents.table.site import Site
from shakespeare_agents.table.watching.listing import find
from shakespeare_agents.table.watching.watched import Seen, Watched
from shakespeare_env.drawing.chart import linear

_WAIT = 0.8
"""Seconds that a page waits for a folder's first reading; events announce later ones."""


def routes(site: Site) -> list[Route]:
    """The pages of watched folders."""
    folders = [Watched(folder) for folder in site.settings.folders]
    # A page may outlive its server and continue with another one.
    own = secrets.token_hex(4)

    def looked_at(site: Site, request: Request, wait: float) -> dict[str, Any]:
        """What the templates of a folder show."""
        number = request.path_params["number"]
        folder = site.settings.watched(number)
        seen = folders[number].seen(wait)
        return {**_view(request, number, seen), "folder": folder, "since": f"{own}.{seen.version}"}

    def every(site: Site, request: Request) -> Response:
        """All folders."""
        seen = [(watched.folder, watched.seen(_WAIT)) for watched in folders]
        return site.page(request, "folders.html", folders=seen)

    def show(site: Site, request: Request) -> Response:
        """One of them."""
        return site.page(request, "folder.html", **looked_at(site, request, _WAIT))

    def news(site: Site, request: Request) -> Response:
        """What is new since a version; nothing if that is still the latest."""
        view = looked_at(site, request, 0)
        if request.query_params.get("since") == view["since"]:
            return Response(status_code=204)
        return HTMLResponse(site.fragment("folder_news.html", **view))

    return [
        site.get("/folders", every),
        site.get("/folders/{number:int}", show),
        site.get("/folders/{number:int}/news", news),
    ]


def _view(request: Request, number: int, seen: Seen) -> dict[str, Any]:
    query = request.query_params
    page = query.get("page", "1")
    place = int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1
    agent = query.get("agent", "")
    found = None if seen.listing is None else find(seen.listing, agent, place)
    own = f"/folders/{number}"
    return {
        "number": number,
        "seen": seen,
        "found": found,
        "agent": agent if found is None else found.agent,
        "written": None if seen.changed is None else datetime.fromtimestamp(seen.changed, UTC),
        "chosen": urlencode({"agent": agent, "page": place}),
        "page_of": lambda page: f"{own}?{urlencode({'agent': agent, 'page': page})}",
        "ladders": _ladders(seen.standings),
        "word": wording,
    }


def _ladders(standings: Standings | None) -> list[dict[str, Any]]:
    """An arena's orders by number of seats: by rating, and of solo games by mean score."""
    if standings is None:
        return []
    kinds = [(players, "rating", rows, 0) for players, rows in standings.ladders().items()]
    kinds.append((1, "mean", standings.solo, 1))
    return [
        {
            "title": f"Standings, {wording.counted(players, 'seat')}",
            "rows": frame.to_dicts(),
            "column": column,
            "digits": digits,
            "axis": linear([*frame["low"], *frame[column], *frame["high"]]),
        }
        for players, column, frame, digits in kinds
        if frame.height
    ]
