"""The pages that teach a game: how to play, its rules by number, and a guided first game.

In the guided game, a guide suggests a move at each decision of the learner, and explains it. What
the guide says depends on the position, on the effects that the suggested move is certain to have,
and on what was said at earlier decisions. The guide can therefore go on whatever the learner plays.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_agents.making import make
from shakespeare_agents.naming import default
from shakespeare_env.core import registry
from shakespeare_env.core.position import Position
from shakespeare_env.core.presentation import Event
from shakespeare_env.play.history import START
from shakespeare_env.rulebook import numbered_rules
from shakespeare_table.analysis.deviation import Deviation
from shakespeare_table.analysis.reasons import reasons_in_words
from shakespeare_table.browser.learning.lessons import (
    LEARNER,
    GuideText,
    Lesson,
    first_fitting,
    lesson,
    variables,
)
from shakespeare_table.browser.processes import NotReadyError
from shakespeare_table.browser.site import (
    FormFields,
    Site,
    owner_of,
    waiting_page,
    with_owner_cookie,
)
from shakespeare_table.browser.tables.state import TableState, first_state
from shakespeare_table.browser.viewing import (
    DrawnPanel,
    Explanation,
    Viewer,
    drawn_panels,
    topic_title,
    topics_at,
)
from shakespeare_table.session import choose

_POSSIBLE_GAMES = 4  # an effect is called certain if it is the same in all of them
_MAX_EFFECTS = 4  # the most effects of a move that are put in words
_MAX_ROWS = 3  # the most rows of the score sheet that the guide names after the game
_ADVICES_KEPT = 4096  # in memory
_agent_lock = threading.Lock()  # an agent decides for one thread at a time
_agent = cache(make)


@dataclass(frozen=True)
class Advice:
    """The suggestion for a decision, and the texts whose conditions hold there.

    Attributes:
        values: The `variables` of the position.
        move: The suggested move, in notation.
        topic: The name of the topic that explains the move's card; empty if none needs explaining.
        effects: The certain effects of the move.
        decision: The text on what is to be decided.
        reason: The text on what the move is for.
        notes: The notes, including those that were said before.
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
        decision: What is to be decided; after the game, the closing words.
        notes: The notes that are said for the first time.
        move: The suggested move, in notation; empty after the game.
        move_in_words: The suggested move, in words with placeholders for seats.
        card: What the card of the move does; empty if it was explained before.
        reason: What the move is for.
        effects: The certain effects of the move on points and on the lesson's counters, in words.
    """

    title: str
    decision: str = ""
    notes: Sequence[str] = ()
    move: str = ""
    move_in_words: str = ""
    card: str = ""
    reason: str = ""
    effects: Sequence[str] = ()


def is_guided(state: TableState, viewer: Viewer) -> bool:
    """Return whether a viewer of a table plays its guided game."""
    game_lesson = lesson(state.plan.game)
    return game_lesson is not None and game_lesson.plan == state.plan and viewer.seats == (LEARNER,)


def guidance(state: TableState) -> Guidance | None:
    """Return the guide's words to the learner; None while others decide."""
    game_lesson = _lesson(state)
    position = state.position
    if state.is_over:
        return _guidance_after(state, game_lesson)
    if position.to_move != LEARNER:
        return None

    decisions = [at for at, each in enumerate(state.positions) if each.to_move == LEARNER]
    advices = [_advice(state.up_to(at)) for at in decisions]
    advice = advices[-1]
    earlier = advices[:-1]
    notes_said = [note for each in earlier for note in each.notes]
    effects = [
        effect
        for effect in advice.effects
        if effect.points or effect.counters.keys() & game_lesson.counters
    ]
    return Guidance(
        title=advice.decision.title if advice.decision else position.phase,
        decision=_next_text(advice.decision, [each.decision for each in earlier], advice.values),
        notes=[
            note.filled(times_said=0, values=advice.values)
            for note in advice.notes
            if note not in notes_said
        ],
        move=advice.move,
        move_in_words=position.move_template(advice.move),
        card=_card_in_words(advice, earlier, position),
        reason=_next_text(advice.reason, [each.reason for each in earlier], advice.values),
        effects=effects_in_words(effects, LEARNER, state.plan.names),
    )


def _lesson(state: TableState) -> Lesson:
    game_lesson = lesson(state.plan.game)
    assert game_lesson is not None
    return game_lesson


def _guidance_after(state: TableState, game_lesson: Lesson) -> Guidance:
    # Points that the learner had at the start were not scored in the game.
    sheet = [(points[LEARNER], row) for row, points in state.score_sheet(None) if row != START]
    best = sorted(sheet, reverse=True)[:_MAX_ROWS]
    rows = ", ".join(f"{row} ({points:+d})" for points, row in best if points > 0)
    return Guidance("The game is over", game_lesson.end.format(rows=rows))


