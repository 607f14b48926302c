"""Positions in text: refused with a PositionError, or played to the end."""

from __future__ import annotations

import random
from typing import Any

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from tests.fuzz.json_mutations import mutated
from tests.fuzz.play import ask, play_out, start, starts
from tests.fuzz.rearranged import rearranged

_SYNTAX = 0.25
"""The share of cases that are changed without regard to what they mean."""


def prepare() -> None:
    case = random.Random(0)
    for chosen in starts()[:: len(starts()) // 20]:
        ask(case, chosen)


def check(case: random.Random) -> str:
    try:
        position = Position.from_dict(changed(case), seed=case.randrange(2**64))
    except PositionError:
        return "refused"
    play_out(case, position)
    return "played"


def changed(case: random.Random) -> Any:
    """The notation of a real position, changed."""
    given = start(case).to_dict()
    if case.random() < _SYNTAX:
        return mutated(case, given)
    return rearranged(case, given)
