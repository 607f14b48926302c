"""The player everybody should beat."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class RandomAgent:
    """Plays every legal action with the same probability."""

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw one legal action for each row.

        Args:
            observations: int8[n, D], not looked at.
            masks: bool[n, A], at least one True a row.
            rng: One number a row is drawn from it.

        Returns:
            int64[n], legal action ids.
        """
        counts = masks.cumsum(axis=1, dtype=np.int32)
        wanted = np.floor(rng.random(len(masks)) * counts[:, -1]).astype(np.int32)
        # The action wanted is the first one that has more than `wanted` legal actions up to and
        # with it.
        actions: NDArray[np.int64] = (counts > wanted[:, None]).argmax(axis=1)
        return actions
