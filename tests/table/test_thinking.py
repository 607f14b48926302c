"""Agents at tables: what they draw depends on the seed and the decision's number alone."""

import pytest

import shakespeare_agents
from shakespeare_agents.table.thinking import choose
from shakespeare_env import Position, registry


@pytest.mark.parametrize("game", registry.names())
def test_a_table_resumed_goes_on_as_if_it_had_never_stopped(game):
    position = Position.new(game, players=registry.seats(game)[-1], seed=2)

    def course(seed):
        """Chosen by an agent made anew for every decision."""
        return [
            choose(shakespeare_agents.make("random", position.game), position, seed, number)
            for number in range(12)
        ]

    agent = shakespeare_agents.make("random", position.game)
    without_stop = [choose(agent, position, 7, number) for number in range(12)]
    assert course(7) == without_stop
    assert course(8) != without_stop
    assert len(set(without_stop)) > 1
