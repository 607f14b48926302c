"""Many games stepped together: the data plane for training and search."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env.checks.limits import require_memory
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import (
    Integers,
    as_actions,
    checked_count,
    checked_games,
    checked_rows,
    checked_seats,
    checked_seeds,
    checked_selection,
    checked_terms,
    illegal_move,
    integers,
)
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.kernels import copy_records, kernels_of
from shakespeare_env.core.rng import check_seed, streams
from shakespeare_env.core.row_rules import GameArrays, Outcome
from shakespeare_env.core.thread_pool import MOST_THREADS, ThreadPool, Work

CHOICE = np.uint64(0xC401CE)
"""Separates the seeds of `random_actions` from those of the games."""
_FEW = 256
"""Fewer games are stepped on one thread."""
_KEPT = ("rewards", "done", "final_scores", "final_winners", "_chance")
"""Arrays in a pickle, besides the games."""


class Batch:
    """N games of one kind, stepped together; every step overwrites the arrays.

    Game i depends only on the seed and i, not on n, threads or machine.  Copies (`copy.deepcopy`,
    `pickle`) continue the same games with the same chance to come.  Threads that share a batch
    wait for each other.  An interrupt (Ctrl-C) comes before a step or after it; a batch that it
    has caught while games were replaced says so, a RuntimeError, until all are `reset`.

    Args:
        game: Name of the game.
        n: Number of games.
        players: Seats of every game, or n numbers.
        seed: Decides all chance.
        threads: Threads that share a step.
        autoreset: Whether the step that ends a game starts the next.  If not, a finished game has
            `to_move` -1, an all-False mask and takes action -1 until reset.
        reward: A name of `row_rules.py`.
        box: The component file in force (`registry.game`).
        **options: Variants to play, such as `strategic_rest=True`.

    Attributes:
        actions: The action table.
        players: int8[n], read-only.
        to_move: int8[n], read-only, the seat to decide, -1 when over.
        mask: bool[n, A], read-only, its legal actions.
        obs: int8[n, D], its observation.
        rewards: float32[n, S] of the last step, by seat.
        done: bool[n], the games it ended.
        final_scores: int16[n, S] of the last game to end in each row.
        final_winners: bool[n, S], its winners.
    """

    def __init__(
        self,
        game: str = registry.DEFAULT,
        n: int = 1,
        *,
        players: int | Integers,
        seed: int = 0,
        threads: int = 1,
        autoreset: bool = True,
        reward: str = "win",
        box: str | os.PathLike[str] | None = None,
        **options: bool,
    ) -> None:
        self.game: Game = registry.game(game, box)
        self.actions = self.game.actions
        self.n = n = checked_count("n", n)
        threads = checked_count("threads", threads, most=MOST_THREADS)
        of_one = (*GameArrays.of(self.game, 1), *Outcome.of(self.game, 1))
        needed = n * sum(array.nbytes for array in of_one)
        require_memory(f"{n:,} games of {game}", needed, "play fewer at once")
        self._variants = options
        seats, terms = checked_terms(self.game, n, players, autoreset, reward, options)
        self.autoreset, self.reward, self._options = terms.autoreset, reward, terms.options
        self._arguments = {"game": self.game.name, "threads": threads, "reward": reward}
        self._arguments |= {"autoreset": self.autoreset, **options}
        arrays, outcome = GameArrays.of(self.game, n), Outcome.of(self.game, n)
        self._arrays, self._outcome, self._terms = tuple(arrays), tuple(outcome), tuple(terms)
        self._kernels = kernels_of(self.game)
        self._every_row = np.arange(n)
        self._games, self._mask, self.obs, self._to_move = arrays
        self._players, self.players, self.mask = seats, _read_only(seats), _read_only(self._mask)
        self.to_move = _read_only(self._to_move)
        self.rewards, self.done = outcome.rewards, outcome.done
        self.final_scores, self.final_winners = outcome.final_scores, outcome.final_winners
        self._chance = np.zeros(n, np.uint64)
        self._pool = ThreadPool(threads)
        self._lock = threading.RLock()
        self._replacing = False
        self.reset(seed)

    def reset(self, seed: int, deals: Integers | None = None, rows: Integers | None = None) -> None:
        """Set up all games, or some, anew from a seed.

        Args:
            seed: Decides their chance.
            deals: int[m], not negative, the game of the seed that each plays; None means that row i
                plays game i.
            rows: int[m], increasing; None means all games.
        """
        begun = self._every_row if rows is None else checked_rows(self.n, rows)
        numbers = begun if deals is None else integers("deals", deals, (len(begun),))
        randoms = streams(seed, numbers), streams(int(check_seed(seed) ^ CHOICE), numbers)
        with self._lock:
            if rows is None:
                self._pool.settle()
            else:
                self._check_whole()
            self._replacing = True
            self._games["random"][begun], self._chance[begun] = randoms
            self._set_up(begun)
            self._replacing = False

    def restart(self, rows: Integers) -> None:
        """Start the next game in some rows, increasing, over or not; chance continues."""
        with self._lock:
            self._check_whole()
            self._set_up(checked_rows(self.n, rows))

    def step(
        self, actions: Integers, rows: Integers | None = None
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Play one action in every game, or in some, and all forced moves after it.

        Args:
            actions: int[m], one per game; -1 for a game that is over.
            rows: int[m], increasing; None means all games.

        Returns:
            `rewards` and `done`, 0 and False for games not played in.

        Raises:
            IllegalMove: an action is not legal; no game has changed.
        """
        played = self._every_row if rows is None else checked_rows(self.n, rows)

        def step(first: int, last: int) -> None:
            self._kernels.step(
                self._arrays, self._outcome, played, first, last, chosen, self._players, self._terms
            )

        with self._lock:
            self._check_whole()
            chosen = as_actions(actions, len(played))
            place = self.first_illegal(chosen, played)
            if place >= 0:
                index, action = int(played[place]), int(np.asarray(actions)[place])
                raise illegal_move(self.game, self._games[index], self.mask[index], action, index)
            if rows is not None:
                self.rewards[:] = 0.0
                self.done[:] = False
            self._share(len(played), step)
        return self.rewards, self.done

    def random_actions(self) -> npt.NDArray[np.int32]:
        """int32[n]: uniformly random legal actions, -1 when over."""
        actions = np.empty(self.n, np.int32)

        def choose(first: int, last: int) -> None:
            self._kernels.choose(
                self._chance[first:last],
                self._mask[first:last],
                self._to_move[first:last],
                actions[first:last],
            )

        with self._lock:
            self._check_whole()
            self._share(self.n, choose)
        return actions

    def first_illegal(self, actions: npt.NDArray[np.int32], rows: npt.NDArray[np.int64]) -> int:
        """The place of the first of m actions that `step` would refuse, or -1."""
        return int(self._kernels.first_illegal(self._arrays, rows, actions))

    def observe(self, seats: Integers, rows: Integers | None = None) -> npt.NDArray[np.int8]:
        """int8[m, D]: what one seat of each game, or of each of some, may know."""
        seen = self._every_row if rows is None else checked_rows(self.n, rows)
        out = np.zeros((len(seen), self.game.layout.size), np.int8)
        with self._lock:
            self._check_whole()
            of = checked_seats(seats, self._players[seen])
            self._kernels.observe(self._games, seen, of, out)
        return out

    def scores(self, rows: Integers | None = None) -> npt.NDArray[np.int16]:
        """int16[m, S]: every seat's current score in all games, or in some."""
        seen = self._every_row if rows is None else checked_rows(self.n, rows)
        out = np.zeros((len(seen), self.game.max_seats), np.int16)
        with self._lock:
            self._check_whole()
            self._kernels.scores(self._games, seen, out)
        return out

    def save(self, indices: Integers | slice) -> Records:
        """Copies of games, random state included; equal games are the same bytes."""
        rows = checked_selection(self.n, indices)
        with self._lock:
            self._check_whole()
            return copy_records(self._games, rows)

    def load(self, indices: Integers | slice, records: Records) -> None:
        """Replace games by saved ones.

        Raises:
            TypeError: the records are of another game.
            PositionError: one of them cannot occur, as when it was changed.
            ValueError: the variants do not allow that number of seats, or not a record a game.
        """
        self._put(*checked_games(self.game, self.n, indices, records, self._variants))

    def copies(self, rows: Integers, seed: int = 0) -> Batch:
        """Copies of the games `rows`, int[m], in any order, repeats too; chance to come included.

        They run on one thread with `autoreset=False`; `seed` is for their `random_actions`.
        """
        return self.maker()(self.save(checked_selection(self.n, rows, "rows")), seed)

    def maker(self) -> Callable[[Records, int], Batch]:
        """A function of records and a seed that makes `copies` without access to these games.

        It checks nothing: the records must be copies of games of this batch, or alike.
        """
        return partial(_batch_of, {**self._arguments, "threads": 1, "autoreset": False})

    def determinize(self, indices: Integers | slice, seats: Integers, seeds: Integers) -> None:
        """Redraw what one seat of each of some games does not know; each has a seed of its own."""
        rows = checked_selection(self.n, indices, once=True)
        with self._lock:
            games = copy_records(self._games, rows)
            of = checked_seats(seats, games["players"])
            self._kernels.determinize(games, of, checked_seeds(len(games), seeds))
            self._put(rows, games)

    def _put(self, rows: npt.NDArray[np.int64], games: Records) -> None:
        """Replace games by others of this kind."""
        with self._lock:
            self._check_whole()
            self._replacing = True
            self._games[rows] = games
            self._players[rows] = games["players"]
            self._kernels.refresh(self._arrays, rows)
            self._replacing = False

    def _check_whole(self) -> None:
        """RuntimeError if an interrupt has left some games replaced in part."""
        self._pool.settle()
        if self._replacing:
            raise RuntimeError(
                "an interrupt has left games of this batch replaced in part; begin all of them "
                "anew with `reset(seed)`"
            )

    def _set_up(self, rows: npt.NDArray[np.int64]) -> None:
        def set_up(first: int, last: int) -> None:
            self._kernels.set_up(self._arrays, rows, first, last, self._players, self._options)

        self._share(len(rows), set_up)

    def _share(self, size: int, work: Work) -> None:
        """Work with all threads, or with this one alone on a few games."""
        if self._pool.threads == 1 or size < min(self.n, _FEW):
            work(0, size)
        else:
            self._pool.share(size, work)

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock:
            kept = {name: getattr(self, name).copy() for name in _KEPT}
            digest, records = registry.box_digest(self.game.name), self.save(slice(None))
        return _restored, (self._arguments, digest, records, kept)


def victory_shares(winners: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return float64[..., S]: each seat's share of the victory, which winners share equally.

    Args:
        winners: bool[..., S], whether the seat has won; all shares are 0 where nobody has.
    """
    shares: npt.NDArray[np.float64] = winners / winners.sum(axis=-1, keepdims=True).clip(1)
    return shares


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A view of an array that compiled code relies on."""
    view = array.view()
    view.flags.writeable = False
    return view


def _batch_of(arguments: dict[str, Any], records: Records, seed: int) -> Batch:
    """See `Batch.maker`."""
    batch = Batch(n=len(records), players=records["players"], seed=seed, **arguments)
    batch._put(batch._every_row, records)
    return batch


def _restored(
    arguments: dict[str, Any], digest: str, records: Records, kept: dict[str, Any]
) -> Batch:
    """A batch from its pickle; PositionError if its records were changed."""
    registry.game_saved(arguments["game"], digest)
    batch = Batch(n=len(records), players=records["players"], **arguments)
    batch.load(slice(None), records)
    for array, saved in kept.items():
        getattr(batch, array)[...] = saved
    return batch
