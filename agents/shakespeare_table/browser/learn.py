"""Learning a game: how it is played, its rules by number, a guided first game.

What the guide says follows from the position, from what the suggested move changes for sure, and
from what was said at earlier decisions. So it goes on whatever is played.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_agents.naming import default, make
from shakespeare_env.core import registry
from shakespeare_env.core.position import Position
from shakespeare_env.core.presentation import Event
from shakespeare_env.play.history import START
from shakespeare_env.rulebook import rules_of
from shakespeare_table.browser.lessons import SEAT, Entry, Lesson, fitting, lesson, topic_text, view
from shakespeare_table.browser.site import Fields, Site, owner_of, remembering
from shakespeare_table.browser.tables import Snapshot, first_snapshot
from shakespeare_table.browser.thinking import NotReadyError
from shakespeare_table.browser.viewing import Viewer, drawn_panels
from shakespeare_table.session import choose

_GUESSES = 4  # possible games in which a gain must be the same to be sure
_MOST_GAINS = 4
_MOST_ROWS = 3
_KEPT = 4096  # decisions kept in memory
_asking = threading.Lock()
_agent = cache(make)


@dataclass(frozen=True)
class Advice:
    """What there is to say of one decision, whatever was said before."""

    seen: Mapping[str, Any]
    move: str
    gains: Sequence[Event]
    asked: Entry | None
    why: Entry | None
    notes: Sequence[Entry]


@dataclass(frozen=True)
class Guidance:
    """What the guide says now; `last` is what the seat has played instead of a suggestion."""

    title: str
    asked: str = ""
    notes: Sequence[str] = ()
    move: str = ""
    words: str = ""
    about: str = ""
    why: str = ""
    gains: Sequence[str] = ()
    last: str = ""


def is_guided(now: Snapshot, viewer: Viewer) -> bool:
    """Whether a viewer of a table is guided."""
    taught = lesson(now.plan.game)
    return taught is not None and taught.plan == now.plan and viewer.seats == (SEAT,)


def guidance(now: Snapshot) -> Guidance | None:
    """What the guide says to the seat that learns; None while others decide."""
    taught, position = lesson(now.plan.game), now.position
    assert taught is not None
    if now.is_over:
        sheet = ((points[SEAT], row) for row, points in now.score_sheet(None) if row != START)
        most = sorted(sheet, reverse=True)[:_MOST_ROWS]
        rows = ", ".join(f"{row} ({points:+d})" for points, row in most if points > 0)
        return Guidance("The game is over", taught.end.format(rows=rows))
    if position.to_move != SEAT:
        return None
    own = [at for at, before in enumerate(now.positions) if before.to_move == SEAT]
    *before, advice = (_advice(now.up_to(at)) for at in own)
    noted = [note for earlier in before for note in earlier.notes]
    card, last = _card(advice.move), ""
    explained = re.fullmatch(taught.explained, advice.move)
    known = any(_card(earlier.move) == card for earlier in before)
    topics = position.game.presentation.topics(position.seen_by(SEAT))
    if before and (played := now.moves[own[-2]]) != before[-1].move:
        describe = now.positions[own[-2]].move_template
        last = (
            f"You chose to {describe(played)}, not to {describe(before[-1].move)}. That is "
            "allowed: the guide goes on."
        )
    gains = [it for it in advice.gains if it.points or it.counters.keys() & taught.counts]
    return Guidance(
        advice.asked.title if advice.asked else position.phase,
        _words(advice.asked, [earlier.asked for earlier in before], advice.seen),
        [note.at(0, advice.seen) for note in advice.notes if note not in noted],
        advice.move,
        position.move_template(advice.move),
        topic_text(topics, card) if explained and not known else "",
        _words(advice.why, [earlier.why for earlier in before], advice.seen),
        effects_in_words(gains, SEAT, now.plan.names),
        last,
    )


@cache
def example(game: str) -> Snapshot:
    """The guided game as it goes if every suggestion is followed."""
    taught = lesson(game)
    assert taught is not None
    now = first_snapshot(taught.plan, f"example of {game}")
    seed = taught.plan.seed_of_agents
    while (sitter := now.sitter) is not None:
        if sitter.agent is None:
            move = _suggested(taught, now)
        else:
            move = choose(
                _agent(sitter.agent, now.position.game), now.position, seed, len(now.moves)
            )
        now = now.pushed(move)
    return now


def sure_events(position: Position, move: str) -> list[Event]:
    """The effects of a move common to possible games, before the turns or the round are over."""
    seat = position.to_move
    assert seat is not None
    sure: list[Event] = []
    for seed in range(_GUESSES):
        events = position.determinize(seat, seed).events(move, seat=seat)
        own = list(takewhile(lambda event: event.seat is not None, events))
        sure = own if seed == 0 else [event for event in sure if event in own]
    return sure


def effects_in_words(gains: Sequence[Event], seat: int | None, names: Sequence[str]) -> list[str]:
    """Effects in words, those that score first, with the row of the score sheet."""
    told = sorted(
        (event for event in gains if event.points or event.counters),
        key=lambda event: (event.seat != seat, not event.points),
    )
    words = []
    for event in told[:_MOST_GAINS]:
        text = event.text if event.seat in (seat, None) else f"{names[event.seat]}: {event.text}"
        row = f" (row “{event.source}”)" if event.points else ""
        words.append(text + row)
    return words


def _card(move: str) -> str:
    return move.partition(":")[2].partition(">")[0].removesuffix("+3")


def _suggested(taught: Lesson, now: Snapshot) -> str:
    """What the game's default agent would play; the lesson may prefer another move, to show it."""
    position = now.position
    legal, seen = position.moves(), view(position, SEAT)
    for entry in taught.prefers:
        if entry.move in legal and entry.condition(seen):
            return entry.move
    with _asking:
        agent = _agent(default(position.game), position.game)
        return choose(agent, position, now.plan.seed_of_agents, len(now.moves))


