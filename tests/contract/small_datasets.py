"""Datasets of a few games for tests, and players that draw and estimate."""

import numpy as np

from shakespeare_agents import RandomAgent
from shakespeare_agents.arena.dataset import settings_of, write_dataset
from shakespeare_agents.arena.evaluate import Seated
from shakespeare_env import registry


class Guesser(RandomAgent):
    """Plays at random and expects what it sees."""

    def values(self, observations):
        return observations.mean(axis=1, dtype=np.float32)


def table_of(name):
    """Seats for the fewest that play against each other: a guesser, then random players."""
    seats = max(registry.seats(name)[0], 2)
    random = RandomAgent()
    return [Seated("guesser", Guesser()), *[Seated("random", random)] * (seats - 1)]


def small_settings(name, deals=3, deals_per_shard=1, **arguments):
    """Settings of one deal at a time."""
    table = table_of(name)
    return settings_of(
        name,
        table,
        games=deals * len(table),
        games_per_shard=deals_per_shard * len(table),
        deals_together=arguments.pop("deals_together", 1),
        **{"seed": 5, **arguments},
    )


def players_of(name):
    """The same objects for seats of one name, as a dataset has them."""
    seated = {one.name: one.agent for one in table_of(name)}
    return [seated[one.name] for one in table_of(name)]


def write(folder, settings, on_game=lambda decisions: None):
    return write_dataset(folder, settings, players_of(settings.game), on_game)
