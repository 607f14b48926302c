"""PPO: the network, credit along each seat's own decisions, rollouts, and learning a game."""

from __future__ import annotations

import random
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from shakespeare_agents import RandomAgent
from shakespeare_arena import Entrant, evaluate
from shakespeare_env.core.game import ObservationLayout
from shakespeare_training.group import ALONE
from shakespeare_training.learners.games import HostGames
from shakespeare_training.learners.league import League
from shakespeare_training.learners.ppo import PPO, PPOSettings
from shakespeare_training.learners.rollout import (
    CHANGE,
    NO_DECISION,
    NO_REPETITION,
    SHARE,
    Repetition,
    Rollout,
    explained_variance,
    normalised_advantages,
    seat_targets,
)
from shakespeare_training.networks.mlp import MlpPolicy
from tests.agents.networks import PlainNetwork, random_heads, random_tensors, random_views
from tests.training.toy_game import MAX_SEATS, NAME, make_toy

ACTIONS = 9
SEATS = 4
SITUATIONS = 64
WIDTH = 16
LAYOUT = ObservationLayout([("signed", 10, -3, 100, ""), ("small", 10, 0, 1, "")])
HEADLESS = random_tensors(WIDTH, LAYOUT.size, ACTIONS)
HEADS_ALONE = random_heads(WIDTH, SEATS)
# The value is the own seat's change of score.
VALUE = {f"value.{kind}": HEADS_ALONE[f"score.{kind}"][:1] for kind in ("weight", "bias")}
TENSORS = {**HEADLESS, **HEADS_ALONE, **VALUE}


def make_policy():
    """Return a fresh policy, with the same weights in every call."""
    game: Any = SimpleNamespace(
        layout=LAYOUT, actions=SimpleNamespace(size=ACTIONS), max_seats=SEATS
    )
    return MlpPolicy.fresh(game, torch.Generator().manual_seed(0), width=WIDTH)


@pytest.fixture
def policy():
    """A policy with random weights in every tensor; a fresh one's biases are 0."""
    policy = make_policy()
    policy.set_tensors(TENSORS)
    return policy


@pytest.fixture
def views():
    return random_views(LAYOUT, SITUATIONS, ACTIONS)


def outputs(policy, views):
    with torch.no_grad():
        return policy.outputs(*map(torch.as_tensor, views))


@pytest.mark.parametrize("fresh", [False, True])
def test_the_network_in_plain_arrays_has_the_same_outputs(policy, views, fresh):
    policy = make_policy() if fresh else policy
    observations, masks = views
    found = outputs(policy, views)
    network = PlainNetwork(policy.tensors(), LAYOUT)

    players = np.arange(SITUATIONS) % SEATS + 1
    is_present = np.arange(SEATS) < players[:, None]
    shares, changes = network.forecasts(observations, players)
    win_logits = found.win_logits.masked_fill(~torch.as_tensor(is_present), -torch.inf)
    assert np.allclose(torch.softmax(win_logits, 1).numpy(), shares, atol=1e-4)
    assert np.allclose(np.where(is_present, found.changes, 0), changes, rtol=1e-4, atol=1e-4)
    values = network.values(observations)
    assert np.allclose(found.changes[:, 0], values, rtol=1e-4, atol=1e-4)

    logits = np.where(masks, network.logits(observations), -np.inf)
    log_probs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    assert np.allclose(found.log_probabilities.numpy()[masks], log_probs[masks], atol=1e-3)
    assert (found.log_probabilities.exp().numpy()[~masks] == 0).all()


@pytest.mark.parametrize("bfloat16", [False, True])
def test_evaluating_actions_equals_autograd_on_the_outputs(policy, views, bfloat16):
    """Compare log-probabilities, entropies, and the gradients of both."""
    policy.use_bfloat16 = bfloat16
    observations = torch.as_tensor(views[0])
    masks = torch.as_tensor(views[1])
    actions = masks.float().argmax(dim=1)
    generator = torch.Generator().manual_seed(0)
    weights = torch.randn(2, len(actions), generator=generator)

    def gradients(log_probs, entropies):
        policy.network.zero_grad()
        ((log_probs * weights[0]).sum() + (entropies * weights[1]).sum()).backward()
        return [p.grad.clone() for p in policy.parameters() if p.grad is not None]

    all_log_probs = policy.outputs(observations, masks).log_probabilities
    log_probs = all_log_probs.gather(1, actions[:, None]).squeeze(1)
    entropies = -(all_log_probs.softmax(dim=1) * all_log_probs).sum(dim=1)
    found = policy.evaluate_actions(observations, masks, actions)
    assert torch.equal(log_probs, found.log_probs)
    assert torch.equal(entropies, found.entropies)

    rtol = 0.02 if bfloat16 else 1e-4
    atol = 1e-2 if bfloat16 else 1e-5
    by_autograd = gradients(log_probs, entropies)
    by_hand = gradients(found.log_probs, found.entropies)
    for one, other in zip(by_autograd, by_hand, strict=True):
        assert torch.allclose(one, other, rtol=rtol, atol=atol)


