"""The vector environments: games as stable-baselines3 sees them."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor

from shakespeare_agents import RandomAgent
from shakespeare_env import Batch, IllegalMove, Position, registry
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv, SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract import knowledge
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.contract.random_games import PLAIN_TABLES
from tests.generators import generators
from tests.wrappers.lives import BySight, learn

GAMES = 8


def make(table, seed=0, n=GAMES, **arguments):
    return SB3SelfPlayVecEnv(table.batch(n, seed, autoreset=False, **arguments))


@full_tables
def test_spaces_hold_what_comes_out(table):
    games = make(table)
    observations = games.reset()
    assert games.num_envs == GAMES
    assert observations.shape == (GAMES, *games.observation_space.shape)
    for _ in range(100):
        assert observations.dtype == games.observation_space.dtype == np.int8
        assert all(games.observation_space.contains(row) for row in observations)
        observations, rewards, dones, infos = games.step(games.batch.random_actions())
        assert (rewards.dtype, rewards.shape) == (np.float32, (GAMES,))
        assert (dones.dtype, dones.shape) == (np.bool_, (GAMES,))
        assert len(infos) == GAMES


@plain_tables
@pytest.mark.parametrize("reward", ["win", "score"])
def test_it_is_the_batch(table, reward):
    games = make(table, seed=3, reward=reward)
    batch = table.batch(GAMES, seed=3, reward=reward)
    observations = games.reset()
    ended = 0
    for _ in range(400):
        assert (observations == batch.obs).all()
        assert (games.action_masks() == batch.mask).all()
        assert (games.seats == batch.to_move).all()
        movers = games.seats.copy()
        actions = batch.random_actions()
        observations, own, dones, infos = games.step(actions)
        rewards, done = batch.step(actions)
        assert (games.seat_rewards == rewards).all()
        assert (own == rewards[np.arange(GAMES), movers]).all()
        assert (dones == done).all()
        for game, info in enumerate(infos):
            assert bool(info) == done[game]
            if info:
                ended += 1
                assert (info["final_scores"] == batch.final_scores[game, : table.players]).all()
                assert (info["winners"] == batch.final_winners[game, : table.players]).all()
    assert ended > GAMES


@full_tables
def test_every_seat_is_paid_when_a_game_ends(table):
    games = make(table)
    games.reset()
    seen = 0
    while seen < 20:
        _, _, dones, infos = games.step(games.batch.random_actions())
        assert not games.seat_rewards[~dones].any()
        for game in np.flatnonzero(dones):
            seen += 1
            won = infos[game]["winners"]
            assert (games.seat_rewards[game, : table.players][won] > 0).all()
            assert (games.seat_rewards[game, : table.players][~won] < 0).all()


@full_tables
def test_what_is_given_out_stays_as_it_was(table):
    games = make(table, reward="score")
    observations = games.reset()
    masks = games.action_masks()
    kept = observations.copy(), masks.copy()
    out = games.step(games.batch.random_actions())
    rewards = games.seat_rewards
    kept_rewards = rewards.copy()
    for _ in range(5):
        games.step(games.batch.random_actions())
    assert (observations == kept[0]).all()
    assert (masks == kept[1]).all()
    assert (rewards == kept_rewards).all()
    assert not np.shares_memory(out[0], games.batch.obs)


@full_tables
def test_masks_reach_sb3_contrib(table):
    games = make(table)
    games.reset()
    assert is_masking_supported(games)
    assert (get_action_masks(games) == games.batch.mask).all()
    assert (games.env_method("action_masks", indices=[2])[0] == games.batch.mask[2]).all()
    assert games.get_attr("render_mode") == [None] * GAMES
    assert not games.has_attr("no_such_thing")
    assert games.env_is_wrapped(VecMonitor, indices=[0, 1]) == [False, False]
    with pytest.raises(AttributeError, match="cannot be set"):
        games.set_attr("players", 3)


@full_tables
def test_seeds(table):
    def course(games):
        seen = [games.reset()]
        for _ in range(30):
            rng = np.random.default_rng(len(seen))
            masks = games.action_masks()
            seen.append(games.step((rng.random(masks.shape) * masks).argmax(1))[0])
        return np.stack(seen)

    games, others = make(table, seed=1), make(table, seed=2)
    assert (course(games) != course(others)).any()
    assert games.seed(7) == [7] * GAMES
    others.seed(7)
    first = course(games)
    assert (first == course(others)).all()
    assert (first == course(make(table, seed=7))).all()
    # A seed counts for one reset; later ones go on with other games.
    assert (course(games)[0] != first[0]).any()


@small_tables
def test_reset_keeps_the_deal_of_a_fresh_batch(table):
    batch = Batch(n=2, **table.arguments, seed=5, autoreset=False)
    dealt = batch.obs.copy()
    games = SB3SelfPlayVecEnv(batch)
    assert (games.reset() == dealt).all()
    assert (games.reset() == dealt).all()
    games.step(batch.random_actions())
    assert (games.reset() != dealt).any()


@full_tables
def test_illegal_actions_change_nothing(table):
    games = make(table)
    games.reset()
    actions = games.batch.random_actions()
    actions[3] = np.flatnonzero(~games.action_masks()[3])[0]
    before = games.batch.obs.copy()
    with pytest.raises(IllegalMove) as caught:
        games.step(actions)
    assert caught.value.game_index == 3
    assert (games.batch.obs == before).all()


@small_tables
def test_misuse_is_named(table):
    with pytest.raises(ValueError, match="autoreset=False"):
        SB3SelfPlayVecEnv(Batch(n=2, **table.arguments))
    with pytest.raises(RuntimeError, match="step_async"):
        make(table).step_wait()


@full_tables
def test_the_end_is_shown_to_the_seat_that_moved_last(table):
    """As `Position` shows it, whose game 0 is the same."""
    games = make(table, seed=12)
    position = Position.new(**table.arguments, seed=12)
    observations = games.reset()
    while True:
        mover = games.seats[0]
        actions = learn(observations, games.action_masks())
        position.push(position.move_text(int(actions[0])))
        observations, _, dones, infos = games.step(actions)
        assert dones[0] == (position.to_move is None)
        if dones[0]:
            break
    shown = infos[0]["terminal_observation"]
    assert (shown == position.observation(mover)).all()
    assert all(
        (shown != position.observation(other)).any()
        for other in set(range(table.players)) - {mover}
    )
    assert infos[0]["final_scores"][: table.players].tolist() == position.scores()
    assert np.flatnonzero(infos[0]["winners"]).tolist() == position.winners


@small_tables
def test_what_every_seat_received_stays_as_it_was_after_a_reset(table):
    games = make(table, reward="score")
    for _ in steps(games, 300):
        if games.seat_rewards.any():
            break
    received = games.seat_rewards
    kept = received.copy()
    games.reset()
    assert not games.seat_rewards.any()
    assert (received == kept).all()


@full_tables
def test_reset_goes_on_from_games_that_were_touched(table):
    games, batch = (make(table, seed=4), make(table, seed=4).batch)
    actions = learn(games.reset(), games.action_masks())
    games.step(actions)
    batch.step(actions)
    batch.restart(range(GAMES))
    assert (games.reset() == batch.obs).all()
    assert (games.reset() == batch.obs).all()


# ------------------------------------------------------------------------------------ one seat each


def seated(table, n=GAMES, seed=0, opponents: Any = None, **arguments):
    given = {"n": n, "seed": seed, "opponents": opponents or BySight(1), **arguments}
    return SB3SingleAgentVecEnv(SingleAgentBatch(**table.arguments, **given))


def steps(games, count):
    """Play; yields what `step` returns."""
    observations = games.reset()
    for _ in range(count):
        shown = games.step(learn(observations, games.action_masks()))
        observations = shown[0]
        yield shown


@pytest.mark.parametrize("reward", ["win", "score"])
@plain_tables
def test_rows_are_the_lives_of_players(table, reward):
    """Row by row `SingleAgentBatch`, with the next game begun in the step that ends one."""
    view = seated(table, seed=3, reward=reward, threads=2)
    given = {"n": GAMES, "seed": 3, "opponents": BySight(1), "reward": reward}
    games = SingleAgentBatch(**table.arguments, **given)
    observations = view.reset()
    told = 0
    for _ in range(200):
        assert observations.dtype == np.int8
        assert all(view.observation_space.contains(row) for row in observations)
        assert (observations == games.batch.obs).all()
        assert (view.action_masks() == games.batch.mask).all()
        actions = learn(observations, view.action_masks())
        observations, rewards, dones, infos = view.step(actions)
        step = games.step(actions)
        assert rewards.dtype == np.float32
        assert (rewards == step.rewards).all()
        assert (dones == step.ended).all()
        assert [bool(info) for info in infos] == dones.tolist()
        for row in np.flatnonzero(dones):
            told += 1
            scores, winners = games.results(np.array([row]))
            assert (infos[row]["final_scores"] == scores[0]).all()
            assert (infos[row]["winners"] == winners[0]).all()
            assert not infos[row]["illegal_action"]
            assert not infos[row].get("TimeLimit.truncated", False)
        games.restart(np.flatnonzero(dones))
    assert told > 2 * GAMES


@full_tables
def test_the_end_is_shown_as_the_environment_of_one_shows_it(table):
    view, one = seated(table, seed=6), SingleAgentEnv(**table.arguments, opponents=BySight(1))
    observations = view.reset()
    observation, _ = one.reset(seed=6)
    ended = 0
    while ended < 4:
        assert (observations[0] == observation).all()
        actions = learn(observations, view.action_masks())
        observations, rewards, dones, infos = view.step(actions)
        observation, reward, over, _, info = one.step(int(actions[0]))
        assert (rewards[0], dones[0]) == (reward, over)
        if over:
            ended += 1
            assert (infos[0]["terminal_observation"] == observation).all()
            for key in ("final_scores", "winners", "illegal_action"):
                assert np.array_equal(infos[0][key], info[key])
            observation, _ = one.reset()


@pytest.mark.parametrize("make_games", [make, seated])
@plain_tables
def test_what_was_told_stays_as_it_was(table, make_games):
    """Observations, rewards and infos are not changed by later steps."""
    games = make_games(table, reward="score")
    shown, kept = [], []
    for told in steps(games, 150 if make_games is seated or table.players == 1 else 400):
        out = (*told, games.action_masks(), getattr(games, "seat_rewards", None))
        shown.append(out)
        kept.append(copy.deepcopy(out))
    assert sum(bool(info) for out in kept for info in out[3]) > GAMES
    for out, then in zip(shown, kept, strict=True):
        for part, before in zip(out, then, strict=True):
            np.testing.assert_equal(part, before)


@small_tables
@pytest.mark.parametrize("action", [-1, "size", "masked"])
def test_an_illegal_action_of_the_learner_ends_its_game(table, action):
    view = seated(table)
    observations = view.reset()
    masks = view.action_masks()
    actions = learn(observations, masks)
    numbers = {"masked": masks[3].argmin(), "size": masks.shape[1]}
    actions[3] = numbers.get(action, action)
    seen, rewards, dones, infos = view.step(actions)
    assert np.flatnonzero(dones).tolist() == [3]
    assert (rewards == np.where(dones, -1.0, 0.0)).all()
    assert infos[3]["illegal_action"]
    assert not infos[3]["winners"].any()
    assert (infos[3]["terminal_observation"] == observations[3]).all()
    assert (seen[3] != observations[3]).any()
    assert not view.step(learn(seen, view.action_masks()))[2].any()


@full_tables
def test_a_seed_counts_for_one_reset_and_settles_it(table):
    view = seated(table, seed=1, opponents={"random": 1, BySight(2): 1})

    def course():
        return [(seen.tobytes(), rewards.tobytes()) for seen, rewards, *_ in steps(view, 80)]

    view.seed(7)
    first = course()
    assert course() != first
    view.seed(7)
    assert course() == first


@full_tables
def test_reset_keeps_fresh_games_and_goes_on_from_others(table):
    view = seated(table)
    dealt = view.games.batch.obs.copy()
    assert (view.reset() == dealt).all()
    assert (view.reset() == dealt).all()
    view.step(learn(dealt, view.action_masks()))
    assert (view.reset() != dealt).any(axis=1).all()
    assert view.games.seats.tolist() == [(row + 1) % table.players for row in range(GAMES)]


@small_tables
def test_the_monitor_counts_what_a_player_receives(table):
    view = VecMonitor(seated(table, reward="score"))
    returns, lengths, told = np.zeros(GAMES), np.zeros(GAMES), 0
    for _, rewards, dones, infos in steps_of(view, 150):
        returns += rewards
        lengths += 1
        for row in np.flatnonzero(dones):
            told += 1
            assert infos[row]["episode"]["r"] == pytest.approx(returns[row], abs=1e-5)
            assert infos[row]["episode"]["l"] == lengths[row]
        returns[dones] = lengths[dones] = 0
    assert told > GAMES


def steps_of(view, count):
    """`steps` of a view with wrappers around it."""
    observations = view.reset()
    for _ in range(count):
        shown = view.step(learn(observations, get_action_masks(view)))
        observations = shown[0]
        yield shown


@small_tables
@pytest.mark.parametrize("make_games", [SB3SelfPlayVecEnv, SB3SingleAgentVecEnv])
@pytest.mark.parametrize("mode", ["ansi", "human", "film"])
def test_modes_that_draw_no_picture_are_refused(table, make_games, mode):
    games: Any = (
        SingleAgentBatch(**table.arguments)
        if make_games is SB3SingleAgentVecEnv
        else Batch(n=1, **table.arguments, autoreset=False)
    )
    with pytest.raises(ValueError, match=f"render_mode='{mode}'"):
        make_games(games, render_mode=mode)
    assert make_games(games, render_mode="rgb_array").render_mode == "rgb_array"


# ---------------------------------------------------------------------------------------- learners


@pytest.fixture
def repeatable():
    """Learners draw from global generators: from fixed seeds, and nobody else notices."""
    draws = np.random.get_state(), random.getstate()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        np.random.seed(0)
        random.seed(0)
        yield
    np.random.set_state(draws[0])
    random.setstate(draws[1])


@pytest.mark.usefixtures("repeatable")
@pytest.mark.parametrize("table", [t for t in PLAIN_TABLES if t.players == 1], ids=str)
def test_stock_maskable_ppo_learns_on_one_seat(table):
    """With one seat a row is one player's life, and the stock learner may be used as it is."""
    learner = MaskablePPO("MlpPolicy", make(table), n_steps=16, batch_size=64, n_epochs=1)
    learner.learn(256)
    assert learner.num_timesteps == 256


