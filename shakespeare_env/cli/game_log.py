"""The log of a game: moves and their effects, in words."""

from __future__ import annotations

from collections.abc import Sequence

from shakespeare_env import Position
from shakespeare_env.cli import screen
from shakespeare_env.game import Event

_NUMBER = 4  # columns
_INDENT = _NUMBER + 2


class GameLog:
    """Tells moves as one seat knows them.

    Args:
        names: Who plays, by seat, if known.
        seat: Whose knowledge; None knows all.
    """

    def __init__(self, names: Sequence[str] | None = None, seat: int | None = None) -> None:
        self.names = names
        self.seat = seat

    def label(self, seat: int) -> str:
        """A seat and who plays it."""
        return f"seat {seat} ({self.names[seat]})" if self.names else f"seat {seat}"

    def tell(self, before: Position, number: int, move: str, after: Position) -> None:
        """Print a move, numbered from 1, and its effects."""
        for line in self.lines(before, number, move, after):
            screen.tell_wrapped(line, len(line) - len(line.lstrip()) + 2)

    def lines(self, before: Position, number: int, move: str, after: Position) -> list[str]:
        """The same as text: the move, then a line for each effect."""
        assert before.to_move is not None
        start = f"{number:>{_NUMBER}}  {self.label(before.to_move)}"
        secret = self.is_secret(before, move)
        told = "decides in secret" if secret else f"{before.describe_move(move)}  ({move})"
        # Once the game is over nothing is secret.
        seat = None if after.to_move is None else self.seat
        seen = [
            position.to_dict() if seat is None else position.seen_by(seat)
            for position in (before, after)
        ]
        events = before.game.events(seen[0], None if secret else move, seen[1])
        return [f"{start}  {told}", *(" " * _INDENT + self._told(event) for event in events)]

    def is_secret(self, position: Position, move: str) -> bool:
        """Whether a move of the seat to move is hidden."""
        if self.seat in (None, position.to_move):
            return False
        return position.game.is_secret(position.to_dict(), move)

    def _told(self, event: Event) -> str:
        return event.text if event.seat is None else f"{self.label(event.seat)}: {event.text}"
