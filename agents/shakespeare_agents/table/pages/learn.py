"""Learning a game: how it is played, its rules by number, a guided first game."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_agents.table.learning.lessons import SEAT, Lesson, lesson
from shakespeare_agents.table.learning.rules import rules_of
from shakespeare_agents.table.pages.play import PLACES, looking_at
from shakespeare_agents.table.preparing import PATIENCE_S, NotReadyError
from shakespeare_agents.table.site import Fields, Site, owner_of, remembering
from shakespeare_agents.table.told import called
from shakespeare_env.core import registry

_FIELDS = 2
_LONGEST_NAME = 100
_GLANCE_S = 1.0
"""Seconds before a page says what it waits for."""


def routes(site: Site) -> list[Route]:
    """The pages of all games that are taught, and the guide of guided tables."""
    return [
        site.get("/learn", _overview),
        site.get("/learn/{game}", _how_to_play),
        site.get("/learn/{game}/explain", _explain),
        site.post("/learn/{game}/first-game", _begin, _FIELDS),
        site.get("/rules/{game}", _rules),
        *(site.get(f"{place}/guide", _guide) for place in PLACES),
    ]


def _taught(site: Site, request: Request, patience: float = _GLANCE_S) -> Lesson:
    """The lesson of a page's game, once that can be played; NotReadyError if that takes longer."""
    found = lesson(request.path_params["game"])
    if found is None or found.game not in registry.names():
        raise HTTPException(404, "Nobody has written how this game is played.")
    site.preparing.wait(found.game, patience)
    return found


def _overview(site: Site, request: Request) -> Response:
    """What there is to learn from."""
    return site.page(request, "learn.html")


def _how_to_play(site: Site, request: Request) -> Response:
    """Goal, turn and what scores, with pictures of the example game."""
    taught = _taught(site, request)
    pictures, meanings = site.learning.pictures(taught.game), site.learning.topics(taught.game)
    return site.page(
        request, "how_to_play.html", taught=taught, pictures=pictures, meanings=meanings
    )


def _explain(site: Site, request: Request) -> Response:
    """What a card, a move or a thing does."""
    known = site.learning.topics(_taught(site, request).game)
    name = request.query_params.get("name", "")[:_LONGEST_NAME]
    found = [(name, known[name])] if name in known else []
    return HTMLResponse(site.fragment("explained.html", found=found))


def _begin(site: Site, request: Request, _said: Fields, _file: bytes) -> Response:
    """A guided game; its page. Until its rules are compiled, the page that waits for them."""
    try:
        taught = _taught(site, request, PATIENCE_S)
    except NotReadyError as fault:
        return RedirectResponse(f"/learn/{fault.game}#first-game", 303)
    plan, digest = taught.plan, registry.box_digest(taught.game)
    _, tokens = site.store.new_table(owner_of(request), plan, digest, [[0]])
    return remembering(request, RedirectResponse(f"/seat/{tokens[0]}", 303))


def _rules(site: Site, request: Request) -> Response:
    """Every rule by its number."""
    game = request.path_params["game"]
    if game not in registry.names() or not (found := rules_of(game)):
        raise HTTPException(404, "There are no numbered rules of this game.")
    return site.page(request, "rules.html", game=game, rules=found)


def _guide(site: Site, request: Request) -> Response:
    """What the guide says now; nothing while others decide."""
    looking = looking_at(site, request)
    now = looking.table.now()
    guidance = site.learning.says(now, looking.viewer)
    if guidance is None:
        return Response(status_code=204)
    context = {"guidance": guidance, "game": now.plan.game, "names": called(now.plan.names, SEAT)}
    return HTMLResponse(site.fragment("guidance.html", **context))
