"""Arenas of a few games for tests: a match in all rotations, and a game that is forfeited."""

import polars as pl

from shakespeare_agents import RandomAgent
from shakespeare_arena.playing import play
from shakespeare_arena.results import open_results
from shakespeare_arena.seating import Match, RunSettings, Seating
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_results

SEED, DEAL, FAULTY_AFTER = 7, 3, 9


class Failing(RandomAgent):
    """Raises once it has decided some times."""

    def __init__(self):
        self.left = FAULTY_AFTER

    def act(self, observations, masks, rng):
        self.left -= 1
        if self.left < 0:
            raise ValueError("tired\x1b[2J\nof this")
        return super().act(observations, masks, rng)


def written(name, folder):
    """An arena's folder: a match in all rotations, then a game that an agent forfeits."""
    seats, variants = max(2, registry.seats(name)[0]), registry.variants(name)
    rules = RunSettings(
        name,
        variants,
        SEED,
        {"a": RandomAgent(), "b": RandomAgent(), "f": Failing()},
        {"a": "one", "b": "other", "f": "failing"},
    )
    others = ("b",) * (seats - 1)
    match = Match(seats, DEAL, ("a", *others), tuple(range(seats)))
    lost = Match(seats, DEAL + 1, ("f", *others), (1,))
    with open_results(folder, name) as store:
        store.append(play([Seating(match, turn) for turn in match.rotations], rules))
        store.append(play([Seating(lost, 1)], rules))
    return folder


def games(folder):
    """All that is equal in two runs."""
    return read_results(folder).select(pl.exclude("seconds")).sort("key")
