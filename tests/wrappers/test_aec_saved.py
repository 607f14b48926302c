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

from shakespeare_env import env, raw_env, registry
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.contract.random_games import FULL_TABLES, Table
from tests.wrappers.aec_games import advance, length_of, next_move, rest_of, shown

makers = pytest.mark.parametrize("make", [raw_env, env])


# ---- going back ----------------------------------------------------------------------------------


@makers
@plain_tables
@pytest.mark.parametrize("reward", ["win", "score"])
def test_a_saved_game_goes_on_as_it_did(make, table, reward):
    """From its start, its middle, its last decision and from amid the leaving, and past its end."""
    steps = length_of(make, table, seed=21)
    for place in (
        0,
        steps // 2,
        steps - table.players - 1,
        steps - table.players,
        steps - 1,
        steps,
    ):
        view = make(**table.arguments, reward=reward)
        view.reset(seed=21)
        advance(view, place)
        saved = view.save_state()
        expected = rest_of(view)
        assert len(expected) == steps - place + 2
        advance(view, 30)
        view.load_state(saved)
        assert rest_of(view) == expected
        fresh = make(**table.arguments, reward=reward)
        fresh.load_state(saved)  # before any reset, and a second time
        assert rest_of(fresh) == expected


@full_tables
@makers
def test_saved_games_are_apart_from_each_other_and_from_the_environment(table, make):
    view = make(**table.arguments, reward="score")
    view.reset(seed=22)
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


@small_tables
@makers
def test_a_saved_game_can_be_pickled(table, make):
    view = make(**table.arguments)
    view.reset(seed=23)
    advance(view, 50)
    stored = pickle.dumps(view.save_state())
    expected = rest_of(view)
    other = make(**table.arguments)
    other.load_state(pickle.loads(stored))
    assert rest_of(other) == expected


@full_tables
@pytest.mark.parametrize("leaving", [0, 1, 2])
def test_a_game_that_an_illegal_move_ended_is_saved_as_that(table, leaving):
    view = env(**table.arguments)
    view.reset(seed=24)
    advance(view, 40)
    good = view.save_state()
    expected_good = rest_of(view)
    view.load_state(good)
    view.step(int(np.argmin(view.last()[0]["action_mask"])))
    assert all(view.truncations.values())
    advance(view, leaving)
    ended = view.save_state()
    expected = rest_of(view)
    assert len(expected) == table.players - leaving + 2
    other = env(**table.arguments)
    for target in (view, other):
        target.load_state(ended)
        assert rest_of(target) == expected
        target.load_state(good)
        assert rest_of(target) == expected_good
        target.load_state(ended)
        assert rest_of(target) == expected


@full_tables
@makers
def test_a_saved_game_of_another_table_is_refused_and_changes_nothing(table, make):
    fewer = Table(table.game, table.players - 1)
    view, other = make(**table.arguments), make(**fewer.arguments)
    view.reset(seed=25)
    other.reset(seed=25)
    before = shown(view)
    with pytest.raises(
        ValueError, match=f"has {fewer.players} seats, this environment {table.players}"
    ):
        view.load_state(other.save_state())
    assert shown(view) == before
    chess = np.zeros(1, [("random", np.uint64), ("players", np.int8), ("board", np.int8, 64)])
    chess["players"] = table.players
    foreign = replace(view.save_state(), records=chess)
    with pytest.raises(TypeError, match=f"not of {view.unwrapped.game.name}"):
        view.load_state(foreign)
    assert shown(view) == before
    expected = make(**table.arguments)
    expected.reset(seed=25)
    assert rest_of(view) == rest_of(expected)


@small_tables
def test_the_mask_seen_before_going_back_is_not_the_one_that_counts(table):
    """A move that is legal there is played, one that was legal elsewhere ends the game."""
    view = env(**table.arguments)
    view.reset(seed=26)
    saved = view.save_state()
    there = view.last()[0]["action_mask"].astype(bool)
    elsewhere = there
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
@makers
@pytest.mark.parametrize("wrong", [None, "a game", 3])
def test_only_what_was_saved_can_be_loaded(table, make, wrong):
    view = make(**table.arguments)
    with pytest.raises(TypeError, match="give what save_state returned"):
        view.load_state(wrong)


