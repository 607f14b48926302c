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
def test_api(table, capsys):
    api_test(env(**table.arguments), num_cycles=200)
    assert "Passed API test" in capsys.readouterr().out
    parallel = parallel_env(**table.arguments)
    for agent in parallel.possible_agents:
        parallel.action_space(agent).seed(table.players)
    parallel_api_test(parallel, num_cycles=1000)
    assert "Passed Parallel API test" in capsys.readouterr().out


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
    check_state_space(env(**table.arguments))


@full_tables
@pytest.mark.parametrize("make", [raw_env, env])
def test_a_copy_goes_on_with_the_same_game(make, table):
    """Copies are made at the start, in the middle, at the last decision and after the end."""
    steps = len(rest_of(begun(make, table, 21))) - 2
    last = steps - table.players - 1
    for place in (0, steps // 2, last, last + 1, steps):
        view = begun(make, table, 21, place, reward="score")
        twins = [way(view) for way in COPIES]
        before = shown(view)
        expected = rest_of(view)
        for twin in twins:
            assert shown(twin) == before  # the original went on, the copy did not
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


ILLEGAL: list[Any] = [-1, 2**70, 0.5, "recruit", None]


@small_tables
def test_an_illegal_action_ends_the_game_and_what_is_no_action_id_is_none(table):
    view = begun(env, table, 32, 25, reward="score")
    offender = view.agent_selection
    before = shown(view)
    for action in ILLEGAL:
        with pytest.raises(AssertionError, match="not in action space"):
            view.step(action)
        assert shown(view) == before
    view.step(illegal_move(view))
    for agent in view.agents:
        assert view.rewards[agent] == (-1.0 if agent == offender else 0.0)
        assert view.terminations[agent]
        assert view.truncations[agent]
        assert view.infos[agent]["illegal_action"] == (agent == offender)
        assert (view.infos[agent]["won"], view.infos[agent]["winners"].any()) == (0.0, False)
    assert view.infos[offender]["rank"] == table.players
    with pytest.raises(ValueError, match="None"):
        view.step(0)
    for agent in view.agent_iter():
        assert agent != offender or view.last()[1] == -1.0
        view.step(None)
    with pytest.raises(ResetNeeded):
        view.step(0)


@small_tables
@pytest.mark.parametrize("make", [raw_env, env])
def test_a_game_must_be_begun(make, table):
    view = make(**table.arguments)
    for call in (view.render, view.state, partial(view.step, 0), partial(view.observe, "player_0")):
        with pytest.raises(ResetNeeded):
            call()
    assert str(view) == f"{table.game}_v0"
