"""Generators for agents in tests, and an agent that remembers."""

import numpy as np

from shakespeare_env.play.generators import GameGenerators


def generators(n, seed=0):
    """Return the generators of games 0 to n - 1 of a seed."""
    return GameGenerators.of_games(seed, np.arange(n))


class RememberingAgent:
    """Draws, and counts how often its seat has decided in the game so far."""

    def act(self, observations, masks, rng):
        numbers = rng.random()
        chosen = []
        for place, mask in enumerate(masks):
            memory = rng.memory(place)
            legal = np.flatnonzero(mask)
            memory["decisions"] = memory.get("decisions", 0) + 1
            chosen.append(
                legal[int(numbers[place] * len(legal) + memory["decisions"]) % len(legal)]
            )
        return np.array(chosen)
