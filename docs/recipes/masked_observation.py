"""A wrapper that puts the action mask into the observation.

Some libraries look for it there.
"""

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict


class MaskedObservation(gymnasium.ObservationWrapper):
    """A wrapper for observations with `action_mask`, int8[A].

    They are dictionaries as in PettingZoo.
    """

    def __init__(self, env):
        super().__init__(env)
        mask = Box(0, 1, (int(env.action_space.n),), np.int8)
        self.observation_space = Dict(
            observation=env.observation_space, action_mask=mask
        )

    def observation(self, observation):
        mask = self.unwrapped.action_masks().astype(np.int8)
        return {"observation": observation, "action_mask": mask}
