"""The spaces of a game, the same for all environments."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from shakespeare_env.game import Game


def observation_space(game: Game) -> spaces.Box[np.int8]:
    """Box of int8[D] with the layout's bounds."""
    return spaces.Box(game.layout.low, game.layout.high, dtype=np.int8)


def action_space(game: Game) -> spaces.Discrete:
    """Discrete: the ids of the action table."""
    return spaces.Discrete(game.actions.size)
