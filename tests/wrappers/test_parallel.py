"""PettingZoo's parallel view: its own check, and the same game as `env` shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import parallel_api_test

from shakespeare_env import env, parallel_env
from tests.contract.each_table import plain_tables, small_tables
from tests.wrappers.aec_games import begun, next_move


@plain_tables
def test_api(table, capsys):
    """To the end of two games."""
    view = parallel_env(**table.arguments)
    for agent in view.possible_agents:
        view.action_space(agent).seed(table.players)
    parallel_api_test(view, num_cycles=2000)
    assert "Passed Parallel API test" in capsys.readouterr().out
    assert not view.agents


@small_tables
def test_it_is_the_game_that_env_shows(table):
    """Only the action of the agent that is to decide counts."""
    turns = begun(env, table, seed=5)
    view = parallel_env(**table.arguments)
    observations, infos = view.reset(seed=5)
    while view.agents:
        mover, action = turns.agent_selection, next_move(turns)
        masks = {agent: seen["action_mask"] for agent, seen in observations.items()}
        assert [agent for agent, mask in masks.items() if mask.any()] == [mover]
        actions = dict.fromkeys(view.agents, -1) | {mover: action}
        observations, rewards, ended, _, infos = view.step(actions)
        turns.step(action)
        assert rewards == turns.rewards
        assert ended == turns.terminations
        for agent, seen in observations.items():
            np.testing.assert_equal(seen, turns.observe(agent))
    assert all("final_scores" in info for info in infos.values())


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="PettingZoo before 1.27")
def test_pettingzoo_makes_it_by_name():
    made: Any = pettingzoo.make("parallel", "shakespeare_v0", players=2)
    assert made.possible_agents == ["player_0", "player_1"]
