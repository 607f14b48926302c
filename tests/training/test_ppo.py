"""PPO: the network, credit along each seat's own decisions, rollouts, and games it learns."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from shakespeare_agents import RandomAgent
from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.networks.network import Network
from shakespeare_arena import Entrant, evaluate
from shakespeare_env.core.game import ObservationLayout
from shakespeare_training.games import HostGames
from shakespeare_training.league import League
from shakespeare_training.policy import PolicyNetwork
from shakespeare_training.ppo import (
    CHANGE,
    NO_DECISION,
    PPO,
    SHARE,
    PPOSettings,
    Repeated,
    Rollout,
    normalised_advantages,
    seat_targets,
)
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
    """Return a fresh policy, always the same."""
    rng = torch.Generator().manual_seed(0)
    return PolicyNetwork(LAYOUT, actions=ACTIONS, seats=SEATS, width=WIDTH, rng=rng)


@pytest.fixture
def policy():
    """Random weights in every tensor; fresh layers have none in their biases."""
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
def test_the_network_in_plain_arrays_is_the_same_one(policy, views, fresh):
    policy = make_policy() if fresh else policy
    found = outputs(policy, views)
    network = PlainNetwork(policy.tensors(), LAYOUT)
    players = np.arange(SITUATIONS) % SEATS + 1
    present = np.arange(SEATS) < players[:, None]
    shares, changes = network.forecasts(views[0], players)
    logits = found.win_logits.masked_fill(~torch.as_tensor(present), -torch.inf)
    assert np.allclose(torch.softmax(logits, 1).numpy(), shares, atol=1e-4)
    assert np.allclose(np.where(present, found.changes, 0), changes, rtol=1e-4, atol=1e-4)
    assert np.allclose(found.changes[:, 0], network.values(views[0]), rtol=1e-4, atol=1e-4)
    logits = np.where(views[1], network.logits(views[0]), -np.inf)
    logits -= np.logaddexp.reduce(logits, axis=1, keepdims=True)
    assert np.allclose(found.log_probabilities.numpy()[views[1]], logits[views[1]], atol=1e-3)
    assert (found.log_probabilities.exp().numpy()[~views[1]] == 0).all()


@pytest.mark.parametrize("bfloat16", [False, True])
def test_evaluating_actions_equals_autograd_on_the_outputs(policy, views, bfloat16):
    """Compare log-probabilities, entropies, and the gradients of both."""
    policy.use_bfloat16 = bfloat16
    observations, masks = map(torch.as_tensor, views)
    actions = masks.float().argmax(dim=1)
    chance = torch.Generator().manual_seed(0)
    weights = torch.randn(2, len(actions), generator=chance)
    logs = policy.outputs(observations, masks).log_probabilities
    plain = logs.gather(1, actions[:, None]).squeeze(1), -(logs.softmax(dim=1) * logs).sum(dim=1)
    found = policy.evaluate_actions(observations, masks, actions)
    gradients = []
    for of in (plain, (found.log_probs, found.entropies)):
        policy.zero_grad()
        sum((one * weight).sum() for one, weight in zip(of, weights, strict=True)).backward()
        gradients.append([p.grad.clone() for p in policy.parameters() if p.grad is not None])
    for one, other in zip(plain, (found.log_probs, found.entropies), strict=True):
        assert torch.equal(one, other)
    for one, other in zip(*gradients, strict=True):
        assert torch.allclose(
            one, other, rtol=0.02 if bfloat16 else 1e-4, atol=1e-2 if bfloat16 else 1e-5
        )


@pytest.mark.parametrize("carried", [False, True])
@pytest.mark.parametrize("n_seats", [1, 2, 3, 4])
def test_against_the_textbook_recursion_seat_by_seat(n_seats, carried):
    """Take each seat's decisions of each game out, and run the ordinary recursion on that list."""
    n_rows = 200
    lam = 0.9
    first = carried * n_seats
    rng = np.random.default_rng(n_seats)
    gains, forecasts = rng.normal(size=(2, n_rows, 1, n_seats, 2)).astype(np.float32)
    before = rng.normal(size=(first, 1, n_seats, 2)).astype(np.float32)
    seats = rng.integers(NO_DECISION if carried else 0, n_seats, size=(n_rows, 1)).astype(np.int8)
    # A carried prefix has a decision of each seat, if it has one open, and no end.
    seats[:first] = np.where(seats[:first] < 0, NO_DECISION, np.arange(first)[:, None])
    gains[:first] = 0.0
    dones = (rng.random((n_rows, 1)) < 0.05) & (np.arange(n_rows)[:, None] >= first)
    tensor = torch.tensor
    given = tensor(gains), tensor(forecasts), tensor(seats), tensor(dones), tensor(before)
    targets, gained, closed = seat_targets(*given, lam)
    # What came in before belongs to the carried decision alone.
    extra = np.zeros((n_rows, n_seats, 2), np.float32)
    extra[: len(before)] = before[:, 0]
    first = 0
    for end in dict.fromkeys([*np.flatnonzero(dones[:, 0]), n_rows - 1]):
        over = bool(dones[end, 0])
        for seat in range(n_seats):
            decisions = [t for t in range(first, end + 1) if seats[t, 0] == seat]
            advantage, following = np.zeros((2, n_seats, 2))
            for place in reversed(range(len(decisions))):
                row = decisions[place]
                last = place == len(decisions) - 1
                forecast = forecasts[row, 0]
                gain = gains[row : end + 1 if last else decisions[place + 1], 0].sum(axis=0)
                gain += extra[row]
                assert gained[row, 0] == pytest.approx(gain, abs=1e-4)
                assert closed[row, 0] == (over or not last)
                if last and not over:
                    following = forecast
                    continue
                advantage = gain + following - forecast + lam * advantage
                following = forecast
                assert targets[row, 0] == pytest.approx(advantage + forecast, abs=1e-4)
        first = end + 1


