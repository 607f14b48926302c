"""The PettingZoo view: the ecosystem's own checks, and what they do not look at."""

from __future__ import annotations

import itertools
import pickle
import random
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, seed_test
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space
from pettingzoo.utils.wrappers import BaseWrapper

from shakespeare_env import Batch, IllegalMove, Position, env, raw_env, registry
from shakespeare_env.wrappers.state import StateView
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.contract.random_games import FULL_TABLES, TABLES, sampled
from tests.wrappers.aec_games import advance, next_move

makers = pytest.mark.parametrize("make", [raw_env, env])


def play(environment, rng, *, steps=10**6):
    """Play at random; yields (agent, last) before each step and after the last one None."""
    for agent in environment.agent_iter(steps):
        observation, reward, terminated, truncated, info = environment.last()
        yield agent, observation, reward, terminated, info
        if terminated or truncated:
            environment.step(None)
        else:
            legal = np.flatnonzero(observation["action_mask"])
            environment.step(int(rng.choice(legal)))


# api_test expects plain Box observations unless it knows the environment's name, and warns that a
# finished agent has no legal action.
@pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action mask numpy array is all zeros",
)
@plain_tables
def test_api(table, capsys):
    api_test(env(**table.arguments), num_cycles=500)
    assert "Passed API test" in capsys.readouterr().out


@plain_tables
def test_seeds(table):
    seed_test(lambda: env(**table.arguments), num_cycles=300)


@plain_tables
def test_same_game_as_batch_and_position(table):
    """From one seed and one choice of moves the views agree at every decision."""
    view = raw_env(**table.arguments)
    view.reset(seed=11)
    batch = Batch(n=1, **table.arguments, seed=11, autoreset=False)
    position = Position.new(**table.arguments, seed=11)
    rng = np.random.default_rng(table.players)
    for agent, observation, _, terminated, _ in play(view, rng):
        if terminated:
            continue
        assert agent == f"player_{batch.to_move[0]}" == f"player_{position.to_move}"
        assert (observation["observation"] == batch.obs[0]).all()
        assert (observation["action_mask"] == batch.mask[0]).all()
        assert (observation["action_mask"] == position.action_mask()).all()
        upcoming = np.random.default_rng()
        upcoming.bit_generator.state = rng.bit_generator.state
        action = int(upcoming.choice(np.flatnonzero(batch.mask[0])))
        batch.step(np.array([action]))
        position.push(position.move_text(action))
    assert batch.to_move[0] == -1
    assert position.to_move is None
    assert not view.agents


@plain_tables
@pytest.mark.parametrize("reward", ["win", "margin", "rank", "score"])
def test_every_agent_gets_all_its_rewards(table, reward):
    """What `last` shows an agent over a game adds up to what the batch gave its seat."""
    view = env(**table.arguments, reward=reward)
    view.reset(seed=3)
    batch = Batch(n=1, **table.arguments, seed=3, autoreset=False, reward=reward)
    given = np.zeros(view.unwrapped.game.max_seats)
    got = dict.fromkeys(view.agents, 0.0)
    finished = []
    rng = np.random.default_rng(0)
    for agent, observation, value, terminated, _ in play(view, rng):
        got[agent] += value
        if terminated:
            finished.append(agent)
            continue
        upcoming = np.random.default_rng()
        upcoming.bit_generator.state = rng.bit_generator.state
        action = int(upcoming.choice(np.flatnonzero(observation["action_mask"])))
        rewards, _ = batch.step(np.array([action]))
        given += rewards[0]
    assert finished == view.possible_agents
    assert list(got.values()) == pytest.approx(given[: table.players].tolist(), abs=1e-5)
    if table.players > 1 and reward == "win":
        assert sum(got.values()) == pytest.approx(0.0, abs=1e-6)
        assert max(got.values()) > 0 > min(got.values())


@full_tables
def test_only_the_deciding_seat_has_a_mask_and_the_info_agrees(table):
    view = env(**table.arguments)
    view.reset(seed=5)
    for agent, *_ in play(view, np.random.default_rng(5), steps=60):
        for other in view.agents:
            mask = view.observe(other)["action_mask"]
            assert mask.dtype == np.int8
            assert mask.any() == (other == agent)
            assert (view.infos[other]["action_mask"] == mask).all()


@full_tables
def test_when_the_game_is_over_nobody_may_do_anything(table):
    view = raw_env(**table.arguments)
    view.reset(seed=2)
    ended = 0
    for _, observation, _, terminated, info in play(view, np.random.default_rng(2)):
        if terminated:
            ended += 1
            assert not observation["action_mask"].any()
            assert not info["action_mask"].any()
            assert observation["observation"].any()
    assert ended == table.players


@small_tables
def test_masks_given_out_are_copies(table):
    view = raw_env(**table.arguments)
    view.reset(seed=1)
    view.observe(view.agent_selection)["action_mask"][:] = 0
    assert view.observe(view.agent_selection)["action_mask"].any()


@small_tables
def test_illegal_actions(table):
    raw = raw_env(**table.arguments)
    raw.reset(seed=4)
    agent = raw.agent_selection
    illegal = int(np.flatnonzero(raw.observe(agent)["action_mask"] == 0)[0])
    before = raw.observe(agent)["observation"]
    with pytest.raises(IllegalMove):
        raw.step(illegal)
    assert raw.agent_selection == agent
    assert (raw.observe(agent)["observation"] == before).all()

    wrapped = env(**table.arguments)
    wrapped.reset(seed=4)
    wrapped.step(illegal)
    assert wrapped.terminations == dict.fromkeys(wrapped.possible_agents, True)
    assert wrapped.rewards[agent] == -1
    wrapped.reset(seed=4)
    with pytest.raises(AssertionError, match="not in action space"):
        wrapped.step(10**6)


