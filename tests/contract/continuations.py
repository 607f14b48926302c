"""Games that go on from a decision by given moves, and the consequences that they have."""

from shakespeare_env import Position
from shakespeare_env.core.consequences import Continuation, KeptMove
from tests.contract.playing import Dict


def continuation(d: Dict, *moves: str) -> Continuation:
    """Return what follows a decision of the seat to move, with the effects of every move."""
    position = Position.from_dict(d)
    seat = position.to_move
    assert seat is not None
    kept = []
    for move in moves:
        record = position.record()
        action = position.action_id(move)
        events = position.game.presentation.events(record, action, record, None)
        kept.append(KeptMove(record, action, events))
        position = position.copy()
        position.push(move)
    return Continuation(seat, kept, position.record())


def number(words: str, d: Dict, *moves: str) -> float | None:
    """Return a number of what follows a decision.

    Args:
        words: A part of the sentence that tells it.
        d: The position.
        moves: The decision and the moves after it.
    """
    played_on = continuation(d, *moves)
    consequences = Position.from_dict(d).game.presentation.consequences
    (found,) = [consequence for consequence in consequences if words in consequence.words]
    counted: float | None = found.number(played_on)
    return counted
