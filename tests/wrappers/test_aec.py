"""The PettingZoo view: the ecosystem's own checks, and what they do not look at.

`env` behaves as PettingZoo's three wrappers do, one on the other.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter, methodcaller
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    BaseWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from shakespeare_env import IllegalMove, Position, env, raw_env
from shakespeare_env.core import registry
from shakespeare_env.wrappers.spaces import StateView
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.contract.random_games import FULL_TABLES, sampled
from tests.wrappers.aec_games import advance, begun, illegal_move, next_move, rest_of, shown


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


@small_tables
def test_the_first_game_without_a_seed_is_another_one_every_time(table):
    deals = {begun(raw_env, table, seed=None).state().tobytes() for _ in range(3)}
    assert len(deals) > 1


def stacked_env(**arguments):
    """What `env` is to be like: PettingZoo's own wrappers, one on the other."""
    view = TerminateIllegalWrapper(raw_env(**arguments), illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(view))


def outcome(call, *arguments):
    """What a call returns or raises."""
    try:
        return ("returned", call(*arguments))
    except Exception as fault:
        return (type(fault), str(fault))


def both(table, seed=None, **arguments):
    views = [make(**table.arguments, **arguments) for make in (env, stacked_env)]
    for view in views if seed is not None else ():
        view.reset(seed=seed)
    return views


def plain(last):
    """The values of `last`, to be compared."""
    observation, *rest, info = last
    parts = None if observation is None else [part.tobytes() for part in observation.values()]
    return parts, *rest, {key: np.asarray(value).tobytes() for key, value in info.items()}


@plain_tables
def test_the_loop_yields_what_the_stacked_wrappers_yield(table):
    ours, theirs = both(table, seed=31, reward="score")
    for number, (agent, other) in enumerate(
        zip(ours.agent_iter(), theirs.agent_iter(), strict=True)
    ):
        assert agent == other
        assert plain(ours.last(number % 2 == 0)) == plain(theirs.last(number % 2 == 0))
        assert shown(ours) == shown(theirs)
        assert ours.num_agents == theirs.num_agents
        action = next_move(ours)
        for view in (ours, theirs):
            view.step(action)
    assert ours.agents == theirs.agents == []
    for view in (ours, theirs):
        view.step(0)  # a warning in both, and nothing else
        view.reset()
    assert shown(ours) == shown(theirs)


@full_tables
@pytest.mark.parametrize("seen", [True, False])
def test_an_illegal_move_ends_the_game_as_with_the_stacked_wrappers(table, seen, capsys):
    ours, theirs = both(table, seed=32)
    said = []
    for view in (ours, theirs):
        advance(view, 25)
        if seen:
            view.last()
        capsys.readouterr()
        view.step(illegal_move(view))
        said.append(capsys.readouterr())
    assert said[0] == said[1]
    assert shown(ours) == shown(theirs)
    assert outcome(ours.step, 0) == outcome(theirs.step, 0)  # None alone will do
    while theirs.agents:
        *last, info = plain(ours.last())
        *their_last, their_info = plain(theirs.last())
        assert last == their_last
        assert info.items() > their_info.items(), "it also says how the game ended"
        for view in (ours, theirs):
            view.step(None)
        assert shown(ours) == shown(theirs)
    assert not ours.agents


@small_tables
@pytest.mark.parametrize("action", [None, -1, 2**70, 0.5, "recruit", True])
def test_an_action_outside_the_space_is_refused_as_by_the_stacked_wrappers(table, action):
    ours, theirs = both(table, seed=33)
    before = shown(ours)
    refusal = outcome(ours.step, action)
    assert refusal == outcome(theirs.step, action)
    if action is not True:
        assert refusal == (AssertionError, "action is not in action space")
        assert shown(ours) == before
    assert rest_of(ours) == rest_of(theirs)


CALLS: list[Callable[[Any], Any]] = [
    lambda view: next(iter(view.agent_iter())),
    methodcaller("step", 0),
    methodcaller("observe", "player_0"),
    *map(methodcaller, ["last", "render", "state"]),
    *map(attrgetter, ["agents", "agent_selection", "rewards", "terminations", "truncations"]),
    *map(attrgetter, ["infos", "num_agents", "max_num_agents", "possible_agents", "metadata"]),
    *map(attrgetter, ["render_mode", "_private", "no_such_thing"]),
]


@small_tables
def test_before_reset_it_says_what_the_stacked_wrappers_say(table):
    ours, theirs = both(table)
    for call in CALLS:
        assert outcome(call, ours) == outcome(call, theirs)
    for view in (ours, theirs):
        with pytest.raises(AttributeError, match="_cumulative_rewards"):
            _ = view._cumulative_rewards


@small_tables
def test_a_loop_that_does_not_step_is_refused_as_by_the_stacked_wrappers(table):
    ours, theirs = (iter(view.agent_iter()) for view in both(table, seed=34))
    assert next(ours) == next(theirs)
    refusal = outcome(next, ours)
    assert refusal == outcome(next, theirs)
    assert refusal[0] is AssertionError


@small_tables
def test_it_reads_as_the_environment_it_holds(table):
    ours, theirs = both(table)
    assert str(ours) == str(theirs) == str(ours.unwrapped) == f"{table.game}_v0"
    assert isinstance(ours.unwrapped, raw_env)
    for wrapper in (OrderEnforcingWrapper, AssertOutOfBoundsWrapper, TerminateIllegalWrapper):
        assert isinstance(ours, wrapper)
    for agent in ours.possible_agents:
        assert ours.action_space(agent) is ours.action_space(agent)
        assert ours.observation_space(agent) is ours.observation_space(agent)