@small_tables
def test_reset_without_a_seed_goes_on_from_the_last_one(table):
    def three_games(view):
        view.reset(seed=9)
        games = [view.observe("player_0")["observation"].tolist()]
        for _ in range(2):
            view.reset()
            games.append(view.observe("player_0")["observation"].tolist())
        return games

    first = three_games(raw_env(**table.arguments))
    assert three_games(raw_env(**table.arguments)) == first
    assert first[0] != first[1] != first[2] != first[0]


@full_tables
def test_global_generators_are_left_alone(table):
    before = np.random.get_state(legacy=False)["state"]["key"].tolist()
    view = env(**table.arguments)
    view.reset()
    for _ in play(view, np.random.default_rng(0), steps=20):
        pass
    assert np.random.get_state(legacy=False)["state"]["key"].tolist() == before


@pytest.mark.parametrize("table", FULL_TABLES, ids=str)
def test_arguments_are_checked_when_it_is_made(table):
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"render_mode": "film"}, ValueError, "render_mode='film'"),
        ({"players": 99}, ValueError, "players=99"),
        ({"reward": "fame"}, ValueError, "reward='fame'"),
        ({"expansion": True}, TypeError, "unexpected keyword argument 'expansion'"),
    ]
    for arguments, fault, said in wrong:
        with pytest.raises(fault, match=said):
            raw_env(**(table.arguments | arguments))
    assert raw_env(**table.arguments).metadata["name"] == f"{table.game}_v0"


@pytest.mark.parametrize("table", FULL_TABLES, ids=str)
def test_it_can_be_pickled(table):
    twin = pickle.loads(pickle.dumps(raw_env(**table.arguments, reward="rank")))
    twin.reset(seed=1)
    assert twin.max_num_agents == table.players


@small_tables
def test_rendering_as_text_is_the_position(table):
    view = raw_env(**table.arguments, render_mode="ansi")
    view.reset(seed=6)
    assert view.render() == str(Position.new(**table.arguments, seed=6))


# ---- the ecosystem's other checks ----------------------------------------------------------------


def sampling_legally(view):
    """An environment whose action spaces sample legal actions, for checks that know no masks."""

    def action_space(agent):
        space, mask = view.action_space(agent), view.observe(agent)["action_mask"]
        return SimpleNamespace(sample=lambda: space.sample(mask))

    wrapped = BaseWrapper(view)
    wrapped.action_space = action_space
    return wrapped


@plain_tables
def test_state_passes_pettingzoos_checks(table):
    view = env(**table.arguments)
    for agent in view.possible_agents:
        view.action_space(agent).seed(table.players)
    check_state_space(view)
    check_state(sampling_legally(view), num_cycles=1000, seed=table.players)
    assert view.terminations == {}  # to the end
    assert not view.truncations


@full_tables
def test_performance_benchmark(table, monkeypatch, capsys):
    """With a clock that reaches its five seconds after a few games, and repeatable moves."""
    module = sys.modules[performance_benchmark.__module__]
    clock = itertools.count(0.0, 0.02)
    monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: next(clock)))
    monkeypatch.setattr(module, "random", random.Random(0))
    performance_benchmark(env(**table.arguments))
    assert "Finished performance benchmark" in capsys.readouterr().out


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


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_the_state_is_that_of_the_game_under_way(table):
    view = env(**table.arguments)
    view.reset(seed=8)
    states = []
    for _ in play(view, np.random.default_rng(8)):
        state = view.state()
        assert state.dtype == np.int32
        assert view.state_space.contains(state)
        record = view.save_state().records[0]
        for name, part in view.state_fields.items():
            np.testing.assert_array_equal(state[part], np.ravel(record[name]))
        states.append(state)
    assert len({state.tobytes() for state in states}) > 50
    state = view.state()
    state[:] = 0
    assert view.state().any()  # what was given out was a copy


# ---- the game that follows -----------------------------------------------------------------------


@makers
@plain_tables
def test_reset_without_a_seed_deals_the_game_that_a_batch_deals_next(make, table):
    view = make(**table.arguments)
    view.reset(seed=35)
    batch = Batch(n=1, **table.arguments, seed=35, autoreset=True)
    for _ in range(2):
        while not any(view.terminations.values()):
            action = next_move(view)
            view.step(action)
            batch.step([action])
        view.reset()
        observation = view.last()[0]
        assert batch.done[0]
        assert view.agent_selection == f"player_{batch.to_move[0]}"
        np.testing.assert_array_equal(observation["observation"], batch.obs[0])
        np.testing.assert_array_equal(observation["action_mask"], batch.mask[0])
        assert (view.save_state().records["random"] == batch.save([0])["random"]).all()
        assert view.agents == view.possible_agents
        assert not any(view.rewards.values())


@full_tables
@makers
def test_reset_without_a_seed_in_mid_game_goes_on_with_chance_where_it_stands(table, make):
    view = make(**table.arguments)
    view.reset(seed=36)
    advance(view, 40)
    batch = Batch(n=1, **table.arguments)
    batch.load([0], view.save_state().records)
    batch.restart([0])
    view.reset()
    np.testing.assert_array_equal(view.last()[0]["observation"], batch.obs[0])
    assert (view.save_state().records["random"] == batch.save([0])["random"]).all()


@full_tables
@makers
def test_the_first_game_without_a_seed_is_another_one_every_time(table, make):
    deals = set()
    for _ in range(3):
        view = make(**table.arguments)
        view.reset()
        deals.add(view.state().tobytes())
    assert len(deals) > 1
