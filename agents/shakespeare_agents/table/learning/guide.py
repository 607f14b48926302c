"""What the guide says at a table of the guided game.

It follows from the position alone: from its phase, from what the suggested move changes for sure,
and from what was said at earlier decisions. So it goes on whatever is played.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from shakespeare_agents.registry import default, make
from shakespeare_agents.session import choose
from shakespeare_agents.table.learning.lessons import Lesson, lesson, topic_text, view
from shakespeare_agents.table.live_table import Snapshot
from shakespeare_agents.table.recent import Recent
from shakespeare_env.core.position import Position
from shakespeare_env.core.presentation import Event
from shakespeare_env.play.agent import AnyAgent

_GUESSES = 4
"""Possible games in which a gain must be the same to be sure."""
_MOST_GAINS = 4
_KEPT = 4096
"""Decisions kept in memory."""


@dataclass(frozen=True)
class Advice:
    """What there is to say of one decision, whatever was said before.

    Attributes:
        move: The suggested move.
        gains: What it changes for sure, for the seat first.
        reason: The entry of the lesson that says what it is for.
        notes: The notes that hold.
    """

    phase: str
    move: str
    gains: Sequence[Event]
    reason: int | None
    notes: frozenset[int]


@dataclass(frozen=True)
class Guidance:
    """What the guide says now.

    Attributes:
        title: What is asked, in a word or two.
        asked: The same in sentences.
        notes: What matters from now on.
        move: The suggested move in notation; empty if nothing is to be chosen.
        words: The move in English.
        about: What the card or thing of the move does, the first time that it is suggested.
        why: What the move is for.
        gains: What it changes for sure, in words.
        last: What the seat's last move has brought.
        is_over: Whether the game is over.
    """

    title: str
    asked: str = ""
    notes: Sequence[str] = ()
    move: str = ""
    words: str = ""
    about: str = ""
    why: str = ""
    gains: Sequence[str] = ()
    last: Sequence[str] = ()
    is_over: bool = False


def sure_events(position: Position, move: str) -> list[Event]:
    """The effects of a move that its seat can be sure of: those common to possible games."""
    seat = position.to_move
    assert seat is not None
    found: list[Event] = []
    for seed in range(_GUESSES):
        possible = position.determinize(seat, seed)
        told = possible.events(move, seat=seat)
        found = told if seed == 0 else [event for event in found if event in told]
    return found


class Guide:
    """Suggests moves, and says why; decisions are judged once."""

    def __init__(self) -> None:
        self._advice: Recent[Advice] = Recent(_KEPT)
        self._agents: Recent[AnyAgent] = Recent()
        self._lock = threading.Lock()

    def says(self, now: Snapshot, seat: int) -> Guidance | None:
        """What the guide says to a seat; None while others decide, or where nothing is taught."""
        taught = lesson(now.plan.game)
        if taught is None:
            return None
        if now.is_over:
            return Guidance(
                "The game is over", taught.end, last=self._last(now, seat), is_over=True
            )
        position = now.position
        if position.to_move != seat:
            return None
        own = [at for at, one in enumerate(now.positions) if one.to_move == seat]
        before = [self._advice_on(taught, now, at) for at in own[:-1]]
        advice = self._advice_on(taught, now, own[-1])
        topics = position.game.presentation.topics(position.seen_by(seat))
        noted = frozenset[int]().union(*(one.notes for one in before))
        asked = taught.phases.get(advice.phase)
        known_phase = any(one.phase == advice.phase for one in before)
        thing = _thing(advice.move)
        why = ""
        if advice.reason is not None:
            said = taught.why[advice.reason][1]
            known = any(one.reason == advice.reason for one in before)
            why = said.again if known else said.first
        return Guidance(
            asked.title if asked else position.phase,
            (asked.again if known_phase else asked.first) if asked else "",
            [taught.notes[number][1] for number in sorted(advice.notes - noted)],
            advice.move,
            position.describe_move(advice.move),
            "" if any(_thing(one.move) == thing for one in before) else topic_text(topics, thing),
            why,
            effects_in_words(advice.gains, seat, now.plan.names),
            self._last(now, seat),
        )

    def suggested(self, position: Position, seed: int, number: int) -> str:
        """The move that the strongest agent which answers at once would play."""
        game = position.game
        with self._lock:
            agent = self._agents.get(game.name, lambda: make(default(game), game))
            return choose(agent, position, seed, number)

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
        seen = view(position, seat, move, gains)
        return Advice(position.phase, move, gains, taught.reason(seen), taught.notes_on(seen))

    def _last(self, now: Snapshot, seat: int) -> list[str]:
        """What the seat's last move was, against the suggested one, and what points came since."""
        own = [at for at, one in enumerate(now.positions[:-1]) if one.to_move == seat]
        taught = lesson(now.plan.game)
        if not own or taught is None:
            return []
        at = own[-1]
        position, move = now.positions[at], now.moves[at]
        suggested = self._advice_on(taught, now, at).move
        words = []
        if move != suggested:
            words.append(
                f"You chose to {position.describe_move(move)}, not to "
                f"{position.describe_move(suggested)}. That is allowed: the guide goes on."
            )
        points: Counter[str] = Counter()
        knows = None if now.is_over else seat
        for number in range(at, len(now.moves)):
            before, after = now.positions[number : number + 2]
            for event in before.events(now.moves[number], after=after, seat=knows):
                if event.seat == seat and event.points:
                    points[event.source] += event.points
        if points:
            rows = (f"{change:+d} in the row “{row}”" for row, change in points.items())
            words.append(f"Since your last move, on your score sheet: {', '.join(rows)}.")
        return words


def _thing(move: str) -> str:
    """The card or thing that a move names first."""
    return move.partition(":")[2].partition(">")[0].removesuffix("+3")


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
