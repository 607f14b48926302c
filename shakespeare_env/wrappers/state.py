"""The full state of a game as one array, for learners that may see everything."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from shakespeare_env.game import Game, Record

_NOT_SHOWN = "random"
"""Future chance is not part of the position."""


class StateView:
    """Every field of a game's record but its random state, concatenated.

    Attributes:
        fields: Field name -> slice of the array.
        space: Box of int32[K], bounded by the fields' types.
    """

    def __init__(self, game: Game) -> None:
        self.fields: dict[str, slice] = {}
        low: list[NDArray[np.int32]] = []
        high: list[NDArray[np.int32]] = []
        start = 0
        for name in game.state.names or ():
            if name == _NOT_SHOWN:
                continue
            kind = game.state[name]
            size, limits = int(np.prod(kind.shape, dtype=int)), np.iinfo(kind.base)
            self.fields[name] = slice(start, start + size)
            low.append(np.full(size, limits.min, np.int32))
            high.append(np.full(size, limits.max, np.int32))
            start += size
        self.space = spaces.Box(np.concatenate(low), np.concatenate(high), dtype=np.int32)

    def __call__(self, record: Record) -> NDArray[np.int32]:
        """int32[K], the state of a game."""
        parts: list[Any] = [np.ravel(record[name]) for name in self.fields]
        return np.concatenate(parts, dtype=np.int32)
