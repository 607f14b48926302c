"""The demo: a page that follows games of agents, one after the other, by itself."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shakespeare_agents.registry import default
from shakespeare_agents.table.demo import RESULT_S, Demo
from shakespeare_agents.table.reviewed import Reviews
from shakespeare_agents.table.site import Site
from shakespeare_env.core import registry
from shakespeare_env.film.page import player


def routes(site: Site) -> list[Route]:
    """The demo's page, if there is a demo."""
    if site.settings.pace is None:
        return []
    demo, reviews = Demo(site, site.settings.pace), Reviews(site)

    def show(site: Site, request: Request) -> Response:
        """The game on show where it stands now; or that the first one comes soon."""
        shown = demo.now()
        if shown is None:
            return site.page(request, "demo_begins.html", game=next(iter(registry.names())))
        reviewed = reviews.get({"table": shown.table})
        at = min(int(shown.elapsed / demo.pace), shown.moves)
        address, film = f"/review/table/{shown.table}", reviewed.film
        extras = site.fragment(
            "demo_extras.html", address=address, agent=default(film.game), film=film
        )
        drawn = player(film, extras, source=f"{address}/film", at=at, board=film.board(at))
        return site.page(
            request,
            "demo.html",
            title=reviewed.title,
            player=drawn,
            table=shown.table,
            pace=demo.pace,
            elapsed=round(shown.elapsed, 2),
            result=RESULT_S,
        )

    def coming(_site: Site, request: Request) -> Response:
        """Whether another game is on show than the one that a page shows."""
        shown = demo.now()
        table = request.path_params["table"]
        return Response(status_code=200 if shown is not None and shown.table != table else 204)

    return [site.get("/demo", show), site.get("/demo/after/{table}", coming)]
