"""Pictures of a table's positions, which show no more than the page of whoever asks."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shakespeare_agents.table.pages.play import PLACES, looking_at
from shakespeare_agents.table.site import Site
from shakespeare_agents.table.viewer import known
from shakespeare_env.core.presentation import Marks
from shakespeare_env.drawing.raster import png


def routes(site: Site) -> list[Route]:
    """The pictures of every table: as it is now, and after any number of moves."""
    return [
        site.get(f"{place}{number}/picture.{{kind}}", _picture)
        for place in PLACES
        for number in ("", "/{ply:int}")
    ]


def picture_response(drawn: str, kind: str) -> Response:
    """An SVG document as it is, or as PNG; HTTPException for other kinds."""
    if kind == "svg":
        return Response(drawn, media_type="image/svg+xml")
    if kind != "png":
        raise HTTPException(
            404, f"There is no picture of the kind {kind!r}; there are png and svg."
        )
    return Response(png(drawn), media_type="image/png")


def _picture(site: Site, request: Request) -> Response:
    looking = looking_at(site, request)
    now = looking.table.now()
    ply = request.path_params.get("ply", last := len(now.moves))
    if ply > last:
        raise HTTPException(404, f"There is no position {ply}; they are numbered 0 to {last}.")
    shown = known(now.positions[ply], looking.viewer.knows(now))
    drawn = now.position.game.presentation.picture(shown, Marks(now.plan.names))
    return picture_response(drawn, request.path_params["kind"])
