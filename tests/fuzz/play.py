"""Positions to start from, and what is done with what was let in or refused."""

from __future__ import annotations

import linecache
import random
import traceback
from collections.abc import Callable
from functools import cache

import numpy as np

from shakespeare_env import Position
from tests.contract.random_games import LONGEST, TABLES, sampled

_ASK = 0.01
"""How often all questions are asked before a move, which take longer than ten moves do."""
_DRAW = 0.2
"""How often they include the drawing."""

_PACKAGES = ("/shakespeare_env/", "/shakespeare_agents/", "/shakespeare_training/")


@cache
def starts() -> tuple[Position, ...]:
    """Positions of every game, seat count, variant and phase; the same in every process."""
    return tuple(
        position.copy()
        for table in TABLES
        for seed in range(3)
        for position in sampled(table, seed, 9)
    )


def start(case: random.Random) -> Position:
    """One of them."""
    return case.choice(starts())


def attempted(do: Callable[..., object], *given: object) -> str:
    """The word for what a call does: its own, "played", or "refused"."""
    try:
        word = do(*given)
    except (ValueError, TypeError) as error:
        return refused(error)
    return word if isinstance(word, str) else "played"


def refused(error: Exception) -> str:
    """The word for an input that was refused; raises the error again if nobody meant it.

    An error is meant where a line of the project's own begins with `raise`: a ValueError of
    NumPy's or of another library is a finding, of whatever kind the documentation promises.
    """
    frame = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(frame.filename, frame.lineno or 0).strip()
    if line.startswith("raise ") and any(name in frame.filename for name in _PACKAGES):
        return "refused"
    raise error


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
        position.game.presentation.draw(redacted)
    supposed = position.determinize(seat, case.randrange(2**64))
    np.testing.assert_array_equal(supposed.observation(seat), seen)
    assert Position.from_dict(supposed.to_dict()) == supposed
    assert len(position.scores()) == position.players
