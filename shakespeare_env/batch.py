"""Many games stepped together: the data plane for training and search."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env import registry
from shakespeare_env.arrays import Outcome, Table, Terms
from shakespeare_env.batch_checks import (
    Integers,
    as_actions,
    checked_count,
    checked_deals,
    checked_indices,
    checked_players,
    checked_rows,
    checked_seats,
)
from shakespeare_env.errors import IllegalMove
from shakespeare_env.game import Game, Records
from shakespeare_env.kernels import kernels_of
from shakespeare_env.rewards import reward_code
from shakespeare_env.rng import check_seed, streams
from shakespeare_env.thread_pool import ThreadPool, Work

_CHOICE = np.uint64(0xC401CE)
"""Separates the seeds of `random_actions` from those of the games."""
MOST_THREADS = 1024
_FEW = 256
"""Fewer games are done before a second thread wakes up."""


class Batch:
    """N games of one kind, stepped together; all arrays are written in place, step after step.

    Game i depends on the seed and on i alone: not on n, the number of threads or the machine.
    Copies (`copy.deepcopy`, `pickle`) continue the same games with the same chance to come.

    Args:
        game: Name of the game.
        n: Number of games.
        players: Seats of every game, or a sequence of n numbers.
        seed: Decides all chance.
        threads: How many threads share a step.
        autoreset: Whether the step that ends a game starts the next one.  Without it a finished
            game has `to_move` -1 and an all-False mask, and takes the action -1, until `reset`.
        reward: What a step is worth (`rewards.py`): `win`, `margin`, `rank` or `score`.
        box: A component file to play with; None means the one in force (`registry.game`).
        **options: Variants of the game to switch on, such as `strategic_rest=True`.

    Attributes:
        game: The game.
        actions: Its action table.
        n: Number of games.
        players: int8[n], seats of each game.
        reward: The name of the reward.
        to_move: int8[n], the seat that decides, -1 when over.
        mask: bool[n, A], its legal actions.
        obs: int8[n, D], its observation.
        rewards: float32[n, S] of the last step, by seat.
        done: bool[n], the games that the last step ended.
        final_scores: int16[n, S], scores of the game that ended last in each row.
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
        self.autoreset = autoreset
        self.players = checked_players(self.game, n, players)
        self._variants: dict[str, Any] = options
        self._options = self.game.option_bits(options, map(int, np.unique(self.players)))
        self.reward = reward
        terms = Terms.of(self.game, self._options, autoreset, reward_code(reward))
        self._terms = tuple(terms)
        self._kernels = kernels_of(self.game)
        self._every_row = np.arange(n)
        self._table = Table.of(self.game, n)
        self._games, self.mask, self.obs, self.to_move = self._table
        outcome = Outcome.of(self.game, n)
        self._outcome = tuple(outcome)
        self.rewards, self.done = outcome.rewards, outcome.done
        self.final_scores, self.final_winners = outcome.final_scores, outcome.final_winners
        self._pool = ThreadPool(threads)
        self.reset(seed)

    def reset(self, seed: int, deals: Integers | None = None) -> None:
        """Set up all games anew from a seed.

        Args:
            seed: Decides all chance.
            deals: int[n], not negative: row i plays game `deals[i]` of the seed, so that rows can
                share a deal, or batches can share many.  None means game i.
        """
        numbers = self._every_row if deals is None else checked_deals(self.n, deals)
        self._games["random"] = streams(seed, numbers)
        self._chance = streams(int(check_seed(seed) ^ _CHOICE), numbers)
        self._set_up(self._every_row)

    def restart(self, rows: Integers) -> None:
        """Start the next game in some rows, as `autoreset` does; chance continues where it stands.

        Args:
            rows: Increasing indices of games, over or not.
        """
        self._set_up(checked_rows(self.n, rows))

    def step(
        self, actions: Integers, rows: Integers | None = None
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Play one action in every game, or in some, and all forced moves after it.

        Args:
            actions: Integers[m], one for each of those games; -1 for a game that is over.
            rows: int[m], increasing indices of the games to play in; None means all of them.

        Returns:
            `rewards`, float32[n, S] by seat, and `done`, bool[n], 0 and False for games that were
            not played in; both are overwritten by the next step.

        Raises:
            IllegalMove: some game does not allow its action; no game has changed.
        """
        played = self._every_row if rows is None else checked_rows(self.n, rows)
        chosen = self._checked(actions, played)
        if rows is not None:
            self.rewards[:] = 0.0
            self.done[:] = False
        self._share(
            len(played),
            lambda first, last: self._kernels.step(
                self._table,
                self._outcome,
                played,
                first,
                last,
                chosen,
                self.players,
                self._terms,
            ),
        )
        return self.rewards, self.done

    def random_actions(self) -> npt.NDArray[np.int32]:
        """int32[n]: a uniformly random legal action for every game, -1 for one that is over."""
        actions = np.empty(self.n, np.int32)
        self._share(
            self.n,
            lambda first, last: self._kernels.choose(
                self._chance[first:last],
                self.mask[first:last],
                self.to_move[first:last],
                actions[first:last],
            ),
        )
        return actions

    def observe(self, seats: Integers, rows: Integers | None = None) -> npt.NDArray[np.int8]:
        """int8[m, D]: what one seat of each game, or of each of some games, may know."""
        seen = self._every_row if rows is None else checked_rows(self.n, rows)
        of = checked_seats(seats, self.players[seen])
        out = np.zeros((len(seen), self.game.layout.size), np.int8)
        self._kernels.observe(self._games, seen, of, out)
        return out

    def scores(self, rows: Integers | None = None) -> npt.NDArray[np.int16]:
        """int16[m, S]: every seat's score as it stands, in each game or in each of some games."""
        seen = self._every_row if rows is None else checked_rows(self.n, rows)
        out = np.zeros((len(seen), self.game.max_seats), np.int16)
        self._kernels.scores(self._games, seen, out)
        return out

    def save(self, indices: Integers | slice) -> Records:
        """Copies of games as they stand, random state included; equal games are the same bytes."""
        games = self._games[indices]
        # NumPy copies field by field; `copy` would leave stray memory between the fields.
        records = np.zeros(games.shape, games.dtype)
        records[...] = games
        return records

    def load(self, indices: Integers | slice, records: Records) -> None:
        """Replace games by saved ones.

        Raises:
            TypeError: the records are not of this game.
            ValueError: the batch's variants are not for so many seats.
        """
        if records.dtype != self.game.state:
            raise TypeError(f"the records are of {records.dtype}, not of {self.game.name}")
        counts = [self.game.check_players(count) for count in np.unique(records["players"])]
        self.game.option_bits(self._variants, counts)
        self._games[indices] = records
        self.players[indices] = records["players"]
        rows = np.ascontiguousarray(self._every_row[indices])
        self._kernels.refresh(self._table, rows)

    def copies(self, rows: Integers, seed: int = 0) -> Batch:
        """A batch of copies of some games, chance to come included.

        Args:
            rows: int[m], indices of games in any order, repeated as wanted.
            seed: Of the copies' `random_actions`.

        Returns:
            m games with the same variants and reward, on one thread, made with `autoreset=False`.
        """
        wanted = checked_indices(self.n, rows)
        twin = Batch(
            self.game.name,
            len(wanted),
            players=self.players[wanted],
            seed=seed,
            autoreset=False,
            reward=self.reward,
            **self._variants,
        )
        twin.load(slice(None), self._games[wanted])
        return twin

    def determinize(self, indices: Integers | slice, seats: Integers, seeds: Integers) -> None:
        """Draw anew, in some games, what one seat of each does not know.

        Raises:
            ValueError: not one seat at the table, or not one seed, for each of the games.
        """
        games = self._games[indices].copy()
        of = checked_seats(seats, games["players"])
        words = np.array([check_seed(seed) for seed in seeds], np.uint64)
        if words.shape != games.shape:
            raise ValueError(f"{len(words)} seeds for {len(games)} games; give one for each")
        self._kernels.determinize(games, of, words)
        self.load(indices, games)

    def _set_up(self, rows: npt.NDArray[np.int64]) -> None:
        self._share(
            len(rows),
            lambda first, last: self._kernels.set_up(
                self._table, rows, first, last, self.players, self._options
            ),
        )

    def _share(self, size: int, work: Work) -> None:
        """Work on `size` games with all threads, or with this one alone on a few of many."""
        if size < min(self.n, _FEW):
            work(0, size)
        else:
            self._pool.share(size, work)

    def _checked(self, actions: Integers, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """The actions for some games as int32[m], all of them legal."""
        chosen = as_actions(actions, len(rows))
        place = int(self._kernels.first_illegal(chosen, rows, self.mask, self.to_move))
        if place >= 0:
            index, action = int(rows[place]), int(np.asarray(actions)[place])
            seat = int(self.to_move[index])
            texts = self.actions.texts_for(max(seat, 0), int(self.players[index]))
            raise IllegalMove(
                texts[action] if 0 <= action < len(texts) else action,
                seat=None if seat < 0 else seat,
                phase=self.game.phase(self._games[index]),
                legal=[texts[i] for i in np.flatnonzero(self.mask[index])],
                game_index=index,
            )
        return chosen

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        # Compiled code and the game's tables belong to the process and are looked up by name.
        del state["_kernels"], state["actions"]
        state["game"] = self.game.name, registry.box_digest(self.game.name)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.game = registry.game_saved(*state["game"])
        self.actions = self.game.actions
        self._kernels = kernels_of(self.game)
