"""Consequences of a decision: numbers of the games that go on from it, and sentences about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from shakespeare_env.core.presentation import Event

if TYPE_CHECKING:
    from shakespeare_env.core.game import Record


class KeptMove(NamedTuple):
    """A move of a possible game.

    Attributes:
        record: The game before it.
        action: The action.
        events: Its effects. They are known of the decision itself, and of every move that changes
            the decider's score or begins a chapter, and are empty for other moves.
    """

    record: Record
    action: int
    events: Sequence[Event]


class Continuation(NamedTuple):
    """A possible game that went on from a decision.

    Attributes:
        seat: The seat that decided.
        moves: The decision, the move after it, and of all later moves those of the seat, those that
            change its score and those that begin a chapter, such as a round.
        end: The game where it stopped, which may be before its end.
    """

    seat: int
    moves: Sequence[KeptMove]
    end: Record

    @property
    def start(self) -> Record:
        """The game before the decision."""
        return self.moves[0].record

    @property
    def after(self) -> Record:
        """The game after the decision."""
        return self.moves[1].record if len(self.moves) > 1 else self.end

    @property
    def own_moves(self) -> Iterator[KeptMove]:
        """The decisions of the seat, of which the first is the one that is explained."""
        return (move for move in self.moves if move.record["to_move"] == self.seat)

    def chapter_end(self, key: str) -> Record | None:
        """Return the game when the day or round of the decision is over; None if it is not yet.

        Args:
            key: The field that counts days or rounds.
        """
        for move in self.moves:
            if move.record[key] > self.start[key]:
                return move.record
        is_past = self.end[key] > self.start[key] or self.end["to_move"] < 0
        return self.end if is_past else None

    def points(self, source: str) -> list[int]:
        """Return the seat's points from a row of the score sheet, event by event."""
        return [
            event.points
            for move in self.moves
            for event in move.events
            if event.seat == self.seat and event.source == source
        ]


@dataclass(frozen=True)
class Consequence:
    """A number that every continuation has, and a sentence that compares two moves by its means.

    A cause is a fact that the player sees when choosing, such as the height of a pile. It explains
    a difference only by way of its effects, such as cards that are taken later.

    Attributes:
        topic: What it is about. Only one sentence is said of a topic.
        words: The sentence. `{ours}` stands for the mean after the better move, `{ours card}` for
            that many cards, and `{theirs}` for the mean after the worse move. In a sentence with
            `{games}`, the number of games, they are sums of numbers that are 1 or 0. `{seat}` and
            `{seat's}` stand for the decider, and `{chapter}` for the day or round of the decision.
            Verbs stand in braces (`core/seat_names.py`). A sentence without `{ours}` states a fact
            of the better move that the worse one lacks. It needs a number that is the same in all
            games.
        number: (Continuation) -> the number, or None if the game stopped too early to know it.
        is_good: Whether more is better for the seat.
        effects: The topics of its effects, if it is a cause.
        source: The row of the score sheet with the points that it brings; empty if they do not
            stand in one row.
        advice: What to do in later games, in one sentence; empty if nothing follows. A topic has
            one advice at most.
    """

    topic: str
    words: str
    number: Callable[[Continuation], float | None]
    is_good: bool = True
    effects: Collection[str] = ()
    source: str = ""
    advice: str = ""
