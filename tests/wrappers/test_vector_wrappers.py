"""Every wrapper of `gymnasium.wrappers.vector` over the native vector environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorWrapper
from gymnasium.wrappers import TransformAction, TransformObservation, TransformReward
from gymnasium.wrappers import vector as wrappers

from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract.each_table import small_tables
from tests.wrappers.lives import learn

ROWS = 3
STEPS = 120
"""In which every row ends a game, so that every mode shows what it does then."""
NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode
EACH = (NEXT_STEP, SAME_STEP, DISABLED)
NOT_IN_THE_SAME_STEP = (NEXT_STEP, DISABLED)
CONVERSIONS = {"ArrayConversion", "NumpyToTorch"}
Made = Callable[[Any], Any]


def halves(observation):
    return {"first": observation[: len(observation) // 2], "all": observation}


def in_halves(env):
    """Observations as dicts, which some wrappers are about."""
    space = env.single_observation_space
    half = space.shape[0] // 2
    parts = {"first": spaces.Box(space.low[:half], space.high[:half], dtype=np.int8), "all": space}
    return wrappers.VectorizeTransformObservation(
        env, TransformObservation, func=halves, observation_space=spaces.Dict(parts)
    )


class DrawsSeldom(VectorWrapper):
    """One picture in twenty is new: to draw takes longer than all else."""

    def __init__(self, env):
        super().__init__(env)
        self.asked, self.picture = 0, None

    def render(self):
        if self.asked % 20 == 0:
            self.picture = self.env.render()
        self.asked += 1
        return self.picture


WRAPPERS: dict[str, tuple[Made, tuple[AutoresetMode, ...]]] = {
    "ArrayConversion": (
        lambda env: wrappers.ArrayConversion(env, env_xp=np, target_xp=np),
        NOT_IN_THE_SAME_STEP,
    ),
    "ClipReward": (lambda env: wrappers.ClipReward(env, -0.5, 0.5), EACH),
    "DictInfoToList": (wrappers.DictInfoToList, EACH),
    "DtypeObservation": (
        lambda env: wrappers.DtypeObservation(env, np.float32),
        NOT_IN_THE_SAME_STEP,
    ),
    "FilterObservation": (
        lambda env: wrappers.FilterObservation(in_halves(env), ["all"]),
        NOT_IN_THE_SAME_STEP,
    ),
    "FlattenObservation": (wrappers.FlattenObservation, NOT_IN_THE_SAME_STEP),
    "HumanRendering": (lambda env: wrappers.HumanRendering(DrawsSeldom(env)), EACH),
    "NormalizeObservation": (wrappers.NormalizeObservation, (NEXT_STEP,)),
    "NormalizeReward": (wrappers.NormalizeReward, EACH),
    "NumpyToTorch": (lambda env: wrappers.NumpyToTorch(env), NOT_IN_THE_SAME_STEP),
    "RecordEpisodeStatistics": (wrappers.RecordEpisodeStatistics, EACH),
    "RescaleObservation": (
        lambda env: wrappers.RescaleObservation(
            wrappers.DtypeObservation(env, np.float32), np.float32(-1), np.float32(1)
        ),
        NOT_IN_THE_SAME_STEP,
    ),
    "ReshapeObservation": (
        lambda env: wrappers.ReshapeObservation(env, (1, *env.single_observation_space.shape)),
        NOT_IN_THE_SAME_STEP,
    ),
    "TransformAction": (lambda env: wrappers.TransformAction(env, lambda actions: actions), EACH),
    "TransformObservation": (
        lambda env: wrappers.TransformObservation(env, lambda seen: seen),
        NOT_IN_THE_SAME_STEP,
    ),
    "TransformReward": (lambda env: wrappers.TransformReward(env, lambda got: 2 * got), EACH),
    "VectorizeTransformAction": (
        lambda env: wrappers.VectorizeTransformAction(
            env, TransformAction, func=lambda action: action, action_space=None
        ),
        EACH,
    ),
    "VectorizeTransformObservation": (in_halves, NOT_IN_THE_SAME_STEP),
    "VectorizeTransformReward": (
        lambda env: wrappers.VectorizeTransformReward(env, TransformReward, func=float),
        EACH,
    ),
}
ELSEWHERE = {
    "RecordVideo": "tests/wrappers/test_rendering.py",
    "ClipAction": "for actions that are numbers",
    "RescaleAction": "likewise",
    "GrayscaleObservation": "for observations that are pictures",
    "ResizeObservation": "likewise",
    "JaxToNumpy": "for environments in JAX",
    "JaxToTorch": "likewise",
}


def test_no_wrapper_of_gymnasium_is_missing():
    assert set(wrappers.__all__) == {*WRAPPERS, *ELSEWHERE}


def masks_of(infos) -> Any:
    """int8[n, A] from infos in either form, of NumPy or torch."""
    if isinstance(infos, list):
        return np.stack([info["action_mask"] for info in infos])
    return np.asarray(infos["action_mask"])


@small_tables
@pytest.mark.parametrize(
    ("name", "mode"), [(name, mode) for name, (_, modes) in WRAPPERS.items() for mode in modes]
)
def test_it_runs_and_its_observations_are_in_its_space(table, name, mode, monkeypatch):
    """Past the end of games, over the same games as without it."""
    if name in CONVERSIONS:
        pytest.importorskip("array_api_compat")
    if name == "HumanRendering":
        pytest.importorskip("pygame")
        pytest.importorskip("cv2")
        monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    drawn: dict[str, Any] = {"render_mode": "rgb_array"} if name == "HumanRendering" else {}
    arguments: dict[str, Any] = {**table.arguments, "autoreset_mode": mode, "opponents": "random"}
    plain = SingleAgentVectorEnv(ROWS, **arguments)
    view = WRAPPERS[name][0](SingleAgentVectorEnv(ROWS, **arguments, **drawn))
    plain_seen, _ = plain.reset(seed=5)
    seen, infos = view.reset(seed=5)
    ended = 0
    for _ in range(3 if drawn else STEPS):
        if name != "NumpyToTorch":
            assert seen in view.observation_space
        mask = masks_of(infos)
        running = mask.any(axis=1)
        chosen = learn(plain_seen, np.where(running[:, None], mask, 1))
        actions: Any = np.where(running, chosen, 0)
        plain_seen, _, plain_ended, _, plain_infos = plain.step(actions)
        if name == "NumpyToTorch":
            actions = pytest.importorskip("torch").as_tensor(actions)
        seen, _, terminated, _, infos = view.step(actions)
        assert np.asarray(terminated).tolist() == plain_ended.tolist()
        assert (masks_of(infos) == plain_infos["action_mask"]).all()
        ended += int(plain_ended.sum())
        if mode is DISABLED and plain_ended.any():
            options = {"reset_mask": plain_ended}
            plain_seen, _ = plain.reset(options=dict(options))
            seen, infos = view.reset(options=options)
    assert ended >= ROWS or drawn
    view.close()


@small_tables
def test_gymnasium_itself_refuses_what_is_not_listed(table):
    """So that a mode is not left out here for a fault of ours."""
    for name in WRAPPERS.keys() - CONVERSIONS:
        make, modes = WRAPPERS[name]
        for mode in {*EACH} - {*modes}:
            with pytest.raises(ValueError, match=r"Expected.*autoreset_mode"):
                make(SingleAgentVectorEnv(1, **table.arguments, autoreset_mode=mode))
            assert name.endswith("Observation")


@pytest.mark.parametrize("name", sorted(CONVERSIONS))
def test_gymnasium_itself_converts_no_final_observations(name):
    """They are an array of objects, in its own environments, too."""
    pytest.importorskip("array_api_compat")
    theirs: Any = SyncVectorEnv([lambda: gymnasium.make("CartPole-v1")], autoreset_mode=SAME_STEP)
    view = WRAPPERS[name][0](theirs)
    view.reset(seed=1)
    always: Any = np.ones(1, np.int64)
    if name == "NumpyToTorch":
        always = pytest.importorskip("torch").as_tensor(always)

    def until_the_pole_falls() -> None:
        for _ in range(100):
            view.step(always)

    with pytest.raises(BufferError, match="DLPack only supports"):
        until_the_pole_falls()


@small_tables
def test_a_wrapper_cannot_change_the_modes_of_others(table):
    view = SingleAgentVectorEnv(1, **table.arguments, render_mode="rgb_array")
    view.metadata["render_modes"].append("human")
    assert SingleAgentVectorEnv.metadata["render_modes"] == ["ansi", "rgb_array"]
    made: Any = gymnasium.make_vec(f"{table.game.capitalize()}-v0")
    assert made.metadata["render_modes"] == ["ansi", "rgb_array"]
