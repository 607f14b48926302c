"""`Batch`: many games stepped together, for training and search."""

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
    checked_players,
    checked_rows,
    checked_seats,
    checked_seeds,
    checked_selection,
    checked_settings,
    illegal_move,
    integers,
)
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.kernels import copy_records, kernels_of
from shakespeare_env.core.move_history import Decisions, MoveHistory, without_hidden
from shakespeare_env.core.rng import check_seed, streams
from shakespeare_env.core.row_rules import GameArrays, StepOutcome
from shakespeare_env.core.thread_pool import MOST_THREADS, ThreadPool, Work

CHOICE = np.uint64(0xC401CE)
"""The seed of `random_actions` is the seed of the games XOR this constant."""
_FEWEST_TO_SHARE = 256
"""The fewest games of a batch that threads share. Work for all of its games is always shared."""
_BYTES_PER_DECISION = 4
"""The bytes that a decision takes in a history."""
_PICKLED = ("rewards", "done", "final_scores", "final_winners", "_chance")
"""The arrays that a pickle holds besides the games."""


class Batch:
    """N games of one kind that are stepped together; every step overwrites the arrays.

    Game i depends only on the seed and on i, not on n, on threads or on the machine. Copies
    (`copy.deepcopy`, `pickle`) continue the same games with the same random events. Threads that
    share a batch wait for each other. An interrupt (Ctrl-C) takes effect before a step or after it.
    An interrupt of `reset`, `load` or `determinize` may leave games partly replaced. All methods
    then raise RuntimeError until all games are `reset`.

    Args:
        game: The name of the game.
        n: The number of games.
        players: The number of seats of every game, or one number for each.
        seed: The seed of all random events.
        threads: The number of threads that share a step.
        autoreset: Whether the step that ends a game starts the next. If not, a finished game has
            `to_move` -1 and no legal action, and takes action -1 until it is reset.
        reward: The name of a reward; see `row_rules.py`.
        box: The component file to play with; see `registry.game`.
        **options: Variants to play, such as `strategic_rest=True`.

    Attributes:
        game: The game.
        actions: The action table.
        players: int8[n], read-only, the number of seats.
        to_move: int8[n], read-only, the seat to decide, -1 when the game is over.
        mask: bool[n, A], read-only, the legal actions of the seat to decide.
        obs: int8[n, D], the observation of the seat to decide.
        rewards: float32[n, S], the rewards of the last step by seat.
        done: bool[n], whether the last step ended the game.
        final_scores: int16[n, S], the scores by seat of the last game that ended in each row.
        final_winners: bool[n, S], whether each seat won that game.
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
        n = checked_count("n", n)
        self.n = n
        threads = checked_count("threads", threads, most=MOST_THREADS)
        arrays_of_one_game = [*GameArrays.of(self.game, 1), *StepOutcome.of(self.game, 1)]
        needed = n * sum(array.nbytes for array in arrays_of_one_game)
        require_memory(f"{n:,} games of {game}", needed, "play fewer at once")
        self._variants = options
        seats, settings = checked_settings(self.game, n, players, autoreset, reward, options)
        self.autoreset = settings.autoreset
        self.reward = reward
        self._option_bits = settings.options
        self._arguments = {
            "game": self.game.name,
            "threads": threads,
            "reward": reward,
            "autoreset": self.autoreset,
            **options,
        }

        arrays = GameArrays.of(self.game, n)
        outcome = StepOutcome.of(self.game, n)
        self._games = arrays.games
        self._mask = arrays.mask
        self._to_move = arrays.to_move
        self._players = seats
        self.obs = arrays.obs
        self.mask = _read_only(arrays.mask)
        self.to_move = _read_only(arrays.to_move)
        self.players = _read_only(seats)
        self.rewards = outcome.rewards
        self.done = outcome.done
        self.final_scores = outcome.final_scores
        self.final_winners = outcome.final_winners

        # Kernels take plain tuples; see `GameArrays`.
        self._arrays = tuple(arrays)
        self._outcome = tuple(outcome)
        self._settings = tuple(settings)
        self._kernels = kernels_of(self.game)
        self._every_row = np.arange(n)
        self._chance = np.zeros(n, np.uint64)  # the random states of `random_actions`
        self._pool = ThreadPool(threads)
        self._lock = threading.RLock()
        self._replacing = False  # stays True if an interrupt leaves games partly replaced
        self._history = MoveHistory(self.game, n, 0)  # see `keep_history`
        self.reset(seed)

    def reset(
        self,
        seed: int,
        deals: Integers | None = None,
        rows: Integers | None = None,
        players: int | Integers | None = None,
    ) -> None:
        """Deal all games, or some, from a seed.

        Args:
            seed: The seed of their random events.
            deals: int[m], not negative, which game of the seed each row plays; None means that row
                i plays game i.
            rows: int[m], increasing; None means all games.
            players: int[m], or one number for all, the number of seats from now on; None keeps it.
        """
        reset_rows = self._every_row if rows is None else checked_rows(self.n, rows)
        seats = self._players[reset_rows]
        if players is not None:
            seats = checked_players(self.game, len(reset_rows), players)
            self.game.option_bits(self._variants, map(int, np.unique(seats)))
        dealt = reset_rows if deals is None else integers("deals", deals, (len(reset_rows),))
        random = streams(seed, dealt)
        chance = streams(int(check_seed(seed) ^ CHOICE), dealt)
        with self._lock:
            if rows is None:  # replaces all games, so partly replaced ones do not matter
                self._pool.settle()  # wait for threads that an interrupted call left at work
            else:
                self._check_complete()
            self._replacing = True
            self._players[reset_rows] = seats
            self._games["random"][reset_rows] = random
            self._chance[reset_rows] = chance
            self._set_up(reset_rows)
            self._replacing = False

    def restart(self, rows: Integers) -> None:
        """Start the next game in some rows, int[m], increasing; the old game need not be over."""
        with self._lock:
            self._check_complete()
            self._set_up(checked_rows(self.n, rows))

    def step(
        self, actions: Integers, rows: Integers | None = None
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Play one action in every game, or in some, and all forced moves after it.

        Args:
            actions: int[m], one for each game; -1 for a game that is over.
            rows: int[m], increasing; None means all games.

        Returns:
            `rewards` and `done`, which are 0 and False for games that are not in `rows`.

        Raises:
            IllegalMove: an action is not legal; no game has changed.
        """
        played = self._every_row if rows is None else checked_rows(self.n, rows)

        def step_share(first: int, last: int) -> None:  # called once `checked_actions` are there
            self._kernels.step(
                self._arrays,
                self._outcome,
                played,
                first,
                last,
                checked_actions,
                self._players,
                self._settings,
            )

        with self._lock:
            self._check_complete()
            checked_actions = as_actions(actions, len(played))
            place = self.first_illegal(checked_actions, played)
            if place >= 0:
                index = int(played[place])
                action = int(np.asarray(actions)[place])
                raise illegal_move(self.game, self._games[index], self.mask[index], action, index)
            if rows is not None:
                self.rewards[:] = 0.0
                self.done[:] = False
            if self._history.length:
                seats = self._to_move[played]
                hidden = self._history.are_hidden(self._games, played, checked_actions)
            self._share(len(played), step_share)
            if self._history.length:
                self._history.record(self._games, played, seats, checked_actions, hidden)
                if self.autoreset:
                    self._history.load(played[self.done[played]], None)
        return self.rewards, self.done

    def random_actions(self) -> npt.NDArray[np.int32]:
        """Draw uniformly random legal actions, int32[n]; -1 for games that are over."""
        actions = np.empty(self.n, np.int32)

        def choose_share(first: int, last: int) -> None:
            self._kernels.choose(
                self._chance[first:last],
                self._mask[first:last],
                self._to_move[first:last],
                actions[first:last],
            )

        with self._lock:
            self._check_complete()
            self._share(self.n, choose_share)
        return actions

    def first_illegal(self, actions: npt.NDArray[np.int32], rows: npt.NDArray[np.int64]) -> int:
        """Return the index of the first of m actions that `step` would refuse, or -1.

        Args:
            actions: int32[m], as from `as_actions`.
            rows: int64[m], increasing.
        """
        return int(self._kernels.first_illegal(self._arrays, rows, actions))

    def observe(self, seats: Integers, rows: Integers | None = None) -> npt.NDArray[np.int8]:
        """Return the observation of one seat in each game, or in each of `rows`, int8[m, D]."""
        observed = self._every_row if rows is None else checked_rows(self.n, rows)
        observations = np.zeros((len(observed), self.game.layout.size), np.int8)
        with self._lock:
            self._check_complete()
            observers = checked_seats(seats, self._players[observed])
            self._kernels.observe(self._games, observed, observers, observations)
        return observations

    def history(
        self, seats: Integers | None = None, rows: Integers | None = None
    ) -> npt.NDArray[np.int16]:
        """Return the last decisions of each game, or of each of `rows`, as one seat knows them.

        The seat is the one of `seats`, int[m], or by default the seat to decide. Forced moves do
        not count. A loaded game begins with the decisions that it was loaded with.

        Returns:
            int16[m, k, 2], the latest decision first; k is `history_length`. The columns are
            `HISTORY_COLUMNS`. `seat` counts clockwise from 1, which is the observing seat. `action`
            is the action's id plus 1, or 0 while the action is hidden from the seat. Both are 0
            where there is no decision, or nobody to observe it because the game is over.
        """
        observed = self._every_row if rows is None else checked_rows(self.n, rows)
        with self._lock:
            self._check_complete()
            players = self._players[observed]
            observers = self._to_move[observed]
            if seats is not None:
                observers = checked_seats(seats, players)
            return self._history.observe(observed, observers, players)

    def decisions(self, indices: Integers | slice) -> Decisions:
        """Return copies of the last decisions of games, for `load`, hidden ones included.

        Returns:
            `move_history.DECISION`[m, k], the latest decision first; k is `history_length`.
        """
        with self._lock:
            return self._history.decisions[checked_selection(self.n, indices)].copy()

    @property
    def history_length(self) -> int:
        """The number of decisions that `history` returns."""
        return self._history.length

    def keep_history(self, length: int) -> None:
        """Keep at least the last `length` decisions of each game from now on, for `history`.

        A new batch keeps none. `copy.deepcopy` and `pickle` copy a history, and `copies` does not.
        """
        checked = checked_count("history", length, least=0)
        if checked > self._history.length:
            needed = self.n * checked * _BYTES_PER_DECISION
            require_memory(f"a history of {checked:,} decisions", needed, "keep fewer")
            self._history = self._history.longer(checked)

    def scores(self, rows: Integers | None = None) -> npt.NDArray[np.int16]:
        """Return the current scores by seat in all games, or in `rows`, int16[m, S]."""
        scored = self._every_row if rows is None else checked_rows(self.n, rows)
        scores = np.zeros((len(scored), self.game.max_seats), np.int16)
        with self._lock:
            self._check_complete()
            self._kernels.scores(self._games, scored, scores)
        return scores

    def save(self, indices: Integers | slice) -> Records:
        """Return copies of games, random states included. Equal games have equal bytes."""
        rows = checked_selection(self.n, indices)
        with self._lock:
            self._check_complete()
            return copy_records(self._games, rows)

    def load(
        self, indices: Integers | slice, records: Records, decisions: Decisions | None = None
    ) -> None:
        """Replace games by saved ones.

        Args:
            indices: int[m], the games to replace.
            records: The saved games, as from `save`.
            decisions: The last decisions of each, as from `decisions`. None means none.

        Raises:
            TypeError: the records are of another game.
            PositionError: a record cannot occur, for example because it was edited.
            ValueError: a variant is not for that number of seats, or there is not one record for
                each game.
        """
        rows, games = checked_games(self.game, self.n, indices, records, self._variants)
        self._put(rows, games)
        self._history.load(rows, decisions)

    def copies(self, rows: Integers, seed: int = 0) -> Batch:
        """Return copies of the games `rows`, int[m], with the same random events to follow.

        Rows may be in any order and repeat. The copies run on one thread with `autoreset=False`.
        The seed is only for their `random_actions`.
        """
        return self.maker()(self.save(checked_selection(self.n, rows, "rows")), seed)

    def maker(self) -> Callable[[Records, int], Batch]:
        """Return a function (records, seed) -> batch that does not keep this batch alive.

        It makes batches like those of `copies`. It checks nothing, so the records must be of games
        with the arguments of this batch.
        """
        return partial(_batch_of, {**self._arguments, "threads": 1, "autoreset": False})

    def determinize(self, indices: Integers | slice, seats: Integers, seeds: Integers) -> None:
        """Redraw what one seat does not know in each of some games.

        Args:
            indices: int[m], the games.
            seats: int[m], a seat of each game.
            seeds: int[m], a seed for each game.
        """
        rows = checked_selection(self.n, indices, once=True)
        with self._lock:
            games = copy_records(self._games, rows)
            observers = checked_seats(seats, games["players"])
            self._kernels.determinize(games, observers, checked_seeds(len(games), seeds))
            self._put(rows, games)
            decisions = self._history.decisions[rows]
            self._history.load(rows, without_hidden(decisions, observers))

    def _put(self, rows: npt.NDArray[np.int64], games: Records) -> None:
        with self._lock:
            self._check_complete()
            self._replacing = True
            self._games[rows] = games
            self._players[rows] = games["players"]
            self._kernels.refresh(self._arrays, rows)
            self._replacing = False

    def _check_complete(self) -> None:
        """Raise RuntimeError if an interrupt has left some games partly replaced."""
        self._pool.settle()
        if self._replacing:
            raise RuntimeError(
                "an interrupt has left games of this batch partly replaced; start all of them "
                "again with `reset(seed)`"
            )

    def _set_up(self, rows: npt.NDArray[np.int64]) -> None:
        def set_up_share(first: int, last: int) -> None:
            self._kernels.set_up(self._arrays, rows, first, last, self._players, self._option_bits)

        self._share(len(rows), set_up_share)
        self._history.load(rows, None)

    def _share(self, size: int, work: Work) -> None:
        """Call `work` for `size` games.

        All threads share the work if it is for all games of the batch, or for many of them. The
        calling thread does it alone if it is for a few of them.
        """
        if self._pool.threads == 1 or size < min(self.n, _FEWEST_TO_SHARE):
            work(0, size)
        else:
            self._pool.share(size, work)

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock:
            arrays = {name: getattr(self, name).copy() for name in _PICKLED}
            decisions = self._history.decisions.copy()
            records = self.save(slice(None))
        digest = registry.box_digest(self.game.name)
        return _restored, (self._arguments, digest, records, arrays, decisions)


def victory_shares(winners: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return each seat's share of the victory, float64[..., S]. Winners share equally.

    Args:
        winners: bool[..., S], whether each seat has won. Where nobody has, all shares are 0.
    """
    shares: npt.NDArray[np.float64] = winners / winners.sum(axis=-1, keepdims=True).clip(1)
    return shares


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a read-only view of an array that compiled code relies on."""
    view = array.view()
    view.flags.writeable = False
    return view


def _batch_of(arguments: dict[str, Any], records: Records, seed: int) -> Batch:
    batch = Batch(n=len(records), players=records["players"], seed=seed, **arguments)
    batch._put(batch._every_row, records)
    return batch


def _restored(
    arguments: dict[str, Any],
    digest: str,
    records: Records,
    arrays: dict[str, Any],
    decisions: Decisions,
) -> Batch:
    """Return a batch from its pickle; PositionError if its records were changed."""
    registry.game_with_digest(arguments["game"], digest)
    batch = Batch(n=len(records), players=records["players"], **arguments)
    batch.keep_history(decisions.shape[1])
    batch.load(slice(None), records, decisions)
    for name, saved in arrays.items():
        getattr(batch, name)[...] = saved
    return batch
