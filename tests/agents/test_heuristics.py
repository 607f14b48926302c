"""Heuristic agents are far better than chance, and share their machine code."""

import gc
from dataclasses import replace

import gymnasium
import pytest
from numba.core.dispatcher import Dispatcher

from shakespeare_agents import evaluate, make
from shakespeare_env.core import registry
from tests.contract import knowledge

SHAKESPEARE = registry.game("shakespeare")


def heuristic(name):
    return make("heuristic", registry.game(name))


@pytest.mark.parametrize(("agent", "games"), [("heuristic", 240), ("greedy", 60)])
@pytest.mark.parametrize("name", registry.names())
def test_it_beats_random_agents_and_so_does_one_that_is_greedy_for_its_evaluation(
    name, agent, games
):
    least = getattr(knowledge.of(name, "strength"), f"{agent.upper()}_OVER_RANDOM")
    for players, wins in least.wins.items():
        found = evaluate([agent, *["random"] * (players - 1)], name, games=games, seed=1)
        assert (found[agent].win_rate or 0) > wins
        assert found[agent].mean_score > found["random"].mean_score + least.lead


def test_all_agents_of_a_game_share_their_machine_code():
    """Nothing frees it, and leagues and vector environments make thousands of agents."""

    def make_some(count):
        for _ in range(count):
            heuristic("shakespeare")
            make("search,rollouts=heuristic", SHAKESPEARE)
            gymnasium.make("Shakespeare-v0", opponents="heuristic").close()

    make_some(1)
    before = compiled_functions()
    make_some(9)
    assert compiled_functions() == before


def compiled_functions():
    gc.collect()
    # Their own types: asking some modules for a class imports them.
    return sum(issubclass(type(one), Dispatcher) for one in gc.get_objects())


def test_a_game_without_a_heuristic_agent_says_what_plays_it():
    with pytest.raises(ValueError, match="know nothing of chess; random and search play"):
        make("heuristic", replace(SHAKESPEARE, name="chess"))
