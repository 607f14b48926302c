"""The action mask inside the observation, for libraries that look for it there, such as RLlib.

An observation becomes a dict: `observation`, with the environment's own numbers, and `action_mask`,
int8[A], 1 for each legal action.  `dtype` is that of `observation`: as the environment's, int8, or
float32 for networks that take nothing else; the numbers stay the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import DTypeLike, NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

Masked = dict[str, NDArray[Any]]
_Array = NDArray[Any]
if TYPE_CHECKING:
    _VectorWrapper = VectorWrapper[Masked, _Array, NDArray[np.int8], _Array, _Array]
else:
    # At run time only recent Gymnasiums, not 1.2, take arguments for it.
    _VectorWrapper = VectorWrapper


class MaskedObservation(gymnasium.Wrapper[Any, np.int64, Any, np.int64]):
    """Over `SingleAgentEnv`, wrapped or not."""

    def __init__(
        self, env: gymnasium.Env[NDArray[np.int8], np.int64], dtype: DTypeLike = np.int8
    ) -> None:
        super().__init__(env)
        self._dtype = np.dtype(dtype)
        self.observation_space = masked_space(env.observation_space, env.action_space, self._dtype)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Masked, dict[str, Any]]:
        """See `SingleAgentEnv.reset`."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._masked(observation, info), info

    def step(self, action: np.int64) -> tuple[Masked, SupportsFloat, bool, bool, dict[str, Any]]:
        """See `SingleAgentEnv.step`."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._masked(observation, info), reward, terminated, truncated, info

    def _masked(self, observation: NDArray[np.int8], info: dict[str, Any]) -> Masked:
        return _masked(observation, info["action_mask"], self._dtype)


class MaskedVectorObservation(_VectorWrapper):
    """Over `SingleAgentVectorEnv`, in every autoreset mode; `final_obs` are dicts, too."""

    def __init__(
        self,
        env: VectorEnv[NDArray[np.int8], NDArray[Any], NDArray[Any]],
        dtype: DTypeLike = np.int8,
    ) -> None:
        super().__init__(env)
        self._dtype = np.dtype(dtype)
        self.single_observation_space = masked_space(
            env.single_observation_space, env.single_action_space, self._dtype
        )
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Masked, dict[str, Any]]:
        """See `SingleAgentVectorEnv.reset`."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return _masked(observations, infos["action_mask"], self._dtype), infos

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Masked, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """See `SingleAgentVectorEnv.step`."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        if "final_obs" in infos:
            final, masks = infos["final_obs"], infos["final_info"]["action_mask"]
            for row in np.flatnonzero(infos["_final_obs"]):
                final[row] = _masked(final[row], masks[row], self._dtype)
        masked = _masked(observations, infos["action_mask"], self._dtype)
        return masked, rewards, terminated, truncated, infos


class MaskedAgentObservation(BaseWrapper):
    """Over PettingZoo's `env` or `raw_env`, whose observations are such dicts already."""

    def __init__(self, env: AECEnv[Any, Any, Any], dtype: DTypeLike = np.int8) -> None:
        super().__init__(env)
        self._dtype = np.dtype(dtype)
        self.observation_spaces = {
            agent: masked_space(
                env.observation_space(agent)["observation"], env.action_space(agent), self._dtype
            )
            for agent in env.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Dict:
        """An agent's observation space, always the same object."""
        return self.observation_spaces[agent]

    def observe(self, agent: str) -> Masked:
        """What an agent may know and do."""
        seen = self.env.observe(agent)
        return _masked(seen["observation"], seen["action_mask"], self._dtype)


def masked_space(
    observed: gymnasium.Space[Any], actions: gymnasium.Space[Any], dtype: np.dtype[Any]
) -> spaces.Dict:
    """The space of an observation with its mask; TypeError for a dtype that loses numbers."""
    if not isinstance(observed, spaces.Box) or not isinstance(actions, spaces.Discrete):
        raise TypeError(f"observations in {observed}, actions in {actions}: wrap a game of ours")
    if not np.can_cast(observed.dtype, dtype):
        raise TypeError(f"dtype={dtype}: observations are {observed.dtype}; choose int8 or float32")
    low, high = (bound.astype(dtype) for bound in (observed.low, observed.high))
    return spaces.Dict(
        {
            "observation": spaces.Box(low, high, dtype=dtype.type),
            "action_mask": spaces.Box(0, 1, (int(actions.n),), np.int8),
        }
    )


def _masked(seen: NDArray[np.int8], mask: NDArray[np.int8], dtype: np.dtype[Any]) -> Masked:
    return {"observation": seen.astype(dtype), "action_mask": mask.copy()}
