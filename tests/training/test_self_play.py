"""The learner: credit for what others' moves cause, own generators, rollouts that connect."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from shakespeare_agents import RandomAgent
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.network import Network
from shakespeare_agents.network_agent import NetworkAgent
from shakespeare_env import Batch, registry
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.league import League
from shakespeare_training.ppo.advantages import NO_SEAT
from shakespeare_training.ppo.policy import PolicyNetwork, policy_arguments
from shakespeare_training.ppo.self_play import SelfPlayPPO, linear, outcomes
from tests.contract.each_table import plain_tables
from tests.training.toy_game import NAME, make_toy, set_pile

pytestmark = pytest.mark.usefixtures("toy")

CURRENT = {"current": 1.0}


def make_learner(*, players=2, games=32, seed=0, opponents=None, **arguments):
    settings: dict[str, Any] = {
        "width": 32,
        "n_steps": 16,
        "batch_size": 256,
        "n_epochs": 4,
        "gamma": 1.0,
        "learning_rate": 3e-3,
        "device": "cpu",
    }
    batch = make_toy(games, players=players, seed=seed, autoreset=False)
    league = League(opponents or CURRENT, batch, max_snapshots=2, seed=seed)
    return SelfPlayPPO(SB3SelfPlayVecEnv(batch), league, seed=seed, **(settings | arguments))


def win_rate(network, seed=1):
    """How often a network beats a random player of the toy game, drawing as it has learned to."""
    agent = NetworkAgent(network, greedy=False)
    entrants = [Entrant("learner", agent), Entrant("random", RandomAgent())]
    found = evaluate(entrants, NAME, games=400, seed=seed).agents[0].win_rate
    assert found is not None
    return found


def network_of(learner):
    return Network(learner.policy.tensors(), learner.league.batch.game.layout)


@pytest.fixture(scope="module")
def trained(toy):
    learner = make_learner()
    learner.learn(30_000)
    return learner


def test_it_learns_a_game_in_which_others_decide_what_one_gets(trained):
    """Whoever takes the last counter loses: winners are paid by a move that is not theirs."""
    assert win_rate(network_of(trained)) > 0.9


def test_it_learns_from_one_seat_among_opponents():
    """The rows in which opponents decide are left out, and what they cause is credited."""
    learner = make_learner(opponents={"random": 1.0})
    learner.learn(15_000)
    assert win_rate(network_of(learner)) > 0.9
    assert learner.league.opponents[0].win_rate > 0.75


def test_values_are_the_deciding_seats_own(trained):
    """-1 before the loser's last move, and +1 for the winner one move earlier."""
    one = make_toy(1, players=2, autoreset=False)
    expected = {1: -1.0, 2: 1.0, 3: 1.0, 4: 1.0, 5: -1.0, 6: 1.0, 9: -1.0}
    for pile, value in expected.items():
        set_pile(one, pile, to_move=1)
        with torch.no_grad():
            _, found = trained.policy.masked_log_probabilities(
                torch.as_tensor(one.obs), torch.as_tensor(one.mask.copy())
            )
        assert found.item() == pytest.approx(value, abs=0.35), pile


def test_the_update_is_the_stock_one():
    assert SelfPlayPPO.train is MaskablePPO.train
    assert SelfPlayPPO.learn is MaskablePPO.learn


def test_one_seed_one_run():
    weights = []
    for seed in (5, 5, 6):
        learner = make_learner(seed=seed, players=3)
        learner.learn(2 * 16 * 32)
        weights.append(torch.nn.utils.parameters_to_vector(learner.policy.parameters()))
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_global_generators_are_left_alone():
    def states():
        return (
            random.getstate(),
            np.random.get_state(legacy=False)["state"]["key"].tolist(),
            torch.random.get_rng_state().tolist(),
        )

    before = states()
    make_learner().learn(16 * 32)
    assert states() == before


class StopAfter(BaseCallback):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def _on_step(self):
        return self.n_calls < self.steps


def test_stopped_and_started_again():
    learner = make_learner()
    learner.learn(10_000, callback=StopAfter(20))
    assert learner.num_timesteps == 20 * 32
    buffer = learner.rollout_buffer
    # Continue the games as they are: the decisions of the stopped rollout are not carried over.
    learner.learn(16 * 32, reset_num_timesteps=False)
    assert np.isfinite(buffer.advantages).all()
    # Reset the games: nothing is carried into them.
    learner.learn(16 * 32)
    assert len(buffer.advantages) <= 16 * 32


def test_schedules_follow_the_decisions():
    learner = make_learner(
        learning_rate=linear(1.0, 0.0),
        ent_coef=linear(0.8, 0.0),
        score_reward_coef=linear(8.0, 4.0),
    )
    coefs = []

    class Look(BaseCallback):
        def _on_step(self):
            remaining = learner._current_progress_remaining
            coefs.append((learner.ent_coef, learner.score_reward_coef(remaining)))
            return True

    learner.learn(4 * 16 * 32, callback=Look())
    assert learner.policy.optimizer.param_groups[0]["lr"] == 0.0
    # A rollout is played with the coefficients of its beginning.
    expected = [(0.8, 8.0), (0.6, 7.0), (0.4, 6.0), (0.2, 5.0)]
    assert np.array(coefs[::16]) == pytest.approx(np.array(expected))