@small_tables
@pytest.mark.parametrize("name", ["save_state", "state", "render"])
def test_before_any_game_has_begun_there_is_none_to_be_seen(table, name):
    view = raw_env(**table.arguments, render_mode="ansi")
    with pytest.raises(ResetNeeded, match=rf"{name}\(\) before reset\(\)"):
        getattr(view, name)()
    with pytest.raises(ResetNeeded, match=r"observe\(\) before reset"):
        view.observe("player_0")
    with pytest.raises(ResetNeeded, match=r"step\(\) before reset"):
        view.step(0)


@small_tables
def test_when_everybody_has_left_a_step_asks_for_a_new_game(table):
    view = raw_env(**table.arguments)
    view.reset(seed=1)
    while view.agents:
        over = view.terminations[view.agent_selection]
        view.step(None if over else next_move(view))
    with pytest.raises(ResetNeeded, match="everybody has left"):
        view.step(None)


# ---- copies --------------------------------------------------------------------------------------

COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda view: pickle.loads(pickle.dumps(view)),
}
ways = pytest.mark.parametrize("way", COPIES)


@pytest.mark.parametrize("table", FULL_TABLES, ids=str)
@makers
@ways
@pytest.mark.parametrize("render_mode", [None, "ansi", "rgb_array", "human"])
def test_a_copy_can_be_made_before_a_game_begins(table, make, way, render_mode):
    view = make(**table.arguments, reward="rank", render_mode=render_mode)
    twin = COPIES[way](view)
    assert twin.render_mode == view.render_mode
    assert twin.max_num_agents == table.players
    assert twin.unwrapped._batch._options == view.unwrapped._batch._options
    if render_mode == "human":  # it would open a window
        return
    for both in (view, twin):
        both.reset(seed=1)
    assert rest_of(twin) == rest_of(view)


@full_tables
@makers
@ways
@pytest.mark.parametrize("render_mode", [None, "ansi"])
@pytest.mark.parametrize("left", [0, 1, 3, 4, 60])
def test_a_copy_goes_on_alike_and_on_its_own(table, make, way, render_mode, left):
    """In mid-game, before the last decision, when the game is over and when all have left."""
    steps = length_of(make, table, seed=27)
    view = make(**table.arguments, reward="score", render_mode=render_mode)
    view.reset(seed=27)
    advance(view, steps - left)
    twin, kept = COPIES[way](view), COPIES[way](view)
    before = shown(view)
    assert shown(twin) == before
    expected = rest_of(view)
    assert len(expected) == left + 2
    assert shown(twin) == before  # the original went on, the copy did not
    assert rest_of(twin) == expected
    assert shown(kept) == before
    assert rest_of(kept) == expected
    if render_mode == "ansi":
        assert twin.render() == view.render()


@full_tables
@ways
def test_a_copy_of_a_game_that_an_illegal_move_ended(table, way):
    view = env(**table.arguments)
    view.reset(seed=28)
    view.step(int(np.argmin(view.last()[0]["action_mask"])))
    twin = COPIES[way](view)
    assert rest_of(twin) == rest_of(view)


@small_tables
@ways
def test_a_copy_remembers_the_mask_that_its_original_was_shown(table, way):
    view = env(**table.arguments)
    view.reset(seed=29)
    view.last()
    twin = COPIES[way](view)
    assert rest_of(twin) == rest_of(view)


@small_tables
@makers
@ways
def test_a_copy_plays_the_game_that_everybody_plays(table, make, way):
    """There is one object a game, compared as such."""
    twin = COPIES[way](make(**table.arguments))
    assert twin.unwrapped.game is registry.game(twin.unwrapped.game.name)


@full_tables
@makers
@pytest.mark.parametrize("way", ["as made", *COPIES])
def test_every_mask_is_an_agents_own_to_change(table, make, way):
    """Other libraries make tensors of them, and some write into what they are given."""
    view = make(**table.arguments)
    view.reset(seed=30)
    if way != "as made":
        view = COPIES[way](view)
    for _ in range(2):
        legal = view.observe(view.agent_selection)["action_mask"].copy()
        for agent in view.agents:
            for mask in (view.infos[agent]["action_mask"], view.observe(agent)["action_mask"]):
                assert mask.any() == (agent == view.agent_selection)
                mask[:] = 0 if mask.any() else 1
        assert (view.observe(view.agent_selection)["action_mask"] == legal).all()
        view.reset() if view.terminations[view.agent_selection] else advance(view, 1)
