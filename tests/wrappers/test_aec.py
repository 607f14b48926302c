"""The PettingZoo view: the ecosystem's own checks, and what they do not look at."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space
from pettingzoo.utils.wrappers import BaseWrapper

from shakespeare_env import Batch, IllegalMove, Position, env, raw_env
from shakespeare_env.core import registry
from shakespeare_env.wrappers.spaces import StateView
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.contract.random_games import FULL_TABLES, sampled
from tests.wrappers.aec_games import advance, begun, illegal_move, next_move

# ---- the ecosystem's checks ----------------------------------------------------------------------


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


@full_tables
def test_seeds(table):
    seed_test(lambda: env(**table.arguments), num_cycles=100)


@small_tables
def test_state_passes_pettingzoos_checks(table):
    view = env(**table.arguments)

    def legal_actions(agent):
        """An action space that samples legal actions, for checks that know no masks."""
        space, mask = view.action_space(agent), view.observe(agent)["action_mask"]
        return SimpleNamespace(sample=lambda: space.sample(mask))

    for agent in view.possible_agents:
        view.action_space(agent).seed(table.players)
    check_state_space(view)
    sampling_legally = BaseWrapper(view)
    sampling_legally.action_space = legal_actions
    check_state(sampling_legally, num_cycles=1000, seed=table.players)
    assert view.terminations == {}  # to the end
    assert not view.truncations


# ---- one game ------------------------------------------------------------------------------------


@plain_tables
def test_every_agent_is_shown_its_own_view_and_a_mask_if_it_is_to_decide(table):
    view = begun(env, table, seed=11, steps=20)
    position = Position.of_record(view.unwrapped.game, view.save_state().records[0])
    for seat, agent in enumerate(view.agents):
        seen = view.observe(agent)
        assert (seen["observation"] == position.observation(seat)).all()
        assert seen["action_mask"].dtype == np.int8
        mask = position.action_mask() if agent == view.agent_selection else 0
        assert (seen["action_mask"] == mask).all()
        assert (view.infos[agent]["action_mask"] == mask).all()


@small_tables
def test_an_illegal_action_changes_nothing(table):
    """Where no wrapper ends the game because of it."""
    view = begun(raw_env, table, seed=4)
    agent, before = view.agent_selection, view.state()
    with pytest.raises(IllegalMove):
        view.step(illegal_move(view))
    assert view.agent_selection == agent
    assert (view.state() == before).all()


# ---- the full state ------------------------------------------------------------------------------


@full_tables
def test_the_state_holds_every_number_of_the_record_but_chance(table):
    """Whatever differs in two records differs in their states, under the field's name."""
    game = registry.game(table.game)
    view = StateView(game)
    record = next(sampled(table, 1, 50)).record()
    before = view(record)
    assert list(view.fields) == [name for name in game.state.names or () if name != "random"]
    places = [place for part in view.fields.values() for place in range(part.start, part.stop)]
    assert places == list(range(len(before)))
    for name, part in view.fields.items():
        limits = np.iinfo(game.state[name].base)
        for place in range(part.stop - part.start):
            for value in (limits.min, limits.max):
                changed = record.copy()
                field = np.atleast_1d(changed[name])
                field.reshape(-1)[place] = value
                changed[name] = field.reshape(game.state[name].shape)
                state = view(changed)
                assert state[part.start + place] == value
                assert view.space.contains(state)
                others = np.delete(state, part.start + place)
                np.testing.assert_array_equal(others, np.delete(before, part.start + place))
    other = record.copy()
    other["random"] += np.uint64(1)
    np.testing.assert_array_equal(view(other), before)


@pytest.mark.parametrize("table", FULL_TABLES, ids=str)
def test_the_state_is_that_of_the_game_under_way(table):
    view = begun(env, table, seed=8)
    states = []
    while view.agents:
        state = view.state()
        assert state.dtype == np.int32
        assert view.state_space.contains(state)
        record = view.save_state().records[0]
        for name, part in view.state_fields.items():
            np.testing.assert_array_equal(state[part], np.ravel(record[name]))
        states.append(state.tobytes())
        state[:] = 0
        assert view.state().any()  # what was given out was a copy
        view.step(next_move(view))
    assert len(set(states)) > 50


# ---- the game that follows -----------------------------------------------------------------------


@full_tables
def test_reset_without_a_seed_deals_the_game_that_a_batch_deals_next(table):
    """After a game's end as in the middle of one."""
    view = begun(env, table, seed=35)
    batch = Batch(n=1, **table.arguments, seed=35)
    for steps in (1000, 40, 1000):
        advance(view, steps)
        batch.load([0], view.save_state().records)
        batch.restart([0])
        view.reset()
        observation = view.last()[0]
        assert view.agent_selection == f"player_{batch.to_move[0]}"
        np.testing.assert_array_equal(observation["observation"], batch.obs[0])
        np.testing.assert_array_equal(observation["action_mask"], batch.mask[0])
        assert (view.save_state().records["random"] == batch.save([0])["random"]).all()
        assert view.agents == view.possible_agents
        assert not any(view.rewards.values())


@small_tables
def test_the_first_game_without_a_seed_is_another_one_every_time(table):
    deals = {begun(raw_env, table, seed=None).state().tobytes() for _ in range(3)}
    assert len(deals) > 1
