"""Arenas of a few games for tests: a match in all rotations, and a game that is forfeited."""

import polars as pl

from shakespeare_agents import RandomAgent
from shakespeare_arena.games.results import open_results
from shakespeare_arena.games.rows import play_recorded, results_frame
from shakespeare_arena.games.seating import Match, RunSettings, Seating
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_results

SEED = 7
DEAL = 3
DECISIONS_BEFORE_FAULT = 9


class Failing(RandomAgent):
    """An agent that raises an error after some decisions."""

    def __init__(self):
        self.left = DECISIONS_BEFORE_FAULT

    def act(self, observations, masks, rng):
        self.left -= 1
        if self.left < 0:
            raise ValueError("tired\x1b[2J\nof this")
        return super().act(observations, masks, rng)


def play(seatings, settings):
    """Play games at once under a referee, and return them as a frame."""
    steps = play_recorded(seatings, settings)
    return results_frame([row for step in steps for row in step.result or []])


def written(name, folder):
    """Write a folder of results: a match in all rotations, then a game that an agent forfeits."""
    seats = max(2, registry.seats(name)[0])
    variants = registry.variants(name)
    settings = RunSettings(
        name,
        variants,
        SEED,
        {"a": RandomAgent(), "b": RandomAgent(), "f": Failing()},
        {"a": "one", "b": "other", "f": "failing"},
    )
    others = ("b",) * (seats - 1)
    match = Match(seats, DEAL, ("a", *others), tuple(range(seats)))
    forfeited = Match(seats, DEAL + 1, ("f", *others), (1,))
    with open_results(folder, name) as results:
        all_rotations = [Seating(match, rotation) for rotation in match.rotations]
        results.append(play(all_rotations, settings))
        results.append(play([Seating(forfeited, 1)], settings))
    return folder


def games(folder):
    """Read the games without their times, which differ between runs."""
    return read_results(folder).select(pl.exclude("seconds")).sort("key")
