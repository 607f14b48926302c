"""The baseline everybody should beat."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.play.generators import GameGenerators


class RandomAgent:
    """Plays legal actions uniformly at random."""

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """See `Agent.act`."""
        counts = masks.cumsum(axis=1, dtype=np.int32)
        wanted = np.floor(rng.random() * counts[:, -1]).astype(np.int32)
        # The action wanted is the first with more than `wanted` legal actions up to and with it.
        actions: NDArray[np.int64] = (counts > wanted[:, None]).argmax(axis=1)
        return actions
