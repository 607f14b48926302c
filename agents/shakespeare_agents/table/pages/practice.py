"""Learn from your mistakes: the positions before them, to be decided once more on the board."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from shakespeare_agents.analysis import Verdict
from shakespeare_agents.table.live_tables import for_everybody
from shakespeare_agents.table.reviewed import Judging, Reviewed, judging_of
from shakespeare_agents.table.site import Fields, Site
from shakespeare_agents.table.viewer import explained
from shakespeare_env.film import Film
from shakespeare_env.film.figures import amount, mistakes
from shakespeare_env.play.course import Course

_LONGEST_NAME = 100


def offer(site: Site, reviewed: Reviewed, judging: Judging, link: str) -> str:
    """Links to the practice of every seat that has made mistakes."""
    film = reviewed.film
    counts = [len(_of_seat(film, judging, seat)) for seat in range(film.players)]
    return site.fragment(
        "practice_offer.html", film=film, counts=counts, link=link, agent=judging.name
    )


def show(site: Site, request: Request, reviewed: Reviewed, address: str) -> Response:
    """The position before one of a seat's mistakes, as the seat saw it."""
    film, judging = reviewed.film, judging_of(site, request, reviewed)
    seat, place = (_number(request, name) for name in ("seat", "n"))
    if seat >= film.players:
        raise HTTPException(404, f"There is no seat {seat} at this table.")
    found = _of_seat(film, judging, seat)
    context: dict[str, Any] = {
        "film": film,
        "seat": seat,
        "place": place,
        "found": found,
        "address": address,
    }
    context |= {"agent": judging.name, "here": _address(address, judging.name, seat, place)}
    if place < len(found):
        context |= _to_decide(reviewed, found[place])
        context["next"] = _address(address, judging.name, seat, place + 1)
    return site.page(request, "practice.html", **context)


def tried(
    site: Site, request: Request, reviewed: Reviewed, _address: str, said: Fields
) -> Response:
    """What a move would have been worth that somebody has tried."""
    film, judging = reviewed.film, judging_of(site, request, reviewed)
    seat, place = (_number(request, name) for name in ("seat", "n"))
    found = _of_seat(film, judging, seat)
    if place >= len(found):
        raise HTTPException(404, "There is no such mistake.")
    mistake, move = found[place], said.get("move", "")
    position = reviewed.game.positions[mistake.number - 1]
    if move not in position.moves():
        raise HTTPException(400, "This move is not legal here; choose another.")
    try:
        verdict = judging.tried(mistake.number - 1, move)
    except Exception as fault:  # an agent may be anybody's
        said_of_it = for_everybody(fault, judging.agent)
        raise HTTPException(409, f"{judging.name} has failed: {said_of_it}") from fault
    text = site.fragment(
        "practice_tried.html",
        words=film.in_words(mistake.number - 1, move),
        again=move == mistake.played,
        is_best=move == verdict.best,
        kind=next((kind for _, kind in mistakes(film, [verdict])), None),
        lost=_lost(film, verdict),
        was=_lost(film, mistake),
        agent=judging.name,
    )
    return HTMLResponse(text)


def explain(site: Site, request: Request, reviewed: Reviewed, _address: str) -> Response:
    """What something on the board does, as the seat to move knows it."""
    position = reviewed.game.positions[min(request.path_params["ply"], len(reviewed.film))]
    name = request.query_params.get("name", "")[:_LONGEST_NAME]
    found = explained(Course([position], []), position.to_move, name)
    return HTMLResponse(site.fragment("explained.html", found=found))


def _to_decide(reviewed: Reviewed, mistake: Verdict) -> dict[str, Any]:
    """What the page shows of a mistake."""
    film, number = reviewed.film, mistake.number - 1
    position = reviewed.game.positions[number]
    seen = position.seen_by(mistake.seat)
    places = position.game.presentation.places
    moves = [
        (move, list(places(seen, move)), film.in_words(number, move)) for move in position.moves()
    ]
    turn = {"moves": moves, "changed": []}
    return {
        "mistake": mistake,
        "board": Film([position], [], film.names, seat=mistake.seat).board(0),
        "moves": moves,
        # No text may end the element that contains it.
        "turn": json.dumps(turn, separators=(",", ":")).replace("<", "\\u003c"),
        "progress": film.progress(number),
        "played": film.in_words(number, mistake.played),
        "best": film.in_words(number, mistake.best),
        "lost": _lost(film, mistake),
    }


def _of_seat(film: Film, judging: Judging, seat: int) -> list[Verdict]:
    """A seat's mistakes in the order of the game."""
    own = [one for one in judging.judged() if one.seat == seat]
    certain = {one.number for one, _ in mistakes(film, own)}
    return [one for one in own if one.number in certain]


def _lost(film: Film, verdict: Verdict) -> str:
    alone = film.players == 1
    return f"{amount(film, max(verdict.loss, 0.0))} {'points' if alone else '% chance to win'}"


def _address(address: str, agent: str, seat: int, place: int) -> str:
    return f"{address}/practice?{urlencode({'agent': agent, 'seat': seat, 'n': place})}"


def _number(request: Request, name: str) -> int:
    text = request.query_params.get(name, "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
