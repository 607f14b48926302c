"""What agents that look ahead may know."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.batch import Batch
from shakespeare_env.generators import GameGenerators


class InformationSets:
    """Some games as the seats to move see them; the games themselves are out of reach.

    Args:
        batch: The games.
        rows: int[m], those of interest; a seat is to move in each.

    Attributes:
        observations: int8[m, D].
        masks: bool[m, A].
        seats: int8[m], who is to move.
    """

    def __init__(self, batch: Batch, rows: NDArray[Any]) -> None:
        self.observations: NDArray[np.int8] = batch.obs[rows]
        self.masks: NDArray[np.bool_] = batch.mask[rows]
        self.seats: NDArray[np.int8] = batch.to_move[rows]
        self.__batch = batch
        self.__rows = np.asarray(rows)

    def __len__(self) -> int:
        return len(self.seats)

    def determinized(self, places: NDArray[Any], rng: GameGenerators) -> Batch:
        """A batch of k games that could be the true ones, all that a seat does not know redrawn.

        Only `random_actions` depends on the other games.

        Args:
            places: int[k], which of the m games, in any order and repeatable.
            rng: Generators of the m games; decide what is redrawn and all chance to come.
        """
        seeds = rng.words(places)
        games = self.__batch.copies(self.__rows[places], seed=int(seeds[0]) if len(seeds) else 0)
        games.determinize(slice(None), self.seats[places], seeds)
        return games
