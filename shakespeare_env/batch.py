"""Many games stepped together: the data plane for training and search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from shakespeare_env import registry
from shakespeare_env.crew import Crew
from shakespeare_env.errors import IllegalMove
from shakespeare_env.game import Game, Records
from shakespeare_env.kernels import kernels_of
from shakespeare_env.rewards import reward_code
from shakespeare_env.rng import check_seed

_CHOICE = np.uint64(0xC401CE)
"""Parts the seeds of `random_actions` from those of the games."""


class Batch:
    """N games of one kind, stepped together; all arrays are written in place, step after step.

    Game i depends on the seed and on i alone: not on n, the number of threads or the machine.

    Args:
        game: Name of the game.
        n: Number of games.
        players: Seats of every game, or a sequence of n numbers.
        seed: Decides everything that chance decides.
        threads: How many threads share a step.
        autoreset: Whether a new game begins in the step that ends one.  Without it a finished game
            has `to_move` -1, an all-False mask and takes the action -1, until `reset`.
        reward: What a step is worth (`rewards.py`): `win`, `margin`, `rank` or `prestige`.
        **options: Variants of the game to switch on, such as `strategic_rest=True`.

    Attributes:
        game: The game.
        actions: Its action table.
        n: Number of games.
        players: int8[n], seats of each game.
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
        game: str = "shakespeare",
        n: int = 1,
        *,
        players: int | Sequence[int] | npt.NDArray[np.integer],
        seed: int = 0,
        threads: int = 1,
        autoreset: bool = True,
        reward: str = "win",
        **options: bool,
    ) -> None:
        self.game: Game = registry.game(game)
        self.actions = self.game.actions
        if n < 1 or threads < 1:
            raise ValueError(f"n={n}, threads={threads}: both must be 1 or more")
        self.n = n
        self.autoreset = autoreset
        seats = (
            np.broadcast_to(np.asarray(players), (n,))
            if np.ndim(players) == 0
            else np.asarray(players)
        )
        if seats.shape != (n,):
            raise ValueError(
                f"players has {len(seats)} entries for {n} games; give one number or {n}"
            )
        counts = [self.game.check_players(count) for count in np.unique(seats)]
        self.players = seats.astype(np.int8)
        self._variants = options
        self._options = self.game.option_bits(options, counts)
        self._reward = reward_code(reward)
        self._kernels = kernels_of(self.game)

        width = self.game.max_seats
        self._games = np.zeros(n, self.game.state)
        self._chance = np.zeros(n, np.uint64)
        self.to_move = np.full(n, -1, np.int8)
        self.mask = np.zeros((n, self.actions.size), np.bool_)
        self.obs = np.zeros((n, self.game.layout.size), np.int8)
        self.rewards = np.zeros((n, width), np.float32)
        self.done = np.zeros(n, np.bool_)
        self._scores_before = np.zeros((n, width), np.int16)
        self._scores_after = np.zeros((n, width), np.int16)
        self.final_scores = np.zeros((n, width), np.int16)
        self.final_winners = np.zeros((n, width), np.bool_)

        self._crew = Crew(n, threads)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Begin all games anew from a seed."""
        word = check_seed(seed)
        self._kernels.streams(word, self._chance)
        self._games["random"] = self._chance
        self._kernels.streams(word ^ _CHOICE, self._chance)
        self._crew.share(
            lambda first, last: self._kernels.begin(
                self._games,
                first,
                last,
                self.players,
                self._options,
                self.mask,
                self.obs,
                self.to_move,
            )
        )

    def step(
        self, actions: npt.NDArray[np.integer] | Sequence[int]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Play one action in every game, and all that is forced after it.

        Args:
            actions: Integers[n], one for each game; -1 for a game that is over.

        Returns:
            `rewards`, float32[n, S] by seat, and `done`, bool[n]; both are overwritten by the next
            step.

        Raises:
            IllegalMove: some game does not allow its action; no game has changed.
        """
        chosen = self._checked(actions)
        self._crew.share(
            lambda first, last: self._kernels.step(
                self._games,
                first,
                last,
                chosen,
                self.autoreset,
                self.players,
                self._options,
                self._reward,
                self.mask,
                self.obs,
                self.to_move,
                self.rewards,
                self.done,
                self._scores_before,
                self._scores_after,
                self.final_scores,
                self.final_winners,
            )
        )
        return self.rewards, self.done

    def _checked(self, actions: npt.NDArray[np.integer] | Sequence[int]) -> npt.NDArray[np.int32]:
        """The actions as int32[n], all of them legal."""
        given = np.asarray(actions)
        if given.shape != (self.n,):
            raise ValueError(
                f"actions have shape {given.shape}; give one for each of the {self.n} games"
            )
        if given.dtype.kind not in "iu":
            raise TypeError(f"actions are {given.dtype}; give integers")
        # Numbers that int32 cannot hold are no actions either; they must not wrap into one.
        limits = np.iinfo(np.int32)
        safe = given if given.dtype == np.int32 else given.clip(limits.min, limits.max)
        chosen = np.ascontiguousarray(safe, np.int32)
        index = int(self._kernels.first_illegal(chosen, self.mask, self.to_move))
        if index >= 0:
            seat, action = int(self.to_move[index]), int(given[index])
            texts = self.actions.texts
            raise IllegalMove(
                texts[action] if 0 <= action < len(texts) else action,
                seat=None if seat < 0 else seat,
                phase=self.game.phase(self._games[index]),
                legal=[texts[i] for i in np.flatnonzero(self.mask[index])],
                game_index=index,
            )
        return chosen

    def random_actions(self) -> npt.NDArray[np.int32]:
        """int32[n]: a uniformly random legal action for every game, -1 for one that is over."""
        actions = np.empty(self.n, np.int32)
        self._crew.share(
            lambda first, last: self._kernels.choose(
                self._chance[first:last],
                self.mask[first:last],
                self.to_move[first:last],
                actions[first:last],
            )
        )
        return actions

    def observe(self, seats: npt.NDArray[np.integer] | Sequence[int]) -> npt.NDArray[np.int8]:
        """int8[n, D]: what a given seat of each game may know."""
        of = _checked_seats(seats, self.players)
        out = np.zeros_like(self.obs)
        self._kernels.observe(self._games, of, out)
        return out

    def save(self, indices: npt.NDArray[np.integer] | Sequence[int] | slice) -> Records:
        """Copies of games as they stand, random state included."""
        return self._games[indices].copy()

    def load(
        self, indices: npt.NDArray[np.integer] | Sequence[int] | slice, records: Records
    ) -> None:
        """Put saved games in the place of others and write their views.

        Raises:
            TypeError: the records are not of this game.
            ValueError: their seat counts do not go with the batch's variants.
        """
        if records.dtype != self.game.state:
            raise TypeError(f"the records are of {records.dtype}, not of {self.game.name}")
        counts = [self.game.check_players(count) for count in np.unique(records["players"])]
        self.game.option_bits(self._variants, counts)
        self._games[indices] = records
        self.players[indices] = records["players"]
        rows = np.ascontiguousarray(np.arange(self.n)[indices])
        self._kernels.view(self._games, rows, self.mask, self.obs, self.to_move)

    def determinize(
        self,
        indices: npt.NDArray[np.integer] | Sequence[int] | slice,
        seats: npt.NDArray[np.integer] | Sequence[int],
        seeds: npt.NDArray[np.integer] | Sequence[int],
    ) -> None:
        """Draw anew, in some games, what a given seat of each does not know.

        Raises:
            ValueError: not one seat at the table, or not one seed, for each of the games.
        """
        games = self._games[indices].copy()
        of = _checked_seats(seats, games["players"])
        words = np.array([check_seed(seed) for seed in seeds], np.uint64)
        if words.shape != games.shape:
            raise ValueError(f"{len(words)} seeds for {len(games)} games; give one for each")
        self._kernels.determinize(games, of, words)
        self.load(indices, games)


def _checked_seats(
    seats: npt.NDArray[np.integer] | Sequence[int], players: npt.NDArray[np.int8]
) -> npt.NDArray[np.int8]:
    """One seat at the table for each game, as int8[n]."""
    given = np.asarray(seats)
    fits = given.shape == players.shape and given.dtype.kind in "iu"
    if not fits or (given < 0).any() or (given >= players).any():
        raise ValueError(f"seats={seats!r}: give one seat at the table for each of the games")
    return given.astype(np.int8)
