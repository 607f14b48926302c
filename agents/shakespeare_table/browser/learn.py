"""Learning a game: how it is played, its rules by number, and a guided first game.

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
from shakespeare_env.rulebook import numbered_rules
from shakespeare_table.browser.lessons import (
    LEARNER,
    GuideText,
    Lesson,
    first_fitting,
    lesson,
    variables,
)
from shakespeare_table.browser.processes import NotReadyError
from shakespeare_table.browser.site import FormFields, Site, owner_of, with_owner_cookie
from shakespeare_table.browser.tables import TableState, first_state
from shakespeare_table.browser.viewing import (
    DrawnPanel,
    Explanation,
    Viewer,
    drawn_panels,
    topic_title,
    topics_at,
)
from shakespeare_table.session import choose

_POSSIBLE_GAMES = 4  # in which an effect must be the same to be certain
_MAX_EFFECTS = 4
_MAX_ROWS = 3
_KEPT = 4096  # decisions kept in memory
_choosing = threading.Lock()
_agent = cache(make)


@dataclass(frozen=True)
class Advice:
    """The suggestion for one decision and the texts that fit it, whatever was said before.

    Attributes:
        values: The `variables` of the position.
        move: The suggested move.
        topic: The name of the topic that explains its card; empty if that is not explained.
        effects: Its certain effects.
        decision: What is to be decided.
        reason: What the move is for.
        notes: The notes that fit.
    """

    values: Mapping[str, Any]
    move: str
    topic: str
    effects: Sequence[Event]
    decision: GuideText | None
    reason: GuideText | None
    notes: Sequence[GuideText]


@dataclass(frozen=True)
class Guidance:
    """The guide's words at one decision, or after the game.

    Attributes:
        title: The title.
        decision: What is to be decided; after the game, how it ended.
        notes: Notes that are said for the first time.
        move: The suggested move, in notation.
        words: The suggested move, in words with placeholders for seats.
        about: What the card of the move does, if it has not been said yet.
        reason: What the move is for.
        effects: The certain effects of the move that matter.
        deviation: What the seat has played instead of the last suggestion; empty if it followed it.
    """

    title: str
    decision: str = ""
    notes: Sequence[str] = ()
    move: str = ""
    words: str = ""
    about: str = ""
    reason: str = ""
    effects: Sequence[str] = ()
    deviation: str = ""


def is_guided(now: TableState, viewer: Viewer) -> bool:
    """Return whether the guide helps a viewer of a table."""
    taught = lesson(now.plan.game)
    return taught is not None and taught.plan == now.plan and viewer.seats == (LEARNER,)


def guidance(now: TableState) -> Guidance | None:
    """Return what the guide says to the learner; None while others decide."""
    taught = _lesson(now)
    position = now.position
    if now.is_over:
        return _guidance_after(now, taught)
    if position.to_move != LEARNER:
        return None

    decisions = [at for at, before in enumerate(now.positions) if before.to_move == LEARNER]
    advices = [_advice(now.up_to(at)) for at in decisions]
    advice = advices.pop()
    said_notes = [note for earlier in advices for note in earlier.notes]
    effects = [it for it in advice.effects if it.points or it.counters.keys() & taught.counters]
    return Guidance(
        title=advice.decision.title if advice.decision else position.phase,
        decision=_said(advice.decision, [it.decision for it in advices], advice.values),
        notes=[note.said(0, advice.values) for note in advice.notes if note not in said_notes],
        move=advice.move,
        words=position.move_template(advice.move),
        about=_about(advice, advices, position),
        reason=_said(advice.reason, [it.reason for it in advices], advice.values),
        effects=effects_in_words(effects, LEARNER, now.plan.names),
        deviation=_deviation(now, decisions[-2], advices[-1].move) if advices else "",
    )


def _lesson(now: TableState) -> Lesson:
    taught = lesson(now.plan.game)
    assert taught is not None
    return taught


def _guidance_after(now: TableState, taught: Lesson) -> Guidance:
    sheet = [(points[LEARNER], row) for row, points in now.score_sheet(None) if row != START]
    best = sorted(sheet, reverse=True)[:_MAX_ROWS]
    rows = ", ".join(f"{row} ({points:+d})" for points, row in best if points > 0)
    return Guidance("The game is over", taught.end.format(rows=rows))


def _about(advice: Advice, earlier: Sequence[Advice], position: Position) -> str:
    """Return what the card of the suggested move does, unless it was explained before."""
    if not advice.topic or advice.topic in [it.topic for it in earlier]:
        return ""
    return position.game.presentation.topics(position.seen_by(LEARNER))[advice.topic].text


def _deviation(now: TableState, at: int, suggested: str) -> str:
    played = now.moves[at]
    if played == suggested:
        return ""
    describe = now.positions[at].move_template
    return (
        f"You chose to {describe(played)}, not to {describe(suggested)}. That is allowed: the "
        "guide goes on from here."
    )


def _said(
    text: GuideText | None, earlier: Sequence[GuideText | None], values: Mapping[str, Any]
) -> str:
    return "" if text is None else text.said(earlier.count(text), values)


@cache
def example(game: str) -> TableState:
    """Return the guided game as it goes if every suggestion is followed."""
    taught = lesson(game)
    assert taught is not None
    now = first_state(taught.plan, f"example of {game}")
    seed = taught.plan.agents_seed
    while (occupant := now.occupant_to_move) is not None:
        if occupant.agent is None:
            move = _suggested(taught, now)
        else:
            agent = _agent(occupant.agent, now.position.game)
            move = choose(agent, now.position, seed, len(now.moves))
        now = now.pushed(move)
    return now


def certain_events(position: Position, move: str) -> list[Event]:
    """Return the effects of a move that are the same in several possible games.

    What follows from the end of the turns or of a round does not count.
    """
    seat = position.to_move
    assert seat is not None
    certain: list[Event] = []
    for seed in range(_POSSIBLE_GAMES):
        events = position.determinize(seat, seed).events(move, seat=seat)
        of_move = list(takewhile(lambda event: event.seat is not None, events))
        certain = of_move if seed == 0 else [event for event in certain if event in of_move]
    return certain


def effects_in_words(events: Sequence[Event], seat: int | None, names: Sequence[str]) -> list[str]:
    """Return effects in words, a seat's own and those that score first.

    Args:
        events: The effects; those that change neither points nor counters are left out.
        seat: The seat of the reader.
        names: The players' names by seat.
    """
    counted = [event for event in events if event.points or event.counters]
    counted.sort(key=lambda event: (event.seat != seat, not event.points))
    words = []
    for event in counted[:_MAX_EFFECTS]:
        text = event.text if event.seat in (seat, None) else f"{names[event.seat]}: {event.text}"
        row = f" (row “{event.source}”)" if event.points else ""
        words.append(text + row)
    return words


def _topic(taught: Lesson, position: Position, move: str) -> str:
    """Return the name of the topic that explains a move; empty if the move is not explained."""
    if not re.fullmatch(taught.explained_moves, move):
        return ""
    seen = position.seen_by(LEARNER)
    presentation = position.game.presentation
    places = presentation.places(seen, move)
    names = topics_at(places[0], seen, presentation.topics(seen)) if places else []
    return names[0] if names else ""


def _suggested(taught: Lesson, now: TableState) -> str:
    """Return the move that the game's default agent would play, unless the lesson prefers one."""
    position = now.position
    legal = position.moves()
    values = variables(position, LEARNER)
    for preferred in taught.preferred:
        if preferred.move in legal and preferred.condition(values):
            return preferred.move
    with _choosing:
        agent = _agent(default(position.game), position.game)
        return choose(agent, position, now.plan.agents_seed, len(now.moves))


