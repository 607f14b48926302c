"""Targets along each seat's own decisions, against the textbook and numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from shakespeare_training.ppo.advantages import (
    CHANGE,
    NO_SEAT,
    SHARE,
    advantages,
    explained_variance,
    seat_targets,
)


def random_rows(n_rows, n, n_seats, *, idle=False, ends=0.1, carried=0):
    """Forecasts and gains of all seats, who decided, which games ended, and what is carried."""
    rng = np.random.default_rng(n_seats)
    gains = rng.normal(size=(n_rows, n, n_seats, 2)).astype(np.float32)
    forecasts = rng.normal(size=gains.shape).astype(np.float32)
    seats = rng.integers(NO_SEAT if idle else 0, n_seats, size=(n_rows, n)).astype(np.int8)
    before = rng.normal(size=(carried, n, n_seats, 2)).astype(np.float32)
    # A carried prefix has a decision of each seat, if it has one open, and no end.
    seats[:carried] = np.where(seats[:carried] < 0, NO_SEAT, np.arange(carried)[:, None])
    gains[:carried] = 0.0
    dones = rng.random((n_rows, n)) < ends
    dones[:carried] = False
    return gains, forecasts, seats, dones, before


def targets_of(gains, forecasts, seats, dones, carried, gae_lambda):
    """`seat_targets` of arrays, as arrays."""
    arrays = gains, forecasts, seats.astype(np.int8), dones, carried
    gains, forecasts, seats, dones, carried = map(torch.tensor, arrays)
    return seat_targets(gains, forecasts, seats, dones, carried, gae_lambda)


@pytest.mark.parametrize("carried", [False, True])
@pytest.mark.parametrize("n_seats", [1, 2, 3, 4])
def test_against_the_textbook_recursion_seat_by_seat(n_seats, carried):
    """Take each seat's decisions of each game out, and run the ordinary recursion on that list."""
    n_rows, lam = 200, 0.9
    arrays = random_rows(n_rows, 1, n_seats, idle=carried, ends=0.05, carried=carried * n_seats)
    gains, forecasts, seats, dones, before = arrays
    found = targets_of(gains, forecasts, seats, dones, before, lam)
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
                assert found.ended[row, 0] == (over or end < n_rows - 1)
                if over:
                    left = gains[row : end + 1, 0].sum(axis=0) + extra[row]
                    assert found.results[row, 0] == pytest.approx(left, abs=1e-4)
                gain = gains[row : end + 1 if last else decisions[place + 1], 0].sum(axis=0)
                gain += extra[row]
                assert found.gained[row, 0] == pytest.approx(gain, abs=1e-4)
                assert found.closed[row, 0] == (over or not last)
                if last and not over:
                    following = forecast
                    continue
                advantage = gain + following - forecast + lam * advantage
                following = forecast
                expected = advantage + forecast
                assert found.targets[row, 0] == pytest.approx(expected, abs=1e-4)
        first = end + 1


def test_advantages_are_in_units_of_the_reward_and_normalised_at_each_table():
    surprise = torch.tensor([[0.5, 0.1], [-0.25, 0.3], [0.1, -0.2], [0, 1.0], [0, 3.0]])
    players = torch.tensor([4, 4, 4, 1, 1])
    found = advantages(surprise, players, [1, 4], win_coef=3.0, score_coef=2.0)
    raw = 3 * 4 / 3 * surprise[:3, SHARE] + 2 * surprise[:3, CHANGE]
    expected = (raw - raw.mean()) / raw.std(correction=0)
    assert torch.allclose(found, torch.cat([expected, torch.tensor([-1.0, 1.0])]), atol=1e-5)


def test_explained_variance_punishes_forecasts_that_are_too_high():
    results = torch.tensor([0.0, 1.0, 2.0, 3.0, 99.0])
    among = results < 9.0
    assert explained_variance(results, results, among) == 1.0
    assert explained_variance(torch.full((5,), 1.5), results, among) == 0.0
    assert explained_variance(results + 2.0, results, among) < -2.0
