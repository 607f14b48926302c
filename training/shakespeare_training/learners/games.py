"""The games that a learner plays, as tensors: on the CPU here, on a GPU in `device.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Records
from shakespeare_env.errors import IllegalMove
from shakespeare_env.play.generators import draw_columns
from shakespeare_training.learners.league import FinishedGames, League

TOO_LARGE = "the network's numbers are too large to choose a move by"
"""The error message if exploded weights outweigh the mask: the learner's move is then illegal."""

MOST_PLAYOUTS = 2**17
"""The most playouts on a GPU in step, to bound memory. It changes no result."""
_RANDOM_GAMES = 16  # the number of random games whose mean length is taken


class RolloutProgress(NamedTuple):
    """The part of a rollout that has been played since progress was last reported.

    Attributes:
        decisions: The learner's decisions.
        finished: Games that ended.
    """

    decisions: int
    finished: FinishedGames


class LearnerGames(Protocol):
    """n games that a learner and the opponents of its league play in parallel, as tensors.

    `HostGames` plays them on the CPU, `DeviceGames` on a GPU. Every tensor is on the device of the
    games. Steps overwrite all tensors but `players`. An observation has D entries, and there are A
    actions and at most S seats.

    Attributes:
        league: The opponents, and the players at the seats.
        players: int64[n], seats at the tables.
        obs: int8[n, D], the observations of the seats to move.
        mask: bool[n, A], their legal actions.
        to_move: int8[n], the seats to move.
        rewards: float32[n, S], changes of scores in the last step.
        done: bool[n], whether the last step ended the game.
        final_scores: int16[n, S], scores of the last game that ended in each row.
        final_winners: bool[n, S], winners of the last game that ended in each row.
    """

    league: League
    players: torch.Tensor
    obs: torch.Tensor
    mask: torch.Tensor
    to_move: torch.Tensor
    rewards: torch.Tensor
    done: torch.Tensor
    final_scores: torch.Tensor
    final_winners: torch.Tensor

    @property
    def learner_to_move(self) -> torch.Tensor:
        """bool[n], whether the seat to move is the learner's."""

    def begin_rollout(self, rng: np.random.Generator) -> None:
        """Use the league as it is now, and draw with `rng` until the next rollout begins."""

    def network_rows(self) -> torch.Tensor | slice:
        """Return the m games in which the learner's network is run."""

    def sample(self, log_probabilities: torch.Tensor) -> torch.Tensor:
        """Draw an action, int64[m], from each row of log-probabilities, float32[m, A]."""

    def fill_in_opponents(self, actions: torch.Tensor) -> torch.Tensor:
        """Return actions, int64[n], with opponents' choices in the games where they are to move."""

    def step(self, actions: torch.Tensor, rows: NDArray[np.int64] | None = None) -> None:
        """Play actions, int64[m], in all games or in some rows. A new game follows each that ends.

        Raises:
            IllegalMove: an opponent's action is not legal.
            FloatingPointError: the learner's action is not legal.
        """

    def play_steps(self, play: Callable[[int], None], steps: int) -> Iterator[RolloutProgress]:
        """Call `play` with 0, 1, ... for each step, and yield the progress from time to time."""

    def scores(self) -> torch.Tensor:
        """Return the current scores by seat, int16[n, S]."""

    def save(self) -> torch.Tensor:
        """Return a copy of the records, uint8[n, ...]."""

    def load(self, records: Records) -> None:
        """Replace the games' records, as `Batch.load` does; the league's seats stay."""


class HostGames:
    """The games of a learner on the CPU (`LearnerGames`), played in the batch of its league."""

    def __init__(self, league: League) -> None:
        batch = league.batch
        self.league = league
        self.batch = batch
        self.players = torch.from_numpy(batch.players.astype(np.int64))
        self.obs = _shared(batch.obs)
        self.mask = _shared(batch.mask)
        self.to_move = _shared(batch.to_move)
        self.rewards = _shared(batch.rewards)
        self.done = _shared(batch.done)
        self.final_scores = _shared(batch.final_scores)
        self.final_winners = _shared(batch.final_winners)
        self._progress = RolloutProgress(0, league.finished_games(np.zeros(0, np.int64)))
        self._rng = np.random.default_rng()

    @property
    def learner_to_move(self) -> torch.Tensor:
        """bool[n], whether the seat to move is the learner's."""
        return torch.from_numpy(self.league.learner_to_move())

    def begin_rollout(self, rng: np.random.Generator) -> None:
        """Draw from `rng` until the next rollout begins."""
        self._rng = rng

    def network_rows(self) -> torch.Tensor | slice:
        """Return the games in which the learner is to move."""
        own = self.league.learner_to_move()
        return slice(None) if own.all() else torch.from_numpy(np.flatnonzero(own))

    def sample(self, log_probabilities: torch.Tensor) -> torch.Tensor:
        """Draw an action, int64[m], from each row of log-probabilities, float32[m, A]."""
        weights = log_probabilities.softmax(dim=-1).numpy()
        return torch.from_numpy(draw_columns(weights, self._rng.random(len(weights))))

    def fill_in_opponents(self, actions: torch.Tensor) -> torch.Tensor:
        """Return actions, int64[n], with opponents' choices in the games where they are to move."""
        rows = np.flatnonzero(~self.league.learner_to_move())
        if len(rows):
            actions[torch.from_numpy(rows)] = torch.from_numpy(self.league.decide(rows))
        return actions

    def step(self, actions: torch.Tensor, rows: NDArray[np.int64] | None = None) -> None:
        """Play actions in all games or some, and begin a new game where one ends."""
        batch = self.batch
        league = self.league
        own = league.learner_to_move()
        try:
            batch.step(actions.numpy(), rows)
        except IllegalMove as fault:
            if own[fault.game_index]:
                raise FloatingPointError(TOO_LARGE) from fault
            league.lineup.name_chooser(fault, batch)
            raise
        ended = np.flatnonzero(batch.done)
        self._progress = RolloutProgress(int(np.count_nonzero(own)), league.finished_games(ended))
        if len(ended):
            batch.restart(ended)
            league.assign_seats(ended)

    def play_steps(self, play: Callable[[int], None], steps: int) -> Iterator[RolloutProgress]:
        """Play the steps, and yield the progress after each."""
        for step in range(steps):
            play(step)
            self.league.record_results(self._progress.finished)
            yield self._progress

    def scores(self) -> torch.Tensor:
        """Return the current scores by seat, int16[n, S]."""
        return torch.from_numpy(self.batch.scores())

    def save(self) -> torch.Tensor:
        """Return a copy of the records, uint8[n, ...]."""
        records = self.batch.save(slice(None))
        return torch.from_numpy(records.view(np.uint8).reshape(len(records), -1))

    def load(self, records: Records) -> None:
        """Replace the games' records."""
        self.batch.load(slice(None), records)


def _shared(array: NDArray[Any]) -> torch.Tensor:
    """Return a tensor that shares the memory of a batch's array."""
    # PyTorch warns of read-only arrays. Those of a batch are views of writeable ones, their `base`.
    return torch.from_numpy(array if array.flags.writeable else array.base)


@cache
def random_game_length(game: str, players: int) -> float:
    """Return the mean number of decisions in a random game. Skilled players' games are similar."""
    batch = Batch(game, n=_RANDOM_GAMES, players=players, autoreset=False)
    decisions = 0
    rows = np.arange(batch.n)
    while rows.size:
        decisions += rows.size
        batch.step(batch.random_actions()[rows], rows)
        rows = np.flatnonzero(batch.to_move >= 0)
    return decisions / _RANDOM_GAMES
