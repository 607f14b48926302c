"""What the guide says at a table of the guided game.

It follows from the position, from what the suggested move changes for sure, from what has happened
since the seat's last move, and from what was said at earlier decisions. So it goes on whatever is
played.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import takewhile
from typing import Any

from shakespeare_agents.naming import default, make
from shakespeare_env.core import registry
from shakespeare_env.core.position import Position
from shakespeare_env.core.presentation import Event
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.course import START
from shakespeare_table.browser.learning.lessons import (
    SEAT,
    Lesson,
    Said,
    holds,
    lesson,
    topic_text,
    view,
)
from shakespeare_table.browser.tables import Moment, Snapshot, first_snapshot
from shakespeare_table.browser.viewing import Viewer, called
from shakespeare_table.session import choose

_GUESSES = 4
"""Possible games in which a gain must be the same to be sure."""
_MOST_GAINS = 4
_MOST_ROWS = 3
_KEPT = 4096
"""Decisions kept in memory."""
_POINTS = re.compile(r"\+(\d+)")
_asking = threading.Lock()


@dataclass(frozen=True)
class Choice:
    """A card to choose.

    Attributes:
        name: Its name.
        now: What it would bring as things stand, in words.
        pays: The same in points.
        steps: What it brings for how much, in words.
    """

    name: str
    now: str
    pays: int
    steps: str


@dataclass(frozen=True)
class Advice:
    """What there is to say of one decision, whatever was said before.

    Attributes:
        seen: The view of the position, the move and what it gains.
        move: The suggested move.
        gains: What it changes for sure, for the seat first.
        asked: What is to be chosen.
        why: What the move is for.
        notes: The numbers of the notes that hold.
    """

    seen: Mapping[str, Any]
    move: str
    gains: Sequence[Event]
    asked: Said | None
    why: Said | None
    notes: Sequence[int]


@dataclass(frozen=True)
class Report:
    """What has happened under a heading.

    Attributes:
        title: The heading, such as "Evening of day 1".
        lines: What it has brought a seat, the reader's first.
    """

    title: str
    lines: Sequence[str]


@dataclass(frozen=True)
class Guidance:
    """What the guide says now.

    Attributes:
        title: What is asked, in a word or two.
        asked: The same in sentences.
        reports: What has happened since the seat's last move.
        notes: What matters from now on.
        move: The suggested move in notation; empty if nothing is to be chosen.
        words: The move in English.
        about: What the card of the move does, the first time that it is suggested.
        compared: What each of the cards to choose from is worth now.
        why: What the move is for.
        gains: What it changes for sure, in words.
        last: What the seat has played instead of a suggestion, and points since then.
        is_over: Whether the game is over.
    """

    title: str
    asked: str = ""
    reports: Sequence[Report] = ()
    notes: Sequence[str] = ()
    move: str = ""
    words: str = ""
    about: str = ""
    compared: Sequence[str] = ()
    why: str = ""
    gains: Sequence[str] = ()
    last: Sequence[str] = ()
    is_over: bool = False


def is_guided(now: Snapshot, viewer: Viewer) -> bool:
    """Whether a viewer of a table is guided."""
    taught = lesson(now.plan.game)
    return taught is not None and taught.plan == now.plan and viewer.seats == (SEAT,)


def guidance(now: Snapshot) -> Guidance | None:
    """What the guide says to the seat that learns; None while others decide."""
    taught = lesson(now.plan.game)
    assert taught is not None
    if now.is_over:
        reports, last = _since(taught, now)
        end = taught.end.format(rows=_largest(now))
        return Guidance("The game is over", end, reports, last=last, is_over=True)
    position = now.position
    if position.to_move != SEAT:
        return None
    reports, last = _since(taught, now)
    own = [at for at, one in enumerate(now.positions) if one.to_move == SEAT]
    before = [_advice(now.at(at)) for at in own[:-1]]
    advice = _advice(now.at(own[-1]))
    noted = {number for one in before for number in one.notes}
    explained = re.fullmatch(taught.facts.explained, advice.move)
    known = any(_thing(one.move) == _thing(advice.move) for one in before)
    topics = position.game.presentation.topics(position.seen_by(SEAT))
    return Guidance(
        advice.asked.title if advice.asked else position.phase,
        _said_after(advice.asked, [one.asked for one in before], advice.seen),
        reports,
        [taught.notes[at][1].format_map(advice.seen) for at in advice.notes if at not in noted],
        advice.move,
        position.describe_move(advice.move),
        topic_text(topics, _thing(advice.move)) if explained and not known else "",
        [f"{one.name}: {one.now}" for one in _choices(taught, position).values()],
        _said_after(advice.why, [one.why for one in before], advice.seen),
        effects_in_words(_counting(taught, advice.gains), SEAT, now.plan.names),
        last,
    )


@cache
def example(game: str) -> Snapshot:
    """The guided game as it goes if every suggestion is followed."""
    taught = lesson(game)
    assert taught is not None
    now = first_snapshot(taught.plan, f"example of {game}")
    rules, seed = registry.game(game), taught.plan.seed_of_agents
    agents = {one.agent: make(one.agent, rules) for one in taught.plan.seats if one.agent}
    while not now.is_over:
        seat, number = now.seat_to_move, len(now.moves)
        assert seat is not None
        if seat.agent is None:
            move = _suggested(taught, now.position, seed, number)
        else:
            move = choose(agents[seat.agent], now.position, seed, number)
        now = now.pushed(move)
    return now


def sure_events(position: Position, move: str) -> list[Event]:
    """The effects of a move that its seat can be sure of: those common to possible games.

    What follows when the turns or the round are over is left out.
    """
    seat = position.to_move
    assert seat is not None
    found: list[Event] = []
    for seed in range(_GUESSES):
        possible = position.determinize(seat, seed)
        events = possible.events(move, seat=seat)
        told = list(takewhile(lambda event: event.seat is not None, events))
        found = told if seed == 0 else [event for event in found if event in told]
    return found


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


def _thing(move: str) -> str:
    """The card or thing that a move names first."""
    return move.partition(":")[2].partition(">")[0].removesuffix("+3")


def _choices(taught: Lesson, position: Position) -> dict[str, Choice]:
    """The moves that choose one of several cards, and those cards; empty if nothing is compared."""
    legal = [one for one in position.moves() if re.fullmatch(taught.facts.compared, one)]
    if not legal:
        return {}
    now = view(position, SEAT)["now"]
    texts = position.game.presentation.topics(position.seen_by(SEAT))
    return {one: _choice(texts[_thing(one)], now.get(_thing(one), "")) for one in legal}


def _choice(text: str, now: str) -> Choice:
    name, steps = text.partition(":")[0], text.partition("\n")[0].rpartition(": ")[2]
    points = _POINTS.search(now)
    return Choice(name, now, int(points[1]) if points else 0, steps.rstrip("."))


@cache
def _default_agent(game: str) -> AnyAgent:
    return make(default(registry.game(game)), registry.game(game))


def _suggested(taught: Lesson, position: Position, seed: int, number: int) -> str:
    """The move that the game's default agent would play.

    The lesson may prefer another one, to show what it does or because it pays more already.
    """
    legal = position.moves()
    for condition, preferred in taught.prefers:
        if preferred in legal and holds(condition, view(position, SEAT)):
            return preferred
    with _asking:
        move = choose(_default_agent(position.game.name), position, seed, number)
    if taught.paying and (cards := _choices(taught, position)):
        best = max(cards, key=lambda one: cards[one].pays)
        if cards[best].pays > cards[move].pays and holds(taught.paying, view(position, SEAT)):
            return best
    return move


@lru_cache(_KEPT)
def _advice(moment: Moment) -> Advice:
    taught = lesson(moment.game)
    assert taught is not None
    position, seed = moment.position, moment.course.plan.seed_of_agents
    move = _suggested(taught, position, seed, moment.number)
    gains = sure_events(position, move)
    if _heading(taught, moment):  # the others' evening goes on by itself
        gains = list(takewhile(lambda event: event.seat == SEAT, gains))
    seen = view(position, SEAT, move, gains)
    if move in (cards := _choices(taught, position)):
        own, best = cards[move], max(cards.values(), key=lambda one: one.pays)
        beside = {"most": own.pays == best.pays, "best": best.name, "best_now": best.now}
        seen["choice"] = {"now": own.now, "pays": own.pays, "steps": own.steps, **beside}
    notes = [at for at, (condition, _) in enumerate(taught.notes) if holds(condition, seen)]
    return Advice(seen, move, gains, fitting(taught.asked, seen), fitting(taught.why, seen), notes)


def fitting(entries: Sequence[Said], seen: Mapping[str, Any]) -> Said | None:
    """The first entry of a lesson that fits a decision or a move."""
    return next((one for one in entries if holds(one.condition, seen)), None)


def _said_after(entry: Said | None, before: Sequence[Said | None], seen: Mapping[str, Any]) -> str:
    """What is said after it was said before."""
    return "" if entry is None else entry.at(sum(one is entry for one in before), seen)


def _since(taught: Lesson, now: Snapshot) -> tuple[list[Report], list[str]]:
    """What has happened since the seat's last move: reports, and other points."""
    own = [at for at, one in enumerate(now.positions[:-1]) if one.to_move == SEAT]
    if not own:
        return [], []
    at, words = own[-1], []
    position, move = now.positions[at], now.moves[at]
    suggested = _advice(now.at(at)).move
    if move != suggested:
        words.append(
            f"You chose to {position.describe_move(move)}, not to "
            f"{position.describe_move(suggested)}. That is allowed: the guide goes on."
        )
    heading = _heading(taught, now.at(at))
    found: dict[str, dict[int, list[str]]] = {}
    points: Counter[str] = Counter()
    for number in range(at, len(now.moves)):
        for place, event in enumerate(_events(now.at(number + 1), now.is_over)):
            if event.seat is None:
                heading = taught.facts.heading(event)
            elif heading and (number, place) != (at, 0):  # that is the move itself
                lines = found.setdefault(heading, {})
                lines.setdefault(event.seat, []).append(event.text)
            elif event.points and event.seat == SEAT:
                points[event.source] += event.points
    names = called(now.plan.names, SEAT)
    reports = []
    for title, each in found.items():
        seats = sorted(each, key=lambda one: (one != SEAT, one))
        reports.append(Report(title, [f"{names[one]}: {'; '.join(each[one])}" for one in seats]))
    if points:
        sign = position.game.presentation.score_sign
        rows = (f"{sign * change:+d} ({row})" for row, change in points.items())
        words.append(f"Since your last move: {', '.join(rows)}.")
    return reports, words


def _heading(taught: Lesson, moment: Moment) -> str:
    """The heading under which the next move is played; empty if it is not reported."""
    for number in range(moment.number, 0, -1):
        for event in reversed(_events(replace(moment, number=number), False)):
            if event.seat is None:
                return taught.facts.heading(event)
    return ""


@lru_cache(_KEPT)
def _events(moment: Moment, is_open: bool) -> list[Event]:
    """What the last move of a moment has done, as the seat knows it or, in the end, all of it."""
    now, at = moment.course, moment.number - 1
    before, after = now.positions[at : at + 2]
    return before.events(now.moves[at], after=after, seat=None if is_open else SEAT)


def _counting(taught: Lesson, events: Sequence[Event]) -> list[Event]:
    """Those events that bring points, or change a counter that matters."""
    counts = taught.facts.counts
    return [one for one in events if one.points or any(name in counts for name in one.counters)]


def _largest(now: Snapshot) -> str:
    """The rows of the score sheet that brought the seat most."""
    sheet = now.score_sheet(None)
    rows = sorted(((points[SEAT], row) for row, points in sheet if row != START), reverse=True)
    return ", ".join(f"{row} ({points:+d})" for points, row in rows[:_MOST_ROWS] if points > 0)
