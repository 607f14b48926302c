"""PPO: credit along each seat's own decisions, rollouts that connect, and what comes of it."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3.common.callbacks import ConvertCallback

from shakespeare_agents import RandomAgent
from shakespeare_agents.networks.network_agent import NetworkAgent
from shakespeare_arena import Entrant, evaluate
from shakespeare_training.games import HostGames
from shakespeare_training.league import League
from shakespeare_training.learner import linear
from shakespeare_training.policy import bfloat16_is_faster
from shakespeare_training.ppo import (
    CHANGE,
    NO_SEAT,
    PPO,
    SHARE,
    Repeated,
    Rollout,
    advantages,
    seat_targets,
)
from tests.agents.networks import PlainNetwork
from tests.training.test_policy import make_policy
from tests.training.toy_game import MAX_SEATS, NAME, make_toy, set_pile


def random_rows(n_rows, n_seats, *, idle=False, carried=0):
    """Gains and forecasts of one game's seats, who decided, its ends, and what is carried."""
    rng = np.random.default_rng(n_seats)
    gains = rng.normal(size=(n_rows, 1, n_seats, 2)).astype(np.float32)
    forecasts = rng.normal(size=gains.shape).astype(np.float32)
    seats = rng.integers(NO_SEAT if idle else 0, n_seats, size=(n_rows, 1)).astype(np.int8)
    before = rng.normal(size=(carried, 1, n_seats, 2)).astype(np.float32)
    # A carried prefix has a decision of each seat, if it has one open, and no end.
    seats[:carried] = np.where(seats[:carried] < 0, NO_SEAT, np.arange(carried)[:, None])
    gains[:carried] = 0.0
    dones = rng.random((n_rows, 1)) < 0.05
    dones[:carried] = False
    return gains, forecasts, seats, dones, before


@pytest.mark.parametrize("carried", [False, True])
@pytest.mark.parametrize("n_seats", [1, 2, 3, 4])
def test_against_the_textbook_recursion_seat_by_seat(n_seats, carried):
    """Take each seat's decisions of each game out, and run the ordinary recursion on that list."""
    n_rows, lam = 200, 0.9
    arrays = random_rows(n_rows, n_seats, idle=carried, carried=carried * n_seats)
    gains, forecasts, seats, dones, before = arrays
    targets, gained, closed = seat_targets(*map(torch.tensor, arrays), lam)
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
    surprise = torch.tensor([[0.5, 0.1], [-0.25, 0.3], [0.1, -0.2], [0, 1.0], [0, 3.0]])
    players = torch.tensor([4, 4, 4, 1, 1])
    raw = 3 * 4 / 3 * surprise[:3, SHARE] + 2 * surprise[:3, CHANGE]
    expected = torch.cat([(raw - raw.mean()) / raw.std(correction=0), torch.tensor([-1.0, 1.0])])
    assert torch.allclose(advantages(surprise, players, 3.0, 2.0), expected, atol=1e-5)


def make_rollout(steps, games=1, *, players=4, numbers=3, actions=5):
    size: Any = SimpleNamespace
    game = size(layout=size(size=numbers), actions=size(size=actions), max_seats=MAX_SEATS)
    rollout = Rollout(steps, torch.full((games,), players), game)
    rollout.begin()
    return rollout


def add(rollout, step, seat, *, value=0.0, rewards=(0, 0, 0, 0), done=False, mark=0, log_prob=None):
    """One step of a single game; `mark` is put into observation, action and log-probability."""
    row, decisions = MAX_SEATS + step, rollout.decisions
    action = mark % decisions["masks"].shape[2]
    decisions["observations"][row] = mark
    decisions["masks"][row, 0] = torch.arange(decisions["masks"].shape[2]) == action
    decisions["actions"][row] = action
    decisions["forecasts"][row, 0, seat, CHANGE] = value
    decisions["log_probs"][row] = -mark if log_prob is None else log_prob
    rollout.seats[row] = seat
    rollout.gains[row, 0, :, CHANGE] = torch.tensor(rewards, dtype=torch.float32)
    rollout.dones[row] = done


def minibatches(rollout, size, share=1.0):
    return rollout.minibatches(size, share, torch.Generator().manual_seed(0))


def learned(rollout):
    """Marks of the decisions that are learned from now, with their targets."""
    rollout.end(0.0, 0.0, 1.0)
    (data,) = minibatches(rollout, 10**6)
    marks = data.observations[:, 0].tolist()
    assert (data.masks.dtype, data.observations.dtype) == (torch.bool, torch.int8)
    assert data.masks.float().argmax(1).tolist() == data.actions.tolist()
    assert data.log_probs.tolist() == [-mark for mark in marks]
    return dict(sorted(zip(marks, data.changes[:, 0].tolist(), strict=True)))


