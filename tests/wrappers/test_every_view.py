"""What holds for every view: what a newcomer may try is refused at once, with the remedy."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded

from shakespeare_env import Batch, Position, env, raw_env
from shakespeare_env.core import registry
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.rendering import RENDER_FPS
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv, SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract.each_table import full_tables, small_tables
from tests.wrappers.lives import bytes_of


def self_play(render_mode=None, **arguments):
    return SB3SelfPlayVecEnv(Batch(autoreset=False, **arguments), render_mode)


def one_seat_each(render_mode=None, **arguments):
    return SB3SingleAgentVecEnv(SingleAgentBatch(**arguments), render_mode)


VIEWS: list[Any] = [raw_env, env, SingleAgentEnv, SingleAgentVectorEnv, self_play, one_seat_each]


@small_tables
@pytest.mark.parametrize("make", VIEWS, ids=lambda make: make.__name__)
def test_wrong_arguments_are_refused_by_name(table, make):
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"players": 99}, ValueError, "players=99"),
        ({"reward": "fame"}, ValueError, "reward='fame'"),
        ({"render_mode": "film"}, ValueError, "render_mode='film'"),
        ({"box": "no/such/box.toml"}, ValueError, "cannot be read"),
        ({"box": 3}, TypeError, "box=3: give the path"),
        ({"expansion": True}, TypeError, "unexpected keyword argument 'expansion'"),
    ]
    for wrong, fault, words in refused:
        with pytest.raises(fault, match=words):
            make(**(table.arguments | wrong))


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
def test_what_makes_no_sense_for_many_games_is_refused(table):
    view: Any
    for make in (self_play, one_seat_each):
        for mode in ("ansi", "human"):
            with pytest.raises(ValueError, match=f"render_mode='{mode}'.*None or 'rgb_array'"):
                make(**table.arguments, render_mode=mode)
        view = make(**table.arguments)
        with pytest.raises(RuntimeError, match="step_async"):
            view.step_wait()
        for name in ("render", "close", "reset"):
            with pytest.raises(AttributeError, match="not a method of single games"):
                view.env_method(name)
    with pytest.raises(ValueError, match="shows one game"):
        SingleAgentVectorEnv(2, **table.arguments, render_mode="human")
    with pytest.raises(ValueError, match=r"shape \(2,\); give one number or 5"):
        SingleAgentVectorEnv(5, **(table.arguments | {"players": [table.players] * 2}))
    with pytest.raises(ValueError, match="autoreset=False"):
        SB3SelfPlayVecEnv(Batch(n=2, **table.arguments))
    wrong: Any = Batch(**table.arguments)
    with pytest.raises(TypeError, match="give a SingleAgentBatch; SB3SelfPlayVecEnv takes a Batch"):
        SB3SingleAgentVecEnv(wrong)
    wrong = SingleAgentBatch(**table.arguments)
    with pytest.raises(TypeError, match="give a Batch; SB3SingleAgentVecEnv takes a Single"):
        SB3SelfPlayVecEnv(wrong)


@small_tables
@pytest.mark.parametrize("make", [SingleAgentEnv, SingleAgentVectorEnv])
def test_no_step_before_a_reset(table, make):
    with pytest.raises(ResetNeeded, match="no game in progress"):
        make(**table.arguments).step(np.zeros(1, int))


@small_tables
def test_wrappers_cannot_change_the_modes_of_others(table):
    pettingzoo.utils.wrappers.CaptureStdoutWrapper(env(**table.arguments, render_mode="human"))
    for made in (raw_env, raw_env(**table.arguments)):
        assert made.metadata["render_modes"] == ["ansi", "rgb_array", "human"]
    view = SingleAgentVectorEnv(1, **table.arguments, render_mode="rgb_array")
    view.metadata["render_modes"].append("human")
    for other in (SingleAgentVectorEnv, SingleAgentVectorEnv(1, **table.arguments)):
        assert other.metadata["render_modes"] == ["ansi", "rgb_array"]
    for make in VIEWS:
        assert make(**table.arguments).metadata["render_fps"] == RENDER_FPS


@small_tables
@pytest.mark.parametrize("make", VIEWS, ids=lambda make: make.__name__)
def test_a_reset_without_a_seed_leaves_global_generators_alone(table, make):
    before = np.random.get_state(legacy=False)["state"]["key"].tolist()
    make(**table.arguments).reset()
    assert np.random.get_state(legacy=False)["state"]["key"].tolist() == before


def shown_by(view, steps):
    """What a view of one seat, or of whole games in rows, shows in these steps."""
    if isinstance(view, SingleAgentEnv | SingleAgentVectorEnv):
        shown = view.reset(seed=1)
    else:
        view.seed(1)
        shown = view.reset()
    for _ in range(steps):
        yield shown
        masks = view.action_masks()
        shown = view.step(masks.argmax(axis=-1))
        masks[...] = False
        if masks.ndim == 1 and shown[2]:
            yield shown
            shown = view.reset()


def spoil(shown):
    """Write into everything that a view has shown."""
    if isinstance(shown, dict):
        spoil(list(shown.values()))
        shown["mine"] = 1
    elif isinstance(shown, list | tuple) or (
        isinstance(shown, np.ndarray) and shown.dtype.hasobject
    ):
        for part in shown:
            spoil(part)
    elif isinstance(shown, np.ndarray):
        shown[...] = 0


@full_tables
@pytest.mark.parametrize("make", VIEWS[2:], ids=lambda make: make.__name__)
def test_what_was_shown_stays_as_it_was_and_is_not_looked_at(table, make):
    """Later steps do not change it, and whoever changes it changes no step."""
    shown, kept = [], []
    for out in shown_by(make(**table.arguments, reward="score"), 150):
        shown.append(out)
        kept.append(bytes_of(out))
    assert bytes_of(shown) == kept
    for out, before in zip(
        shown_by(make(**table.arguments, reward="score"), 150), kept, strict=True
    ):
        assert bytes_of(out) == before
        spoil(out)


def test_without_openspiel_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "shakespeare_env.wrappers.openspiel", raising=False)
    with pytest.raises(ImportError, match="pip install open_spiel"):
        import shakespeare_env.wrappers.openspiel  # noqa: F401
