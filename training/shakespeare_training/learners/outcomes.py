"""How games ended, as the seats that decided in them see it: the targets of forecasts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch, victory_shares


class DecidersOutcomes(NamedTuple):
    """The outcomes of k decisions' games. Seats are counted clockwise from the one that decided."""

    players: NDArray[np.int64]  # [k], seats at the table
    shares: NDArray[np.float32]  # [k, S], shares of the victory; 0 where nobody sits
    changes: NDArray[np.float32]  # [k, S], changes of scores until the end, by `score_scale`


def outcomes_for_deciders(
    batch: Batch, rows: NDArray[np.int64], seats: NDArray[np.int64], scores: NDArray[np.float32]
) -> DecidersOutcomes:
    """Return the outcomes of decisions' games, as targets of their forecasts.

    Args:
        batch: The games, which are over. It has `autoreset=False`.
        rows: int64[k], the games of the decisions.
        seats: int64[k], the seats that decided.
        scores: float32[k, S], the scores at the decisions.
    """
    players = batch.players[rows].astype(np.int64)
    places = np.arange(batch.game.max_seats)
    clockwise = (seats[:, None] + places) % players[:, None]
    is_present = places < players[:, None]

    def from_decider(by_seat: NDArray[np.float32]) -> NDArray[np.float32]:
        # Number the seats clockwise from the one that decided; absent seats have 0.
        rotated = np.take_along_axis(by_seat, clockwise, 1)
        return np.where(is_present, rotated, np.float32(0.0))

    shares = victory_shares(batch.final_winners).astype(np.float32)
    changes = (batch.final_scores[rows] - scores) / np.float32(batch.game.score_scale)
    return DecidersOutcomes(players, from_decider(shares[rows]), from_decider(changes))
