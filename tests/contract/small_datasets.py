"""Datasets of a few games for tests, and players that draw and estimate."""

from contextlib import suppress

import numpy as np

from shakespeare_agents import RandomAgent
from shakespeare_arena import Entrant
from shakespeare_arena.dataset import settings_of, write_dataset
from shakespeare_env.core import registry


class Guesser(RandomAgent):
    """Plays at random and expects what it sees."""

    def values(self, observations):
        return observations.mean(axis=1, dtype=np.float32)


def entrants_of(name):
    """Seats for the fewest that play against each other: a guesser, then random players."""
    seats = max(registry.seats(name)[0], 2)
    random = RandomAgent()
    return [Entrant("guesser", Guesser()), *[Entrant("random", random)] * (seats - 1)]


def small_settings(name, deals=3, deals_per_shard=1, **arguments):
    """Settings of one deal at a time."""
    entrants = entrants_of(name)
    return settings_of(
        name,
        entrants,
        games=deals * len(entrants),
        games_per_shard=deals_per_shard * len(entrants),
        deals_together=arguments.pop("deals_together", 1),
        **{"seed": 5, **arguments},
    )


def write(folder, settings, tell=lambda decisions, games: None, **more):
    return write_dataset(folder, settings, entrants_of(settings.game), tell, **more)


def content(folder):
    """All files but the lock, which stays."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


class Killed(BaseException):
    """The process ends here."""


def cut_short(folder, settings, groups):
    """Record until some groups are kept; the decisions and games reported, each time."""
    told = []

    def tell(*more):
        told.append(more)
        if len(told) == 1 + groups:
            raise Killed

    with suppress(Killed):
        write(folder, settings, tell)
    return told
