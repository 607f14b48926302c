"""A match in parts is the match; what is interrupted does not count."""

from __future__ import annotations

import pytest

from shakespeare_agents import RandomAgent
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.arena.series import Series
from tests.contract.each_table import small_tables


class Impatient(RandomAgent):
    """Leaves when asked for the n-th time, then plays on."""

    def __init__(self, asked):
        self.left = asked

    def act(self, observations, masks, rng):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return super().act(observations, masks, rng)


def entrants(table, agent):
    return [Entrant("one", agent), *[Entrant("other", RandomAgent())] * (table.players - 1)]


@small_tables
def test_parts_add_up_to_the_match(table):
    series = Series(entrants(table, RandomAgent()), table.game, seed=4)
    for deals in (2, 1, 2):
        series.play(deals)
    whole = evaluate(entrants(table, RandomAgent()), table.game, games=5 * table.players, seed=4)
    assert series.deals == 5
    assert series.result() == whole


@small_tables
def test_an_interrupted_part_does_not_count(table):
    agent = Impatient(10**9)
    series = Series(entrants(table, agent), table.game, seed=4)
    series.play(2)
    before = series.result()
    agent.left = 3
    with pytest.raises(KeyboardInterrupt):
        series.play(1)
    assert series.deals == 2
    assert series.result() == before
    series.play(1)
    whole = evaluate(entrants(table, RandomAgent()), table.game, games=3 * table.players, seed=4)
    assert series.result() == whole
