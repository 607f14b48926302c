"""What a newcomer may try: refused at once, by name and with the remedy."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded

from shakespeare_env import Batch, Position, env, raw_env, registry
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv, SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract.each_table import full_tables, small_tables


@small_tables
@pytest.mark.parametrize("name", ["seed", "n", "autoreset", "threads", "opponents"])
@pytest.mark.parametrize("make", [raw_env, env])
def test_what_is_no_argument_of_one_game_is_refused(table, make, name):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        make(**table.arguments, **{name: 3})


@small_tables
@pytest.mark.parametrize("name", ["seed", "n", "autoreset"])
@pytest.mark.parametrize("make", [SingleAgentEnv, SingleAgentVectorEnv])
def test_nor_are_the_inner_ones_of_a_seat(table, make, name):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        make(**table.arguments, **{name: 3})


@full_tables
def test_an_unknown_argument_is_refused_in_pythons_words_with_those_there_are(table):
    """Libraries probe with arguments of their own, and read Python's words to go on without."""
    variants = list(registry.game(table.game).options)
    cases: list[tuple[Any, str, list[str]]] = [
        (raw_env, "raw_env.__init__", ["game", "players", "reward", "render_mode", "box"]),
        (env, "raw_env.__init__", ["game", "players", "reward", "render_mode", "box"]),
        (SingleAgentEnv, "SingleAgentEnv.__init__", ["seat", "opponents", "render_mode"]),
        (SingleAgentVectorEnv, "SingleAgentVectorEnv.__init__", ["num_envs", "threads"]),
        (SingleAgentBatch, "SingleAgentBatch.__init__", ["n", "seed", "opponents"]),
        (Batch, "Batch.__init__", ["n", "seed", "autoreset", "threads"]),
        (Position.new, "Position.new", ["players", "seed", "box"]),
    ]
    for make, name, taken in cases:
        with pytest.raises(TypeError) as caught:
            make(**table.arguments, frameskip=4)
        said, _, listed = str(caught.value).partition("; it takes: ")
        assert said == f"{name}() got an unexpected keyword argument 'frameskip'"
        assert {*taken, *variants} <= set(listed.split(", "))
        assert not {"self", "cls", "options"} & set(listed.split(", "))
        with pytest.raises(TypeError, match=r"keyword argument 'player', did you mean 'players'\?"):
            make(game=table.game, players=table.players, player=2)


@small_tables
def test_positional_arguments_mean_the_same_with_and_without_checks(table):
    for make in (env, raw_env):
        assert make(table.game, table.players).max_num_agents == table.players


@small_tables
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
def test_wrong_numbers_are_named(table, arguments, error, said):
    with pytest.raises(error, match=said):
        Batch(**table.arguments, **arguments)


@small_tables
@pytest.mark.parametrize("action", [2**70, -(2**70), 2**40])
def test_a_number_beyond_all_bounds_is_an_illegal_action(table, action):
    view = SingleAgentEnv(**table.arguments)
    view.reset(seed=1)
    *_, info = view.step(action)
    assert info["illegal_action"]
    vec = SB3SingleAgentVecEnv(SingleAgentBatch(n=1, **table.arguments, seed=1))
    vec.reset()
    assert vec.step(np.array([action]))[2].all()


@small_tables
@pytest.mark.parametrize("make", [SingleAgentEnv, lambda **kw: SingleAgentVectorEnv(2, **kw)])
def test_no_step_before_a_reset(table, make):
    view = make(**table.arguments)
    with pytest.raises(ResetNeeded, match="no game in progress"):
        view.step(np.zeros(2, int))


@small_tables
def test_the_two_vec_envs_name_each_other(table):
    with pytest.raises(TypeError, match="give a SingleAgentBatch; SB3SelfPlayVecEnv takes a Batch"):
        SB3SingleAgentVecEnv(Batch(**table.arguments))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="give a Batch; SB3SingleAgentVecEnv takes a Single"):
        SB3SelfPlayVecEnv(SingleAgentBatch(**table.arguments))  # type: ignore[arg-type]


@small_tables
def test_methods_of_all_games_are_not_those_of_single_ones(table):
    view = SB3SingleAgentVecEnv(SingleAgentBatch(**table.arguments), "rgb_array")
    for name in ("render", "close", "reset"):
        with pytest.raises(AttributeError, match="not a method of single games"):
            view.env_method(name)


@small_tables
@pytest.mark.parametrize(
    ("opponents", "said"), [("", "an agent needs a name"), ({"random": "a"}, "a weight of 0")]
)
def test_wrong_opponents_are_named(table, opponents, said):
    with pytest.raises(ValueError, match=said):
        SingleAgentBatch(**table.arguments, opponents=opponents)


@small_tables
def test_whoever_fails_among_the_opponents_is_named(table):
    def clueless(observations, masks, rng):
        raise LookupError("no idea")

    with pytest.raises(LookupError) as caught:
        SingleAgentBatch(n=5, **table.arguments, opponents=clueless, seed=0)
    assert any("agent clueless failed to decide" in note for note in caught.value.__notes__)


@small_tables
def test_wrappers_cannot_change_the_modes_of_others(table):
    view = env(**table.arguments, render_mode="human")
    pettingzoo.utils.wrappers.CaptureStdoutWrapper(view)
    assert raw_env(**table.arguments).metadata["render_modes"] == ["ansi", "rgb_array", "human"]
    assert raw_env.metadata["render_modes"] == ["ansi", "rgb_array", "human"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@full_tables
def test_a_forked_worker_can_ask_a_network_that_its_parent_has_used(table):
    """Threads of a library that multiplies matrices would stay with the parent."""
    program = """
import os, signal, sys
import numpy as np
from shakespeare_agents.network import Network
from shakespeare_agents.network_agent import NetworkAgent
from shakespeare_env import registry
from shakespeare_env.generators import GameGenerators

game = registry.game(sys.argv[1])
shapes = Network.shapes(64, game.layout.size, game.actions.size)
weights = {name: np.ones(shape, np.float32) for name, shape in shapes.items()}
agent = NetworkAgent(Network(weights, game.layout))
views = np.zeros((600, game.layout.size), np.int8), np.ones((600, game.actions.size), bool)
generators = GameGenerators.of_games(0, np.arange(600))
agent.act(*views, generators)
child = os.fork()
if child == 0:
    signal.alarm(20)
    agent.act(*views, generators)
    os._exit(0)
sys.exit(os.waitpid(child, 0)[1] != 0)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program, table.game], check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("name", registry.names())
def test_make_passes_on_what_is_refused(name):
    with pytest.raises(TypeError, match="unexpected keyword argument 'seed'"):
        gymnasium.make(f"{name.capitalize()}-v0", seed=3)
