"""What a newcomer may try: refused at once, by name and with the remedy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded

from shakespeare_env import Batch, env, raw_env
from shakespeare_env.wrappers.gym import SeatEnv
from shakespeare_env.wrappers.sb3 import BatchVecEnv, SeatVecEnv
from shakespeare_env.wrappers.seat_games import SeatGames
from shakespeare_env.wrappers.vector import SeatVectorEnv


@pytest.mark.parametrize("name", ["seed", "n", "autoreset", "threads", "opponents"])
@pytest.mark.parametrize("make", [raw_env, env])
def test_what_is_no_argument_of_one_game_is_refused(make, name):
    with pytest.raises(TypeError, match=f"no option '{name}'"):
        make(players=2, **{name: 3})


@pytest.mark.parametrize("name", ["seed", "n", "autoreset"])
@pytest.mark.parametrize("make", [SeatEnv, SeatVectorEnv])
def test_nor_are_the_inner_ones_of_a_seat(make, name):
    with pytest.raises(TypeError, match=f"no option '{name}'"):
        make(players=2, **{name: 3})


def test_positional_arguments_mean_the_same_with_and_without_checks():
    assert env("shakespeare", 3).max_num_agents == raw_env("shakespeare", 3).max_num_agents == 3


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"n": 2.0}, TypeError, "n=2.0 must be an integer"),
        ({"n": True}, TypeError, "n=True must be an integer"),
        ({"n": None}, TypeError, "n=None must be an integer"),
        ({"n": 0}, ValueError, "n=0 must be from 1"),
        ({"threads": "2"}, TypeError, "threads='2' must be an integer"),
        ({"threads": 10**6}, ValueError, "threads=1000000 must be from 1 to 1024"),
        ({"box": 3}, TypeError, "box=3: give the path"),
    ],
)
def test_wrong_numbers_are_named(arguments, error, said):
    with pytest.raises(error, match=said):
        Batch(players=2, **arguments)


@pytest.mark.parametrize("action", [2**70, -(2**70), 2**40])
def test_a_number_beyond_all_bounds_is_an_illegal_action(action):
    view = SeatEnv(players=2)
    view.reset(seed=1)
    *_, info = view.step(action)
    assert info["illegal_action"]
    vec = SeatVecEnv(SeatGames(n=1, players=2, seed=1))
    vec.reset()
    assert vec.step(np.array([action]))[2].all()


@pytest.mark.parametrize("make", [SeatEnv, lambda **kw: SeatVectorEnv(2, **kw)])
def test_no_step_before_a_reset(make):
    view = make(players=2)
    with pytest.raises(ResetNeeded, match="no game is under way"):
        view.step(np.zeros(2, int))


def test_the_two_vec_envs_name_each_other():
    with pytest.raises(TypeError, match="for a Batch there is BatchVecEnv"):
        SeatVecEnv(Batch(players=2))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="for SeatGames there is SeatVecEnv"):
        BatchVecEnv(SeatGames(players=2))  # type: ignore[arg-type]


def test_methods_of_all_games_are_not_those_of_single_ones():
    view = SeatVecEnv(SeatGames(players=2), "rgb_array")
    for name in ("render", "close", "reset"):
        with pytest.raises(AttributeError, match="not a method of single games"):
            view.env_method(name)


@pytest.mark.parametrize(
    ("opponents", "said"), [("", "an agent needs a name"), ({"random": "a"}, "a weight of 0")]
)
def test_wrong_opponents_are_named(opponents, said):
    with pytest.raises(ValueError, match=said):
        SeatGames(players=2, opponents=opponents)


def test_whoever_fails_among_the_opponents_is_named():
    def clueless(observations, masks, rng):
        raise LookupError("no idea")

    with pytest.raises(LookupError) as caught:
        SeatGames(n=5, players=2, opponents=clueless, seed=0)
    assert any("agent" in note and "games" in note for note in caught.value.__notes__)


def test_wrappers_cannot_change_the_modes_of_others():
    view = env(players=2, render_mode="human")
    pettingzoo.utils.wrappers.CaptureStdoutWrapper(view)
    assert raw_env(players=2).metadata["render_modes"] == ["ansi", "rgb_array", "human"]
    assert raw_env.metadata["render_modes"] == ["ansi", "rgb_array", "human"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_worker_can_ask_a_network_that_its_parent_has_used():
    """Threads of a library that multiplies matrices would stay with the parent."""
    program = """
import os, signal, sys
import numpy as np
from agents.network import Network, NetworkAgent
from shakespeare_env import registry

game = registry.game("shakespeare")
shapes = Network.shapes(64, game.layout.size, game.actions.size)
weights = {name: np.ones(shape, np.float32) for name, shape in shapes.items()}
agent = NetworkAgent(Network(weights, game.layout))
views = np.zeros((600, game.layout.size), np.int8), np.ones((600, game.actions.size), bool)
agent.act(*views, np.random.default_rng(0))
child = os.fork()
if child == 0:
    signal.alarm(20)
    agent.act(*views, np.random.default_rng(0))
    os._exit(0)
sys.exit(os.waitpid(child, 0)[1] != 0)
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    assert done.returncode == 0


def test_make_passes_on_what_is_refused():
    with pytest.raises(TypeError, match="no option 'seed'"):
        gymnasium.make("Shakespeare-v0", seed=3)