def test_open_decisions_are_learnt_from_in_the_next_rollout():
    rollout = make_rollout(steps=3)
    add(rollout, 0, seat=0, value=1, mark=1)
    add(rollout, 1, seat=1, value=2, mark=2, rewards=(5, 0, 0, 0))
    add(rollout, 2, seat=0, value=3, mark=3, rewards=(0, 7, 0, 0))
    assert learned(rollout) == {1: 5 + 3}
    rollout.begin()
    add(rollout, 0, seat=2, value=4, mark=4, rewards=(10, 20, 0, 0))
    add(rollout, 1, seat=0, value=5, mark=5, rewards=(0, 100, 0, 0))
    add(rollout, 2, seat=0, value=6, mark=6, rewards=(1, -1, 30, 0), done=True)
    # Seat 0 got 10 after mark 3; seat 1 got 7 in the old rollout and 20 + 100 - 1 in this one.
    assert learned(rollout) == {2: 126, 3: 10 + 5, 4: 30, 5: 0 + 6, 6: 1}


def test_minibatches_hold_every_closed_decision_once_and_the_last_takes_the_rest():
    rollout = make_rollout(steps=41)
    for mark in range(41):
        add(rollout, mark, seat=0, mark=mark)
    rollout.end(0.0, 0.0, 1.0)
    batches = [data.observations[:, 0].tolist() for data in minibatches(rollout, 9)]
    assert sorted(mark for batch in batches for mark in batch) == list(range(40))
    assert [len(batch) for batch in batches] == [9, 9, 9, 13]


def test_targets_are_clockwise_of_the_deciding_seat():
    rollout = make_rollout(steps=2, players=3)
    add(rollout, 0, seat=2, rewards=(1, 2, 3, 0))
    add(rollout, 1, seat=1, rewards=(10, 20, 30, 0), done=True)
    explained = rollout.end(0.0, 1.0, 0.0)
    (data,) = minibatches(rollout, 2)
    assert sorted(data.changes.tolist()) == [[20, 30, 10, 0], [33, 11, 22, 0]]
    assert data.players.tolist() == [3, 3]
    # Nothing was forecast of 33 and 20.
    assert explained["score_3_seats"] == pytest.approx(1 - (33**2 + 20**2) / 2 / 6.5**2)


@pytest.mark.usefixtures("toy")
def test_every_reward_of_every_seat_is_learnt_from_exactly_once():
    """Rollouts of real games, with forecasts of zero: the targets are the rewards."""
    games, players = 6, 3
    toy = make_toy(games, players=players, seed=players)
    rollout = make_rollout(7, games, players=players, numbers=toy.obs.shape[1], actions=3)
    given, learnt_from, learnt = 0.0, 0.0, 0
    for _ in range(30):
        rollout.begin()
        for row in range(MAX_SEATS, MAX_SEATS + 7):
            rollout.seats[row] = torch.tensor(toy.to_move)
            rewards, dones = map(torch.tensor, toy.step(toy.random_actions()))
            rollout.gains[row, ..., CHANGE], rollout.dones[row] = rewards, dones
            given += float(rewards.abs().sum())
        rollout.end(0.0, 0.0, 1.0)
        (data,) = minibatches(rollout, 10**6)
        learnt_from += data.changes[:, 0].abs().sum().item()
        learnt += len(rollout.advantages)
    # Every seat decides before a game can end, so no reward falls to a seat without a decision.
    assert learnt_from == pytest.approx(given, abs=1e-3)
    assert 0 <= 30 * 7 * games - learnt <= games * players


CERTAIN, COUNT = 12, 17


def gradient(policy, observations, actions, advantages, repeated):
    """Of policy, forecasts and entropy."""
    everything = torch.ones(len(observations), 9, dtype=torch.bool)
    judged = policy.judged(observations, everything, actions)
    taken, entropies, changes = map(
        repeated.spread, (judged.log_probs, judged.entropies, judged.changes)
    )
    assert len(taken) == len(entropies) == len(changes) == COUNT
    loss = (advantages * taken).mean() + (changes[:, 0] - advantages).square().mean()
    policy.zero_grad()
    (loss + entropies.mean()).backward()
    gradients = [p.grad for p in policy.parameters() if p.grad is not None]
    return torch.cat([part.flatten() for part in gradients]).double()


def test_over_all_draws_the_gradient_is_that_of_all_decisions():
    """Every rotation of the order once is as good as every order."""
    policy, rng = make_policy(), np.random.default_rng(1)
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


def test_all_that_a_minibatch_holds_goes_together():
    """30 of the decisions are near-certain, and the last one is open."""
    rollout = make_rollout(41, players=1, actions=50)
    for mark in range(41):
        log_prob = np.log(0.991 if mark < 30 else 0.989)
        add(rollout, mark, 0, rewards=(mark,) * MAX_SEATS, mark=mark, log_prob=log_prob)
    rollout.end(0.0, 0.0, 1.0)
    for data in minibatches(rollout, 20, share=0.3):
        rows, repeated = data.observations, data.repeated
        assert len(rows) == len(data.masks) == 20 - repeated.total + repeated.kept < 20
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
    return PPO(HostGames(league), seed=seed, **(settings | arguments))


