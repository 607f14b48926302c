"""The course of a game: its positions and moves, as they are shown, taken back and recorded."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from shakespeare_env.play.game_log import GameLog

if TYPE_CHECKING:
    from shakespeare_env.core.position import Position

_POSSIBLE = 32
"""Possible games, equal to the seat before its move, that must stay equal after it."""


@dataclass(frozen=True)
class Course:
    """A game so far, finished or not.

    Attributes:
        positions: The n + 1 positions; do not play on them.
        moves: The n moves between them.
        names: The players' names by seat, if known.
    """

    positions: Sequence[Position]
    moves: Sequence[str]
    names: Sequence[str] | None = None

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    @property
    def is_over(self) -> bool:
        """Whether the game has been played to its end."""
        return self.position.to_move is None

    def pushed(self, move: str) -> Self:
        """The course with one more move; IllegalMove if it is not legal."""
        after = self.position.copy()
        after.push(move)
        return replace(self, positions=[*self.positions, after], moves=[*self.moves, move])

    def up_to(self, number: int) -> Self:
        """The course of the first `number` moves."""
        return replace(self, positions=self.positions[: number + 1], moves=self.moves[:number])

    def moves_of(self, seat: int) -> list[str]:
        """The moves that a seat has played."""
        played = zip(self.positions, self.moves, strict=False)
        return [move for position, move in played if position.to_move == seat]

    def lines(self, at: int, seat: int | None, moves_before: int = 0) -> list[str]:
        """Move `at`, counted from 0, and then its effects, in words.

        Args:
            at: The number of the move.
            seat: The seat whose knowledge counts, as `GameLog` takes it.
            moves_before: The number of moves played before this course, which count on.
        """
        before, after = self.positions[at : at + 2]
        log = GameLog(self.names, seat)
        return log.lines(before, moves_before + at + 1, self.moves[at], after)

    def score_sheet(self, seat: int | None) -> list[tuple[str, list[int]]]:
        """The parts of all scores by source, as a seat knows them."""
        return GameLog(self.names, seat).score_sheet(self.positions, self.moves)

    def last_of(self, seat: int, agents: Collection[int] = ()) -> int:
        """The number of a seat's last move, if it may be taken back with all that follows it.

        Args:
            seat: The seat that moved.
            agents: Seats whose decisions since may be taken back with it.

        Raises:
            ValueError: The move stays played; the message says why.
        """
        movers = [position.to_move for position in self.positions[:-1]]
        if seat not in movers:
            raise ValueError("there is no move of yours to take back")
        number = len(movers) - 1 - movers[::-1].index(seat)
        if not set(movers[number + 1 :]) <= set(agents):
            raise ValueError("your last move stays played: another seat has decided since")
        before, since = self.positions[number], self.moves[number:]
        if before.record()["random"] != self.position.record()["random"]:
            raise ValueError(f"{since[0]} stays played: chance has decided since")
        if _teaches(before, since, self.position, seat):
            raise ValueError(f"{since[0]} stays played: it has shown you what you did not know")
        return number


def _teaches(before: Position, moves: Sequence[str], after: Position, seat: int) -> bool:
    """Whether a seat learns something from its move and those that follow.

    It does if games that looked equal to it before the move differ for it after them.
    """
    seen, observed = after.seen_by(seat), after.observation(seat)
    for seed in range(_POSSIBLE):
        possible = before.determinize(seat, seed)
        for move in moves:
            if move not in possible.moves():
                return True
            possible.push(move)
        if not np.array_equal(possible.observation(seat), observed):
            return True
        if possible.seen_by(seat) != seen:
            return True
    return False
