"""The PettingZoo environments pass the ecosystem's own checks and stricter ones."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.test.state_test import test_state_space as check_state_space

from shakespeare_env import env, parallel_env, raw_env
from shakespeare_env.core import registry
from shakespeare_env.wrappers.spaces import StateView
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.contract.random_games import sample_positions
from tests.wrappers.aec_games import begun, illegal_move, rest_of, shown

COPIES: list[Callable[[Any], Any]] = [copy.deepcopy, lambda view: pickle.loads(pickle.dumps(view))]


# api_test expects plain Box observations unless it knows the environment's name, and warns that a
# finished agent has no legal action.
@pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action mask numpy array is all zeros",
)
@plain_tables
def test_pettingzoo_finds_no_fault(table, capsys):
    api_test(env(**table.arguments), num_cycles=200)
    assert "Passed API test" in capsys.readouterr().out


@plain_tables
def test_pettingzoo_finds_no_fault_in_the_parallel_environment(table, capsys):
    view = parallel_env(**table.arguments)
    for agent in view.possible_agents:
        view.action_space(agent).seed(table.players)
    parallel_api_test(view, num_cycles=1000)
    assert "Passed Parallel API test" in capsys.readouterr().out


@full_tables
def test_pettingzoo_finds_no_fault_in_the_state_space(table):
    check_state_space(env(**table.arguments))


@full_tables
def test_the_state_holds_every_number_of_the_record_but_chance(table):
    game = registry.game(table.game)
    view = StateView(game)
    record = next(sample_positions(table, 1, 50)).record()
    assert list(view.fields) == [name for name in game.state.names or () if name != "random"]
    state = view(record)
    assert view.space.contains(state)
    for name, part in view.fields.items():
        np.testing.assert_array_equal(state[part], np.ravel(record[name]))
    record["random"] += np.uint64(1)
    np.testing.assert_array_equal(view(record), state)


@full_tables
@pytest.mark.parametrize("make", [raw_env, env])
def test_a_copy_continues_the_same_game(make, table):
    """Copies are made at the start, in the middle, at the last decision and after the end."""
    steps = len(rest_of(begun(make, table, 21))) - 2
    last = steps - table.players - 1
    for step in (0, steps // 2, last, last + 1, steps):
        view = begun(make, table, 21, step, reward="score")
        twins = [make_copy(view) for make_copy in COPIES]
        before = shown(view)
        expected = rest_of(view)
        for twin in twins:
            assert shown(twin) == before, "the original has played on and changed its copy"
            assert rest_of(twin) == expected


@full_tables
@pytest.mark.parametrize("make", [raw_env, env])
def test_every_mask_is_an_agents_own_to_change(table, make):
    """Other libraries make tensors of masks, and some write into them."""
    view = begun(make, table, 30)
    legal = view.observe(view.agent_selection)["action_mask"].copy()
    for agent in view.agents:
        for mask in (view.infos[agent]["action_mask"], view.observe(agent)["action_mask"]):
            assert mask.any() == (agent == view.agent_selection)
            mask[:] = 0 if mask.any() else 1
    assert (view.observe(view.agent_selection)["action_mask"] == legal).all()


NO_ACTION_IDS: list[Any] = [-1, 2**70, 0.5, "recruit", None]


@small_tables
@pytest.mark.parametrize("action", NO_ACTION_IDS)
def test_what_is_no_action_id_is_refused_and_changes_nothing(table, action):
    view = begun(env, table, 32, 25, reward="score")
    before = shown(view)
    with pytest.raises(AssertionError, match="not in action space"):
        view.step(action)
    assert shown(view) == before


@small_tables
def test_an_illegal_action_ends_the_game_for_all_and_only_the_offender_pays(table):
    view = begun(env, table, 32, 25, reward="score")
    offender = view.agent_selection
    view.step(illegal_move(view))
    for agent in view.agents:
        info = view.infos[agent]
        assert view.rewards[agent] == (-1.0 if agent == offender else 0.0)
        assert view.terminations[agent]
        assert view.truncations[agent]
        assert info["illegal_action"] == (agent == offender)
        assert info["won"] == 0.0
        assert not info["winners"].any()
    assert view.infos[offender]["rank"] == table.players


@small_tables
def test_after_an_illegal_action_every_agent_leaves_with_none(table):
    view = begun(env, table, 32, 25, reward="score")
    offender = view.agent_selection
    view.step(illegal_move(view))
    with pytest.raises(ValueError, match="None"):
        view.step(0)
    left = []
    for agent in view.agent_iter():
        _, reward, *_ = view.last()
        assert agent != offender or reward == -1.0
        view.step(None)
        left.append(agent)
    assert left == view.possible_agents  # in the order of a game that ends by the rules
    with pytest.raises(ResetNeeded):
        view.step(0)


@small_tables
@pytest.mark.parametrize("make", [raw_env, env])
def test_nothing_can_be_asked_before_the_first_reset(table, make):
    view = make(**table.arguments)
    for call in (view.render, view.state, partial(view.step, 0), partial(view.observe, "player_0")):
        with pytest.raises(ResetNeeded):
            call()


@small_tables
@pytest.mark.parametrize("make", [raw_env, env])
def test_an_environment_is_named_after_its_game(table, make):
    assert str(make(**table.arguments)) == f"{table.game}_v0"
