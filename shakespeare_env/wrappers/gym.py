"""Gymnasium environments in which the learner has one seat and agents play the others."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import as_actions
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.spaces import (
    RENDER_FPS,
    RENDER_MODES,
    Renderer,
    action_space,
    as_infos,
    observation_space,
    row_of,
)

_ONLY_ROW = np.zeros(1, np.int64)
_SINGLE_GAME_ARGUMENTS = {"max_episode_steps", "disable_env_checker"}
"""Arguments of `gymnasium.make` that ask for wrappers, which exist only for single games."""


class SingleAgentEnv(gymnasium.Env[Any, np.int64]):
    """A Gymnasium environment in which the learner has one seat. An episode is a game.

    The observation, int8[D], holds what the seat may know. With the argument `history=k`, it is a
    dict of this `observation` and the last k decisions (`Batch.history`). `info["action_mask"]` and
    `action_masks()` mark the legal actions. The reward is the sum of what the seat has received
    since its last decision. At the end `info` also says how the game ended
    (`spaces.episode_outcomes`). These entries are Python numbers, except that an entry with a value
    for each seat is an array [L], where L is the number of seats. An illegal action ends the game
    with reward -1.

    Args:
        game: The game's name.
        render_mode: See `Renderer`.
        arguments: Further arguments of `SingleAgentBatch`. The seed is an argument of `reset`.

    Attributes:
        games: The `SingleAgentBatch` of one game.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - a class attribute in Gymnasium's interface
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self, game: str = registry.DEFAULT, *, render_mode: str | None = None, **arguments: Any
    ) -> None:
        self.games = SingleAgentBatch(game, n=1, seed=None, **arguments)
        loaded = self.games.batch.game
        self.observation_space = observation_space(loaded, self.games.history_length)
        self.action_space = action_space(loaded)
        self.render_mode = render_mode
        self._renderer = Renderer(loaded, render_mode)
        self._has_begun = False

    @property
    def seat(self) -> int:
        """The learner's seat in this game."""
        return int(self.games.seats[0])

    def action_masks(self) -> NDArray[np.bool_]:
        """Return a copy of the mask of legal actions, bool[A], all set once the game is over."""
        mask: NDArray[np.bool_] = self.games.action_masks()[0]
        return mask

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start the game that a seed decides. Without a seed, start the next game."""
        super().reset(seed=seed)
        self.games.reset(seed)
        self._has_begun = True
        return row_of(self.games.observe(), 0), self._rendered_info()

    def step(self, action: np.int64 | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action, then the others' until the learner decides again or the game is over."""
        if not self._has_begun or self.games.over[0]:
            raise ResetNeeded("no game in progress: call reset() before step()")
        rewards, ended = self.games.step(np.array([action]))
        info = self._rendered_info()
        observation = row_of(self.games.observe(), 0)
        if ended[0]:
            info |= as_infos(self.games.outcomes(_ONLY_ROW))[0]
        return observation, float(rewards[0]), bool(ended[0]), False, info

    def render(self) -> Any:
        """Return or print the position, as `render_mode` says."""
        return self._renderer.render(self.games.batch.save(slice(0, 1))[0])

    def _rendered_info(self) -> dict[str, Any]:
        """Print the position in render mode "human", and return its info."""
        if self.render_mode == "human":
            self.render()
        return {"action_mask": self.action_masks().astype(np.int8)}


class SingleAgentVectorEnv(VectorEnv[Any, NDArray[Any], NDArray[Any]]):
    """A Gymnasium vector environment of n games. Every row behaves like a `SingleAgentEnv`.

    A row whose game is over starts the next game at the next step, whatever its action, and with
    reward 0 (Gymnasium's `AutoresetMode.NEXT_STEP`).

    Infos are arrays by row. Each array `infos[key]` comes with `infos["_key"]`, bool[n], which
    marks the rows that have a value. `infos["action_mask"]`, int8[n, A], is always present. It is
    all 1 in a game that is over, as any action starts the next one.

    Args:
        num_envs: The number of games, n.
        game: The game's name.
        render_mode: "ansi", "rgb_array" or None.
        arguments: Further arguments of `SingleAgentBatch`. The seed is an argument of `reset`.

    Attributes:
        games: The `SingleAgentBatch` of all games.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - a class attribute in Gymnasium's interface
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        game: str = registry.DEFAULT,
        *,
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        for name in _SINGLE_GAME_ARGUMENTS & arguments.keys():
            raise TypeError(
                f"{name}={arguments[name]!r} wraps environments of a single game. These games are "
                "stepped as one array and end by themselves. Leave it out, or add "
                'vectorization_mode="sync" to step one environment after the other'
            )
        # Gymnasium's wrappers append to the list of modes, so each environment needs its own.
        self.metadata = deepcopy(type(self).metadata)
        self.games = SingleAgentBatch(game, num_envs, seed=None, **arguments)
        self.num_envs = num_envs
        self.single_observation_space = observation_space(
            self.games.batch.game, self.games.history_length
        )
        self.single_action_space = action_space(self.games.batch.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.render_mode = render_mode
        self._renderer = Renderer(self.games.batch.game, render_mode, self.metadata["render_modes"])
        self._has_begun = False

    def action_masks(self) -> NDArray[np.bool_]:
        """Return a copy of the masks, bool[n, A]. All actions are set where a game is over."""
        return self.games.action_masks()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start the games that a seed decides. Without a seed, start the next games."""
        super().reset(seed=seed)
        self.games.reset(seed)
        self._has_begun = True
        return self.games.observe(), self._infos()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play an action in each game, int[n], then the others' until the learner decides again."""
        if not self._has_begun:
            raise ResetNeeded("no game in progress: call reset() before step()")
        games = self.games
        over = np.flatnonzero(games.over)
        running = np.flatnonzero(~games.over)
        chosen = as_actions(actions, self.num_envs)
        games.reset(rows=over)
        rewards, ended = games.step(chosen[running], running)
        infos = self._infos()
        if ended.any():
            infos |= self._spread_over_rows(games.outcomes(ended.nonzero()[0]), ended)
        truncated = np.zeros(self.num_envs, np.bool_)
        return self.games.observe(), rewards, ended, truncated, infos

    def render(self) -> Any:
        """Return every game as text or as a picture, in a tuple."""
        return tuple(self._renderer.render(record) for record in self.games.batch.save(slice(None)))

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self.games.action_masks().astype(np.int8),
            "_action_mask": np.ones(self.num_envs, np.bool_),
        }

    def _spread_over_rows(
        self, values: dict[str, NDArray[Any]], has_value: NDArray[np.bool_]
    ) -> dict[str, NDArray[Any]]:
        """Return infos of all rows from the values of some, with a mask of these rows for each key.

        Args:
            values: Arrays by key, with one entry for each row that has a value.
            has_value: bool[n], which rows have a value.
        """
        infos = {}
        for key, row_values in values.items():
            infos[key] = np.zeros((self.num_envs, *row_values.shape[1:]), row_values.dtype)
            infos[key][has_value] = row_values
            infos[f"_{key}"] = has_value.copy()
        return infos
