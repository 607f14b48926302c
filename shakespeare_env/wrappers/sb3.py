"""Games as a Stable-Baselines3 vector environment that runs no Python code per game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.extras import requires_extra
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.spaces import (
    RENDER_FPS,
    Renderer,
    action_space,
    as_infos,
    observation_space,
    row_of,
)

with requires_extra("train", "shakespeare_env.wrappers.sb3 needs"):
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn


class SB3SingleAgentVecEnv(VecEnv):
    """A Stable-Baselines3 VecEnv in which the learner has one seat of every game.

    Agents play the other seats. Games are rows of arrays, not a list of environments. When a game
    ends, the next one starts in the same step. The info of its row then holds
    `terminal_observation`, int8[D], and says how the game ended (`spaces.episode_outcomes`). An
    illegal action ends a game with reward -1.

    Args:
        games: The games.
        render_mode: With "rgb_array", `render` returns a picture of game 0.
    """

    def __init__(self, games: SingleAgentBatch, render_mode: str | None = None) -> None:
        self.games = games
        self.batch = games.batch
        self.render_mode = render_mode
        game = games.batch.game
        self._renderer = Renderer(game, render_mode, ["rgb_array"])
        super().__init__(
            games.batch.n, observation_space(game, games.history_length), action_space(game)
        )
        metadata: dict[str, Any] = {**self.metadata, "render_fps": RENDER_FPS}
        self.metadata = metadata

    def action_masks(self) -> NDArray[np.bool_]:
        """Return a copy of the masks of the learner's legal actions, bool[n, A]."""
        return self.games.action_masks()

    def reset(self) -> Any:
        """Deal the next games, or those that `seed` has set. Return the observations."""
        self.games.reset(self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        return self.games.observe()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Store the actions, int[n], for `step_wait`."""
        self._actions = np.asarray(actions).reshape(self.num_envs)

    def step_wait(self) -> VecEnvStepReturn:
        """Play the stored actions.

        Returns:
            Observations of the next decisions; rewards, float32[n]; which games have
            ended, bool[n]; an info for each game.
        """
        rewards, over = self.games.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(over)
        if len(ended):
            last = self.games.observe(ended)
            outcomes = as_infos(self.games.outcomes(ended))
            for place, row in enumerate(ended):
                infos[row] = {"terminal_observation": row_of(last, place), **outcomes[place]}
            self.games.restart(ended)
        return self.games.observe(), rewards, over, infos

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return a picture of game 0."""
        picture: Any = self._renderer.render(self.batch.save(slice(0, 1))[0])
        return [picture]

    def close(self) -> None:
        """Do nothing, as there is nothing to release."""

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the games that `reset` deals. With None, `reset` deals the next games."""
        self._seeds = [seed] * self.num_envs
        return self._seeds

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of this environment, repeated for each game in `indices`."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raise AttributeError, as the games are rows of one batch."""
        raise AttributeError(
            f"{attr_name!r} cannot be set, because the games are rows of one batch"
        )

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Call `action_masks`, the only method that can be called, and return its rows."""
        if method_name != "action_masks":
            raise AttributeError(
                f"{method_name!r} cannot be called on single games; only action_masks can"
            )
        rows = self.action_masks()
        return [rows[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Return False for every game."""
        return [False for _ in self._get_indices(indices)]
