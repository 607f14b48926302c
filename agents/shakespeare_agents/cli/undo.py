"""Taking back a person's move, where that gives no secret away."""

from __future__ import annotations

import numpy as np

from shakespeare_agents.single_game import SingleGame
from shakespeare_env import Position

_POSSIBLE = 32
"""Games, all the same to the person before the move, that have to stay the same after it."""


def take_back(played: SingleGame, seat: int) -> str:
    """Take back the last move, which was the seat's own, and return it.

    Raises:
        ValueError: why it stays played.
    """
    movers = [position.to_move for position in played.positions[:-1]]
    if seat not in movers:
        raise ValueError("there is no move of yours to take back")
    if movers[-1] != seat:
        raise ValueError("your last move stays played: another seat has decided since")
    before, move, after = played.positions[-2], played.moves[-1], played.position
    if before.record()["random"] != after.record()["random"]:
        raise ValueError(f"{move} stays played: chance has decided since")
    if _tells(before, move, after, seat):
        raise ValueError(f"{move} stays played: it has shown you what you did not know")
    played.take_back()
    return move


def _tells(before: Position, move: str, after: Position, seat: int) -> bool:
    """Whether a seat learns something from its move.

    It does if games it could not tell apart before the move differ for it after the move.
    """
    for seed in range(_POSSIBLE):
        possible = before.determinize(seat, seed)
        possible.push(move)
        if possible.seen_by(seat) != after.seen_by(seat):
            return True
        if not np.array_equal(possible.observation(seat), after.observation(seat)):
            return True
    return False