def test_schedules_stay_at_their_end():
    """The last rollout overshoots: what is left of the run is then negative."""
    learner = make_learner(learning_rate=linear(1e-3, 1e-4))
    learner.learn(16 * 32 + 1)
    assert learner._current_progress_remaining < 0
    assert learner.policy.optimizer.param_groups[0]["lr"] == pytest.approx(1e-4)
    assert [linear(3.0, 1.0)(left) for left in (1.5, 1.0, 0.5, 0.0, -0.5)] == [3, 3, 2, 1, 1]


@pytest.mark.parametrize("opponents", [{"current": 1.0}, {"random": 1.0}])
def test_only_the_learners_decisions_count(opponents):
    learner = make_learner(players=3, opponents=opponents)
    learner.learn(1)
    seats = learner.rollout_buffer._seats[4:]
    assert learner.num_timesteps == np.count_nonzero(seats != NO_SEAT)
    share = learner.num_timesteps / (16 * 32)
    assert share == 1.0 if "current" in opponents else 0.2 < share < 0.5


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rewards_as_the_learner_counts_them(players):
    coefs = {"score_reward_coef": linear(2.0, 2.0), "win_reward_coef": 0.5}
    learner = make_learner(players=players, games=4, **coefs)
    env = learner.env
    env.reset()
    ended = 0
    rng = np.random.default_rng(0)
    while ended < 10:
        masks = env.action_masks()
        _, _, dones, infos = env.step((rng.random(masks.shape) * masks).argmax(1))
        rewards = learner._seat_rewards(env, dones)
        assert not rewards[~dones].any()
        for game in np.flatnonzero(dones):
            ended += 1
            won = infos[game]["winners"][:players]
            expected = np.where(won, 2.5 / (players - 1), -2.5)
            assert rewards[game, :players] == pytest.approx(expected)
            assert not rewards[game, players:].any()


@pytest.mark.parametrize("name", registry.names())
def test_outcomes_are_the_reward_named_win(name):
    players = np.resize(registry.seats(name), 64)
    batch = Batch(name, 64, players=players, seed=3, autoreset=False, reward="win")
    ended = 0
    while ended < 64:
        batch.step(batch.random_actions())
        rows = np.flatnonzero(batch.done)
        assert outcomes(batch, rows) == pytest.approx(batch.rewards[rows])
        ended += len(rows)


def test_misuse_is_named():
    learner = make_learner()
    learner._setup_learn(100)
    callback = StopAfter(1)
    with pytest.raises(ValueError, match="use_masking=False"):
        learner.collect_rollouts(learner.env, callback, learner.rollout_buffer, 1, False)
    stock = MaskablePPO("MlpPolicy", learner.env, n_steps=8, batch_size=8)
    with pytest.raises(TypeError, match="SeatRolloutBuffer"):
        learner.collect_rollouts(learner.env, callback, stock.rollout_buffer, 1)


@plain_tables
def test_a_few_updates_on_a_real_game(table):
    games = table.batch(16, seed=1, autoreset=False, reward="score")
    league = League({"current": 1.0, "heuristic": 1.0}, games, max_snapshots=1, seed=1)
    learner = SelfPlayPPO(
        SB3SelfPlayVecEnv(games),
        league,
        width=32,
        n_steps=64,
        batch_size=256,
        n_epochs=1,
        seed=1,
        device="cpu",
    )
    before = torch.nn.utils.parameters_to_vector(learner.policy.parameters()).clone()
    learner.learn(2 * 64 * 16)
    after = torch.nn.utils.parameters_to_vector(learner.policy.parameters())
    assert torch.isfinite(after).all()
    assert not torch.equal(before, after)
    assert learner.num_timesteps >= 2 * 64 * 16


def test_the_usual_construction_learns_nothing_there():
    """One trajectory per game, each reward the mover's, the next value another seat's.

    Whoever moves last loses, so every trajectory ends with -1, whatever was played.
    """
    batch = make_toy(32, players=2, seed=0, autoreset=False)
    usual = MaskablePPO(
        PolicyNetwork,
        SB3SelfPlayVecEnv(batch),
        policy_kwargs=policy_arguments(32, batch.game.layout),
        n_steps=16,
        batch_size=256,
        n_epochs=4,
        gamma=1.0,
        learning_rate=3e-3,
        device="cpu",
        seed=0,
    )
    usual.learn(30_000)
    assert isinstance(usual.policy, PolicyNetwork)
    assert win_rate(Network(usual.policy.tensors(), batch.game.layout)) < 0.7
