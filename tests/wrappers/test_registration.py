"""The games under their names in the registries of Gymnasium and PettingZoo."""

import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
import pettingzoo
import pytest

from shakespeare_env import Batch, registry
from shakespeare_env.registration import register
from shakespeare_env.wrappers.aec import CheckedEnv
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv

GAMES = registry.names()
ROOT = Path(__file__).parents[2]
IDS = [
    *((f"{name.capitalize()}-v0", name, registry.seats(name)[-1]) for name in GAMES),
    *((f"{name.capitalize()}-Solo-v0", name, 1) for name in GAMES if 1 in registry.seats(name)),
]
"""Every id in Gymnasium's registry, its game and how many seats it has unless told."""
games = pytest.mark.parametrize("name", GAMES)
of_pettingzoo = pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry"
)
ids = pytest.mark.parametrize(("env_id", "name", "players"), IDS)


def in_a_process(script):
    """Run a script in which every warning of ours is an error; its output."""
    # With the compiler off NumPy reports the wrap-around that the generator is built on.
    warnings = ["-W", "error", "-W", "ignore:overflow encountered:RuntimeWarning"]
    done = subprocess.run(
        [sys.executable, *warnings, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@of_pettingzoo
def test_these_are_all_the_ids_there_are():
    """Nothing of ours is registered under another name."""
    ours = {
        spec.id
        for spec in gymnasium.registry.values()
        if str(spec.entry_point).startswith("shakespeare_env.")
    }
    assert ours == {env_id for env_id, _, _ in IDS}
    theirs = {
        spec.id
        for spec in (*pettingzoo.aec_registry.values(), *pettingzoo.parallel_registry.values())
        if str(spec.entry_point).startswith("shakespeare_env.")
    }
    assert theirs == {f"{name}-v0" for name in GAMES}  # PettingZoo's spelling of <name>_v0


@ids
def test_gymnasium_makes_the_environment_of_one_game(env_id, name, players):
    view = gymnasium.make(env_id)
    base = view.unwrapped
    assert isinstance(base, SingleAgentEnv)
    assert base.games.batch.game is registry.game(name)
    assert base.games.batch.players.tolist() == [players]
    observation, info = view.reset(seed=1)
    assert view.observation_space.contains(observation)
    action = int(np.flatnonzero(info["action_mask"])[0])
    assert view.observation_space.contains(view.step(action)[0])
    spec = gymnasium.spec(env_id)
    assert view.spec is not None
    assert view.spec.id == spec.id == env_id
    assert (spec.namespace, spec.version) == (None, 0)
    again = gymnasium.make(spec)
    np.testing.assert_array_equal(again.reset(seed=1)[0], observation)


@ids
def test_gymnasium_makes_many_games_in_one(env_id, name, players):
    view = gymnasium.make_vec(env_id, num_envs=3)
    assert isinstance(view, SingleAgentVectorEnv)
    assert view.games.batch.game is registry.game(name)
    assert view.games.batch.players.tolist() == [players] * 3


@ids
def test_arguments_pass_through_gymnasium(env_id, name, players):
    game = registry.game(name)
    options: Any = dict.fromkeys(game.options, True)
    arguments: Any = {
        "players": game.max_seats,
        "seat": 1,
        "opponents": ["random"] * (game.max_seats - 1),
        "reward": "score",
        "box": game.box,
        **options,
    }
    view = gymnasium.make(env_id, render_mode="ansi", **arguments)
    assert view.render_mode == "ansi"
    vector = gymnasium.make_vec(env_id, 2, **arguments)
    same = Batch(name, players=game.max_seats, reward="score", **options)
    for made in (view, vector):
        games: SingleAgentBatch = cast(Any, made.unwrapped).games
        assert (games.batch._options, games.batch.reward) == (same._options, "score")
        assert set(games.batch.players.tolist()) == {game.max_seats}
        assert set(games.seats.tolist()) == {1}
    with pytest.raises(TypeError, match="no_such_option"):
        gymnasium.make(env_id, no_such_option=True)
    with pytest.raises(ValueError, match="reward='fame'"):
        gymnasium.make(env_id, reward="fame")


@of_pettingzoo
@games
def test_pettingzoo_makes_the_checked_environment(name):
    players = registry.seats(name)[0]
    for env_id in (f"{name}_v0", f"{name}-v0"):
        view = pettingzoo.make("aec", env_id, players=players)
        assert isinstance(view, CheckedEnv)
        assert view.possible_agents == [f"player_{seat}" for seat in range(players)]
        assert view.unwrapped.game is registry.game(name)
        assert str(view) == f"{name}_v0"
    assert pettingzoo.spec("aec", f"{name}_v0").kwargs == {"game": name}
    view.reset(seed=2)
    batch = Batch(name, players=players, seed=2)
    np.testing.assert_array_equal(view.last()[0]["observation"], batch.obs[0])


@of_pettingzoo
@games
def test_arguments_pass_through_pettingzoo(name):
    game = registry.game(name)
    options: Any = dict.fromkeys(game.options, True)
    view = pettingzoo.make(
        "aec",
        f"{name}_v0",
        players=game.max_seats,
        reward="score",
        render_mode="ansi",
        box=game.box,
        **options,
    ).unwrapped
    same = Batch(name, players=game.max_seats, reward="score", **options)
    assert view.max_num_agents == game.max_seats
    assert view.render_mode == "ansi"
    assert (view._batch._options, view._batch.reward) == (same._options, "score")
    with pytest.raises(TypeError, match="no_such_option"):
        pettingzoo.make("aec", f"{name}_v0", no_such_option=True)
    assert pettingzoo.make("aec", f"{name}_v0").max_num_agents == game.max_seats


@of_pettingzoo
def test_importing_again_registers_nothing_anew_and_does_not_warn():
    script = """
import gymnasium, pettingzoo
import shakespeare_env
known = dict(gymnasium.registry), dict(pettingzoo.aec_registry)
import shakespeare_env, importlib
from shakespeare_env import registration
importlib.import_module("shakespeare_env")
assert known == (gymnasium.registry, pettingzoo.aec_registry)
print("quiet")
"""
    assert in_a_process(script) == ["quiet"]


def test_the_import_alone_registers_and_loads_no_view():
    """Not PyTorch either: whoever plays with a batch waits for neither."""
    script = f"""
import sys
import shakespeare_env, gymnasium
assert {IDS[0][0]!r} in gymnasium.registry
print(*(name for name in sys.modules if name.startswith(("shakespeare_env.wrappers", "torch"))))
"""
    assert in_a_process(script) == []


@games
def test_gymnasium_imports_the_package_by_itself(name):
    script = f"""
import gymnasium
view = gymnasium.make("shakespeare_env:{name.capitalize()}-v0")
print(type(view.unwrapped).__name__)
"""
    assert in_a_process(script) == ["SingleAgentEnv"]


@of_pettingzoo
def test_all_games_are_registered_in_empty_registries(monkeypatch):
    monkeypatch.setattr(gymnasium.envs.registration, "registry", {})
    monkeypatch.setattr(pettingzoo.env_registry.registration, "aec_registry", {})
    pettingzoo.env_registry.registration._get_registry.cache_clear()
    try:
        register()
        assert set(gymnasium.envs.registration.registry) == {env_id for env_id, _, _ in IDS}
        known = pettingzoo.env_registry.registration.aec_registry
        assert set(known) == {f"{name}-v0" for name in GAMES}
    finally:
        pettingzoo.env_registry.registration._get_registry.cache_clear()
