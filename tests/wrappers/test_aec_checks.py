"""`env` behaves as PettingZoo's three wrappers do, one on the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from shakespeare_env import env, raw_env
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.wrappers.aec_games import advance, next_move, rest_of, shown


def stacked_env(**arguments):
    """What `env` is to be like: PettingZoo's own wrappers, one on the other."""
    view = TerminateIllegalWrapper(raw_env(**arguments), illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(view))


def outcome(call):
    """What a call returns or raises."""
    try:
        return ("returned", call())
    except Exception as fault:
        return (type(fault), str(fault))


def both(seed=None, **arguments):
    views = env(**arguments), stacked_env(**arguments)
    if seed is not None:
        for view in views:
            view.reset(seed=seed)
    return views


def plain(last):
    """The values of `last`, to be compared."""
    observation, reward, terminated, truncated, info = last
    parts = None if observation is None else [part.tobytes() for part in observation.values()]
    return (
        parts,
        reward,
        terminated,
        truncated,
        {k: np.asarray(v).tobytes() for k, v in info.items()},
    )


@plain_tables
@pytest.mark.parametrize("reward", ["win", "score"])
@pytest.mark.parametrize("observe", [True, False])
def test_the_loop_yields_what_the_stacked_wrappers_yield(table, reward, observe):
    ours, theirs = both(seed=31, **table.arguments, reward=reward)
    pairs = itertools.zip_longest(ours.agent_iter(), theirs.agent_iter())
    for agent, other in pairs:
        assert agent == other
        assert plain(ours.last(observe)) == plain(theirs.last(observe))
        assert shown(ours) == shown(theirs)
        assert ours.num_agents == theirs.num_agents
        action = next_move(ours)
        assert action == next_move(theirs)
        for view in (ours, theirs):
            view.step(action)
    assert ours.agents == theirs.agents == []
    assert shown(ours) == shown(theirs)
    for view in (ours, theirs):
        view.step(0)  # a warning in both, and nothing else
        view.reset()
    assert shown(ours) == shown(theirs)


@full_tables
@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize("place", [0, 25])
def test_an_illegal_move_ends_the_game_as_with_the_stacked_wrappers(table, seen, place, capsys):
    ours, theirs = both(seed=32, **table.arguments)
    said = []
    for view in (ours, theirs):
        advance(view, place)
        if seen:
            view.last()
        capsys.readouterr()
        view.step(int(np.argmin(view.unwrapped._batch.mask[0])))
        said.append(capsys.readouterr())
    assert said[0] == said[1]
    assert shown(ours) == shown(theirs)
    assert outcome(lambda: ours.step(0)) == outcome(lambda: theirs.step(0))  # None alone will do
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
@pytest.mark.parametrize("action", [None, -1, 10**6, 2**70, 0.5, "recruit", True, np.int64(-3)])
def test_an_action_outside_the_space_is_refused_as_by_the_stacked_wrappers(table, action):
    ours, theirs = both(seed=33, **table.arguments)
    before = shown(ours)
    refusals = [outcome(lambda view=view: view.step(action)) for view in (ours, theirs)]
    assert refusals[0] == refusals[1]
    assert shown(ours) == shown(theirs)
    if action is not True:
        assert refusals[0] == (AssertionError, "action is not in action space")
        assert shown(ours) == before
    assert rest_of(ours) == rest_of(theirs)


CALLS: dict[str, Callable[[Any], Any]] = {
    "step": lambda view: view.step(0),
    "observe": lambda view: view.observe("player_0"),
    "last": lambda view: view.last(),
    "render": lambda view: view.render(),
    "state": lambda view: view.state(),
    "agent_iter": lambda view: next(iter(view.agent_iter())),
    "_private": lambda view: view._private,
    "no_such_thing": lambda view: view.no_such_thing,
    **{
        name: attrgetter(name)
        for name in (
            "agents",
            "agent_selection",
            "rewards",
            "terminations",
            "truncations",
            "infos",
            "num_agents",
            "max_num_agents",
            "possible_agents",
            "metadata",
            "render_mode",
        )
    },
}


@small_tables
@pytest.mark.parametrize("name", CALLS)
def test_before_reset_it_says_what_the_stacked_wrappers_say(table, name):
    ours, theirs = (
        outcome(lambda view=view: CALLS[name](view)) for view in both(**table.arguments)
    )
    assert ours == theirs


@small_tables
def test_before_reset_no_sum_of_rewards_is_to_be_had(table):
    for view in both(**table.arguments):
        with pytest.raises(AttributeError, match="_cumulative_rewards"):
            _ = view._cumulative_rewards


@small_tables
def test_a_loop_that_does_not_step_is_refused_as_by_the_stacked_wrappers(table):
    refusals = []
    for view in both(seed=34, **table.arguments):
        loop = iter(view.agent_iter())
        next(loop)
        refusals.append(outcome(lambda loop=loop: next(loop)))
    assert refusals[0] == refusals[1]
    assert refusals[0][0] is AssertionError


@small_tables
def test_it_reads_as_the_environment_it_holds(table):
    ours, theirs = both(**table.arguments)
    assert str(ours) == str(theirs) == str(ours.unwrapped) == f"{table.game}_v0"
    assert isinstance(ours.unwrapped, raw_env)
    for wrapper in (OrderEnforcingWrapper, AssertOutOfBoundsWrapper, TerminateIllegalWrapper):
        assert isinstance(ours, wrapper)
    for agent in ours.possible_agents:
        assert ours.action_space(agent) is ours.action_space(agent)
        assert ours.observation_space(agent) is ours.observation_space(agent)