def test_advantages_are_in_units_of_the_reward_and_normalised_at_each_table():
    errors = torch.tensor([[0.5, 0.1], [-0.25, 0.3], [0.1, -0.2], [0, 1.0], [0, 3.0]])
    players = torch.tensor([4, 4, 4, 1, 1])
    raw = 3 * 4 / 3 * errors[:3, SHARE] + 2 * errors[:3, CHANGE]
    expected = torch.cat([(raw - raw.mean()) / raw.std(correction=0), torch.tensor([-1.0, 1.0])])
    assert torch.allclose(normalised_advantages(errors, players, 3.0, 2.0), expected, atol=1e-5)


def make_rollout(steps, games=1, *, players=4, numbers=3, actions=5):
    size: Any = SimpleNamespace
    game = size(layout=size(size=numbers), actions=size(size=actions), max_seats=MAX_SEATS)
    rollout = Rollout(steps, torch.full((games,), players), game)
    rollout.begin()
    return rollout


def add(rollout, step, seat, *, value=0.0, rewards=(0, 0, 0, 0), done=False, mark=0, log_prob=None):
    """One step of a single game; `mark` is put into observation, action and log-probability."""
    row = MAX_SEATS + step
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
    explained = rollout.end(0.0, 1.0, 0.0)
    (data,) = rollout.minibatches(2, 1.0, torch.Generator())
    assert sorted(data.changes.tolist()) == [[20, 30, 10, 0], [33, 11, 22, 0]]
    assert data.players.tolist() == [3, 3]
    # Nothing was forecast of 33 and 20.
    assert explained["score_3_seats"] == pytest.approx(1 - (33**2 + 20**2) / 2 / 6.5**2)


@pytest.mark.usefixtures("toy")
def test_every_reward_of_every_seat_is_learnt_from_exactly_once():
    """Rollouts of real games, with forecasts of zero: the targets are the rewards."""
    games = 6
    players = 3
    toy = make_toy(games, players=players, seed=players)
    rollout = make_rollout(7, games, players=players, numbers=toy.obs.shape[1], actions=3)
    given = 0.0
    learnt_from = 0.0
    learnt = 0
    for _ in range(30):
        rollout.begin()
        for row in range(MAX_SEATS, MAX_SEATS + 7):
            rollout.seats[row] = torch.tensor(toy.to_move)
            rewards, dones = map(torch.tensor, toy.step(toy.random_actions()))
            rollout.gains[row, ..., CHANGE] = rewards
            rollout.dones[row] = dones
            given += float(rewards.abs().sum())
        rollout.end(0.0, 0.0, 1.0)
        (data,) = rollout.minibatches(10**6, 1.0, torch.Generator())
        learnt_from += data.changes[:, 0].abs().sum().item()
        learnt += len(rollout.advantages)
    # Every seat decides before a game can end, so no reward falls to a seat without a decision.
    assert learnt_from == pytest.approx(given, abs=1e-3)
    assert 0 <= 30 * 7 * games - learnt <= games * players


CERTAIN = 12
COUNT = 17


