"""Information sets: games as the seats to move know them, for agents that search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_seats
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.kernels import copy_records, kernels_of
from shakespeare_env.play.generators import GameGenerators


class InformationSets:
    """The information sets of m games, which hold what the seats to move know.

    They do not hold the true games. For each game they hold one possible game, drawn with a fixed
    seed, from which other possible games are drawn.

    Args:
        batch: The games.
        rows: int[m]; a seat is to move in each.

    Attributes:
        game: The game played.
        observations: int8[m, D].
        masks: bool[m, A].
        seats: int8[m], the seats to move.
        players: int8[m], seats at the table.
    """

    def __init__(self, batch: Batch, rows: NDArray[Any]) -> None:
        self.game: Game = batch.game
        self.observations: NDArray[np.int8] = batch.obs[rows]
        self.masks: NDArray[np.bool_] = batch.mask[rows]
        self.seats: NDArray[np.int8] = batch.to_move[rows]
        self.players: NDArray[np.int8] = batch.players[rows]
        self._batch_of = batch.maker()
        self._possible = batch.save(rows)
        # What a seat does not know is drawn anew here, so that the true games are not kept.
        self._redraw(self._possible, self.seats, np.zeros(len(self.seats), np.uint64))

    def __len__(self) -> int:
        return len(self.seats)

    def seen(self, place: int) -> dict[str, Any]:
        """Return one of the games in notation, with `UNKNOWN` for what its seat does not know."""
        position = self.game.to_dict(self._possible[place])
        return self.game.seen_by(position, int(self.seats[place]))

    def moves(self, place: int) -> dict[str, int]:
        """Return the legal moves of one of the games, text -> action id, in order of the ids."""
        texts = self.game.actions.texts_for(int(self.seats[place]), int(self.players[place]))
        return {texts[action]: action for action in self.masks[place].nonzero()[0].tolist()}

    def determinized(self, places: NDArray[Any], rng: GameGenerators) -> Batch:
        """Draw k games that could be the true ones.

        Args:
            places: int[k], the indices of the m games, in any order and repeated if need be.
            rng: The generators of the m games. They decide all that a seat does not know, and all
                later chance.
        """
        seeds = rng.words(places)
        # A batch also needs a seed of its own, for games that it may set up later.
        seed = int(seeds[0]) if len(seeds) else 0
        return self._batch_of(self._draw(places, seeds), seed)

    def records(self, places: NDArray[Any], rng: GameGenerators) -> Records:
        """Draw the games that `determinized` would draw, as new records[k]."""
        return self._draw(places, rng.words(places))

    def _draw(self, places: NDArray[Any], seeds: NDArray[np.uint64]) -> Records:
        games = copy_records(self._possible, places)
        self._redraw(games, self.seats[places], seeds)
        return games

    def _redraw(self, games: Records, seats: NDArray[np.int8], seeds: NDArray[np.uint64]) -> None:
        checked = checked_seats(seats, games["players"])
        kernels_of(self.game).determinize(games, checked, seeds)
