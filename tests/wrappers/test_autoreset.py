"""What follows the end of a row's game, as in Gymnasium's own vector environments."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract.each_table import full_tables, small_tables
from tests.wrappers.lives import BySight, learn

ROWS = 4
NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode
modes = pytest.mark.parametrize("mode", AutoresetMode, ids=str)


class Row(SingleAgentEnv):
    """A row of the native environment: game `row` of the seed, not game 0."""

    def __init__(self, row: int, **arguments: Any) -> None:
        super().__init__(**arguments)
        deal = self.games.batch.reset
        self.games.batch.reset = lambda seed, rows: deal(seed, [row], rows)  # type: ignore[assignment, method-assign, misc]


def act(observations, infos):
    """Legal actions; -1, which is none, where a game is over."""
    mask = infos["action_mask"]
    chosen = learn(observations, np.where(mask.any(axis=1, keepdims=True), mask, 1))
    return np.where(mask.any(axis=1), chosen, -1)


def comparable(infos):
    """Infos with lists in place of arrays of arrays, and kinds beside values."""
    if isinstance(infos, dict):
        return {key: comparable(value) for key, value in infos.items()}
    return list(infos) if infos.dtype == object else (infos, infos.dtype)


def make(table, mode, **arguments) -> Any:
    return SingleAgentVectorEnv(ROWS, autoreset_mode=mode, **table.arguments, **arguments)


@modes
@full_tables
def test_it_is_gymnasiums_own_vector_environment(table, mode):
    """Step by step the same observations, rewards, ends and infos; row 2 ends games illegally."""
    arguments: dict[str, Any] = {"seat": 1, "opponents": BySight(2), "reward": "score"}
    ours = make(table, mode, **arguments, threads=2)
    arguments |= table.arguments
    theirs = SyncVectorEnv(
        [partial(Row, row, **arguments) for row in range(ROWS)], autoreset_mode=mode
    )
    observations, infos = ours.reset(seed=9)
    expected, expected_infos = theirs.reset(seed=[9] * ROWS)
    ended, illegal, steps = 0, 0, 0
    while ended < 4 * ROWS or illegal < 2:
        np.testing.assert_array_equal(observations, expected)
        np.testing.assert_equal(comparable(infos), comparable(expected_infos))
        actions = act(observations, infos)
        steps += 1
        actions[2] = -1 if steps % 12 == 0 else actions[2]
        observations, rewards, terminated, truncated, infos = ours.step(actions)
        expected, *rest, expected_infos = theirs.step(actions)
        assert rewards.dtype == np.float32
        np.testing.assert_allclose(rewards, np.asarray(rest[0], np.float32))
        np.testing.assert_array_equal(terminated, rest[1])
        np.testing.assert_array_equal(truncated, rest[2])
        ended += int(terminated.sum())
        illegal += int(rewards[2] == -1 and terminated[2])
        if mode is DISABLED and terminated.any():
            np.testing.assert_equal(infos, expected_infos)
            observations, infos = ours.reset(options={"reset_mask": terminated})
            expected, begun = theirs.reset(options={"reset_mask": terminated})
            # Gymnasium gives the masks of the new games alone; those of the others still hold.
            assert (infos["action_mask"][terminated] == begun["action_mask"][terminated]).all()
            left = ~terminated
            assert (infos["action_mask"][left] == expected_infos["action_mask"][left]).all()
            expected_infos = infos


@small_tables
def test_spaces_hold_what_comes_out(table):
    env = make(table, SAME_STEP)
    size, actions = env.games.batch.game.layout.size, env.games.batch.actions.size
    assert (env.num_envs, env.observation_space.shape) == (ROWS, (ROWS, size))
    assert env.single_observation_space.shape == (size,)
    assert env.action_space.shape == (ROWS,)
    assert env.single_action_space == gymnasium.spaces.Discrete(actions)
    observations, infos = env.reset(seed=1)
    for _ in range(50):
        assert observations in env.observation_space
        assert all(row in env.single_observation_space for row in observations)
        assert infos["action_mask"].shape == (ROWS, actions)
        assert (infos["action_mask"] == env.action_masks()).all()
        observations, *_, infos = env.step(act(observations, infos))


@small_tables
def test_wrong_actions_start_no_game(table):
    env = make(table, NEXT_STEP)
    env.reset(seed=1)
    env.step(np.full(ROWS, -1))
    before = env.games.batch.save(slice(None)).tobytes()
    with pytest.raises(ValueError, match="actions have shape"):
        env.step(np.zeros(ROWS + 1, int))
    assert env.games.batch.save(slice(None)).tobytes() == before
    assert env.games.over.all()
    assert not env.step(np.full(ROWS, -1))[2].any()


@modes
@small_tables
def test_some_games_are_started_anew_and_the_others_left_alone(table, mode):
    """A seed settles the new ones, opponents' draws included, as if it had started all of them."""
    env, whole = (make(table, mode, opponents={"random": 1, BySight(3): 1}) for _ in range(2))
    observations, infos = env.reset(seed=4)
    for _ in range(3):
        observations, *_, infos = env.step(act(observations, infos))
    mask = np.array([True, False, True, False])
    options = {"reset_mask": mask}
    seen, infos = env.reset(options=options)
    assert options == {"reset_mask": mask}
    assert (seen[~mask] == observations[~mask]).all()
    assert (seen[mask] != observations[mask]).any(axis=1).all()
    assert (infos["action_mask"] == env.games.batch.mask).all()
    seen, infos = env.reset(seed=4, options=options)
    assert (seen[~mask] == observations[~mask]).all()
    expected, expected_infos = whole.reset(seed=4)
    for _ in range(4):
        assert (seen[mask] == expected[mask]).all()
        seen, *_, infos = env.step(act(seen, infos))
        expected, *_, expected_infos = whole.step(act(expected, expected_infos))