def _card_in_words(advice: Advice, earlier: Sequence[Advice], position: Position) -> str:
    """Return what the card of the suggested move does; empty if it was explained before."""
    if not advice.topic or advice.topic in [each.topic for each in earlier]:
        return ""
    return position.game.presentation.topics(position.seen_by(LEARNER))[advice.topic].text


class OwnWay(NamedTuple):
    """A move of the learner's that the guide had not suggested.

    Attributes:
        number: The number of moves before it.
        position: The position in which it was played.
        played: The move, in notation.
        suggested: The suggested move, in notation.
    """

    number: int
    position: Position
    played: str
    suggested: str

    def __str__(self) -> str:
        """Return both moves in words, with placeholders for seats."""
        describe = self.position.move_template
        return f"You chose to {describe(self.played)}, not to {describe(self.suggested)}."


def own_way(state: TableState) -> OwnWay | None:
    """Return the learner's last move; None if there is none or if the guide had suggested it."""
    decided = [at for at in range(len(state.moves)) if state.positions[at].to_move == LEARNER]
    if not decided:
        return None
    number = decided[-1]
    played = state.moves[number]
    suggested = _advice(state.up_to(number)).move
    if played == suggested:
        return None
    return OwnWay(number, state.positions[number], played, suggested)


def deviation_in_words(game: str, deviation: Deviation, names: Sequence[str]) -> str:
    """Return what a move costs, compared with the suggested one, and why.

    Args:
        game: The game's name.
        deviation: The difference between the moves.
        names: The players' names by seat, `YOU` for the reader.
    """
    gain = deviation.gain
    if not gain.is_clear:
        return "That makes no clear difference."
    is_worse = gain.amount > 0
    amount = abs(gain.amount)
    if gain.in_points:
        number = f"{amount:.1f}".removesuffix(".0")
        points = f"{number} point{'s' * (number != '1')}"
        difference = f"About {points} {'worse' if is_worse else 'better'} than the suggestion"
    else:
        less = "less" if is_worse else "more"
        percent = f"{100 * amount:.1f}".removesuffix(".0")
        difference = f"About {percent} % {less} chance to win than with the suggestion"
    if not is_worse:
        return f"{difference}: your move is the better one."
    why = reasons_in_words(registry.game(game), deviation.reasons, gain, names)
    return f"{difference}. With the suggestion: {why}." if why else f"{difference}."


def _next_text(
    text: GuideText | None, earlier: Sequence[GuideText | None], values: Mapping[str, Any]
) -> str:
    """Return a text as it is said now, which depends on how often it was said before.

    Args:
        text: The text to say; None says nothing.
        earlier: The texts of earlier decisions.
        values: The values to fill in.
    """
    return "" if text is None else text.filled(times_said=earlier.count(text), values=values)


@cache
def example_game(game: str) -> TableState:
    """Play the guided game to its end by following every suggestion."""
    game_lesson = lesson(game)
    assert game_lesson is not None
    state = first_state(game_lesson.plan, f"example of {game}")
    seed = game_lesson.plan.agents_seed
    while not state.is_over:
        occupant = state.occupant_to_move
        if occupant is None or occupant.agent is None:
            move = _suggested_move(game_lesson, state)
        else:
            agent = _agent(occupant.agent, state.position.game)
            move = choose(agent, state.position, seed, len(state.moves))
        state = state.pushed(move)
    return state


def certain_events(position: Position, move: str) -> list[Event]:
    """Return the effects of a move that are the same in several possible games.

    What happens at the end of the turn or of the round is left out.
    """
    seat = position.to_move
    assert seat is not None
    certain: list[Event] = []
    for seed in range(_POSSIBLE_GAMES):
        events = position.determinize(seat, seed).events(move, seat=seat)
        # An event without a seat belongs to the table, such as the end of a round. The first such
        # event and all later events do not count as effects of the move.
        of_move = list(takewhile(lambda event: event.seat is not None, events))
        certain = of_move if seed == 0 else [event for event in certain if event in of_move]
    return certain


def effects_in_words(events: Sequence[Event], seat: int | None, names: Sequence[str]) -> list[str]:
    """Return the first `_MAX_EFFECTS` effects in words.

    Effects on the reader come before effects on others. Within both groups, effects that score come
    first.

    Args:
        events: The effects. Those that change neither points nor counters are left out.
        seat: The reader's seat; None for a spectator.
        names: The players' names by seat.
    """
    counted = [event for event in events if event.points or event.counters]
    counted.sort(key=lambda event: (event.seat != seat, not event.points))
    words = []
    for event in counted[:_MAX_EFFECTS]:
        text = event.text if event.seat in (seat, None) else f"{names[event.seat]}: {event.text}"
        if event.points:
            text += f" (row “{event.source}”)"
        words.append(text)
    return words