def network_of(learner):
    return PlainNetwork(learner.policy.tensors(), learner.league.batch.game.layout)


def win_rate(learner):
    """How often it beats a random player if it draws its moves as it has learned to."""
    agent = NetworkAgent(network_of(learner), greedy=False)
    entrants = [Entrant("learner", agent), Entrant("random", RandomAgent())]
    return evaluate(entrants, NAME, games=400, seed=1).agents[0].win_rate


@pytest.fixture(scope="module")
def trained(toy):
    learner = make_learner()
    learner.learn(20_000)
    return learner


def test_it_learns_a_game_in_which_others_decide_what_one_gets(trained):
    """Whoever takes the last counter loses: winners are paid by a move that is not theirs."""
    assert win_rate(trained) > 0.9


@pytest.mark.usefixtures("toy")
def test_it_learns_from_one_seat_among_opponents():
    """The rows in which opponents decide are left out, and what they cause is credited."""
    learner = make_learner(opponents={"random": 1.0})
    learner.learn(8_000)
    seats = learner.rollout.seats[MAX_SEATS:]
    assert 0.3 < (seats != NO_SEAT).float().mean() < 0.7, "only its own decisions count"
    assert win_rate(learner) > 0.85
    assert learner.league.opponents[0].win_rate > 0.7


def test_forecasts_are_of_the_seats_clockwise(trained):
    """The share of the victory is 0 before the loser's last move, and 1 one move earlier."""
    toy = make_toy(1, players=2, autoreset=False)
    expected = {1: 0.0, 2: 1.0, 3: 1.0, 4: 1.0, 5: 0.0, 6: 1.0, 9: 0.0}
    for pile, share in expected.items():
        set_pile(toy, pile, to_move=1)
        shares, changes = network_of(trained).forecasts(toy.obs, np.array([2]))
        assert shares[0, :2] == pytest.approx([share, 1.0 - share], abs=0.2), pile
        assert changes[0, 0] == pytest.approx(2.0 * share - 1.0, abs=0.35), pile


@pytest.mark.usefixtures("toy")
def test_one_seed_one_run_and_global_generators_are_left_alone():
    def states():
        return (
            random.getstate(),
            np.random.get_state(legacy=False)["state"]["key"].tolist(),
            torch.random.get_rng_state().tolist(),
        )

    before, weights = states(), []
    for seed in (5, 5, 6):
        learner = make_learner(seed=seed, players=3)
        learner.learn(2 * 16 * 32)
        weights.append(torch.nn.utils.parameters_to_vector(learner.policy.parameters()))
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
    assert states() == before


@pytest.mark.usefixtures("toy")
def test_schedules_follow_the_decisions_and_stay_at_their_end():
    """The last rollout overshoots: what is left of the run is then negative."""
    learner = make_learner(
        learning_rate=linear(1.0, 0.25),
        ent_coef=linear(0.8, 0.0),
        score_reward_coef=linear(8.0, 4.0),
    )
    coefs = []

    def look(*_):
        coefs.append((learner._entropy_weight.item(), learner.score_reward_coef(learner.left)))
        return True

    learner.learn(4 * 16 * 32 - 1, ConvertCallback(look))
    assert learner.left < 0
    assert learner.optimizer.param_groups[0]["lr"] == 0.25
    # A rollout is played with the coefficients of its beginning.
    expected = [(0.8, 8.0), (0.6, 7.0), (0.4, 6.0), (0.2, 5.0)]
    assert np.array(coefs[::16]) == pytest.approx(np.array(expected), rel=2e-3)
    assert [linear(3.0, 1.0)(left) for left in (1.5, 1.0, 0.5, 0.0, -0.5)] == [3, 3, 2, 1, 1]


@pytest.mark.usefixtures("toy")
def test_games_begin_at_different_moments():
    """So that every rollout sees all of a game; learning that goes on does not begin."""
    learner = make_learner(games=256, players=3, n_steps=1)
    piles = []

    def look(*_):
        piles.append(learner.rollout.decisions["observations"][-1].argmax(dim=1).numpy())
        return True

    for _ in range(2):
        learner.learn(1, ConvertCallback(look))
    before, after = piles
    assert len(set(before.tolist())) > 8
    assert ((before - after <= 3) | (before < 4)).all(), "one move was made, or a new game begun"


def test_looking_for_the_faster_precision_leaves_no_trace():
    policy = make_policy()
    before = {name: tensor.clone() for name, tensor in policy.state_dict().items()}
    chance = torch.random.get_rng_state()
    assert bfloat16_is_faster(policy, 64) in (True, False)
    assert policy.use_bfloat16 is False
    assert all(torch.equal(tensor, before[name]) for name, tensor in policy.state_dict().items())
    assert all(parameter.grad is None for parameter in policy.parameters())
    assert torch.equal(torch.random.get_rng_state(), chance)
