"""The history of a game: its positions and moves, their descriptions, and which can be undone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, takewhile
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from shakespeare_env.core.presentation import Event
from shakespeare_env.core.seat_names import with_names

if TYPE_CHECKING:
    from shakespeare_env.core.position import Position

START = "at the start"
"""The name of the score sheet's row with the scores before the first event."""
_NUMBER_WIDTH = 4
INDENT = _NUMBER_WIDTH + 2
"""The number of columns before an effect."""
_POSSIBLE_GAMES = 32
"""The number of possible games that `_reveals` compares with the true one."""


def score_sheet_from_events(
    scores: Sequence[int], events: Iterable[Event]
) -> list[tuple[str, list[int]]]:
    """Return a score sheet like `Presentation.score_sheet`, with a row per source of the events.

    Args:
        scores: Scores by seat before the first event.
        events: The events of `Presentation.events`, move after move.

    Returns:
        (source, points by seat), with `START` first and the others sorted by name. Columns add up
        to the scores after the last event.
    """
    start = [(START, list(scores))] if any(scores) else []
    rows: dict[str, list[int]] = {}
    for event in events:
        if event.seat is not None and event.points:
            row = rows.setdefault(event.source, [0] * len(scores))
            row[event.seat] += event.points
    return start + sorted(rows.items())


class Effect(NamedTuple):
    """An effect of a move, with placeholders for seats (`core/seat_names.py`)."""

    # The seat affected. None for the table, and for effects on the mover that precede all others.
    seat: int | None
    text: str


class MoveRecord(NamedTuple):
    """A move and its effects as a seat knows them, with placeholders for seats."""

    seat: int  # the seat that has moved
    text: str  # the move in English
    move: str  # the move in notation, empty if it is secret
    effects: tuple[Effect, ...]


class ToldMove(NamedTuple):
    """A move in words, without placeholders."""

    mover: str  # the seat, its player, or both
    text: str  # the move in English
    move: str  # the move in notation, empty if it is secret
    effects: tuple[str, ...]  # each names its seat, unless that is the mover or the table


@dataclass(frozen=True)
class GameLog:
    """A log of moves in words, as one seat knows them."""

    names: Sequence[str] | None = None  # the players' names by seat, if known
    seat: int | None = None  # the seat that reads it, or `SPECTATOR`; None for one who knows all

    def label(self, seat: int) -> str:
        """Return a seat and the name of its player."""
        return f"seat {seat} ({self.names[seat]})" if self.names else f"seat {seat}"

    def record(self, before: Position, move: str, after: Position) -> MoveRecord:
        """Return a move and its effects."""
        mover = before.to_move
        assert mover is not None
        is_hidden = self.seat not in (None, mover)
        is_hidden = is_hidden and before.game.is_secret(before.to_dict(), move)
        text = "{decide} in secret" if is_hidden else before.move_template(move)
        events = self.events(before, move, after)
        # Effects on the mover that precede all others need no seat.
        own = len(list(takewhile(lambda event: event.seat == mover, events)))
        effects = [Effect(None, event.text) for event in events[:own]]
        effects += [Effect(event.seat, event.text) for event in events[own:]]
        return MoveRecord(mover, text, "" if is_hidden else move, tuple(effects))

    def told(self, before: Position, move: str, after: Position) -> ToldMove:
        """Return a move in words, with the players' names beside the seats."""
        record = self.record(before, move, after)
        mover = self.label(record.seat)
        effects = []
        for effect in record.effects:
            whose = "" if effect.seat is None else f"{self.label(effect.seat)}: "
            effects.append(whose + with_names(effect.text))
        # A secret move reads "decides in secret". Any other reads like an order: "recruit Lear".
        text = with_names(record.text) if record.move else with_names(record.text, mover=mover)
        return ToldMove(mover, text, record.move, tuple(effects))

    def events(self, before: Position, move: str, after: Position) -> list[Event]:
        """Return the effects of a move that are known. Once the game is over, all are."""
        viewer = None if after.to_move is None else self.seat
        return before.events(move, after=after, seat=viewer)