@pytest.mark.parametrize("carried", [False, True])
@pytest.mark.parametrize("n_seats", [1, 2, 3, 4])
def test_targets_equal_those_of_the_textbook_recursion_for_each_seat(n_seats, carried):
    """Run the ordinary recursion on the list of one seat's decisions in one game."""
    n_rows = 200
    lam = 0.9
    n_carried = n_seats if carried else 0
    rng = np.random.default_rng(n_seats)
    gains, forecasts = rng.normal(size=(2, n_rows, 1, n_seats, 2)).astype(np.float32)
    carried_gains = rng.normal(size=(n_carried, 1, n_seats, 2)).astype(np.float32)
    seats = rng.integers(NO_DECISION if carried else 0, n_seats, size=(n_rows, 1)).astype(np.int8)
    # Of the carried rows, row s holds the open decision of seat s, if there is one. No game ends.
    carried_seats = np.arange(n_carried)[:, None]
    seats[:n_carried] = np.where(seats[:n_carried] < 0, NO_DECISION, carried_seats)
    gains[:n_carried] = 0.0
    dones = (rng.random((n_rows, 1)) < 0.05) & (np.arange(n_rows)[:, None] >= n_carried)

    targets, gained, closed = seat_targets(
        torch.tensor(gains),
        torch.tensor(forecasts),
        torch.tensor(seats),
        torch.tensor(dones),
        torch.tensor(carried_gains),
        gae_lambda=lam,
    )

    # Earlier gains belong to the carried decisions alone.
    earlier_gains = np.zeros((n_rows, n_seats, 2), np.float32)
    earlier_gains[:n_carried] = carried_gains[:, 0]
    first = 0
    for end in dict.fromkeys([*np.flatnonzero(dones[:, 0]), n_rows - 1]):
        is_over = bool(dones[end, 0])
        for seat in range(n_seats):
            decisions = [row for row in range(first, end + 1) if seats[row, 0] == seat]
            advantage = np.zeros((n_seats, 2))
            next_forecast = np.zeros((n_seats, 2))
            next_row = end + 1
            for row in reversed(decisions):
                is_last = row == decisions[-1]
                forecast = forecasts[row, 0]
                gain = gains[row:next_row, 0].sum(axis=0) + earlier_gains[row]
                assert gained[row, 0] == pytest.approx(gain, abs=1e-4)
                assert closed[row, 0] == (is_over or not is_last)
                if is_over or not is_last:
                    advantage = gain + next_forecast - forecast + lam * advantage
                    assert targets[row, 0] == pytest.approx(advantage + forecast, abs=1e-4)
                next_forecast = forecast
                next_row = row
        first = end + 1


def test_advantages_are_in_units_of_the_reward_and_normalised_at_each_table():
    errors = torch.tensor([[0.5, 0.1], [-0.25, 0.3], [0.1, -0.2], [0, 1.0], [0, 3.0]])
    players = torch.tensor([4, 4, 4, 1, 1])
    # At four seats the share is worth 4 / 3, so that a win is 1 above the expected quarter.
    multiplayer = 3 * 4 / 3 * errors[:3, SHARE] + 2 * errors[:3, CHANGE]
    normalised = (multiplayer - multiplayer.mean()) / multiplayer.std(correction=0)
    expected = torch.cat([normalised, torch.tensor([-1.0, 1.0])])
    assert torch.allclose(normalised_advantages(errors, players, 4, 3.0, 2.0), expected, atol=1e-5)


def make_rollout(steps, games=1, *, players=4, numbers=3, actions=5):
    game: Any = SimpleNamespace(
        layout=SimpleNamespace(size=numbers),
        actions=SimpleNamespace(size=actions),
        max_seats=MAX_SEATS,
    )
    rollout = Rollout(steps, torch.full((games,), players), game)
    rollout.begin()
    return rollout


