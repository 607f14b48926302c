"""Learning a game: how it is played, its rules by number, a guided first game."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_env.core import registry
from shakespeare_table.browser.learning.guide import example
from shakespeare_table.browser.learning.lessons import (
    SEAT,
    Lesson,
    holds,
    lesson,
    rules_of,
    taught_games,
    topic_text,
    view,
)
from shakespeare_table.browser.site import Fields, Site, owner_of, remembering
from shakespeare_table.browser.thinking import NotReadyError
from shakespeare_table.browser.viewing import DrawnPanel, drawn_panels


def routes(site: Site) -> list[Route]:
    """The pages of all games that are taught."""
    return [
        site.get("/learn", _overview),
        site.get("/learn/{game}", _how_to_play),
        site.get("/learn/{game}/explain", _explain),
        site.post("/learn/{game}/first-game", _begin),
        site.get("/rules/{game}", _rules),
    ]


def _taught(site: Site, request: Request) -> Lesson:
    """The lesson of a page's game, once that can be played; NotReadyError if that takes longer."""
    game = request.path_params["game"]
    if game not in registry.names() or (found := lesson(game)) is None:
        raise HTTPException(404, "Nobody has written how this game is played.")
    site.preparing.wait(found.game)
    return found


def _overview(site: Site, request: Request) -> Response:
    """What there is to learn from."""
    return site.page(request, "learn.html", games=taught_games())


def _how_to_play(site: Site, request: Request) -> Response:
    """Goal, turn and what scores, with pictures of the example game."""
    taught = _taught(site, request)
    return site.page(
        request,
        "how_to_play.html",
        taught=taught,
        pictures=pictures(taught),
        meanings=topics(taught.game),
    )


def _explain(site: Site, request: Request) -> Response:
    """What a card, a move or a thing does."""
    known, name = topics(_taught(site, request).game), request.query_params.get("name", "")
    found = [(name, known[name])] if name in known else []
    return HTMLResponse(site.fragment("explained.html", found=found))


def _begin(site: Site, request: Request, _said: Fields, _file: bytes) -> Response:
    """A guided game; its page. Until its rules are compiled, the page that waits for them."""
    try:
        taught = _taught(site, request)
    except NotReadyError as fault:
        return RedirectResponse(f"/learn/{fault.game}#first-game", 303)
    plan, digest = taught.plan, registry.box_digest(taught.game)
    _, tokens = site.store.new_table(owner_of(request), plan, digest, [[SEAT]])
    return remembering(request, RedirectResponse(f"/seat/{tokens[0]}", 303))


def _rules(site: Site, request: Request) -> Response:
    """Every rule by its number."""
    game = request.path_params["game"]
    if game not in registry.names() or not (found := rules_of(game)):
        raise HTTPException(404, "There are no numbered rules of this game.")
    return site.page(request, "rules.html", game=game, rules=found)


def pictures(taught: Lesson) -> list[list[DrawnPanel]]:
    """The pictures of each section of the page "How to play": panels, as far as shown."""
    now = example(taught.game)
    own = [one for one in now.positions if one.to_move == SEAT]
    views = [view(one, SEAT) for one in own]
    found = []
    for section in taught.sections:
        fits = (at for at, seen in enumerate(views) if holds(section.condition, seen))
        panels = drawn_panels(own[next(fits, len(own) - 1)], SEAT, now.plan.names)
        parts = (_part(panel, section.pieces) for panel in panels)
        found.append([part for part in parts if part.pieces])
    return found


def topics(game: str) -> dict[str, str]:
    """What cards, moves and things of a game do, at any time."""
    first = example(game).positions[0]
    known = first.game.presentation.topics(first.seen_by(SEAT))
    return {name: topic_text(known, name) for name in known}


def _part(panel: DrawnPanel, wanted: Collection[str]) -> DrawnPanel:
    """A panel with some of its pieces. A wanted name may name the whole panel."""
    kept = {
        name: drawn
        for name, drawn in panel.pieces.items()
        if panel.name in wanted or any(name == one or name.startswith(f"{one}-") for one in wanted)
    }
    return replace(panel, pieces=kept)
