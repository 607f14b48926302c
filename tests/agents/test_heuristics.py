"""Heuristic agents: legal, repeatable, and far better than chance."""

from __future__ import annotations

import gc
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_env import registry
from tests.contract import knowledge
from tests.contract.each_table import full_tables
from tests.contract.random_games import TABLES
from tests.generators import generators

tables = pytest.mark.parametrize("table", TABLES, ids=str)


def heuristic(name):
    return make("heuristic", registry.game(name))


@tables
def test_it_plays_legally_to_the_end_of_every_game(table):
    batch, rng = table.batch(32, seed=3, autoreset=False), generators(32)
    agent = heuristic(table.game)
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        batch.step(agent.act(batch.obs[rows], batch.mask[rows], rng[rows]), rows)


@tables
def test_the_same_observation_and_generator_give_the_same_action(table):
    """Whichever games stand beside it, and in whatever order."""
    batch = table.batch(64, seed=5)
    agent, other = heuristic(table.game), heuristic(table.game)
    backwards = np.arange(64)[::-1]
    for step in range(60):
        one = agent.act(batch.obs, batch.mask, generators(64, step))
        two = other.act(
            batch.obs[backwards], batch.mask[backwards], generators(64, step)[backwards]
        )
        assert (one == two[backwards]).all()
        batch.step(one)


@pytest.mark.parametrize("name", registry.names())
def test_it_beats_random_agents(name):
    least = knowledge.of(name, "strength").HEURISTIC_OVER_RANDOM
    for players, wins in least.wins.items():
        entrants = [Entrant("heuristic", heuristic(name))]
        entrants += [Entrant("random", RandomAgent())] * (players - 1)
        found = evaluate(entrants, name, games=240, seed=1)
        assert (found["heuristic"].win_rate or 0) > wins
        assert found["heuristic"].mean_score > found["random"].mean_score + least.lead


@full_tables
def test_chance_picks_one_of_equally_good_actions(table):
    batch, agent = table.batch(400, seed=0), heuristic(table.game)
    draws = np.array(
        [agent.act(batch.obs, batch.mask, generators(400, seed)) for seed in range(12)]
    )
    assert (np.ptp(draws, axis=0) > 0).any()


@pytest.mark.parametrize("name", registry.names())
def test_all_agents_of_a_game_share_their_machine_code(name):
    """Nothing frees it, and leagues and vector environments make thousands of agents."""
    env_id = f"{name.capitalize()}-v0"

    def make_some(count):
        for _ in range(count):
            heuristic(name)
            make("search,rollouts=heuristic", registry.game(name))
            gymnasium.make(env_id, opponents="heuristic").close()

    make_some(1)
    before = compiled_functions()
    make_some(50)
    assert compiled_functions() == before


def compiled_functions():
    gc.collect()
    # Their own types: asking some modules for a class imports them.
    return sum(issubclass(type(one), Dispatcher) for one in gc.get_objects())


def test_a_game_without_a_heuristic_agent_says_where_to_write_one():
    chess = replace(registry.game(registry.DEFAULT), name="chess")
    with pytest.raises(ValueError, match=r"heuristic agent for chess; write agents/\S+/chess\.py"):
        make("heuristic", chess)
