"""The learner's opponents: who they are and where they sit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch
from shakespeare_env.play.agent import Player, agent_for, name_of
from shakespeare_env.play.generators import GameGenerators, draw_columns
from shakespeare_env.play.lineup import NOBODY, OUTSIDE, Lineup

Opponents = Player | Sequence[Player] | Mapping[Player, float]
"""One player for all seats, one for each, or weights to draw each seat's player from."""

MOST_OPPONENTS = 1000
"""The most opponents to draw from."""


class OpponentPool:
    """Seats opponents, None meaning the strongest bundled agent, in the games of a batch.

    Attributes:
        lineup: Who sits where; one seat of each game is the learner's.
    """

    def __init__(self, opponents: Opponents | None, batch: Batch) -> None:
        self._batch = batch
        self._weights: NDArray[np.float64] | None = None
        self._in_order = False
        chosen: list[Player | None]
        if isinstance(opponents, Mapping):
            if len(opponents) > MOST_OPPONENTS:
                raise ValueError(
                    f"{len(opponents)} opponents to draw from: give {MOST_OPPONENTS} at most"
                )
            chosen = list(opponents)
            self._weights = _shares(opponents)
        elif isinstance(opponents, Sequence) and not isinstance(opponents, str | bytes):
            chosen = list(opponents)
            self._in_order = True
            wanted = batch.players - 1
            if (wanted != len(chosen)).any():
                raise ValueError(
                    f"{len(chosen)} opponents for {wanted.max()} seats: give one for each other "
                    "seat, one for all of them, or weights to draw by"
                )
            for place, player in enumerate(chosen):
                if player is None:
                    raise ValueError(
                        f"opponents[{place}] is None: name a player, such as 'network' or "
                        "'heuristic'; only opponents=None alone means the strongest one"
                    )
        else:
            chosen = [opponents]
        seats = np.full((batch.n, batch.game.max_seats), NOBODY, np.int32)
        agents = [agent_for(player, batch.game) for player in chosen]
        names = ["the default agent" if one is None else name_of(one) for one in chosen]
        generators = GameGenerators.of_games(0, np.arange(batch.n))
        self.lineup = Lineup(agents, seats, generators, names)

    def reset(self, seed: int, rows: NDArray[np.int64]) -> None:
        """Reseed the generators of some rows."""
        self.lineup.generators.states[rows] = GameGenerators.of_games(seed, rows).states

    def seat(self, rows: NDArray[np.int64], outside: NDArray[np.int8]) -> None:
        """Seat opponents in games just started, around the learner at `outside`, int8[m]."""
        players = self._batch.players[rows, None]
        seat = np.arange(self.lineup.seats.shape[1])
        seats = np.zeros((len(rows), len(seat)), np.int32)
        if self._weights is not None:
            weights = np.tile(self._weights, (len(rows), 1))
            for column in range(len(seat)):
                seats[:, column] = draw_columns(weights, self.lineup.generators[rows].random())
        elif self._in_order:
            seats[:] = (seat - outside[:, None] - 1) % players
        seats[seat >= players] = NOBODY
        seats[np.arange(len(rows)), outside] = OUTSIDE
        self.lineup.seats[rows] = seats


def _shares(weights: Mapping[Any, float]) -> NDArray[np.float64]:
    try:
        given = np.array(list(weights.values()), np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if (
        given.ndim != 1
        or not len(given)
        or not np.isfinite(given).all()
        or (given < 0).any()
        or not given.any()
    ):
        raise ValueError(
            f"opponents={dict(weights)!r}: give every player a weight of 0 or more, and one above 0"
        )
    given /= given.max()  # or the sum could overflow
    shares: NDArray[np.float64] = given / given.sum()
    return shares
