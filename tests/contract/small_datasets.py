"""Recordings of a few games for tests, and players that draw and estimate."""

import numpy as np

from shakespeare_agents import RandomAgent
from shakespeare_arena import Entrant
from shakespeare_arena.dataset import write_dataset
from shakespeare_env.core import registry


class Guesser(RandomAgent):
    """Plays at random and expects what it sees."""

    def values(self, observations):
        return observations.mean(axis=1, dtype=np.float32)


def entrants_of(game):
    """Seats for the fewest that play against each other: a guesser, then random players."""
    seats = max(registry.seats(game)[0], 2)
    return [Entrant("guesser", Guesser()), *[Entrant("random", RandomAgent())] * (seats - 1)]


def write_small_dataset(folder, game, deals=3, **how):
    entrants = entrants_of(game)
    return write_dataset(folder, entrants, game, games=deals * len(entrants), seed=5, **how)