@lru_cache(_KEPT)
def _advice(now: TableState) -> Advice:
    taught = _lesson(now)
    move = _suggested(taught, now)
    effects = certain_events(now.position, move)
    values = variables(now.position, LEARNER, move, effects)
    return Advice(
        values=values,
        move=move,
        topic=_topic(taught, now.position, move),
        effects=effects,
        decision=first_fitting(taught.decisions, values),
        reason=first_fitting(taught.reasons, values),
        notes=[note for note in taught.notes if note.condition(values)],
    )


def routes(site: Site) -> list[Route]:
    """Return the routes of the pages of all games that are taught."""
    return [
        site.page_route("/learn", _overview),
        site.page_route("/learn/{game}", _how_to_play),
        site.page_route("/learn/{game}/explain", _explain),
        site.form_route("/learn/{game}/first-game", _begin),
        site.page_route("/rules/{game}", _rules),
    ]


def _taught(site: Site, request: Request) -> Lesson:
    game = request.path_params["game"]
    found = lesson(game) if game in registry.names() else None
    if found is None:
        raise HTTPException(404, "Nobody has written a lesson for this game.")
    site.compiler.wait(found.game)
    return found


def _overview(site: Site, request: Request) -> Response:
    return site.page(
        request, "learn.html", games=[game for game in registry.names() if lesson(game)]
    )


