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
from tests.wrappers.aec_games import advance, length_of, next_move, rest_of, shown

SEATS = (1, 2, 3, 4)
makers = pytest.mark.parametrize("make", [raw_env, env])


# ---- going back ----------------------------------------------------------------------------------


@makers
@pytest.mark.parametrize("players", SEATS)
@pytest.mark.parametrize("reward", ["win", "prestige"])
def test_a_saved_game_goes_on_as_it_did(make, players, reward):
    """From its start, its middle, its last decision and from amid the leaving, and past its end."""
    steps = length_of(make, players, seed=21)
    for place in (0, steps // 2, steps - players - 1, steps - players, steps - 1, steps):
        view = make(players=players, reward=reward)
        view.reset(seed=21)
        advance(view, place)
        saved = view.save_state()
        expected = rest_of(view)
        assert len(expected) == steps - place + 2
        advance(view, 30)
        view.load_state(saved)
        assert rest_of(view) == expected
        fresh = make(players=players, reward=reward)
        fresh.load_state(saved)  # before any reset, and a second time
        assert rest_of(fresh) == expected


@makers
def test_saved_games_are_apart_from_each_other_and_from_the_environment(make):
    view = make(players=3, reward="prestige")
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


@makers
def test_a_saved_game_can_be_pickled(make):
    view = make(players=2)
    view.reset(seed=23)
    advance(view, 50)
    stored = pickle.dumps(view.save_state())
    expected = rest_of(view)
    other = make(players=2)
    other.load_state(pickle.loads(stored))
    assert rest_of(other) == expected


@pytest.mark.parametrize("leaving", [0, 1, 2])
def test_a_game_that_an_illegal_move_ended_is_saved_as_that(leaving):
    view = env(players=3)
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
    assert len(expected) == 3 - leaving + 2
    other = env(players=3)
    for target in (view, other):
        target.load_state(ended)
        assert rest_of(target) == expected
        target.load_state(good)
        assert rest_of(target) == expected_good
        target.load_state(ended)
        assert rest_of(target) == expected


@makers
def test_a_saved_game_of_another_table_is_refused_and_changes_nothing(make):
    view, other = make(players=2), make(players=3)
    view.reset(seed=25)
    other.reset(seed=25)
    before = shown(view)
    with pytest.raises(ValueError, match="saved game has 3 seats, this environment 2"):
        view.load_state(other.save_state())
    assert shown(view) == before
    chess = np.zeros(1, [("random", np.uint64), ("players", np.int8), ("board", np.int8, 64)])
    chess["players"] = 2
    foreign = replace(view.save_state(), records=chess)
    with pytest.raises(TypeError, match=f"not of {view.unwrapped.game.name}"):
        view.load_state(foreign)
    assert shown(view) == before
    expected = make(players=2)
    expected.reset(seed=25)
    assert rest_of(view) == rest_of(expected)


def test_the_mask_seen_before_going_back_is_not_the_one_that_counts():
    """A move that is legal there is played, one that was legal elsewhere ends the game."""
    view = env(players=2)
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


@makers
@pytest.mark.parametrize("wrong", [None, "a game", 3])
def test_only_what_was_saved_can_be_loaded(make, wrong):
    view = make(players=2)
    with pytest.raises(TypeError, match="give what save_state returned"):
        view.load_state(wrong)


@pytest.mark.parametrize("name", ["save_state", "state", "render"])
def test_before_any_game_has_begun_there_is_none_to_be_seen(name):
    view = raw_env(players=2, render_mode="ansi")
    with pytest.raises(ResetNeeded, match=rf"{name}\(\) before reset\(\)"):
        getattr(view, name)()
    with pytest.raises(ResetNeeded, match=r"observe\(\) before reset"):
        view.observe("player_0")
    with pytest.raises(ResetNeeded, match=r"step\(\) before reset"):
        view.step(0)


def test_when_everybody_has_left_a_step_asks_for_a_new_game():
    view = raw_env(players=2)
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


@makers
@ways
@pytest.mark.parametrize("render_mode", [None, "ansi", "rgb_array", "human"])
def test_a_copy_can_be_made_before_a_game_begins(make, way, render_mode):
    view = make(players=3, reward="rank", render_mode=render_mode, strategic_rest=True)
    twin = COPIES[way](view)
    assert twin.render_mode == view.render_mode
    assert twin.max_num_agents == 3
    assert twin.unwrapped._batch._options == view.unwrapped._batch._options
    if render_mode == "human":  # it would open a window
        return
    for both in (view, twin):
        both.reset(seed=1)
    assert rest_of(twin) == rest_of(view)


@makers
@ways
@pytest.mark.parametrize("render_mode", [None, "ansi"])
@pytest.mark.parametrize("left", [0, 1, 3, 4, 60])
def test_a_copy_goes_on_alike_and_on_its_own(make, way, render_mode, left):
    """In mid-game, before the last decision, when the game is over and when all have left."""
    steps = length_of(make, 3, seed=27)
    view = make(players=3, reward="prestige", render_mode=render_mode)
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


@ways
def test_a_copy_of_a_game_that_an_illegal_move_ended(way):
    view = env(players=3)
    view.reset(seed=28)
    view.step(int(np.argmin(view.last()[0]["action_mask"])))
    twin = COPIES[way](view)
    assert rest_of(twin) == rest_of(view)


@ways
def test_a_copy_remembers_the_mask_that_its_original_was_shown(way):
    view = env(players=2)
    view.reset(seed=29)
    view.last()
    twin = COPIES[way](view)
    assert rest_of(twin) == rest_of(view)


@makers
@ways
def test_a_copy_plays_the_game_that_everybody_plays(make, way):
    """There is one object a game, compared as such."""
    twin = COPIES[way](make(players=2))
    assert twin.unwrapped.game is registry.game(twin.unwrapped.game.name)


@makers
@pytest.mark.parametrize("way", ["as made", *COPIES])
def test_nobody_can_change_the_empty_mask_of_those_who_are_not_to_decide(make, way):
    """All of them are shown the same array, before and after a decision."""
    view = make(players=3)
    view.reset(seed=30)
    if way != "as made":
        view = COPIES[way](view)
    for _ in range(2):
        waiting = next(agent for agent in view.agents if agent != view.agent_selection)
        with pytest.raises(ValueError, match="read-only"):
            view.infos[waiting]["action_mask"][:] = 1
        advance(view, 1)
