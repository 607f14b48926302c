"""Datasets of a few games, played by random agents of which one estimates values."""

import numpy as np

from shakespeare_agents import RandomAgent
from shakespeare_arena import Entrant
from shakespeare_arena.dataset import write_dataset
from shakespeare_env.core import registry


class Guesser(RandomAgent):
    """An agent that plays at random and estimates values from its observations."""

    version = 1

    def values(self, observations):
        return observations.mean(axis=1, dtype=np.float32)


def entrants_of(game):
    """Return a guesser and random agents for the smallest table with opponents."""
    seats = max(registry.seats(game)[0], 2)
    return [Entrant("guesser", Guesser()), *[Entrant("random", RandomAgent())] * (seats - 1)]


def write_small_dataset(folder, game, deals=3, **arguments):
    """Play every deal from every seat, write the games, and return their number."""
    entrants = entrants_of(game)
    games = deals * len(entrants)
    return write_dataset(folder, entrants, game, games=games, seed=5, **arguments)
