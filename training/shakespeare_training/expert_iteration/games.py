"""Searched games: their decisions, what searches found, and how the games ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.batch import Batch


class Examples(NamedTuple):
    """Decisions to learn from.

    Attributes:
        observations: int8[k, D].
        masks: bool[k, A].
        prior: float32[k, A], the policy before the search; rows add up to 1.
        advantages: float32[k, A] (see `advantages`).
        players: int64[k], seats at the table.
        shares: float32[k, S], of the victory, by seat clockwise of the one that decided; 0 where
            nobody sits, as in `changes`.
        changes: float32[k, S], of the scores from the decision to the end, in units of
            `Game.score_scale`.
    """

    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    prior: NDArray[np.float32]
    advantages: NDArray[np.float32]
    players: NDArray[np.int64]
    shares: NDArray[np.float32]
    changes: NDArray[np.float32]

    @property
    def size(self) -> int:
        """The number of decisions, k."""
        return len(self.players)

    def rows(self, chosen: NDArray[np.int64]) -> Examples:
        """The decisions with the indices int64[m]."""
        return Examples(**{name: array[chosen] for name, array in self._asdict().items()})


@dataclass
class GameLog:
    """The decisions of games in progress.

    Args:
        batch: The games, played once to their end with `autoreset=False`.
    """

    batch: Batch
    _rows: list[NDArray[np.int64]] = field(default_factory=list)
    _steps: list[NDArray[np.int64]] = field(default_factory=list)
    _observations: list[NDArray[np.int8]] = field(default_factory=list)
    _masks: list[NDArray[np.bool_]] = field(default_factory=list)
    _priors: list[NDArray[np.float32]] = field(default_factory=list)
    _advantages: list[NDArray[np.float32]] = field(default_factory=list)
    _seats: list[NDArray[np.int64]] = field(default_factory=list)
    _scores: list[NDArray[np.float32]] = field(default_factory=list)

    def add(
        self,
        step: int,
        rows: NDArray[np.int64],
        prior: NDArray[np.float32],
        advantages: NDArray[np.float32],
    ) -> None:
        """Note the decisions to be made now in the games int64[m]; for the rest see `Examples`.

        `step` is the number of all seats' decisions before these in each game.
        """
        self._rows.append(rows)
        self._steps.append(np.full(len(rows), step))
        self._observations.append(self.batch.obs[rows])
        self._masks.append(self.batch.mask[rows])
        self._priors.append(prior)
        self._advantages.append(advantages)
        self._seats.append(self.batch.to_move[rows].astype(np.int64))
        self._scores.append(self.batch.scores(rows).astype(np.float32))

    @property
    def rows(self) -> NDArray[np.int64]:
        """int64[k]: the game of each decision."""
        return np.concatenate(self._rows)

    @property
    def steps(self) -> NDArray[np.int64]:
        """int64[k]: the number of all seats' decisions before it in its game."""
        return np.concatenate(self._steps)

    def examples(self) -> Examples:
        """All decisions, once the games are over."""
        batch, rows = self.batch, self.rows
        players = batch.players[rows].astype(np.int64)
        places = np.arange(batch.game.max_seats)
        seats = (np.concatenate(self._seats)[:, None] + places) % players[:, None]
        present = places < players[:, None]
        winners = batch.final_winners.astype(np.float32)
        winners /= winners.sum(axis=1, keepdims=True).clip(1.0)
        scores = np.concatenate(self._scores)
        changes = (batch.final_scores[rows] - scores) / np.float32(batch.game.score_scale)
        return Examples(
            np.concatenate(self._observations),
            np.concatenate(self._masks),
            np.concatenate(self._priors),
            np.concatenate(self._advantages),
            players,
            np.where(present, np.take_along_axis(winners[rows], seats, 1), np.float32(0.0)),
            np.where(present, np.take_along_axis(changes, seats, 1), np.float32(0.0)),
        )
