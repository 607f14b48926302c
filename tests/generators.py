"""Random generators for agents in tests, and an agent with a memory."""

import numpy as np

from shakespeare_env.play.generators import GameGenerators


def generators(n, seed=0):
    """Return the generators of games 0 to n - 1 for a seed."""
    return GameGenerators.of_games(seed, np.arange(n))


class RememberingAgent:
    """An agent that draws its actions by its memory: its number of decisions in the game."""

    def act(self, observations, masks, rng):
        numbers = rng.random()
        actions = []
        for row, mask in enumerate(masks):
            memory = rng.memory(row)
            memory["decisions"] = memory.get("decisions", 0) + 1
            legal = np.flatnonzero(mask)
            rank = int(numbers[row] * len(legal) + memory["decisions"]) % len(legal)
            actions.append(legal[rank])
        return np.array(actions)
