"""The store of a rollout: what is carried on, what is learned from, and what stands for others."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium import spaces

from shakespeare_training.ppo.advantages import CHANGE
from shakespeare_training.ppo.buffer import Repeated, SeatRolloutBuffer, thinned
from tests.training.ppo.test_policy import make_policy
from tests.training.toy_game import MAX_SEATS, make_toy


def make_buffer(steps, games=1, *, players=4, numbers=3, actions=5, **more):
    return SeatRolloutBuffer(
        steps,
        spaces.Box(-100, 100, (numbers,), np.int8),
        spaces.Discrete(actions),
        gae_lambda=0.0,
        n_envs=games,
        players=torch.full((games,), players),
        max_seats=MAX_SEATS,
        **more,
    )


def add(buffer, seat, *, value=0.0, rewards=(0, 0, 0, 0), done=False, mark=0, log_prob=None):
    """One step of a single game; `mark` is put into observation, action and log-probability."""
    forecasts, gains = torch.zeros(2, 1, 4, 2)
    forecasts[0, seat, CHANGE] = value
    gains[0, :, CHANGE] = torch.tensor(rewards)
    actions = int(buffer.action_space.n)
    step = buffer.pos
    buffer.pos += 1  # a rollout counts its steps itself
    buffer.look(step, torch.full((1, 3), mark), torch.arange(actions)[None] == mark % actions)
    buffer.add_step(
        step,
        torch.tensor([seat]),
        torch.tensor([mark % actions]),
        forecasts,
        torch.tensor([float(-mark if log_prob is None else log_prob)]),
        gains,
        torch.tensor([done]),
    )


def minibatches(buffer, size, seed=0):
    """Its decisions, in an order that the seed decides."""
    return buffer.minibatches(size, torch.Generator().manual_seed(seed))


def learned(buffer):
    """Marks of the decisions that are learned from now, with their targets."""
    (data,) = minibatches(buffer, 10**6)
    marks = data.observations[:, 0].tolist()
    assert data.masks.dtype == torch.bool
    assert data.observations.dtype == torch.int8
    assert data.masks.float().argmax(1).tolist() == data.actions.tolist()
    assert data.log_probs.tolist() == [-mark for mark in marks]
    return dict(sorted(zip(marks, data.changes[:, 0].tolist(), strict=True)))


def test_open_decisions_are_learnt_from_in_the_next_rollout():
    buffer = make_buffer(steps=3)
    buffer.reset()
    add(buffer, seat=0, value=1, mark=1)
    add(buffer, seat=1, value=2, mark=2, rewards=(5, 0, 0, 0))
    add(buffer, seat=0, value=3, mark=3, rewards=(0, 7, 0, 0))
    buffer.compute(0.0, 1.0)
    assert learned(buffer) == {1: 5 + 3}
    buffer.reset()
    buffer.pos = 0
    add(buffer, seat=2, value=4, mark=4, rewards=(10, 20, 0, 0))
    add(buffer, seat=0, value=5, mark=5, rewards=(0, 100, 0, 0))
    add(buffer, seat=0, value=6, mark=6, rewards=(1, -1, 30, 0), done=True)
    buffer.compute(0.0, 1.0)
    # Seat 0 got 10 after mark 3; seat 1 got 7 in the old rollout and 20 + 100 - 1 in this one.
    assert learned(buffer) == {2: 126, 3: 10 + 5, 4: 30, 5: 0 + 6, 6: 1}


def test_minibatches_hold_every_closed_decision_once_and_the_last_takes_the_rest():
    buffer = make_buffer(steps=41)
    buffer.reset()
    for mark in range(41):
        add(buffer, seat=0, mark=mark)
    buffer.compute(0.0, 1.0)
    batches = [data.observations[:, 0].tolist() for data in minibatches(buffer, 9)]
    assert sorted(mark for batch in batches for mark in batch) == list(range(40))
    assert [len(batch) for batch in batches] == [9, 9, 9, 13]


def test_targets_are_clockwise_of_the_deciding_seat():
    buffer = make_buffer(steps=2, players=3)
    buffer.reset()
    add(buffer, seat=2, rewards=(1, 2, 3, 0))
    add(buffer, seat=1, rewards=(10, 20, 30, 0), done=True)
    explained = buffer.compute(1.0, 0.0)
    (data,) = minibatches(buffer, 2)
    assert sorted(data.changes.tolist()) == [[20, 30, 10, 0], [33, 11, 22, 0]]
    assert data.players.tolist() == [3, 3]
    assert set(explained) == {"win_3_seats", "score_3_seats"}


@pytest.mark.usefixtures("toy")
def test_every_reward_of_every_seat_is_learnt_from_exactly_once():
    """Rollouts of real games, with forecasts of zero: the targets are the rewards."""
    games, players = 6, 3
    toy = make_toy(games, players=players, seed=players)
    buffer = make_buffer(7, games, players=players, numbers=toy.obs.shape[1], actions=3)
    forecasts, log_probs = torch.zeros(games, MAX_SEATS, 2), torch.zeros(games)
    given, learnt_from, learnt = 0.0, 0.0, 0
    for _ in range(30):
        buffer.reset()
        for step in range(7):
            buffer.look(step, *map(torch.tensor, (toy.obs, toy.mask)))
            seats, actions = torch.tensor(toy.to_move), toy.random_actions()
            rewards, dones = map(torch.tensor, toy.step(actions))
            gains = torch.stack([torch.zeros_like(rewards), rewards], dim=2)
            buffer.add_step(step, seats, torch.tensor(actions), forecasts, log_probs, gains, dones)
            given += float(rewards.abs().sum())
        buffer.compute(0.0, 1.0)
        (data,) = minibatches(buffer, 10**6)
        learnt_from += data.changes[:, 0].abs().sum().item()
        learnt += len(buffer.advantages)
    # Every seat decides before a game can end, so no reward falls to a seat without a decision.
    assert learnt_from == pytest.approx(given, abs=1e-3)
    assert 0 <= 30 * 7 * games - learnt <= games * players


CERTAIN, OTHERS = 12, 5
COUNT = CERTAIN + OTHERS


def data():
    """Random observations, actions and advantages of a minibatch."""
    rng = np.random.default_rng(1)
    observations = torch.as_tensor(rng.integers(0, 2, (COUNT, 20), np.int8))
    actions = torch.as_tensor(rng.integers(0, 9, COUNT))
    return observations, actions, torch.as_tensor(rng.normal(size=COUNT), dtype=torch.float32)


def gradient(policy, observations, actions, advantages, repeated):
    """Of policy, forecasts and entropy."""
    everything = torch.ones(len(observations), 9, dtype=torch.bool)
    found = policy.outputs(observations, everything)
    logs = found.log_probabilities
    taken = repeated.spread(logs.gather(1, actions[:, None])[:, 0])
    entropies = repeated.spread(-(logs.exp() * logs).sum(dim=1))
    changes = repeated.spread(found.changes)
    assert [len(one) for one in (taken, entropies, changes)] == [COUNT] * 3
    loss = (advantages * taken).mean() + (changes[:, 0] - advantages).square().mean()
    policy.zero_grad()
    (loss + entropies.mean()).backward()
    gradients = [p.grad for p in policy.parameters() if p.grad is not None]
    return torch.cat([one.flatten() for one in gradients]).double()


def test_over_all_draws_the_gradient_is_that_of_all_decisions():
    """Every rotation of the order once is as good as every order."""
    share = 0.3
    policy = make_policy()
    observations, actions, advantages = data()
    expected = gradient(policy, observations, actions, advantages, Repeated(0, 0))
    mean = torch.zeros_like(expected)
    for turn in range(CERTAIN):
        certain, repeated = thinned(torch.arange(CERTAIN).roll(turn), share)
        rows = torch.cat([torch.arange(CERTAIN, COUNT), certain])
        asked = rows[: OTHERS + repeated.kept]
        advantage = advantages[rows]
        part = gradient(policy, observations[asked], actions[asked], advantage, repeated)
        assert not torch.allclose(part, expected, atol=1e-4)
        mean += part / CERTAIN
    assert torch.allclose(mean, expected, atol=1e-6)


def filled(share):
    """A full buffer of decisions, 30 of them near-certain, and an open one."""
    buffer = make_buffer(41, players=1, actions=50, near_certain_share=share)
    buffer.reset()
    for mark in range(41):
        log_prob = np.log(0.991 if mark < 30 else 0.989)
        add(buffer, 0, rewards=(mark,) * MAX_SEATS, mark=mark, log_prob=log_prob)
    buffer.compute(0.0, 1.0)
    return buffer


def test_all_that_a_minibatch_holds_goes_together():
    buffer = filled(0.3)
    for data in minibatches(buffer, 20):
        rows, repeated = data.observations, data.repeated
        assert len(rows) == len(data.masks) == 20 - repeated.total + repeated.kept < 20
        assert rows[:, 0].tolist() == data.actions.tolist()
        marks = repeated.spread(rows[:, 0])
        assert marks.tolist() == data.changes[:, 0].tolist()
        assert ((data.log_probs.exp() > 0.99) == (marks < 30)).all()
        assert (data.advantages.argsort() == marks.argsort()).all()