def gradient(policy, observations, actions, advantages, repeated):
    """Return the gradient of the policy, the forecasts and the entropy, in one vector."""
    everything = torch.ones(len(observations), 9, dtype=torch.bool)
    evaluation = policy.evaluate_actions(observations, everything, actions)
    log_probs = repeated.spread(evaluation.log_probs)
    entropies = repeated.spread(evaluation.entropies)
    changes = repeated.spread(evaluation.changes)
    assert len(log_probs) == len(entropies) == len(changes) == COUNT
    loss = (advantages * log_probs).mean() + (changes[:, 0] - advantages).square().mean()
    policy.zero_grad()
    (loss + entropies.mean()).backward()
    gradients = [p.grad for p in policy.parameters() if p.grad is not None]
    return torch.cat([part.flatten() for part in gradients]).double()


def test_over_all_draws_the_gradient_is_that_of_all_decisions():
    """Every rotation of the order once is as good as every order."""
    policy = make_policy()
    rng = np.random.default_rng(1)
    observations = torch.as_tensor(rng.integers(0, 2, (COUNT, 20), np.int8))
    actions = torch.as_tensor(rng.integers(0, 9, COUNT))
    advantages = torch.as_tensor(rng.normal(size=COUNT), dtype=torch.float32)
    expected = gradient(policy, observations, actions, advantages, Repeated(0, 0))
    mean = torch.zeros_like(expected)
    repeated = Repeated(4, CERTAIN)
    for turn in range(CERTAIN):
        certain = torch.arange(CERTAIN).roll(turn)[: repeated.kept]
        asked = torch.cat([torch.arange(CERTAIN, COUNT), certain])
        advantage = advantages[repeated.spread(asked)]
        part = gradient(policy, observations[asked], actions[asked], advantage, repeated)
        assert not torch.allclose(part, expected, atol=1e-4)
        mean += part / CERTAIN
    assert torch.allclose(mean, expected, atol=1e-6)


@pytest.mark.parametrize(("share", "sizes"), [(1.0, [9, 9, 9, 13]), (0.3, [10] * 4)])
def test_minibatches_hold_every_closed_decision_once_and_what_belongs_together(share, sizes):
    """30 of the decisions are near-certain, and the last one is open."""
    rollout = make_rollout(41, players=1, actions=50)
    for mark in range(41):
        log_prob = np.log(0.991 if mark < 30 else 0.989)
        add(rollout, mark, 0, rewards=(mark,) * MAX_SEATS, mark=mark, log_prob=log_prob)
    rollout.end(0.0, 0.0, 1.0)
    batches = list(rollout.minibatches(sizes[0], share, torch.Generator()))
    assert [len(data.log_probs) for data in batches] == sizes, "the last takes the rest"
    marks = torch.cat([data.repeated.spread(data.observations[:, 0]) for data in batches])
    assert share < 1.0 or sorted(marks.tolist()) == list(range(40))
    for data in batches:
        rows = data.observations
        repeated = data.repeated
        missing = repeated.total - repeated.kept
        assert len(rows) == len(data.masks) == len(data.log_probs) - missing
        assert (missing > 0) == (share < 1.0)
        assert rows[:, 0].tolist() == data.actions.tolist()
        marks = repeated.spread(rows[:, 0])
        assert marks.tolist() == data.changes[:, 0].tolist()
        assert ((data.log_probs.exp() > 0.99) == (marks < 30)).all()
        assert (data.advantages.argsort() == marks.argsort()).all()


def make_learner(*, players=2, games=32, seed=0, opponents=None, **arguments):
    settings: dict[str, Any] = {
        "width": 32,
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
    """Return how often the learner's policy beats a random player."""
    network = Network(learner.policy.tensors(), learner.league.batch.game.layout)
    agent = NetworkAgent(network, greedy=False)
    entrants = [Entrant("learner", agent), Entrant("random", RandomAgent())]
    return evaluate(entrants, NAME, games=400, seed=1).agents[0].win_rate


@pytest.mark.usefixtures("toy")
def test_it_learns_a_game_in_which_others_decide_what_one_gets():
    """The seat that takes the last counter loses: winners are paid by a move of another."""
    learner = make_learner()
    learner.learn(20_000)
    assert win_rate(learner) > 0.9


@pytest.mark.usefixtures("toy")
def test_it_learns_from_one_seat_among_opponents():
    """The rows in which opponents decide are left out, and what they cause is credited."""
    learner = make_learner(opponents={"random": 1.0})
    learner.learn(8_000)
    seats = learner.rollout.seats[MAX_SEATS:]
    assert 0.3 < (seats != NO_DECISION).float().mean() < 0.7, "only its own decisions count"
    assert win_rate(learner) > 0.85
    assert learner.league.opponents[0].win_rate > 0.7


@pytest.mark.usefixtures("toy")
def test_one_seed_one_run_and_global_generators_are_left_alone():
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