@lru_cache(_KEPT)
def _advice(now: Snapshot) -> Advice:
    taught, position = lesson(now.plan.game), now.position
    assert taught is not None
    move = _suggested(taught, now)
    gains = sure_events(position, move)
    seen = view(position, SEAT, move, gains)
    notes = [note for note in taught.notes if note.condition(seen)]
    return Advice(seen, move, gains, fitting(taught.asked, seen), fitting(taught.why, seen), notes)


def _words(entry: Entry | None, before: Sequence[Entry | None], seen: Mapping[str, Any]) -> str:
    return "" if entry is None else entry.at(before.count(entry), seen)


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
    game = request.path_params["game"]
    if game not in registry.names() or (found := lesson(game)) is None:
        raise HTTPException(404, "Nobody has written how this game is played.")
    site.preparing.wait(found.game)
    return found


def _overview(site: Site, request: Request) -> Response:
    return site.page(request, "learn.html", games=list(filter(lesson, registry.names())))


def _how_to_play(site: Site, request: Request) -> Response:
    taught = _taught(site, request)
    shown: dict[str, Any] = {
        "taught": taught,
        "pictures": pictures(taught.game),
        "meanings": topics(taught.game),
    }
    return site.page(request, "how_to_play.html", **shown)


def _explain(site: Site, request: Request) -> Response:
    known, name = topics(_taught(site, request).game), request.query_params.get("name", "")
    found = [(name, known[name])] if name in known else []
    return HTMLResponse(site.fragment("explained.html", found=found))


def _begin(site: Site, request: Request, fields: Fields) -> Response:
    try:
        taught = _taught(site, request)
    except NotReadyError as fault:
        return RedirectResponse(f"/learn/{fault.game}#first-game", 303)
    _, tokens = site.tables.begin(owner_of(request), taught.plan, [[SEAT]], fields)
    return remembering(request, RedirectResponse(f"/seat/{tokens[0]}", 303))


def _rules(site: Site, request: Request) -> Response:
    game = request.path_params["game"]
    if game not in registry.names() or not (found := rules_of(game)):
        raise HTTPException(404, "There are no numbered rules of this game.")
    return site.page(request, "rules.html", game=game, rules=found)


@cache
def pictures(game: str) -> list[list[list[str]]]:
    """The pictures of each section of the page "How to play": SVGs of some pieces, by panel."""
    taught, now = lesson(game), example(game)
    assert taught is not None
    own = [position for position in now.positions if position.to_move == SEAT]
    views = [view(position, SEAT) for position in own]
    found = []
    for section in taught.sections:
        fits = (at for at, seen in enumerate(views) if section.picture.condition(seen))
        panels = drawn_panels(own[next(fits, len(own) - 1)], SEAT, now.plan.names)
        wanted = section.picture.pieces  # names of pieces, their beginnings, or whole panels
        parts = (
            [
                drawn
                for name, drawn in panel.pieces.items()
                if panel.name in wanted or f"{name}-".startswith(tuple(f"{it}-" for it in wanted))
            ]
            for panel in panels
        )
        found.append([part for part in parts if part])
    return found


def topics(game: str) -> dict[str, str]:
    """What cards, moves and things of a game do, at any time."""
    first = example(game).positions[0]
    known = first.game.presentation.topics(first.seen_by(SEAT))
    return {name: topic_text(known, name) for name in known}