@dataclass(frozen=True, eq=False)
class GameHistory:
    """A game so far, finished or not."""

    positions: Sequence[Position]  # n + 1 positions; do not push moves on them
    moves: Sequence[str]  # the n moves between them
    names: Sequence[str] | None = None  # the players' names by seat, if known
    values: Sequence[float | None] = ()  # the returns that deciding agents expected, if known
    forfeit: str = ""  # a sentence that says who forfeited the game, empty if nobody did

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    @property
    def is_over(self) -> bool:
        """Whether the game has been played to its end."""
        return self.position.to_move is None

    def pushed(self, move: str) -> Self:
        """Return the history with one more move. Raises IllegalMove if it is not legal."""
        after = self.position.copy()
        after.push(move)
        return replace(self, positions=[*self.positions, after], moves=[*self.moves, move])

    def up_to(self, number: int) -> Self:
        """Return the history of the first `number` moves."""
        return replace(self, positions=self.positions[: number + 1], moves=self.moves[:number])

    def moves_of(self, seat: int) -> list[str]:
        """Return the moves that a seat has made."""
        # The current position has no move yet, so there is one position more than moves.
        played = zip(self.positions, self.moves, strict=False)
        return [move for position, move in played if position.to_move == seat]

    def lines(self, at: int, seat: int | None, moves_before: int = 0) -> list[str]:
        """Return a move and its effects as lines of text, as a seat knows them.

        Args:
            at: The index of the move, from 0.
            seat: The seat whose knowledge counts, as in `GameLog`.
            moves_before: The number of moves before this history, which are counted in the text.
        """
        told = GameLog(self.names, seat).told(
            self.positions[at], self.moves[at], self.positions[at + 1]
        )
        move = f"  ({told.move})" if told.move else ""
        first = f"{moves_before + at + 1:>{_NUMBER_WIDTH}}  {told.mover}  {told.text}{move}"
        return [first] + [f"{' ' * INDENT}{effect}" for effect in told.effects]

    def score_sheet(self, seat: int | None) -> list[tuple[str, list[int]]]:
        """Return all seats' points by source, as a seat knows them."""
        log = GameLog(self.names, None if self.is_over else seat)
        steps = zip(pairwise(self.positions), self.moves, strict=True)
        events = (log.events(before, move, after) for (before, after), move in steps)
        return score_sheet_from_events(self.positions[0].scores(), chain.from_iterable(events))

    def undoable_move(self, seat: int, agents: Collection[int] = ()) -> int:
        """Return the index of a seat's last move, if it and all later moves may be taken back.

        Args:
            seat: The seat that moved.
            agents: Seats whose later moves may be taken back with it.

        Raises:
            ValueError: The move cannot be taken back. The message says why.
        """
        movers = [position.to_move for position in self.positions[:-1]]
        if seat not in movers:
            raise ValueError("there is no move of yours to take back")
        index = len(movers) - 1 - movers[::-1].index(seat)
        if not set(movers[index + 1 :]) <= set(agents):
            raise ValueError("your last move stays played: another seat has decided since")
        before = self.positions[index]
        moves = self.moves[index:]
        if before.record()["random"] != self.position.record()["random"]:
            raise ValueError(f"{moves[0]} stays played: chance has decided since")
        if _reveals(before, moves, self.position, seat):
            raise ValueError(f"{moves[0]} stays played: it has shown you what you did not know")
        return index


def _reveals(before: Position, moves: Sequence[str], after: Position, seat: int) -> bool:
    """Return whether moves have shown a seat something that it did not know.

    This is so if a possible game, which looks to the seat like the true one before the moves, looks
    different after them.
    """
    for seed in range(_POSSIBLE_GAMES):
        possible = before.determinize(seat, seed)
        for move in moves:
            if move not in possible.moves():
                return True
            possible.push(move)
        if not np.array_equal(possible.observation(seat), after.observation(seat)):
            return True
        if possible.seen_by(seat) != after.seen_by(seat):
            return True
    return False