def add(rollout, step, seat, *, value=0.0, rewards=(0, 0, 0, 0), done=False, mark=0, log_prob=None):
    """Add a step of a single game, with `mark` in its observation, action and log-probability."""
    row = rollout.row(step)
    decisions = rollout.decisions
    action = mark % decisions["masks"].shape[2]
    decisions["observations"][row] = mark
    decisions["masks"][row, 0] = torch.arange(decisions["masks"].shape[2]) == action
    decisions["actions"][row] = action
    decisions["forecasts"][row, 0, seat, CHANGE] = value
    decisions["log_probs"][row] = -mark if log_prob is None else log_prob
    rollout.seats[row] = seat
    rollout.gains[row, 0, :, CHANGE] = torch.tensor(rewards, dtype=torch.float32)
    rollout.dones[row] = done


def test_targets_are_clockwise_of_the_deciding_seat():
    rollout = make_rollout(steps=2, players=3)
    add(rollout, 0, seat=2, rewards=(1, 2, 3, 0))
    add(rollout, 1, seat=1, rewards=(10, 20, 30, 0), done=True)
    closed = rollout.end(0.0, win_coef=1.0, score_coef=0.0, group=ALONE)
    (minibatch,) = rollout.minibatches(closed, 1, 2, 1.0, torch.Generator())
    assert sorted(minibatch.changes.tolist()) == [[20, 30, 10, 0], [33, 11, 22, 0]]
    assert minibatch.players.tolist() == [3, 3]
    # The targets are 33 and 20, and the forecasts 0.
    assert explained_variance(closed)["score_3_seats"] == pytest.approx(
        1 - (33**2 + 20**2) / 2 / 6.5**2
    )


@pytest.mark.usefixtures("toy")
def test_every_reward_of_every_seat_is_learned_from_exactly_once():
    """Play rollouts of real games with forecasts of zero, so that the targets are the rewards."""
    games = 6
    players = 3
    steps = 7
    toy = make_toy(games, players=players, seed=players)
    rollout = make_rollout(steps, games, players=players, numbers=toy.obs.shape[1], actions=3)
    all_rewards = 0.0
    all_targets = 0.0
    decisions_learned_from = 0
    for _ in range(30):
        rollout.begin()
        for step in range(steps):
            row = rollout.row(step)
            rollout.seats[row] = torch.tensor(toy.to_move)
            rewards, dones = toy.step(toy.random_actions())
            rollout.gains[row, ..., CHANGE] = torch.tensor(rewards)
            rollout.dones[row] = torch.tensor(dones)
            all_rewards += float(np.abs(rewards).sum())
        closed = rollout.end(0.0, win_coef=0.0, score_coef=1.0, group=ALONE)
        all_targets += closed.targets[:, 0, CHANGE].abs().sum().item()
        decisions_learned_from += len(closed.rows)
    # Every seat decides before a game can end, so no reward falls to a seat without a decision.
    assert all_targets == pytest.approx(all_rewards, abs=1e-3)
    open_decisions = 30 * steps * games - decisions_learned_from
    assert 0 <= open_decisions <= games * players


CERTAIN = 12  # the number of near-certain decisions, which come first
COUNT = 17  # the number of all decisions


def gradient(policy, observations, actions, advantages, repetition):
    """Return the gradient of the policy, the forecasts and the entropy, in one vector."""
    masks = torch.ones(len(observations), ACTIONS, dtype=torch.bool)
    evaluation = policy.evaluate_actions(observations, masks, actions)
    log_probs = repetition.repeat(evaluation.log_probs)
    entropies = repetition.repeat(evaluation.entropies)
    changes = repetition.repeat(evaluation.changes)
    assert len(log_probs) == len(entropies) == len(changes) == COUNT
    loss = (advantages * log_probs).mean() + (changes[:, 0] - advantages).square().mean()
    policy.network.zero_grad()
    (loss + entropies.mean()).backward()
    gradients = [p.grad for p in policy.parameters() if p.grad is not None]
    return torch.cat([part.flatten() for part in gradients]).double()


def test_the_mean_gradient_over_all_draws_equals_that_of_all_decisions():
    """Take each rotation of the order once, which has the same mean as all orders."""
    policy = make_policy()
    rng = np.random.default_rng(1)
    observations = torch.as_tensor(rng.integers(0, 2, (COUNT, LAYOUT.size), np.int8))
    actions = torch.as_tensor(rng.integers(0, ACTIONS, COUNT))
    advantages = torch.as_tensor(rng.normal(size=COUNT), dtype=torch.float32)
    expected = gradient(policy, observations, actions, advantages, NO_REPETITION)
    mean = torch.zeros_like(expected)
    repetition = Repetition(4, CERTAIN)
    for shift in range(CERTAIN):
        certain = torch.arange(CERTAIN).roll(shift)[: repetition.n_rows]
        rows = torch.cat([torch.arange(CERTAIN, COUNT), certain])
        repeated = advantages[repetition.repeat(rows)]
        drawn = gradient(policy, observations[rows], actions[rows], repeated, repetition)
        assert not torch.allclose(drawn, expected, atol=1e-4)
        mean += drawn / CERTAIN
    assert torch.allclose(mean, expected, atol=1e-6)


