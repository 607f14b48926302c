"""Self-play as in PettingZoo's tutorial for Stable-Baselines3, to compare our speed with.

Every step of the tutorial's Gymnasium environment is another seat's. The learner gets the next
decider's reward, which credits the wrong seat (see `shakespeare_training.rollout`).
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
    def __init__(self, players: int) -> None:
        make: Any = env
        self._aec = make(players=players)
        self._aec.reset(seed=0)
        agent = self._aec.possible_agents[0]
        self.observation_space = self._aec.observation_space(agent)["observation"]
        self.action_space = self._aec.action_space(agent)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        self._aec.reset(seed=seed, options=options)
        return self.seen("observation"), {}

    def step(self, action: int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        self._aec.step(action)
        observation, reward, ended, cut_short, info = self._aec.last()
        return observation["observation"], reward, ended, cut_short, info

    def seen(self, what: str) -> NDArray[np.int8]:
        seen: NDArray[np.int8] = self._aec.observe(self._aec.agent_selection)[what]
        return seen


def tutorial_learner(players: int, **arguments: Any) -> MaskablePPO:
    """Return MaskablePPO as the tutorial makes it."""
    tutorial = TutorialEnv(players)
    masked = ActionMasker(tutorial, lambda _: tutorial.seen("action_mask"))
    return MaskablePPO(MaskableActorCriticPolicy, masked, seed=0, device="cpu", **arguments)