@small_tables
def test_without_autoreset_a_game_that_is_over_needs_a_reset(table):
    env = make(table, DISABLED)
    with pytest.raises(ResetNeeded, match="without a reset_mask first"):
        env.reset(options={"reset_mask": np.ones(ROWS, np.bool_)})
    observations, infos = env.reset(seed=1)
    actions = act(observations, infos)
    actions[2] = -1
    observations, *_, infos = env.step(actions)
    assert infos["_illegal_action"].tolist() == [False, False, True, False]
    for _ in range(2):
        with pytest.raises(ResetNeeded, match=r"games \[2\] are over.*reset_mask"):
            env.step(act(observations, infos))
    before = env.games.batch.save(slice(None)).tobytes()
    wrong: list[tuple[Any, type[Exception]]] = [
        ([True] * ROWS, TypeError),
        (np.ones(ROWS), TypeError),
        (np.ones(ROWS + 1, np.bool_), ValueError),
        (np.zeros(ROWS, np.bool_), ValueError),
    ]
    for mask, error in wrong:
        with pytest.raises(error, match="reset_mask="):
            env.reset(seed=2, options={"reset_mask": mask})
    assert env.games.batch.save(slice(None)).tobytes() == before
    observations, infos = env.reset(options={"reset_mask": np.arange(ROWS) == 2})
    assert not env.step(act(observations, infos))[2].any()


@modes
@small_tables
def test_a_mode_is_named_as_gymnasium_names_it(table, mode):
    for given in (mode, mode.value, mode.name):
        env = make(table, given)
        assert env.autoreset_mode is env.metadata["autoreset_mode"] is mode
    made = gymnasium.make_vec(
        f"{table.game.capitalize()}-v0", ROWS, players=table.players, autoreset_mode=mode
    )
    assert made.metadata["autoreset_mode"] is mode
    assert SingleAgentVectorEnv.metadata["autoreset_mode"] is NEXT_STEP
    with pytest.raises(ValueError, match=r"choose 'NEXT_STEP' \(also 'NextStep', AutoresetMode\."):
        make(table, "sometimes")


@small_tables
def test_gymnasiums_wrappers_of_observations_take_it_as_it_is_made(table):
    """Those that change observations refuse every mode but Gymnasium's default."""
    env_id = f"{table.game.capitalize()}-v0"
    made: Any = gymnasium.make_vec(env_id, ROWS, players=table.players, opponents="random")
    low, high = np.float32(-1), np.float32(1)
    rescaled = gymnasium.wrappers.vector.RescaleObservation(made, low, high)
    normal = gymnasium.wrappers.vector.NormalizeObservation(rescaled)
    view = gymnasium.wrappers.vector.DtypeObservation(normal, np.float64)
    _, infos = view.reset(seed=1)
    ended = 0
    while ended < 2 * ROWS:
        actions = infos["action_mask"].argmax(axis=1)
        observations, _, terminated, _, infos = view.step(actions)
        assert observations.dtype == np.float64
        assert np.isfinite(observations).all()
        ended += int(terminated.sum())
    assert normal.obs_rms.count > ROWS
