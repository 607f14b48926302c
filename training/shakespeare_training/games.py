"""The games that a learner plays, as tensors: on the processor, or on a GPU (`device.py`)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Records
from shakespeare_env.errors import IllegalMove
from shakespeare_env.play.generators import draw_columns
from shakespeare_training.league import Ended, League

TOO_LARGE = "the network's numbers are too large to choose a move by"
"""What is wrong where the learner's move is not legal: exploded weights exceed every mask."""

_changing_threads = threading.Lock()
_RANDOM_GAMES = 16  # random games that are played to measure how long one is


class Progress(NamedTuple):
    """What has happened since it was last asked for.

    Attributes:
        decisions: The learner's decisions.
        ended: Games that ended.
    """

    decisions: int
    ended: Ended


class HostGames:
    """n games of a league's batch under way on the processor, and the opponents in them.

    `DeviceGames` has the same attributes and methods, for a GPU.

    Attributes:
        players: int64[n], seats at the tables.
        obs: int8[n, D], what the seats to move see, overwritten by steps as all that follows.
        mask: bool[n, A], their legal actions.
        to_move: int8[n], the seats to move.
        rewards: float32[n, S], changes of scores in the last step.
        done: bool[n], the games it ended.
        final_winners: bool[n, S], of the last game to end in each row.
    """

    def __init__(self, league: League) -> None:
        self.league = league
        self.batch = batch = league.batch
        self.players = torch.from_numpy(batch.players.astype(np.int64))
        self.obs, self.mask, self.to_move = map(_shared, (batch.obs, batch.mask, batch.to_move))
        self.rewards, self.done = map(_shared, (batch.rewards, batch.done))
        self.final_winners = _shared(batch.final_winners)
        self._progress = Progress(0, league.ended(np.zeros(0, np.int64)))
        self._rng = np.random.default_rng()

    @property
    def own(self) -> torch.Tensor:
        """bool[n], whether the learner is to move."""
        return torch.from_numpy(self.league.learner_decides())

    def begin_rollout(self, rng: np.random.Generator) -> None:
        """Take over the league as it is now; all that is drawn until the next one follows."""
        self._rng = rng

    def asked(self) -> torch.Tensor | slice:
        """The games in which the learner is asked for a move: its own."""
        own = self.league.learner_decides()
        return slice(None) if own.all() else torch.from_numpy(np.flatnonzero(own))

    def draw(self, log_probabilities: torch.Tensor) -> torch.Tensor:
        """int64[m]: an action by the log-probabilities of each of m decisions, float32[m, A]."""
        weights = log_probabilities.softmax(dim=-1).numpy()
        return torch.from_numpy(draw_columns(weights, self._rng.random(len(weights))))

    def opponents_act(self, actions: torch.Tensor) -> torch.Tensor:
        """int64[n]: the opponents' actions where they are to move, the given ones elsewhere."""
        rows = np.flatnonzero(~self.league.learner_decides())
        if len(rows):
            actions[torch.from_numpy(rows)] = torch.from_numpy(self.league.decide(rows))
        return actions

    def step(self, actions: torch.Tensor, rows: NDArray[np.int64] | None = None) -> None:
        """Play actions, int64[m], in all games or some; games that end are followed by others.

        Raises:
            IllegalMove: an action is not legal.
        """
        batch, league = self.batch, self.league
        own = league.learner_decides()
        try:
            batch.step(actions.numpy(), rows)
        except IllegalMove as fault:
            if own[fault.game_index]:
                raise FloatingPointError(TOO_LARGE) from fault
            league.lineup.name_chooser(fault, batch)
            raise
        ended = np.flatnonzero(batch.done)
        self._progress = Progress(int(np.count_nonzero(own)), league.ended(ended))
        if len(ended):
            batch.restart(ended)
            league.assign_seats(ended)

    def rollout(self, play: Callable[[int], None], steps: int) -> Iterator[Progress]:
        """Play steps 0, 1, ..., each a call; a GPU tells of them together at the end."""
        for step in range(steps):
            play(step)
            self.league.record_results(self._progress.ended)
            yield self._progress

    def save(self) -> torch.Tensor:
        """uint8[n, ...]: copies of the records."""
        records = self.batch.save(slice(None))
        return torch.from_numpy(records.view(np.uint8).reshape(len(records), -1))

    def load(self, records: Records) -> None:
        """Replace the games, as `Batch.load`, while the league's seats stay."""
        self.batch.load(slice(None), records)


def _shared(array: NDArray[Any]) -> torch.Tensor:
    """An array of a batch as a tensor; PyTorch warns of read-only ones, which views are."""
    return torch.from_numpy(array if array.flags.writeable else array.base)


def adopt_threads() -> int:
    """Return PyTorch's number of threads for this thread of the process, fixed from now on.

    A thread that has not used PyTorch yet takes over the number that any thread has set last, so
    it must not look while `one_thread` changes that.
    """
    with _changing_threads:
        return torch.get_num_threads()


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep PyTorch to one thread, which finishes a step's rows before a second one is awake.

    Other threads of the process, which may be training another run, keep their number.
    """
    before = adopt_threads()
    with _changing_threads:
        torch.set_num_threads(1)
        # This has become the number of threads to come, too: a thread of its own sets it back.
        restorer = threading.Thread(target=torch.set_num_threads, args=(before,))
        restorer.start()
        restorer.join()
    try:
        yield
    finally:
        torch.set_num_threads(before)


@cache
def random_decisions(game: str, players: int) -> float:
    """Decisions of all seats in a random game; games of skilled players are about as long."""
    batch = Batch(game, n=_RANDOM_GAMES, players=players, autoreset=False)
    made = 0
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        made += rows.size
        batch.step(batch.random_actions()[rows], rows)
    return made / _RANDOM_GAMES