@small_tables
@pytest.mark.usefixtures("repeatable")
def test_stock_ppo_without_masks_plays_on(table):
    """It plays mostly what is not allowed; that ends games and nothing else."""
    learner = PPO("MlpPolicy", seated(table), n_steps=16, batch_size=64, n_epochs=1)
    learner.learn(256)
    assert learner.num_timesteps == 256


def begun(env):
    """An environment whose games follow from a seed."""
    env.reset(seed=1)
    return env


@small_tables
@pytest.mark.usefixtures("repeatable")
@pytest.mark.parametrize(
    "view",
    [
        lambda table: begun(Monitor(SingleAgentEnv(**table.arguments, reward="score"))),
        lambda table: VecMonitor(seated(table, reward="score")),
    ],
    ids=["gym", "vec"],
)
def test_the_evaluations_of_sb3_contrib_run(table, view, tmp_path):
    # Training and evaluation on one kind of view: the callback warns of anything else.
    learner = MaskablePPO("MlpPolicy", view(table), n_steps=16, batch_size=16, n_epochs=1)
    measured: Any = view(table)
    assert is_masking_supported(measured)
    callback = MaskableEvalCallback(
        measured, n_eval_episodes=2, eval_freq=16, log_path=str(tmp_path), verbose=0
    )
    learner.learn(16, callback=callback)
    lengths: Any
    returns, lengths = evaluate_policy(learner, measured, 4, return_episode_rewards=True)
    # Whole games: with masks none is ended by an illegal action.
    assert min(*lengths, *callback.evaluations_length[0]) > 10
    assert np.shape(returns) == (4,)


