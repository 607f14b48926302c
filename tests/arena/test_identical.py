"""Identical agents are seldom taken for different, and different ones are found."""

from typing import Any

import numpy as np
import polars as pl

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.standings import standings_of, verdicts
from shakespeare_agents.arena.tournament import Ending, run_arena
from shakespeare_agents.intervals import wilson_interval
from shakespeare_env import registry
from shakespeare_env.datasets.results_reading import read_results


class Better(RandomAgent):
    """Wins about 60 % against `random` at two seats of Shakespeare."""

    heuristic: Any = make("heuristic", registry.game("shakespeare"))

    def act(self, observations, masks, rng):
        drawn = super().act(observations, masks, rng)
        chosen = self.heuristic.act(observations, masks, rng)
        return np.where(rng.random() < 0.1, chosen, drawn)


def twins(count):
    """Agents that play like `random`; each of a class of its own, which makes it another agent."""
    return [type(f"Twin {number}", (RandomAgent,), {})() for number in range(count)]


def played(folder, agents, players, seed, games=200, within=150.0):
    """Why an arena ended, and whether it takes any agent for stronger than another."""
    how: dict[str, Any] = {"players": players, "games": games, "equal_within": within}
    ending = run_arena(Field.of(agents=agents, seed=seed, **how), folder)
    found = standings_of(read_results(folder), equal_within=within)
    ladders = pl.concat(frame.select("verdict", "rank") for frame in (found.ladder, found.solo))
    first = ladders["rank"].is_in(["1", "1="]).all()
    return ending, "stronger" in ladders["verdict"] or not first


def too_large(found):
    """Whether the share of these that find a difference is above what verdicts allow."""
    return wilson_interval(sum(found), len(found))[0] > 0.05


def test_identical_agents_are_seldom_taken_for_different(tmp_path):
    shapes = [(2, [2]), (2, [4]), (2, [2, 4]), (2, [1, 2, 4]), (4, [2]), (8, [2])]
    found = [
        played(tmp_path / str(seed), twins(count), players, seed)
        for seed, (count, players) in enumerate(shapes)
    ]
    assert not too_large([stronger for _, stronger in found])
    assert Ending.settled in [ending for ending, _ in found]
    entrants = [Entrant(f"twin {seat}", RandomAgent()) for seat in range(3)]
    differing = []
    for seed in range(20):
        result = evaluate(entrants, "figaro", games=180, seed=seed)
        between: Any = result.difference("twin 0", "twin 1")
        differing.append(not between.win_low <= 0 <= between.win_high)
    assert not too_large(differing)


def test_a_better_agent_and_verdicts_that_are_too_easy_are_found(tmp_path, monkeypatch):
    assert played(tmp_path / "one", [Better(), *twins(1)], [2], 0, 1200, 60) == (
        Ending.settled,
        True,
    )
    monkeypatch.setattr(verdicts, "LEVEL", 0.9)
    found = [played(tmp_path / str(seed), twins(2), [2], seed, 60, 60) for seed in range(3)]
    assert too_large([stronger for _, stronger in found])
