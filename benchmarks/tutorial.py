"""Self-play as in PettingZoo's tutorial for Stable-Baselines3, with which we compare our speed.

Successive steps of the tutorial's Gymnasium environment belong to different seats. The learner gets
the next decider's reward, which credits the wrong seat
(see `shakespeare_training.learners.rollout`).
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.common.wrappers import ActionMasker

from shakespeare_env import env


class TutorialEnv(gymnasium.Env[NDArray[np.int8], int]):
    """The tutorial's environment, in which one learner decides for every seat in turn."""

    def __init__(self, players: int) -> None:
        make_aec: Any = env  # `env` makes a PettingZoo AEC environment
        self._aec = make_aec(players=players)
        self._aec.reset(seed=0)
        agent = self._aec.possible_agents[0]
        self.observation_space = self._aec.observation_space(agent)["observation"]
        self.action_space = self._aec.action_space(agent)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        self._aec.reset(seed=seed, options=options)
        return self.observe("observation"), {}

    def step(self, action: int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        self._aec.step(action)
        observation, reward, terminated, truncated, info = self._aec.last()
        return observation["observation"], reward, terminated, truncated, info

    def observe(self, part: str) -> NDArray[np.int8]:
        """Return the decider's `observation` or `action_mask`."""
        observed: NDArray[np.int8] = self._aec.observe(self._aec.agent_selection)[part]
        return observed


def tutorial_learner(players: int, **arguments: Any) -> MaskablePPO:
    """Return MaskablePPO as the tutorial makes it."""
    tutorial = TutorialEnv(players)
    masked = ActionMasker(tutorial, lambda _: tutorial.observe("action_mask"))
    return MaskablePPO(MaskableActorCriticPolicy, masked, seed=0, device="cpu", **arguments)
