"""The PettingZoo view: the ecosystem's own checks, and what they do not look at."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from shakespeare_env import Batch, IllegalMove, Position, env, raw_env

SEATS = (1, 2, 3, 4)


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
@pytest.mark.parametrize("players", SEATS)
def test_api(players, capsys):
    api_test(env(players=players), num_cycles=500)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("players", SEATS)
def test_seeds(players):
    seed_test(lambda: env(players=players), num_cycles=300)



@pytest.mark.parametrize("players", SEATS)
def test_same_game_as_batch_and_position(players):
    """From one seed and one choice of moves the views agree at every decision."""
    view = raw_env(players=players)
    view.reset(seed=11)
    batch = Batch("shakespeare", n=1, players=players, seed=11, autoreset=False)
    position = Position.new("shakespeare", players=players, seed=11)
    rng = np.random.default_rng(players)
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


@pytest.mark.parametrize("players", SEATS)
@pytest.mark.parametrize("reward", ["win", "margin", "rank", "prestige"])
def test_every_agent_gets_all_its_rewards(players, reward):
    """What `last` shows an agent over a game adds up to what the batch gave its seat."""
    view = env(players=players, reward=reward)
    view.reset(seed=3)
    batch = Batch("shakespeare", n=1, players=players, seed=3, autoreset=False, reward=reward)
    given = np.zeros(4)
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
    assert list(got.values()) == pytest.approx(given[:players].tolist(), abs=1e-5)
    if players > 1 and reward == "win":
        assert sum(got.values()) == pytest.approx(0.0, abs=1e-6)
        assert max(got.values()) > 0 > min(got.values())


def test_only_the_deciding_seat_has_a_mask_and_the_info_agrees():
    view = env(players=4)
    view.reset(seed=5)
    for agent, *_ in play(view, np.random.default_rng(5), steps=60):
        for other in view.agents:
            mask = view.observe(other)["action_mask"]
            assert mask.dtype == np.int8
            assert mask.any() == (other == agent)
            assert (view.infos[other]["action_mask"] == mask).all()


def test_when_the_game_is_over_nobody_may_do_anything():
    view = raw_env(players=3)
    view.reset(seed=2)
    ended = 0
    for _, observation, _, terminated, info in play(view, np.random.default_rng(2)):
        if terminated:
            ended += 1
            assert not observation["action_mask"].any()
            assert not info["action_mask"].any()
            assert observation["observation"].any()
    assert ended == 3


def test_masks_given_out_are_copies():
    view = raw_env(players=2)
    view.reset(seed=1)
    view.observe(view.agent_selection)["action_mask"][:] = 0
    assert view.observe(view.agent_selection)["action_mask"].any()


def test_illegal_actions():
    raw = raw_env(players=2)
    raw.reset(seed=4)
    agent = raw.agent_selection
    illegal = int(np.flatnonzero(raw.observe(agent)["action_mask"] == 0)[0])
    before = raw.observe(agent)["observation"]
    with pytest.raises(IllegalMove):
        raw.step(illegal)
    assert raw.agent_selection == agent
    assert (raw.observe(agent)["observation"] == before).all()

    wrapped = env(players=2)
    wrapped.reset(seed=4)
    wrapped.step(illegal)
    assert wrapped.terminations == {"player_0": True, "player_1": True}
    assert wrapped.rewards[agent] == -1
    wrapped.reset(seed=4)
    with pytest.raises(AssertionError, match="not in action space"):
        wrapped.step(10**6)


def test_reset_without_a_seed_goes_on_from_the_last_one():
    def three_games(view):
        view.reset(seed=9)
        games = [view.observe("player_0")["observation"].tolist()]
        for _ in range(2):
            view.reset()
            games.append(view.observe("player_0")["observation"].tolist())
        return games

    first = three_games(raw_env(players=2))
    assert three_games(raw_env(players=2)) == first
    assert first[0] != first[1] != first[2] != first[0]


def test_global_generators_are_left_alone():
    before = np.random.get_state(legacy=False)["state"]["key"].tolist()
    view = env(players=4)
    view.reset()
    for _ in play(view, np.random.default_rng(0), steps=20):
        pass
    assert np.random.get_state(legacy=False)["state"]["key"].tolist() == before


def test_arguments_are_checked_when_it_is_made():
    with pytest.raises(ValueError, match="render_mode='film'"):
        raw_env(render_mode="film")
    with pytest.raises(ValueError, match="players=5"):
        raw_env(players=5)
    with pytest.raises(ValueError, match="reward='fame'"):
        raw_env(reward="fame")
    with pytest.raises(TypeError, match="no option 'expansion'"):
        raw_env(expansion=True)
    assert raw_env(players=2, strategic_rest=True).metadata["name"] == "shakespeare_v0"


def test_it_can_be_pickled():
    twin = pickle.loads(pickle.dumps(raw_env(players=3, reward="rank", strategic_rest=True)))
    twin.reset(seed=1)
    assert twin.max_num_agents == 3


def test_rendering_as_text_is_the_position():
    view = raw_env(players=2, render_mode="ansi")
    view.reset(seed=6)
    assert view.render() == str(Position.new("shakespeare", players=2, seed=6))