def _topic(game_lesson: Lesson, position: Position, move: str) -> str:
    """Return the name of the topic that explains a move; empty if the move needs none."""
    if not re.fullmatch(game_lesson.explained_moves, move):
        return ""
    seen = position.seen_by(LEARNER)
    presentation = position.game.presentation
    places = presentation.places(seen, move)
    names = topics_at(places[0], seen, presentation.topics(seen)) if places else []
    return names[0] if names else ""


def _suggested_move(game_lesson: Lesson, state: TableState) -> str:
    """Return the move that the game's default agent would play, unless the lesson prefers one."""
    position = state.position
    legal = position.moves()
    values = variables(position, LEARNER)
    for preferred in game_lesson.preferred:
        if preferred.move in legal and preferred.condition(values):
            return preferred.move
    with _agent_lock:
        agent = _agent(default(position.game), position.game)
        return choose(agent, position, state.plan.agents_seed, len(state.moves))


@lru_cache(_ADVICES_KEPT)
def _advice(state: TableState) -> Advice:
    game_lesson = _lesson(state)
    move = _suggested_move(game_lesson, state)
    effects = certain_events(state.position, move)
    values = variables(state.position, LEARNER, move, effects)
    return Advice(
        values=values,
        move=move,
        topic=_topic(game_lesson, state.position, move),
        effects=effects,
        decision=first_fitting(game_lesson.decisions, values),
        reason=first_fitting(game_lesson.reasons, values),
        notes=[note for note in game_lesson.notes if note.condition(values)],
    )


def routes(site: Site) -> list[Route]:
    """Return the routes of the pages that teach games."""
    return [
        site.page_route("/learn", _overview),
        site.page_route("/learn/{game}", _how_to_play),
        site.page_route("/learn/{game}/explain", _explain),
        site.form_route("/learn/{game}/first-game", _begin),
        site.page_route("/rules/{game}", _rules),
    ]


def _requested_lesson(site: Site, request: Request) -> Lesson:
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
    game_lesson = _requested_lesson(site, request)
    return site.page(
        request,
        "how_to_play.html",
        taught=game_lesson,
        pictures=pictures(game_lesson.game),
        explanations=explanations(game_lesson.game),
    )


def _explain(site: Site, request: Request) -> Response:
    by_topic = explanations(_requested_lesson(site, request).game)
    name = request.query_params.get("name", "")
    found = [by_topic[name]] if name in by_topic else []
    return HTMLResponse(site.render("explained.html", found=found))


def _begin(site: Site, request: Request, fields: FormFields) -> Response:
    try:
        game_lesson = _requested_lesson(site, request)
    except NotReadyError as fault:
        return waiting_page(site, request, fault.game, fields)
    _, tokens = site.tables.begin(owner_of(request), game_lesson.plan, [[LEARNER]], fields)
    return with_owner_cookie(request, RedirectResponse(f"/seat/{tokens[0]}", 303))


def _rules(site: Site, request: Request) -> Response:
    game = request.path_params["game"]
    found = numbered_rules(game) if game in registry.names() else []
    if not found:
        raise HTTPException(404, "There are no numbered rules for this game.")
    return site.page(request, "rules.html", game=game, rules=found)


@cache
def pictures(game: str) -> list[list[list[str]]]:
    """Return the pictures of the page "How to play", as SVGs by section and panel of the board."""
    game_lesson = lesson(game)
    assert game_lesson is not None
    state = example_game(game)
    decisions = [position for position in state.positions if position.to_move == LEARNER]
    values = [variables(position, LEARNER) for position in decisions]
    found = []
    for section in game_lesson.sections:
        picture = section.picture
        fitting = [at for at, each in enumerate(values) if picture.condition(each)]
        position = decisions[fitting[0] if fitting else -1]
        seen = position.seen_by(LEARNER)
        panels = drawn_panels(position.game, seen, state.plan.names)
        by_panel = [_drawn_pieces(panel, picture.pieces) for panel in panels]
        found.append([pieces for pieces in by_panel if pieces])
    return found


def _drawn_pieces(panel: DrawnPanel, wanted: Sequence[str]) -> list[str]:
    """Return the drawings of a panel's pieces that a picture wants.

    A picture names a panel, a piece, or the first parts of pieces' names. The parts are separated
    by hyphens.
    """
    if panel.name in wanted:
        return list(panel.pieces.values())
    # The hyphen after each name keeps `seat-1` from fitting `seat-10`.
    beginnings = tuple(f"{name}-" for name in wanted)
    return [drawn for name, drawn in panel.pieces.items() if f"{name}-".startswith(beginnings)]


def explanations(game: str) -> dict[str, Explanation]:
    """Return the explanation of each card, move and thing of a game, by topic."""
    first = example_game(game).positions[0]
    topics = first.game.presentation.topics(first.seen_by(LEARNER))
    return {
        name: Explanation(topic_title(name, topic), topic.text) for name, topic in topics.items()
    }
