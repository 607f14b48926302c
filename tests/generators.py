"""What agents draw from in tests."""

import numpy as np

from shakespeare_env.play.generators import GameGenerators


def generators(n, seed=0):
    """Those of games 0 to n - 1 of a seed."""
    return GameGenerators.of_games(seed, np.arange(n))
