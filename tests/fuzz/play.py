"""Positions that were let in, played to the end with everything a user can ask on the way."""

from __future__ import annotations

import random

import numpy as np

from shakespeare_env import Position
from tests.contract.random_games import LONGEST

_ASK = 0.01
"""How often all questions are asked before a move, which take longer than ten moves do."""
_DRAW = 0.2
"""How often they include the drawing."""


def play_out(case: random.Random, position: Position) -> None:
    """Random legal moves to the end; what is asked of positions is answered on the way."""
    ask(case, position)
    for _ in range(LONGEST):
        if position.to_move is None:
            break
        moves = position.moves()
        assert moves, f"nothing to decide in {position!r}"
        position.push(case.choice(moves))
        if case.random() < _ASK:
            ask(case, position)
    assert position.to_move is None, f"not over after {LONGEST} decisions: {position!r}"
    ask(case, position)
    assert position.winners


def ask(case: random.Random, position: Position) -> None:
    """Text that reads back as the same position; what a seat sees, knows and may suppose."""
    notation = position.to_dict()
    assert Position.from_dict(notation, seed=case.randrange(2**64)) == position
    seat = case.randrange(position.players)
    seen = position.observation(seat)
    layout = position.game.layout
    assert ((seen >= layout.low) & (seen <= layout.high)).all(), "observed out of range"
    redacted = position.seen_by(seat)
    if case.random() < _DRAW:
        position.game.draw(redacted)
    supposed = position.determinize(seat, case.randrange(2**64))
    np.testing.assert_array_equal(supposed.observation(seat), seen)
    assert Position.from_dict(supposed.to_dict()) == supposed
    assert len(position.scores()) == position.players
