"""What deciding seats may know of their games, for agents that look ahead."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.batch import Batch


class Views:
    """Some games as the seats see them that are to decide in them.

    The games themselves cannot be reached from here: an agent gets observations, masks, and games
    that are drawn at random among those that its seat cannot tell from the true one.

    Args:
        batch: The games.
        rows: int[n], which of them; somebody decides in each.

    Attributes:
        observations: int8[n, D].
        masks: bool[n, A].
        seats: int8[n], who decides.
    """

    def __init__(self, batch: Batch, rows: NDArray[Any]) -> None:
        self.observations: NDArray[np.int8] = batch.obs[rows]
        self.masks: NDArray[np.bool_] = batch.mask[rows]
        self.seats: NDArray[np.int8] = batch.to_move[rows]
        self.__batch = batch
        self.__rows = np.asarray(rows)

    def __len__(self) -> int:
        return len(self.seats)

    def possible(self, places: NDArray[Any], rng: np.random.Generator) -> Batch:
        """Games that could be the true ones; what the seat does not know is drawn anew in each.

        Args:
            places: int[m], indices into these views, each as often as it is wanted.
            rng: Decides what is drawn, and all chance to come.

        Returns:
            A batch of m games.
        """
        games = self.__batch.copies(self.__rows[places], seed=int(rng.integers(2**63)))
        seeds = rng.integers(2**63, size=len(places))
        games.determinize(slice(None), self.seats[places], seeds)
        return games
