"""Taking back a person's move, where that gives no secret away."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from shakespeare_agents.single_game import SingleGame
from shakespeare_env import Position

_POSSIBLE = 32
"""Possible games, equal to the person before the move, that must stay equal after it."""


def take_back(played: SingleGame, seat: int) -> str:
    """Take back the last move, which was the seat's own, and return it.

    Raises:
        ValueError: the move stays played; says why.
    """
    number = last_own(played.positions, played.moves, seat)
    move = played.moves[number]
    played.take_back()
    return move


def last_own(
    positions: Sequence[Position], moves: Sequence[str], seat: int, agents: Collection[int] = ()
) -> int:
    """The number of a seat's last move, which may be taken back with all that follows it.

    Args:
        positions: One more than there are moves.
        moves: The moves between them.
        seat: The seat that moved.
        agents: Seats whose decisions since may be taken back with it.

    Raises:
        ValueError: the move stays played; says why.
    """
    movers = [position.to_move for position in positions[:-1]]
    if seat not in movers:
        raise ValueError("there is no move of yours to take back")
    number = len(movers) - 1 - movers[::-1].index(seat)
    if not set(movers[number + 1 :]) <= set(agents):
        raise ValueError("your last move stays played: another seat has decided since")
    before, since, after = positions[number], moves[number:], positions[-1]
    if before.record()["random"] != after.record()["random"]:
        raise ValueError(f"{since[0]} stays played: chance has decided since")
    if _tells(before, since, after, seat):
        raise ValueError(f"{since[0]} stays played: it has shown you what you did not know")
    return number


def _tells(before: Position, moves: Sequence[str], after: Position, seat: int) -> bool:
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