@pytest.mark.parametrize(("share", "sizes"), [(1.0, [9, 9, 9, 13]), (0.3, [10] * 4)])
def test_minibatches_hold_every_closed_decision_once_with_all_of_its_data(share, sizes):
    """30 of the decisions are near-certain, and the last one is open."""
    rollout = make_rollout(41, players=1, actions=50)
    for mark in range(41):
        log_prob = np.log(0.991 if mark < 30 else 0.989)
        add(rollout, mark, 0, rewards=(mark,) * MAX_SEATS, mark=mark, log_prob=log_prob)
    closed = rollout.end(0.0, win_coef=0.0, score_coef=1.0, group=ALONE)
    minibatches = list(rollout.minibatches(closed, len(sizes), sizes[0], share, torch.Generator()))
    assert [len(each.log_probs) for each in minibatches] == sizes, "the last takes the rest"
    marks = torch.cat([each.repetition.repeat(each.observations[:, 0]) for each in minibatches])
    assert share < 1.0 or sorted(marks.tolist()) == list(range(40))
    for minibatch in minibatches:
        observations = minibatch.observations
        repetition = minibatch.repetition
        n_left_out = repetition.n_decisions - repetition.n_rows
        assert (n_left_out > 0) == (share < 1.0)
        n_rows = len(minibatch.log_probs) - n_left_out
        assert len(observations) == len(minibatch.masks) == n_rows
        assert observations[:, 0].tolist() == minibatch.actions.tolist()
        marks = repetition.repeat(observations[:, 0])
        assert marks.tolist() == minibatch.changes[:, 0].tolist()
        assert ((minibatch.log_probs.exp() > 0.99) == (marks < 30)).all()
        assert (minibatch.advantages.argsort() == marks.argsort()).all()


def make_learner(*, players=2, games=32, seed=0, opponents=None, **arguments):
    settings: dict[str, Any] = {
        "make_policy": partial(MlpPolicy.fresh, width=32),
        "n_steps": 16,
        "batch_size": 256,
        "n_epochs": 4,
        "learning_rate": lambda _: 3e-3,
        "win_reward_coef": 1.0,
    }
    batch = make_toy(games, players=players, seed=seed, autoreset=False)
    league = League(opponents or {"current": 1.0}, batch, max_snapshots=2, seed=seed)
    return PPO(HostGames(league), PPOSettings(seed=seed, **(settings | arguments)))


def win_rate(learner):
    """Return the rate at which the learner's policy beats a random player."""
    agent = learner.policy.agent(greedy=False)
    entrants = [Entrant("learner", agent), Entrant("random", RandomAgent())]
    return evaluate(entrants, NAME, games=400, seed=1).agents[0].win_rate


@pytest.mark.usefixtures("toy")
def test_it_learns_a_game_in_which_another_seats_move_brings_the_reward():
    """The seat that takes the last counter loses, so winners are rewarded for its move."""
    learner = make_learner()
    learner.learn(20_000)
    assert win_rate(learner) > 0.9


@pytest.mark.usefixtures("toy")
def test_it_learns_from_one_seat_among_opponents():
    """Decisions of opponents are left out, and the gains that they cause are credited."""
    learner = make_learner(opponents={"random": 1.0})
    learner.learn(8_000)
    seats = learner.rollout.seats[MAX_SEATS:]
    assert 0.3 < (seats != NO_DECISION).float().mean() < 0.7, "only its own decisions count"
    assert win_rate(learner) > 0.85
    assert learner.league.opponents[0].win_rate > 0.7


@pytest.mark.usefixtures("toy")
def test_a_seed_determines_the_run_and_global_generators_are_left_alone():
    def states():
        return (
            random.getstate(),
            np.random.get_state(legacy=False)["state"]["key"].tolist(),
            torch.random.get_rng_state().tolist(),
        )

    before = states()
    weights = []
    for seed in (5, 5, 6):
        learner = make_learner(seed=seed, players=3)
        learner.learn(2 * 16 * 32)
        weights.append(torch.nn.utils.parameters_to_vector(learner.policy.parameters()))
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
    assert states() == before
