"""A batch of games as the vector environment of stable-baselines3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from shakespeare_env.batch import Batch


class BatchVecEnv(VecEnv):
    """Steps a whole `Batch` at once; one environment is one game, its seats played from outside.

    The observation and the mask are those of the seat that is to decide, and that seat changes from
    step to step. A learner must not treat a row as the life of one player: the reward that `step`
    returns is what the seat that has just moved received for that move, while the observation
    beside it is the next seat's, and what others receive by the move is not in it.  Learners of
    self-play read `seats` before a step and `seat_rewards` after it, and follow each seat's own
    decisions (`training.self_play` does).  With one seat it is an ordinary environment.

    A finished game is followed at once by the next one.  Its info then holds `final_scores` and
    `winners`; it has no `terminal_observation`, because nobody decides when a game is over and
    games are never cut short.

    Args:
        batch: The games; it must have been made with `autoreset=True`.
        seed: Of the games that later calls of `reset` begin if no seed was given for them.

    Attributes:
        batch: The games.
        seats: int8[n], the seat that is to decide.
        seat_rewards: float32[n, S], what each seat received by the last step.
    """

    batch: Batch
    seat_rewards: NDArray[np.float32]

    def __init__(self, batch: Batch, seed: int = 0) -> None:
        if not batch.autoreset:
            raise ValueError("autoreset=False: make the Batch with autoreset=True")
        self.batch = batch
        layout = batch.game.layout
        self.seat_rewards = np.zeros((batch.n, batch.game.max_seats), np.float32)
        self._actions: NDArray[Any] | None = None
        self._following_seeds = np.random.default_rng(seed)
        self._is_fresh = True
        self._rows = np.arange(batch.n)
        # One dict a game for its whole life: a step touches only those of games that end or have
        # just begun.
        self._infos: list[dict[str, Any]] = [{} for _ in range(batch.n)]
        self._ended: NDArray[np.intp] = np.empty(0, np.intp)
        super().__init__(
            batch.n,
            gymnasium.spaces.Box(layout.low, layout.high, dtype=np.int8),
            gymnasium.spaces.Discrete(batch.actions.size),
        )

    @property
    def seats(self) -> NDArray[np.int8]:
        """int8[n], the seat to decide in each game; the batch's own array, rewritten by `step`."""
        return self.batch.to_move

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[n, A], a copy: the legal actions of each seat that is to decide."""
        return self.batch.mask.copy()

    def reset(self) -> NDArray[np.int8]:
        """Begin new games, from the seed given to `seed` if there was one.

        Games that nobody has touched yet are left as the batch dealt them.

        Returns:
            int8[n, D], the observations of the seats that are to decide.
        """
        seed = self._seeds[0]
        if seed is not None:
            self.batch.reset(seed)
        elif not self._is_fresh:
            self.batch.reset(int(self._following_seeds.integers(2**63)))
        self._is_fresh = True
        self._reset_seeds()
        self._reset_options()
        self.seat_rewards[:] = 0.0
        return self.batch.obs.copy()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions, int[n], for `step_wait`."""
        self._actions = np.asarray(actions).reshape(self.num_envs)

    def step_wait(self) -> VecEnvStepReturn:
        """Play them.

        Returns:
            int8[n, D] observations of the seats now to decide; float32[n] rewards of the seats that
            have moved (not the whole story, see the class); bool[n], which games ended; one info a
            game.

        Raises:
            IllegalMove: an action is not legal in its game; no game has changed.
        """
        if self._actions is None:
            raise RuntimeError("step_wait() without actions: call step_async(actions) first")
        actions, self._actions = self._actions, None
        self._is_fresh = False
        movers = self.batch.to_move.copy()
        rewards, dones = self.batch.step(actions)
        self.seat_rewards = rewards.copy()
        for game in self._ended:
            self._infos[game] = {}
        self._ended = np.flatnonzero(dones)
        for game in self._ended:
            self._infos[game] = {
                "final_scores": self.batch.final_scores[game].copy(),
                "winners": self.batch.final_winners[game].copy(),
            }
        own = self.seat_rewards[self._rows, movers]
        return self.batch.obs.copy(), own, dones.copy(), self._infos

    def close(self) -> None:
        """Nothing to give back: a batch is arrays."""

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the games that the next `reset` begins.

        Args:
            seed: Not negative; every game draws from its own stream under it.  None leaves it to
                `reset` to go on with new games; nothing global is asked for one.

        Returns:
            The seed, once for each game.
        """
        self._seeds = [seed] * self.num_envs
        return self._seeds

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of this environment, once for each game asked for."""
        if attr_name == "render_mode":
            return [None for _ in self._get_indices(indices)]
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Not possible: the games are rows of one batch."""
        raise AttributeError(f"{attr_name!r} cannot be set for single games of a batch")

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """The rows asked for of a method that answers with a row a game, as `action_masks` does."""
        rows = getattr(self, method_name)(*args, **kwargs)
        return [rows[index] for index in self._get_indices(indices)]

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],
        indices: VecEnvIndices = None,
    ) -> list[bool]:
        """False for every game: rows of a batch have no wrappers."""
        return [False for _ in self._get_indices(indices)]