def _how_to_play(site: Site, request: Request) -> Response:
    taught = _taught(site, request)
    shown: dict[str, Any] = {
        "taught": taught,
        "pictures": pictures(taught.game),
        "explanations": explanations(taught.game),
    }
    return site.page(request, "how_to_play.html", **shown)


def _explain(site: Site, request: Request) -> Response:
    known = explanations(_taught(site, request).game)
    name = request.query_params.get("name", "")
    found = [known[name]] if name in known else []
    return HTMLResponse(site.render("explained.html", found=found))


def _begin(site: Site, request: Request, fields: FormFields) -> Response:
    try:
        taught = _taught(site, request)
    except NotReadyError as fault:
        return RedirectResponse(f"/learn/{fault.game}#first-game", 303)
    _, tokens = site.tables.begin(owner_of(request), taught.plan, [[LEARNER]], fields)
    return with_owner_cookie(request, RedirectResponse(f"/seat/{tokens[0]}", 303))


def _rules(site: Site, request: Request) -> Response:
    game = request.path_params["game"]
    found = numbered_rules(game) if game in registry.names() else []
    if not found:
        raise HTTPException(404, "There are no numbered rules for this game.")
    return site.page(request, "rules.html", game=game, rules=found)


@cache
def pictures(game: str) -> list[list[list[str]]]:
    """Return the pictures of the page "How to play": SVGs by section and panel of the board."""
    taught = lesson(game)
    assert taught is not None
    now = example(game)
    own = [position for position in now.positions if position.to_move == LEARNER]
    values = [variables(position, LEARNER) for position in own]
    found = []
    for section in taught.sections:
        fits = [at for at, each in enumerate(values) if section.picture.condition(each)]
        position = own[fits[0] if fits else -1]
        panels = drawn_panels(position, LEARNER, now.plan.names)
        by_panel = [_wanted_pieces(panel, section.picture.pieces) for panel in panels]
        found.append([pieces for pieces in by_panel if pieces])
    return found


def _wanted_pieces(panel: DrawnPanel, wanted: Sequence[str]) -> list[str]:
    """Return the pieces that a picture names by their panel, their name or its first parts."""
    if panel.name in wanted:
        return list(panel.pieces.values())
    beginnings = tuple(f"{name}-" for name in wanted)
    return [drawn for name, drawn in panel.pieces.items() if f"{name}-".startswith(beginnings)]


def explanations(game: str) -> dict[str, Explanation]:
    """Return what each card, move and thing of a game does in any position, by topic."""
    first = example(game).positions[0]
    topics = first.game.presentation.topics(first.seen_by(LEARNER))
    return {
        name: Explanation(topic_title(name, topic), topic.text) for name, topic in topics.items()
    }
