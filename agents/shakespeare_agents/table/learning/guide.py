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
from dataclasses import dataclass
from itertools import takewhile

from shakespeare_agents.registry import default, make
from shakespeare_agents.session import choose
from shakespeare_agents.table.learning.choices import choices, chosen, paying_most, thing
from shakespeare_agents.table.learning.lessons import (
    Lesson,
    Said,
    filled,
    lesson,
    said_after,
    topic_text,
    view,
)
from shakespeare_agents.table.live_table import Snapshot
from shakespeare_agents.table.recent import Recent
from shakespeare_agents.table.told import called
from shakespeare_env.core.position import Position
from shakespeare_env.core.presentation import Event
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.course import START

_GUESSES = 4
"""Possible games in which a gain must be the same to be sure."""
_MOST_GAINS = 4
_MOST_ROWS = 3
_KEPT = 4096
"""Decisions kept in memory."""


@dataclass(frozen=True)
class Advice:
    """What there is to say of one decision, whatever was said before.

    Attributes:
        move: The suggested move.
        gains: What it changes for sure, for the seat first.
        asked: The entry of the lesson that says what is to be chosen, and that entry in words.
        why: The same of what the move is for.
        notes: The notes that hold, in words.
    """

    move: str
    gains: Sequence[Event]
    asked: tuple[int, Said] | None
    why: tuple[int, Said] | None
    notes: Mapping[int, str]


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


