"""`env` behaves as PettingZoo's three wrappers do, one on the other."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter, methodcaller
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
from tests.wrappers.aec_games import advance, illegal_move, next_move, rest_of, shown


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
