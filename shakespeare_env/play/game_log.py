"""The log of a game: moves and their effects, in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise, takewhile
from typing import TYPE_CHECKING, NamedTuple

from shakespeare_env.core.presentation import Event
from shakespeare_env.play.score_sheet import from_events

if TYPE_CHECKING:
    from shakespeare_env.core.position import Position

_NUMBER = 4  # columns
INDENT = _NUMBER + 2
"""The columns before an effect."""


class ToldMove(NamedTuple):
    """A move in words.

    Attributes:
        mover: The seat and its player.
        text: The move in English.
        move: The move in notation, empty if secret.
        effects: Effects; each names its seat, unless that is the mover or the table.
    """

    mover: str
    text: str
    move: str
    effects: tuple[str, ...]


class GameLog:
    """Describes moves as one seat knows them.

    Args:
        names: The players' names by seat, if known.
        seat: The seat whose knowledge counts, `NO_SEAT` for a spectator's; None knows all.
    """

    def __init__(self, names: Sequence[str] | None = None, seat: int | None = None) -> None:
        self.names = names
        self.seat = seat

    def label(self, seat: int) -> str:
        """A seat and who plays it."""
        return f"seat {seat} ({self.names[seat]})" if self.names else f"seat {seat}"

    def told(self, before: Position, move: str, after: Position) -> ToldMove:
        """A move and its effects, the mover's own first."""
        mover = before.to_move
        assert mover is not None
        secret = self._is_secret(before, move)
        text = "decides in secret" if secret else before.describe_move(move)
        events = self.events(before, move, after)
        own = len(list(takewhile(lambda event: event.seat == mover, events)))
        effects = tuple(
            event.text
            if event.seat is None or place < own
            else f"{self.label(event.seat)}: {event.text}"
            for place, event in enumerate(events)
        )
        return ToldMove(self.label(mover), text, "" if secret else move, effects)

    def lines(self, before: Position, number: int, move: str, after: Position) -> list[str]:
        """The lines for terminals: the move, numbered from 1, then a line for each effect."""
        entry = self.told(before, move, after)
        first = f"{number:>{_NUMBER}}  {entry.mover}  {entry.text}{in_brackets(entry.move)}"
        return [first, *(f"{' ' * INDENT}{effect}" for effect in entry.effects)]

    def events(self, before: Position, move: str, after: Position) -> list[Event]:
        """All effects of a move that are known."""
        told = before.events(move, after=after, seat=self._knowing(after))
        # A record that somebody has changed may hold more than the rules do.
        for seat, (old, new) in enumerate(zip(before.scores(), after.scores(), strict=True)):
            left = new - old - sum(event.points for event in told if event.seat == seat)
            if left:
                told.append(Event(seat, f"other: {left:+d} points", "other", left))
        return told

    def score_sheet(
        self, positions: Sequence[Position], moves: Sequence[str]
    ) -> list[tuple[str, list[int]]]:
        """The parts of scores by source, after n + 1 positions and the moves between them."""
        knowing = GameLog(self.names, self._knowing(positions[-1]))
        steps = zip(pairwise(positions), moves, strict=True)
        events = (knowing.events(before, move, after) for (before, after), move in steps)
        return from_events(positions[0].scores(), chain.from_iterable(events))

    def _knowing(self, last: Position) -> int | None:
        """The seat whose knowledge counts; None once the game is over and nothing is secret."""
        return None if last.to_move is None else self.seat

    def _is_secret(self, position: Position, move: str) -> bool:
        """Whether a move of the seat to move is hidden."""
        if self.seat in (None, position.to_move):
            return False
        return position.game.is_secret(position.to_dict(), move)


def in_brackets(move: str) -> str:
    """A move in brackets; empty for a secret one."""
    return f"  ({move})" if move else ""