class Guide:
    """Suggests moves, and says why; decisions are judged once."""

    def __init__(self) -> None:
        self._advice: Recent[Advice] = Recent(_KEPT)
        self._agents: Recent[AnyAgent] = Recent()
        self._told: Recent[list[Event]] = Recent(_KEPT)
        self._lock = threading.Lock()

    def says(self, now: Snapshot, seat: int) -> Guidance | None:
        """What the guide says to a seat; None while others decide, or where nothing is taught."""
        taught = lesson(now.plan.game)
        if taught is None:
            return None
        reports, last = self._since(taught, now, seat)
        if now.is_over:
            end = taught.end.format(rows=_largest(now, seat))
            return Guidance("The game is over", end, reports, last=last, is_over=True)
        position = now.position
        if position.to_move != seat:
            return None
        own = [at for at, one in enumerate(now.positions) if one.to_move == seat]
        before = [self._advice_on(taught, now, at) for at in own[:-1]]
        advice = self._advice_on(taught, now, own[-1])
        noted = {number for one in before for number in one.notes}
        explained = _is(taught.facts.explained, advice.move)
        known = any(thing(one.move) == thing(advice.move) for one in before)
        topics = position.game.presentation.topics(position.seen_by(seat))
        return Guidance(
            advice.asked[1].title if advice.asked else position.phase,
            said_after(advice.asked, [one.asked for one in before]),
            reports,
            [text for number, text in advice.notes.items() if number not in noted],
            advice.move,
            position.describe_move(advice.move),
            topic_text(topics, thing(advice.move)) if explained and not known else "",
            [f"{one.name}: {one.now}" for one in choices(taught, position, seat).values()],
            said_after(advice.why, [one.why for one in before]),
            effects_in_words(_counting(taught, advice.gains), seat, now.plan.names),
            last,
        )

    def suggested(self, position: Position, seed: int, number: int) -> str:
        """The move that the strongest agent which answers at once would play.

        The lesson may prefer another one, to show what it does or because it pays more already.
        """
        game, seat, taught = position.game, position.to_move, lesson(position.game.name)
        assert seat is not None
        if taught is not None and (preferred := taught.preferred(position, seat)) is not None:
            return preferred
        with self._lock:
            agent = self._agents.get(game.name, lambda: make(default(game), game))
            move = choose(agent, position, seed, number)
        return move if taught is None else paying_most(taught, position, seat, move)

    def _advice_on(self, taught: Lesson, now: Snapshot, at: int) -> Advice:
        position = now.positions[at]
        return self._advice.get(
            (now.plan.game, now.id, now.undone, at), lambda: self._judged(taught, position, now, at)
        )

    def _judged(self, taught: Lesson, position: Position, now: Snapshot, at: int) -> Advice:
        seat = position.to_move
        assert seat is not None
        move = self.suggested(position, now.plan.seed_of_agents, at)
        gains = sure_events(position, move)
        if self._heading(taught, now, at, seat):  # the others' evening goes on by itself
            gains = list(takewhile(lambda event: event.seat == seat, gains))
        cards = choices(taught, position, seat)
        seen = view(position, seat, move, gains) | chosen(cards, move)
        return Advice(
            move,
            gains,
            filled(taught.asked, taught.question(seen), seen),
            filled(taught.why, taught.reason(seen), seen),
            {at: taught.notes[at][1].format_map(seen) for at in sorted(taught.notes_on(seen))},
        )

    def _since(self, taught: Lesson, now: Snapshot, seat: int) -> tuple[list[Report], list[str]]:
        """What has happened since a seat's last move: reports, and other points."""
        own = [at for at, one in enumerate(now.positions[:-1]) if one.to_move == seat]
        if not own:
            return [], []
        at, words = own[-1], []
        position, move = now.positions[at], now.moves[at]
        suggested = self._advice_on(taught, now, at).move
        if move != suggested:
            words.append(
                f"You chose to {position.describe_move(move)}, not to "
                f"{position.describe_move(suggested)}. That is allowed: the guide goes on."
            )
        heading = self._heading(taught, now, at, seat)
        found: dict[str, dict[int, list[str]]] = {}
        points: Counter[str] = Counter()
        for number in range(at, len(now.moves)):
            for place, event in enumerate(self._events(now, number, seat)):
                if event.seat is None:
                    heading = taught.facts.heading(event)
                elif heading and (number, place) != (at, 0):  # that is the move itself
                    lines = found.setdefault(heading, {})
                    lines.setdefault(event.seat, []).append(event.text)
                elif event.points and event.seat == seat:
                    points[event.source] += event.points
        names = called(now.plan.names, seat)
        reports = []
        for title, each in found.items():
            seats = sorted(each, key=lambda one: (one != seat, one))
            reports.append(
                Report(title, [f"{names[one]}: {'; '.join(each[one])}" for one in seats])
            )
        if points:
            sign = position.game.presentation.score_sign
            rows = (f"{sign * change:+d} ({row})" for row, change in points.items())
            words.append(f"Since your last move: {', '.join(rows)}.")
        return reports, words

    def _heading(self, taught: Lesson, now: Snapshot, at: int, seat: int) -> str:
        """The heading under which move `at` was played; empty if it is not reported."""
        for number in reversed(range(at)):
            for event in reversed(self._events(now, number, seat)):
                if event.seat is None:
                    return taught.facts.heading(event)
        return ""

    def _events(self, now: Snapshot, number: int, seat: int) -> list[Event]:
        knows = None if now.is_over else seat
        before, after = now.positions[number : number + 2]
        key = (now.plan.game, now.id, now.undone, number, knows)
        return self._told.get(
            key, lambda: before.events(now.moves[number], after=after, seat=knows)
        )


def _is(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text) is not None


def _counting(taught: Lesson, events: Sequence[Event]) -> list[Event]:
    """Those events that bring points, or change a counter that matters."""
    counts = taught.facts.counts
    return [one for one in events if one.points or any(name in counts for name in one.counters)]


def _largest(now: Snapshot, seat: int) -> str:
    """The rows of the score sheet that brought a seat most."""
    sheet = now.score_sheet(None)
    rows = sorted(((points[seat], row) for row, points in sheet if row != START), reverse=True)
    return ", ".join(f"{row} ({points:+d})" for points, row in rows[:_MOST_ROWS] if points > 0)


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
