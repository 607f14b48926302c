"""The spaces of a game, the same for all environments, and its full state as one array."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from shakespeare_env.core.game import Game, Record

_NOT_SHOWN = "random"
"""The field of future chance, which is not part of the position."""


def observation_space(game: Game) -> spaces.Box[np.int8]:
    """Box of int8[D] with the layout's bounds."""
    return spaces.Box(game.layout.low, game.layout.high, dtype=np.int8)


def action_space(game: Game) -> spaces.Discrete:
    """Discrete: the ids of the action table."""
    return spaces.Discrete(game.actions.size)


class StateView:
    """Every field of a game's record but its random state, for learners that may see everything.

    Attributes:
        fields: Field name -> slice of the array.
        space: Box of int32[K], bounded by the fields' types.
    """

    def __init__(self, game: Game) -> None:
        kinds = {name: game.state[name] for name in game.state.names or () if name != _NOT_SHOWN}
        sizes = [int(np.prod(kind.shape, dtype=int)) for kind in kinds.values()]
        ends = np.cumsum(sizes).tolist()
        places = zip(kinds, sizes, ends, strict=True)
        self.fields = {name: slice(end - size, end) for name, size, end in places}
        limits = [np.iinfo(kind.base) for kind in kinds.values()]
        low = np.repeat([limit.min for limit in limits], sizes).astype(np.int32)
        high = np.repeat([limit.max for limit in limits], sizes).astype(np.int32)
        self.space = spaces.Box(low, high, dtype=np.int32)

    def __call__(self, record: Record) -> NDArray[np.int32]:
        """int32[K], the state of a game."""
        parts: list[Any] = [np.ravel(record[name]) for name in self.fields]
        return np.concatenate(parts, dtype=np.int32)
