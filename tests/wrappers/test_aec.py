"""The PettingZoo views: the ecosystem's own checks, and what they do not look at.

`env` behaves as PettingZoo's three wrappers do, one on the other.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from operator import attrgetter, methodcaller
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.test.state_test import test_state_space as check_state_space
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from shakespeare_env import env, parallel_env, raw_env
from shakespeare_env.core import registry
from shakespeare_env.wrappers.spaces import StateView
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.contract.random_games import sampled
from tests.wrappers.aec_games import advance, begun, illegal_move, next_move, rest_of, shown

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
    record = next(sampled(table, 1, 50)).record()
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
    """From its start, its middle, its last decision and from amid the leaving, and past its end."""
    steps = len(rest_of(begun(make, table, 21))) - 2
    last = steps - table.players - 1
    for place in (0, steps // 2, last, last + 1, steps):
        view = begun(make, table, 21, place, reward="score")
        twins, before, expected = [way(view) for way in COPIES], shown(view), rest_of(view)
        for twin in twins:
            assert shown(twin) == before  # the original went on, the copy did not
            assert rest_of(twin) == expected
    view = begun(make, table, 24, 40)
    if make is env:
        view.step(illegal_move(view))
        twins, expected = [way(view) for way in COPIES], rest_of(view)
        assert [rest_of(twin) for twin in twins] == [expected, expected]


@full_tables
@pytest.mark.parametrize("make", [raw_env, env])
def test_every_mask_is_an_agents_own_to_change(table, make):
    """Other libraries make tensors of them, and some write into what they are given."""
    view = begun(make, table, 30)
    legal = view.observe(view.agent_selection)["action_mask"].copy()
    for agent in view.agents:
        for mask in (view.infos[agent]["action_mask"], view.observe(agent)["action_mask"]):
            assert mask.any() == (agent == view.agent_selection)
            mask[:] = 0 if mask.any() else 1
    assert (view.observe(view.agent_selection)["action_mask"] == legal).all()


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


@small_tables
def test_the_loop_yields_what_the_stacked_wrappers_yield(table):
    ours, theirs = both(table, seed=31, reward="score")
    agents = zip(ours.agent_iter(), theirs.agent_iter(), strict=True)
    for number, (agent, other) in enumerate(agents):
        assert agent == other
        assert plain(ours.last(number % 2 == 0)) == plain(theirs.last(number % 2 == 0))
        assert shown(ours) == shown(theirs)
        action = next_move(ours)
        for view in (ours, theirs):
            view.step(action)
    assert ours.agents == theirs.agents == []


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


CALLS: list[Callable[[Any], Any]] = [
    lambda view: next(iter(view.agent_iter())),
    methodcaller("step", 0),
    methodcaller("observe", "player_0"),
    *map(methodcaller, ["last", "render", "state"]),
    *map(attrgetter, ["agents", "agent_selection", "rewards", "terminations", "infos"]),
    *map(attrgetter, ["num_agents", "possible_agents", "metadata", "_private", "no_such_thing"]),
]


@small_tables
def test_faults_are_those_of_the_stacked_wrappers(table):
    ours, theirs = both(table)
    for call in CALLS:
        assert outcome(call, ours) == outcome(call, theirs)
    ours, theirs = both(table, seed=33)
    before = shown(ours)
    for action in (None, -1, 2**70, 0.5, "recruit"):
        refusal = outcome(ours.step, action)
        assert refusal == outcome(theirs.step, action)
        assert refusal[0] is AssertionError
        assert shown(ours) == before
    assert str(ours) == str(theirs) == f"{table.game}_v0"
