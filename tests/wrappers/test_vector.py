"""One seat of many games as a vector environment: row by row what one environment shows."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from shakespeare_env import registry
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract.each_table import full_tables, small_tables
from tests.contract.random_games import FULL_TABLES
from tests.wrappers.lives import BySight, learn

ROWS = 5
IDS = [
    f"{name.capitalize()}{form}-v0"
    for name in registry.names()
    for form in (["", "-Solo"] if 1 in registry.seats(name) else [""])
]

each_id = pytest.mark.parametrize("env_id", IDS)


def make(env_id=None, game=None, **arguments: Any):
    """By its id, or by the one of a game."""
    env_id = env_id or f"{game.capitalize()}-v0"
    env = gymnasium.make_vec(env_id, ROWS, "vector_entry_point", **arguments)
    assert isinstance(env, SingleAgentVectorEnv)
    return env


def play(env, steps, seed=None):
    """Yields what `reset` and every `step` return."""
    shown = env.reset(seed=seed)
    yield shown
    for _ in range(steps):
        observations, *_, infos = shown
        shown = env.step(learn(observations, infos["action_mask"]))
        yield shown


def all_bytes(shown):
    """Everything in what an environment returned, for comparing."""
    if isinstance(shown, dict):
        return {key: all_bytes(value) for key, value in shown.items()}
    if isinstance(shown, tuple | list) or (
        isinstance(shown, np.ndarray) and shown.dtype == np.object_
    ):
        return [all_bytes(part) for part in shown]
    if isinstance(shown, np.ndarray):
        return shown.dtype, shown.shape, shown.tobytes()
    return shown


def kinds(infos):
    """The keys of infos, and of what sort and size the values are."""
    return {
        key: kinds(value) if isinstance(value, dict) else (value.dtype, value.shape)
        for key, value in infos.items()
    }


@each_id
def test_spaces_hold_what_comes_out(env_id):
    env = make(env_id)
    size, actions = env.games.batch.game.layout.size, env.games.batch.actions.size
    assert env.num_envs == ROWS
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.observation_space.shape == (ROWS, size)
    assert env.single_observation_space.shape == (size,)
    assert env.action_space.shape == (ROWS,)
    assert env.single_action_space == gymnasium.spaces.Discrete(actions)
    for observations, *rest, infos in play(env, 150, seed=1):
        assert observations in env.observation_space
        assert observations.dtype == np.int8
        assert all(row in env.single_observation_space for row in observations)
        assert learn(observations, infos["action_mask"]) in env.action_space
        mask = infos["action_mask"]
        assert (mask.dtype, mask.shape) == (np.int8, (ROWS, actions))
        assert (mask == env.action_masks()).all()
        assert env.action_masks().dtype == np.bool_
        for rewards, terminated, truncated in [rest] if rest else []:
            assert (rewards.dtype, rewards.shape) == (np.float32, (ROWS,))
            assert (terminated.dtype, terminated.shape) == (np.bool_, (ROWS,))
            assert (truncated.dtype, truncated.shape) == (np.bool_, (ROWS,))
            assert not truncated.any()
            assert ("final_obs" in infos) == ("final_info" in infos) == terminated.any()


@pytest.mark.parametrize("reward", ["win", "score"])
@pytest.mark.parametrize("mixed", [False, True], ids=["alike", "mixed"])
@full_tables
def test_every_row_is_a_row_of_a_single_agent_batch(table, mixed, reward):
    """A game that has ended is followed in the same step by the next."""
    arguments: Any = {"game": table.game, "players": table.players, "reward": reward}
    if mixed:
        arguments["players"] = np.resize(registry.seats(table.game), ROWS)
    env = SingleAgentVectorEnv(ROWS, threads=2, **arguments)
    games = SingleAgentBatch(n=ROWS, seed=23, **arguments)
    ended = np.zeros(ROWS, np.int64)
    actions: Any = None
    for observations, *rest, infos in play(env, 250, seed=23):
        if rest:
            rewards, terminated, _ = rest
            step = games.step(actions)
            assert (rewards == step.rewards).all()
            assert (terminated == step.ended).all()
            ended += terminated
            rows = np.flatnonzero(terminated)
            assert ("_final_obs" in infos) == bool(len(rows))
            if len(rows):
                assert infos["_final_obs"].tolist() == terminated.tolist()
                assert infos["_final_info"].tolist() == terminated.tolist()
                final = infos["final_info"]
                scores, winners = games.results(rows)
                assert (final["final_scores"][rows] == scores).all()
                assert (final["winners"][rows] == winners).all()
                assert not final["illegal_action"].any()
                assert (np.stack(infos["final_obs"][rows]) == games.observe(rows)).all()
                assert all(seen is None for seen in infos["final_obs"][~terminated])
                games.restart(rows)
        assert (observations == games.batch.obs).all()
        assert (infos["action_mask"] == games.batch.mask).all()
        assert infos["action_mask"].any(axis=1).all()
        actions = learn(observations, infos["action_mask"])
    assert ended.min() >= 3


@pytest.mark.parametrize("seat", [None, 1])
@full_tables
def test_row_0_is_the_environment_of_one(table, seat):
    """Game after game, where opponents draw nothing."""
    arguments: dict[str, Any] = {"opponents": BySight(4), "seat": seat, "reward": "score"}
    arguments |= table.arguments
    env, one = make(**arguments), SingleAgentEnv(**arguments)
    observations, infos = env.reset(seed=6)
    observation, info = one.reset(seed=6)
    ended = 0
    while ended < 4:
        assert (observations[0] == observation).all()
        assert (infos["action_mask"][0] == info["action_mask"]).all()
        actions = learn(observations, infos["action_mask"])
        observations, rewards, terminated, _, infos = env.step(actions)
        observation, reward, over, _, info = one.step(int(actions[0]))
        assert (rewards[0], terminated[0]) == (reward, over)
        if over:
            ended += 1
            assert infos["_final_obs"][0]
            assert infos["_final_info"][0]
            assert (infos["final_obs"][0] == observation).all()
            for key in ("final_scores", "winners", "illegal_action"):
                assert infos["final_info"][f"_{key}"][0]
                assert (infos["final_info"][key][0] == info[key]).all()
            observation, info = one.reset()


@each_id
def test_infos_are_those_of_gymnasiums_own_vector_environments(env_id):
    """The same keys with the same kinds of values, in a running game and at the end of one."""
    arguments: dict[str, Any] = {"seat": 0, "opponents": BySight()}
    own = gymnasium.make_vec(
        env_id, ROWS, "sync", vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP}, **arguments
    )
    env = make(env_id, **arguments)
    found = {}
    for which in (env, own):
        first, *shown = play(which, 100, seed=1)
        running = next(infos for *_, infos in shown if "final_obs" not in infos)
        *_, terminated, _, ended = next(shown for shown in shown if "final_obs" in shown[-1])
        assert ended["_final_obs"].tolist() == terminated.tolist()
        assert [seen is not None for seen in ended["final_obs"]] == terminated.tolist()
        assert {seen.dtype for seen in ended["final_obs"][terminated]} == {np.dtype(np.int8)}
        found[which] = [kinds(infos) for infos in (first[-1], running, ended)]
    assert found[env] == found[own]


@full_tables
def test_what_is_given_out_stays_as_it_was(table):
    shown, kept = [], []
    for out in play(make(**table.arguments, reward="score"), 150, seed=2):
        shown.append(out)
        kept.append(copy.deepcopy(out))
    assert all_bytes(shown) == all_bytes(kept)
    env = make(**table.arguments, reward="score")
    for out, first in zip(play(env, 150, seed=2), kept, strict=True):
        assert all_bytes(out) == all_bytes(first)
        env.action_masks()[:] = False
    # Nor does the environment look at what it has given out.
    env.reset(seed=2)
    observations, infos = env.reset()
    actions = learn(observations, infos["action_mask"])
    observations[:] = 0
    infos["action_mask"][:] = 0
    assert not env.step(actions)[2].any()


@small_tables
@pytest.mark.parametrize("action", [-1, "size", "masked"])
def test_an_illegal_action_ends_its_game_and_the_next_one_begins(table, action):
    env = make(**table.arguments)
    observations, infos = env.reset(seed=3)
    actions = learn(observations, infos["action_mask"])
    numbers = {"masked": infos["action_mask"][3].argmin(), "size": env.single_action_space.n}
    actions[3] = numbers.get(action, action)
    scores = env.games.batch.scores()
    seats = [row % table.players for row in range(ROWS)]
    assert env.games.seats.tolist() == seats
    others = [0, 1, 2, 4]
    seen, rewards, terminated, truncated, infos = env.step(actions)
    assert rewards[3] == -1.0
    assert not rewards[others].any()
    assert terminated.tolist() == [False, False, False, True, False]
    assert not truncated.any()
    assert infos["final_info"]["illegal_action"].tolist() == terminated.tolist()
    assert (infos["final_info"]["final_scores"][3] == scores[3, : table.players]).all()
    assert not infos["final_info"]["winners"].any()
    assert (infos["final_obs"][3] == observations[3]).all()
    assert (seen[3] != observations[3]).any()
    assert infos["action_mask"].any(axis=1).all()
    seats[3] = (seats[3] + 1) % table.players
    assert env.games.seats.tolist() == seats
    assert not env.step(learn(seen, infos["action_mask"]))[2].any()


@pytest.mark.parametrize("actions", [[0, 0], [[0]] * ROWS, [0.0] * ROWS])
@full_tables
def test_actions_that_are_not_one_integer_a_row_are_refused(table, actions):
    env = make(**table.arguments)
    observations, infos = env.reset(seed=3)
    with pytest.raises((TypeError, ValueError), match="actions"):
        env.step(np.array(actions))
    assert not env.step(learn(observations, infos["action_mask"]))[2].any()


@full_tables
def test_a_seed_settles_everything(table):
    def course(env, seed, steps=150):
        return all_bytes(list(play(env, steps, seed=seed)))

    arguments = {**table.arguments, "opponents": {"random": 1, BySight(8): 1}}
    env = make(**arguments)
    first = course(env, 4)
    goes_on = course(env, None)
    assert goes_on != first
    assert course(env, 4) == first
    assert course(env, None) == goes_on
    assert course(make(**arguments, threads=2), 4) == first
    assert course(env, 5) != first
    begins, _ = env.reset(seed=4)
    assert len({row.tobytes() for row in begins}) == ROWS


@full_tables
def test_reset_without_a_seed_begins_all_games_anew(table):
    env = make(**table.arguments)
    env.reset(seed=1)
    *_, (last, *_) = play(env, 3)
    assert env.games.seats.tolist() == [row % table.players for row in range(ROWS)]
    observations, infos = env.reset()
    assert env.games.seats.tolist() == [(row + 1) % table.players for row in range(ROWS)]
    assert (observations != last).any(axis=1).all()
    assert set(infos) - {"_action_mask"} == {"action_mask"}


@small_tables
def test_gymnasiums_wrappers_work_over_it(table):
    env = RecordEpisodeStatistics(make(**table.arguments, reward="score"))
    returns, lengths, counted = np.zeros(ROWS), np.zeros(ROWS), 0
    for _, *rest, infos in play(env, 200, seed=3):
        if rest:
            rewards, terminated, _ = rest
            returns += rewards
            lengths += 1
            if terminated.any():
                counted += terminated.sum()
                assert infos["_episode"].tolist() == terminated.tolist()
                np.testing.assert_allclose(
                    infos["episode"]["r"][terminated], returns[terminated], rtol=1e-6
                )
                assert (infos["episode"]["l"][terminated] == lengths[terminated]).all()
                returns[terminated] = lengths[terminated] = 0
    assert env.episode_count == counted > ROWS

    listed: Any = DictInfoToList(make(**table.arguments))
    observations, infos = listed.reset(seed=3)
    ended = 0
    for _ in range(150):
        mask = np.stack([info["action_mask"] for info in infos])
        observations, _, terminated, _, infos = listed.step(learn(observations, mask))
        assert [("final_info" in info) for info in infos] == terminated.tolist()
        assert [("final_obs" in info) for info in infos] == terminated.tolist()
        ended += terminated.sum()
    assert ended > ROWS


@pytest.mark.parametrize("table", FULL_TABLES, ids=str)
def test_all_arguments_pass_through_make_vec(table):
    asked, rest_of_table = BySight(5), ["random"] * (table.players - 2)
    arguments: dict[str, Any] = {**table.arguments, "seat": 2, "reward": "score"}
    env = make(opponents=[asked.act, *rest_of_table], threads=2, render_mode="ansi", **arguments)
    games = SingleAgentBatch(n=ROWS, opponents=[BySight(5), *rest_of_table], seed=4, **arguments)
    assert env.render_mode == "ansi"
    actions: Any = None
    for observations, *rest, infos in play(env, 40, seed=4):
        if rest:
            step = games.step(actions)
            assert (rest[0] == step.rewards).all()
            games.restart(np.flatnonzero(step.ended))
        assert (observations == games.batch.obs).all()
        assert (env.games.seats == 2).all()
        actions = learn(observations, infos["action_mask"])
    assert asked.asked
    assert [type(text) for text in env.render()] == [str] * ROWS
    assert make(game=table.game, box=env.games.batch.game.box).num_envs == ROWS


@full_tables
def test_wrong_arguments_are_refused_by_name(table):
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"players": [table.players] * 2}, ValueError, r"shape \(2,\); give one number or 5"),
        ({"seat": table.players}, ValueError, f"seat={table.players}"),
        ({"opponents": "nobody"}, ValueError, "nobody"),
        ({"reward": "fame"}, ValueError, "fame"),
        ({"threads": 0}, ValueError, "threads=0"),
        ({"expansion": True}, TypeError, "expansion"),
        ({"render_mode": "human"}, ValueError, "human"),
        ({"render_mode": "film"}, ValueError, "film"),
    ]
    for wrong, fault, words in refused:
        with pytest.raises(fault, match=words):
            SingleAgentVectorEnv(ROWS, **(table.arguments | wrong))


@pytest.mark.parametrize("env_id", [env_id for env_id in IDS if "-Solo-" in env_id])
def test_solo_has_one_seat(env_id):
    assert make(env_id).games.batch.players.tolist() == [1] * ROWS
