"""What agents draw from in tests, and one that remembers."""

import numpy as np

from shakespeare_env.play.generators import GameGenerators


def generators(n, seed=0):
    """Those of games 0 to n - 1 of a seed."""
    return GameGenerators.of_games(seed, np.arange(n))


class Remembers:
    """Draws, and counts how often its seat has decided in the game so far."""

    def act(self, observations, masks, rng):
        drawn = enumerate(zip(masks, rng.random(), strict=True))
        return np.array([self.choice(*one, rng.memory(place)) for place, one in drawn])

    def choice(self, mask, number, memory):
        memory["decisions"] = memory.get("decisions", 0) + 1
        legal = np.flatnonzero(mask)
        return legal[int(number * len(legal) + memory["decisions"]) % len(legal)]