def mean_score(table, choose, n=100):
    """The learner's mean score at the end of n games against random players."""
    view = seated(table, n, seed=1, opponents="random")
    observations = view.reset()
    scores: dict[int, int] = {}
    while len(scores) < n:
        seats = view.games.seats.copy()
        observations, _, dones, infos = view.step(choose(observations, view.action_masks()))
        for row in np.flatnonzero(dones).tolist():
            scores.setdefault(row, int(infos[row]["final_scores"][seats[row]]))
    return np.mean(list(scores.values()))


@pytest.mark.usefixtures("repeatable")
@small_tables
def test_stock_maskable_ppo_learns_against_opponents(table):
    """In half a minute at most, by a margin that held with every seed it was tried with."""
    rng = generators(100)
    before = mean_score(table, lambda seen, masks: RandomAgent().act(seen, masks, rng))
    arguments: Any = {"opponents": "random", "reward": "score"}
    learner = MaskablePPO(
        "MlpPolicy",
        seated(table, 64, seed=0, **arguments),
        n_steps=64,
        batch_size=512,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=1.0,
        ent_coef=0.01,
    )
    measured = VecMonitor(seated(table, 50, seed=99, **arguments))
    first: Any
    last: Any
    first, _ = evaluate_policy(learner, measured, 50, deterministic=False)
    learner.learn(32768)
    last, _ = evaluate_policy(learner, measured, 50, deterministic=False)
    after = mean_score(
        table, lambda seen, masks: learner.predict(seen, action_masks=masks, deterministic=False)[0]
    )
    lead = knowledge.of(table.game, "strength").STOCK_PPO_LEAD
    assert after > before + lead
    assert last > first + lead / (2 * registry.game(table.game).score_scale)


@small_tables
@pytest.mark.parametrize("make_view", [make, seated])
def test_what_is_written_into_an_info_is_gone_with_the_next_step(table, make_view):
    view = make_view(table)
    view.reset()
    for _ in range(2):
        *_, infos = view.step(view.action_masks().argmax(axis=1))
        assert all(info == {} for info in infos)
        infos[0]["mine"] = 1
