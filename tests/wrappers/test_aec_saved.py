"""A game in a PettingZoo environment that is saved, gone back to and copied."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from shakespeare_env import env, raw_env
from shakespeare_env.core import registry
from tests.contract.each_table import full_tables, small_tables
from tests.contract.random_games import FULL_TABLES, Table
from tests.wrappers.aec_games import advance, begun, illegal_move, next_move, rest_of, shown

COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda view: pickle.loads(pickle.dumps(view)),
}
makers = pytest.mark.parametrize("make", [raw_env, env])
ways = pytest.mark.parametrize("way", COPIES)


def length_of(make, table, seed):
    """How many steps a game takes, those of the agents that leave included."""
    return len(rest_of(begun(make, table, seed))) - 2


@makers
@full_tables
def test_a_saved_game_and_a_copy_go_on_as_it_did(make, table):
    """From its start, its middle, its last decision and from amid the leaving, and past its end."""
    steps = length_of(make, table, seed=21)
    last = steps - table.players - 1
    for place in (0, steps // 2, last, last + 1, steps - 1, steps):
        view = begun(make, table, 21, place, reward="score", render_mode="ansi")
        if place < steps:
            view.last()  # whose mask the checks remember
        saved, twins = view.save_state(), [way(view) for way in COPIES.values()]
        before, expected = shown(view), rest_of(view)
        assert len(expected) == steps - place + 2
        for twin in twins:
            assert shown(twin) == before  # the original went on, the copy did not
            assert rest_of(twin) == expected
            assert twin.render() == view.render()
        advance(view, 30)
        view.load_state(saved)
        assert rest_of(view) == expected
        fresh = make(**table.arguments, reward="score")
        fresh.load_state(pickle.loads(pickle.dumps(saved)))  # before any reset
        assert rest_of(fresh) == expected


@full_tables
def test_saved_games_are_apart_from_each_other_and_from_the_environment(table):
    view = begun(env, table, 22, reward="score")
    saved, expected = [], []
    for _ in range(4):
        saved.append(view.save_state())
        expected.append(shown(view))
        advance(view, 40)
    for number in (2, 0, 3, 1, 1):
        view.load_state(saved[number])
        assert shown(view) == expected[number]
        advance(view, 3)
        view.rewards["player_0"] = 77.0
        view.terminations["player_1"] = True
        view._cumulative_rewards.clear()
        view.agents.clear()


@full_tables
@pytest.mark.parametrize("leaving", [0, 1])
def test_a_game_that_an_illegal_move_ended_is_saved_and_copied_as_that(table, leaving):
    view = begun(env, table, 24, 40)
    good = view.save_state()
    expected_good = rest_of(view)
    view.load_state(good)
    view.step(illegal_move(view))
    assert all(view.truncations.values())
    advance(view, leaving)
    ended, twins = view.save_state(), [way(view) for way in COPIES.values()]
    expected = rest_of(view)
    assert len(expected) == table.players - leaving + 2
    for twin in twins:
        assert rest_of(twin) == expected
    for target in (view, env(**table.arguments)):
        for saved, rest in ((ended, expected), (good, expected_good), (ended, expected)):
            target.load_state(saved)
            assert rest_of(target) == rest


@full_tables
def test_what_cannot_be_loaded_is_refused_and_changes_nothing(table):
    view, fewer = begun(env, table, 25), Table(table.game, table.players - 1)
    before = shown(view)
    chess = np.zeros(1, [("random", np.uint64), ("players", np.int8), ("board", np.int8, 64)])
    chess["players"] = table.players
    refused: list[tuple[Any, type[Exception], str]] = [
        (begun(env, fewer, 25).save_state(), ValueError, f"has {fewer.players} seats, this"),
        (replace(view.save_state(), records=chess), TypeError, f"not of {table.game}"),
        (None, TypeError, "give what save_state returned"),
    ]
    for saved, fault, said in refused:
        with pytest.raises(fault, match=said):
            view.load_state(saved)
        assert shown(view) == before
    assert rest_of(view) == rest_of(begun(env, table, 25))


@small_tables
def test_the_mask_seen_before_going_back_is_not_the_one_that_counts(table):
    """A move that is legal there is played, one that was legal elsewhere ends the game."""
    view = begun(env, table, 26)
    saved = view.save_state()
    there = elsewhere = view.last()[0]["action_mask"].astype(bool)
    while (elsewhere & ~there).sum() == 0 or (there & ~elsewhere).sum() == 0:
        view.step(next_move(view))
        elsewhere = view.last()[0]["action_mask"].astype(bool)
    later = view.save_state()
    only_there, only_elsewhere = np.argmax([there & ~elsewhere, elsewhere & ~there], 1).tolist()
    cases = ((saved, only_there, only_elsewhere), (later, only_elsewhere, only_there))
    for target, legal, illegal in cases:
        for action in (legal, illegal):
            for before in (saved, later):
                view.load_state(before)
                view.last()  # the wrapper remembers this mask
                view.load_state(target)
                view.step(action)
                assert any(view.truncations.values()) == (action == illegal)


@small_tables
def test_where_no_game_is_under_way_a_reset_is_asked_for(table):
    view = raw_env(**table.arguments, render_mode="ansi")
    calls = {"save_state": (), "state": (), "render": (), "observe": ("player_0",), "step": (0,)}
    for name, arguments in calls.items():
        with pytest.raises(ResetNeeded, match=rf"{name}\(\) before reset\(\)"):
            getattr(view, name)(*arguments)
    view.reset(seed=1)
    advance(view, 1000)
    with pytest.raises(ResetNeeded, match="everybody has left"):
        view.step(None)


@pytest.mark.parametrize("table", FULL_TABLES, ids=str)
@pytest.mark.parametrize("render_mode", ["ansi", "human"])
@ways
def test_a_copy_can_be_made_before_a_game_begins(table, way, render_mode):
    view = env(**table.arguments, reward="rank", render_mode=render_mode)
    twin = COPIES[way](view)
    assert twin.render_mode == view.render_mode
    assert twin.max_num_agents == table.players
    assert twin.unwrapped._batch._options == view.unwrapped._batch._options
    # There is one object a game, compared as such.
    assert twin.unwrapped.game is registry.game(table.game)
    if render_mode == "human":  # it would open a window
        return
    for both in (view, twin):
        both.reset(seed=1)
    assert rest_of(twin) == rest_of(view)


@full_tables
@makers
@pytest.mark.parametrize("way", ["as made", *COPIES])
def test_every_mask_is_an_agents_own_to_change(table, make, way):
    """Other libraries make tensors of them, and some write into what they are given."""
    view = begun(make, table, 30)
    if way != "as made":
        view = COPIES[way](view)
    legal = view.observe(view.agent_selection)["action_mask"].copy()
    for agent in view.agents:
        for mask in (view.infos[agent]["action_mask"], view.observe(agent)["action_mask"]):
            assert mask.any() == (agent == view.agent_selection)
            mask[:] = 0 if mask.any() else 1
    assert (view.observe(view.agent_selection)["action_mask"] == legal).all()
