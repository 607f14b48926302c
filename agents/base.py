"""What a player is, for every game."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Agent(Protocol):
    """A player of any number of games at once.

    An agent gets views, never the state, so it cannot look at what is secret.  It keeps no memory
    between calls and draws from nothing but `rng`, so the same views and generator give the same
    actions.
    """

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[Any]:
        """Choose an action in each of n situations.

        Args:
            observations: int8[n, D], what the seat to decide sees.
            masks: bool[n, A], its legal actions, at least one a row.
            rng: Where to draw from.

        Returns:
            int[n], a legal action id for each row.
        """
        ...
