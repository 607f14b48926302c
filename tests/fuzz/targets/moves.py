"""Moves as texts and ids: an error of the project that changes nothing, or the move is played."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from shakespeare_env import Batch, IllegalMove, Position
from tests.fuzz.json_mutations import text, value
from tests.fuzz.play import attempted, start, starts

_IDS = (-1, 0, 1, 2**31, -(2**31), 2**63, -(2**63) - 1, 2**64, 10**30, 1.0, True, None, "0")


def prepare() -> None:
    starts()


def check(case: random.Random) -> str:
    position = start(case).copy()
    before = position.copy()
    word = attempted(case.choice(_WAYS), case, position)
    if word == "refused":
        assert position == before, "changed by what was refused"
        assert position.moves() == before.moves()
    return word


def _move(case: random.Random, position: Position) -> Any:
    """A text like a move, one of the game's moves, or anything."""
    drawn = case.random()
    if drawn < 0.1:
        return value(case)
    move = position.move_text(case.randrange(position.game.actions.size))
    if drawn < 0.6:
        return move
    other = position.move_text(case.randrange(position.game.actions.size))
    at = case.randint(0, len(move))
    return case.choice((move[:at] + text(case), move[:at] + other[at:], move.upper(), move + " "))


def _push(case: random.Random, position: Position) -> str:
    move, legal = _move(case, position), position.moves()
    try:
        position.push(move)
    except IllegalMove as error:
        assert not isinstance(move, str) or move not in legal
        str(error)
        return "refused"
    assert move in legal
    return "played"


def _describe(case: random.Random, position: Position) -> str:
    move = _move(case, position)
    if not position.is_move(move):
        position.action_id(move)
        raise AssertionError(f"an id for {move!r}, which is no move")
    assert position.move_text(position.action_id(move)) == move
    assert position.describe_move(move)
    return "described"


def _move_text(case: random.Random, position: Position) -> str:
    size = position.game.actions.size
    action: Any = case.choice((case.randint(-2, size + 1), size, size - 1, case.choice(_IDS)))
    assert position.action_id(position.move_text(action)) == action
    return "described"


def _step(case: random.Random, position: Position) -> str:
    """Ids for a batch of three copies; all are legal, or nothing changes."""
    batch = Batch(position.game.name, 3, players=position.players)
    batch.load(slice(None), np.array([position.record()] * 3, position.game.state))
    size, legal = position.game.actions.size, np.flatnonzero(batch.mask[0]).tolist()
    pool = (*legal, -1, case.randrange(size), *_IDS[:9]) if case.random() < 0.5 else legal or [-1]
    actions: Any = [case.choice(pool) for _ in range(3)]
    before = batch.save(slice(None)).tobytes()
    try:
        batch.step(actions)
    except IllegalMove as error:
        str(error)
        assert batch.save(slice(None)).tobytes() == before, "changed by what was refused"
        return "refused"
    assert set(actions) <= set(legal or [-1])
    return "played"


_WAYS = (_push, _push, _describe, _move_text, _step)
