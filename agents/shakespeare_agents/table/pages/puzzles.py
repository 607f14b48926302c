"""Puzzles: positions in which one move is clearly best, solved by clicking on the board."""

from __future__ import annotations

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from shakespeare_agents.analysis.puzzles import Puzzle
from shakespeare_agents.table.learning.guide import effects_in_words, sure_events
from shakespeare_agents.table.learning.puzzle_set import GRADES, puzzles_of, stands, tried
from shakespeare_agents.table.live_table import Snapshot, TableError
from shakespeare_agents.table.play_page import columns_of
from shakespeare_agents.table.site import Fields, Site
from shakespeare_agents.table.told import called
from shakespeare_agents.table.viewer import explained, known
from shakespeare_env.core import registry
from shakespeare_env.play.named import capitalised, with_names

_FIELDS = 6
_LONGEST_NAME = 100
_MOST_MOVES = 5
"""Moves whose worth is shown."""


def routes(site: Site) -> list[Route]:
    """The list of all puzzles, and a page for each."""
    return [
        site.get("/puzzles", _list),
        site.get("/puzzles/{game}", _list),
        site.get("/puzzles/{game}/{number:int}", _show),
        site.get("/puzzles/{game}/{number:int}/explain", _explain),
        site.post("/puzzles/{game}/{number:int}/play", _try, _FIELDS),
    ]


def _list(site: Site, request: Request) -> Response:
    """All puzzles, of a game or of every one, by grade."""
    asked = request.path_params.get("game")
    if asked is not None and asked not in registry.names():
        raise HTTPException(404, "There is no such game.")
    found = {game: puzzles_of(game) for game in registry.names() if asked in (None, game)}
    return site.page(request, "puzzles.html", sets=found, grades=GRADES)


def _found(site: Site, request: Request) -> tuple[Puzzle, Snapshot]:
    """The puzzle of a page, and its table."""
    game, number = request.path_params["game"], request.path_params["number"]
    every = puzzles_of(game) if game in registry.names() else ()
    if not 1 <= number <= len(every):
        raise HTTPException(404, "There is no such puzzle.")
    site.preparing.wait(game)
    return every[number - 1], stands(game, number, every[number - 1])


def _show(site: Site, request: Request) -> Response:
    """A puzzle."""
    return site.page(request, "puzzle.html", **_context(site, request))


def _explain(site: Site, request: Request) -> Response:
    """What something on its board does."""
    _, now = _found(site, request)
    name = request.query_params.get("name", "")[:_LONGEST_NAME]
    found = explained(now, now.position.to_move, name)
    return HTMLResponse(site.fragment("explained.html", found=found))


def _try(site: Site, request: Request, said: Fields, _file: bytes) -> Response:
    """Whether a move is the best one; without scripts the page with the verdict."""
    context = _context(site, request)
    puzzle: Puzzle = context["puzzle"]
    given_up = "solve" in said
    result = tried(puzzle, puzzle.best if given_up else said.get("move", ""))
    if result is None:
        raise TableError("that is no move of this puzzle")
    position = context["now"].position
    gains: list[str] = []
    if result.is_right:
        events = sure_events(position, result.move)
        gains = effects_in_words(events, position.to_move, context["now"].plan.names)
    worths = list(puzzle.worths.items())[:_MOST_MOVES]
    context |= {"result": result, "given_up": given_up, "gains": gains, "worths": worths}
    if "HX-Request" in request.headers:
        return HTMLResponse(site.fragment("verdict.html", **context))
    return site.page(request, "puzzle.html", **context)


def _context(site: Site, request: Request) -> dict[str, Any]:
    puzzle, now = _found(site, request)
    position, seat = now.position, now.position.to_move
    shown, rules = known(position, seat), position.game.presentation
    names = called(now.plan.names, seat)
    moves = [
        (
            move,
            list(rules.places(shown, move)),
            capitalised(with_names(position.describe_move(move), names)),
        )
        for move in position.moves()
    ]
    number = request.path_params["number"]
    # No text may end the element that contains it.
    turn = json.dumps({"moves": moves, "changed": []}).replace("<", "\\u003c")
    return {
        "puzzle": puzzle,
        "now": now,
        "names": names,
        "game": now.plan.game,
        "number": number,
        "count": len(puzzles_of(now.plan.game)),
        "grades": GRADES,
        "head": rules.headline(shown),
        "columns": columns_of(site.drawings.board(now, 0, seat), seat),
        "moves": moves,
        "turn": turn,
        "result": None,
    }
