"""One seat of one game: the ecosystem's own checks, and what they do not look at."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics, TimeLimit
from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

from shakespeare_env import registry
from shakespeare_env.rewards import NAMES
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.contract.random_games import FULL_TABLES
from tests.wrappers.lives import BySight, learn

IDS = [
    f"{name.capitalize()}{form}-v0"
    for name in registry.names()
    for form in (["", "-Solo"] if 1 in registry.seats(name) else [""])
]

each_id = pytest.mark.parametrize("env_id", IDS)


class Legal(spaces.Discrete):
    """An action space that draws from what the environment allows."""

    def __init__(self, env):
        super().__init__(env.action_space.n)
        self.env = env

    def sample(self, mask=None, probability=None):
        legal = self.env.action_masks().astype(np.int8)
        return super().sample(mask=legal if legal.any() else None)


def make(env_id, **arguments):
    """The environment itself, without the wrappers that `gymnasium.make` puts around it."""
    env = gymnasium.make(env_id, **arguments).unwrapped
    assert isinstance(env, SingleAgentEnv)
    return env


def id_of(table):
    """The environment's id of a table's game."""
    return f"{table.game.capitalize()}-v0"


def arguments_of(table):
    """What the id leaves open."""
    return {name: value for name, value in table.arguments.items() if name != "game"}


def choose(observation, info):
    return int(learn(observation[None], info["action_mask"][None])[0])


def game(env, seed=None):
    """Play a game; yields what `reset` and every `step` return."""
    shown = env.reset(seed=seed)
    yield shown
    observation, info = shown
    over = False
    while not over:
        shown = env.step(choose(observation, info))
        observation, _, terminated, truncated, info = shown
        yield shown
        over = terminated or truncated


def course(env, seed=None, games=1):
    """All bytes of some games."""
    return [
        [part.tobytes() if isinstance(part, np.ndarray) else part for part in flat(shown)]
        for number in range(games)
        for shown in game(env, None if number else seed)
    ]


def flat(shown):
    *parts, info = shown
    return [*parts, *info.keys(), *info.values()]


@each_id
@pytest.mark.parametrize("masked", [False, True], ids=["any action", "legal actions"])
def test_gymnasium_finds_no_fault(env_id, masked):
    env = make(env_id)
    if masked:
        env.action_space = Legal(env)
    check_env(env, skip_render_check=True)


@each_id
def test_sb3_finds_no_fault(env_id):
    check_env_for_sb3(make(env_id))


@pytest.mark.parametrize("reward", NAMES)
@plain_tables
def test_it_is_row_0_of_a_single_agent_batch(table, reward):
    """From one seed the views agree, game after game."""
    arguments: Any = {**table.arguments, "reward": reward, "opponents": "random"}
    env, games = SingleAgentEnv(**arguments), SingleAgentBatch(seed=31, **arguments)
    for number in range(3):
        observation, info = env.reset(seed=None if number else 31)
        assert set(info) == {"action_mask"}
        over = False
        while not over:
            assert env.seat == games.seats[0] == number % table.players
            assert (observation == games.batch.obs[0]).all()
            assert (info["action_mask"] == games.batch.mask[0]).all()
            assert (env.action_masks() == games.batch.mask[0]).all()
            action = choose(observation, info)
            observation, received, over, truncated, info = env.step(action)
            step = games.step([action])
            assert (received, over, truncated) == (step.rewards[0], step.ended[0], False)
        assert (observation == games.observe(np.array([0]))[0]).all()
        scores, winners = games.results(np.array([0]))
        assert (info["final_scores"] == scores[0]).all()
        assert (info["winners"] == winners[0]).all()
        games.restart([0])


@each_id
def test_what_comes_out_is_of_the_kind_promised(env_id):
    env = gymnasium.make(env_id, reward="score")
    shown = list(game(env, seed=1))
    for observation, *rest, info in shown:
        assert observation in env.observation_space
        assert observation.dtype == np.int8
        mask = info["action_mask"]
        assert mask.dtype == np.int8
        assert mask.shape == (make(env_id).games.batch.actions.size,)
        for reward, terminated, truncated in [rest] if rest else []:
            assert (type(reward), type(terminated), truncated) == (float, bool, False)
    running, (*_, terminated, _, final) = shown[:-1], shown[-1]
    assert terminated
    assert all(set(info) == {"action_mask"} for *_, info in running)
    assert all(info["action_mask"].sum() > 1 for *_, info in running)
    assert set(final) == {
        *("action_mask", "seat", "players", "won", "is_success", "score", "rank"),
        *("final_scores", "winners", "illegal_action"),
    }
    assert not final["action_mask"].any()
    assert (final["final_scores"].dtype, final["winners"].dtype) == (np.int16, np.bool_)
    assert final["final_scores"].shape == final["winners"].shape == (final["players"],)
    assert final["players"] == make(env_id).games.batch.players[0]
    assert final["illegal_action"] is False
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    assert not masks.any()
    env.reset()
    assert env.get_wrapper_attr("action_masks")().any()


@each_id
@pytest.mark.parametrize("illegal", [True, False])
def test_after_the_end_it_must_be_reset(env_id, illegal):
    env = make(env_id)
    before, info = env.reset(seed=2)
    if illegal:
        action = int(info["action_mask"].argmin())
        observation, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert (observation == before).all()
        assert info["illegal_action"] is True
        assert not info["winners"].any()
        assert not info["action_mask"].any()
    else:
        for _ in game(env):
            pass
    for action in (0, int(np.flatnonzero(env.games.batch.mask[0]).max(initial=0))):
        with pytest.raises(ResetNeeded, match="reset"):
            env.step(action)
    _, info = env.reset()
    *_, terminated, _, _ = env.step(int(info["action_mask"].argmax()))
    assert terminated is False


@small_tables
def test_only_what_is_an_action_id_is_an_action(table):
    env = SingleAgentEnv(**table.arguments)
    env.reset(seed=1)
    actions: list[Any] = [0, np.int64(0), np.array(0)]
    for action in actions:
        copy.deepcopy(env).step(action)
    others: list[Any] = [0.0, [0], None, "pass"]
    for other in others:
        with pytest.raises((TypeError, ValueError)):
            env.step(other)


@full_tables
def test_a_seed_settles_the_games_that_follow_it(table):
    """And reset() goes on with the next ones; chance, opponents and seats are settled by it."""
    env, twin = (
        SingleAgentEnv(**table.arguments, opponents={"random": 1, BySight(3): 1}) for _ in range(2)
    )
    first = course(env, seed=5, games=4)
    assert course(env, seed=5, games=4) == first
    assert course(twin, seed=5, games=4) == first
    assert course(env, seed=6) != first[: len(course(env, seed=6))]
    begins = [shown for shown in first if len(shown) == 3]
    assert len({observation for observation, *_ in begins}) == 4


@full_tables
def test_reset_without_a_seed_begins_another_game(table):
    env = SingleAgentEnv(**table.arguments)
    seats = []
    seen = set()
    for number in range(table.players + 1):
        observation, info = env.reset(seed=None if number else 8)
        seats.append(env.seat)
        seen.add(observation.tobytes())
        env.step(choose(observation, info))
    assert seats == [*range(table.players), 0]
    assert len(seen) == table.players + 1


@small_tables
def test_what_is_given_out_stays_as_it_was(table):
    env = SingleAgentEnv(**table.arguments)
    shown = list(game(env, seed=3))
    again = list(game(env, seed=3))
    assert [flat_bytes(one) for one in shown] == [flat_bytes(one) for one in again]
    for observation, *_, info in shown:
        observation[:] = 0
        info["action_mask"][:] = 0
    assert [flat_bytes(one) for one in game(env, seed=3)] == [flat_bytes(one) for one in again]


def flat_bytes(shown):
    return [np.asarray(part).tobytes() for part in flat(shown)]


@pytest.mark.parametrize("env_id", [env_id for env_id in IDS if "-Solo-" in env_id])
def test_solo_has_one_seat(env_id):
    env = make(env_id)
    _, final = list(game(env, seed=1))[-1][-2:]
    assert env.games.batch.players.tolist() == [1]
    assert env.seat == 0
    assert not final["final_scores"][1:].any()
    assert not final["winners"][1:].any()


@pytest.mark.parametrize("table", FULL_TABLES, ids=str)
def test_all_arguments_pass_through_make(table):
    asked = BySight(5)
    made = make(id_of(table))
    assert made.games.batch.players.tolist() == [registry.seats(made.games.batch.game.name)[-1]]
    given: dict[str, Any] = {"seat": 2, "reward": "score"}
    env = make(
        id_of(table),
        **arguments_of(table),
        **given,
        opponents=[asked.act, *["random"] * (table.players - 2)],
        render_mode="ansi",
        box=made.games.batch.game.box,
    )
    twin = SingleAgentBatch(
        **table.arguments,
        **given,
        opponents=[BySight(5), *["random"] * (table.players - 2)],
        seed=4,
    )
    assert env.render_mode == "ansi"
    paid = 0.0
    for observation, *rest, _ in game(env, seed=4):
        assert env.seat == 2
        assert (observation == twin.observe(np.array([0]))[0]).all()
        if not rest:
            assert isinstance(env.render(), str)
        paid += abs(rest[0]) if rest else 0.0
        if twin.batch.to_move[0] >= 0:
            twin.step(learn(twin.batch.obs, twin.batch.mask))
    assert asked.asked
    assert paid > 0


@full_tables
def test_wrong_arguments_are_refused_by_name(table):
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"players": 99}, ValueError, "players=99"),
        ({"seat": table.players}, ValueError, f"seat={table.players}"),
        ({"opponents": "nobody"}, ValueError, "nobody"),
        ({"reward": "fame"}, ValueError, "fame"),
        ({"box": "no/such/box.toml"}, ValueError, "cannot be read"),
        ({"expansion": True}, TypeError, "expansion"),
    ]
    for wrong, fault, words in refused:
        with pytest.raises(fault, match=words):
            gymnasium.make(id_of(table), **(arguments_of(table) | wrong))
    with pytest.raises(ValueError, match="render_mode='film'"):
        SingleAgentEnv(**table.arguments, render_mode="film")


@small_tables
def test_gymnasiums_wrappers_work_over_it(table):
    counted = RecordEpisodeStatistics(make(id_of(table), **arguments_of(table), reward="score"))
    shown = list(game(counted, seed=9))
    rewards = [reward for _, reward, *_ in shown[1:]]
    episode = shown[-1][-1]["episode"]
    assert episode["l"] == len(rewards)
    assert episode["r"] == pytest.approx(sum(rewards))

    short = TimeLimit(make(id_of(table), **arguments_of(table)), 3)
    *_, (_, _, terminated, truncated, info) = game(short, seed=9)
    assert (terminated, truncated) == (False, True)
    assert set(info) == {"action_mask"}

    flattened = FlattenObservation(make(id_of(table), **arguments_of(table)))
    for observation, *_ in game(flattened, seed=9):
        assert observation in flattened.observation_space


@full_tables
def test_a_copy_goes_on_with_the_same_game(table):
    pool: Any = {"random": 1, BySight(3): 1}
    env = SingleAgentEnv(**table.arguments, opponents=pool, reward="score")
    observation, info = env.reset(seed=7)
    env.step(choose(observation, info))
    twin = copy.deepcopy(env)
    for _ in range(3):
        action = int(twin.action_masks().argmax())
        assert flat_bytes(twin.step(action)) == flat_bytes(env.step(action))
    assert course(env, games=3) == course(twin, games=3)


@small_tables
def test_global_generators_are_left_alone(table):
    before = np.random.get_state(legacy=False)["state"]["key"].tolist()
    course(SingleAgentEnv(**table.arguments))
    assert np.random.get_state(legacy=False)["state"]["key"].tolist() == before
