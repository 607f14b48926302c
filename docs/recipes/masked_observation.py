"""The mask inside the observation, for libraries that look for it there."""

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict


class MaskedObservation(gymnasium.ObservationWrapper):
    """`observation` and `action_mask`, int8[A], as in PettingZoo."""

    def __init__(self, env):
        super().__init__(env)
        mask = Box(0, 1, (int(env.action_space.n),), np.int8)
        self.observation_space = Dict(
            observation=env.observation_space, action_mask=mask
        )

    def observation(self, seen):
        mask = self.unwrapped.action_masks()
        return {"observation": seen, "action_mask": mask.astype(np.int8)}
