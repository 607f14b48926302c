"""Targets along each seat's own decisions, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from shakespeare_env.core import registry
from shakespeare_training.ppo.advantages import (
    CHANGE,
    NO_SEAT,
    SHARE,
    advantages,
    explained_variance,
    seat_targets,
)
from tests.ecosystem import recipes


def own(seats, values, rewards, dones, gae_lambda=0.5, carried=None):
    """`seat_targets` of scores, for the deciding seats alone.

    Seats [R, n], their values of themselves, rewards [R, n, S], dones [R, n] and carried [C, n]
    become advantages, targets, what was gained, and which are closed.
    """
    rewards = np.asarray(rewards, np.float32)
    decided = np.maximum(seats, 0)[..., None]
    forecasts, gains = np.zeros((2, *rewards.shape, 2), np.float32)
    np.put_along_axis(forecasts[..., CHANGE], decided, np.asarray(values)[..., None], axis=2)
    gains[..., CHANGE] = rewards
    before = np.zeros((0 if carried is None else len(carried), *gains.shape[1:]), np.float32)
    if carried is not None:
        here = decided[: len(carried)]
        np.put_along_axis(before[..., CHANGE], here, np.asarray(carried)[..., None], axis=2)
    found = seat_targets(
        gains, forecasts, np.asarray(seats, np.int8), np.asarray(dones, bool), before, gae_lambda
    )
    of_own = lambda array: np.take_along_axis(array[..., CHANGE], decided, axis=2)[..., 0]  # noqa: E731
    targets = np.where(found.closed, of_own(found.targets), 0)
    advantages = np.where(found.closed, targets - values, 0)
    return advantages, targets, of_own(found.gained), found.closed


def rows(seats, values, rewards, dones, gae_lambda=0.5, carried=None):
    """The same of one game, as lists over rows; rewards are one tuple a row."""
    columns = [np.asarray(array)[:, None] for array in (seats, values, rewards, dones)]
    before = None if carried is None else np.asarray(carried, np.float32)[:, None]
    seats, values, rewards, dones = columns
    found = own(seats, values, rewards, dones, gae_lambda, before)
    return [part[:, 0].tolist() for part in found]


def test_four_seats_across_a_carried_prefix():
    # Rows 0 to 3 are carried decisions of seats 0 to 3 with what came in before; seat 2 has none.
    advantages, _, gained, closed = rows(
        seats=[0, 1, NO_SEAT, 3, 1, 0],
        values=[1.0, 2.0, 0.0, 4.0, 6.0, 8.0],
        rewards=[(0, 0, 0, 0)] * 4 + [(1, 0, 0, 0), (0, 3, 5, 7)],
        carried=[10, 20, 0, 40],
        dones=[0, 0, 0, 0, 0, 1],
        gae_lambda=0.0,
    )
    # Seat 0: 10 + 1, then V=8.  Seat 1: 20, then V=6; then 3.  Seat 3: 40 + 7 to the end.  Seat 2
    # never decided.
    assert gained == [11.0, 20.0, 0.0, 47.0, 3.0, 0.0]
    assert advantages == [11 + 8 - 1, 20 + 6 - 2, 0.0, 47 - 4, 3 - 6, 0 - 8]
    assert closed == [True, True, False, True, True, True]


def random_rows(n_rows, n, n_seats, *, idle=False, ends=0.1):
    """Forecasts and gains of all seats, who decided, and which games ended."""
    rng = np.random.default_rng(n_seats)
    gains = rng.normal(size=(n_rows, n, n_seats, 2)).astype(np.float32)
    forecasts = rng.normal(size=gains.shape).astype(np.float32)
    seats = rng.integers(NO_SEAT if idle else 0, n_seats, size=(n_rows, n)).astype(np.int8)
    return gains, forecasts, seats, rng.random((n_rows, n)) < ends


def targets_of(arrays, carried):
    gains, forecasts, seats, dones = arrays
    return seat_targets(gains, forecasts, seats, dones, carried, 0.8)


def test_games_are_independent_of_each_other():
    arrays = random_rows(40, 7, 4, idle=True)
    carried = np.random.default_rng(0).normal(size=(4, 7, 4, 2)).astype(np.float32)
    together = targets_of(arrays, carried)
    for game in range(7):
        part = slice(game, game + 1)
        alone = targets_of([array[:, part] for array in arrays], carried[:, part])
        for whole, single in zip(together, alone, strict=True):
            np.testing.assert_array_equal(whole[:, part], single)


@pytest.mark.parametrize("n_seats", [1, 2, 3, 4])
def test_against_the_textbook_recursion_seat_by_seat(n_seats):
    """Take each seat's decisions of each game out, and run the ordinary recursion on that list."""
    n_rows, lam = 200, 0.9
    gains, forecasts, seats, dones = random_rows(n_rows, 1, n_seats, ends=0.05)
    carried = np.zeros((0, 1, n_seats, 2), np.float32)
    found = seat_targets(gains, forecasts, seats, dones, carried, lam)
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
                    left = gains[row : end + 1, 0].sum(axis=0)
                    assert found.results[row, 0] == pytest.approx(left, abs=1e-4)
                if last and not over:
                    assert not found.closed[row, 0]
                    following = forecast
                    continue
                gain = gains[row : end + 1 if last else decisions[place + 1], 0].sum(axis=0)
                advantage = gain + following - forecast + lam * advantage
                following = forecast
                expected = advantage + forecast
                assert found.targets[row, 0] == pytest.approx(expected, abs=1e-4)
        first = end + 1


def test_advantages_are_in_units_of_the_reward_and_normalised_at_each_table():
    surprise = np.array([[0.5, 0.1], [-0.25, 0.3], [0.1, -0.2], [0, 1.0], [0, 3.0]], np.float32)
    players = np.array([4, 4, 4, 1, 1])
    found = advantages(surprise, players, win_coef=3.0, score_coef=2.0)
    raw = 3 * 4 / 3 * surprise[:3, SHARE] + 2 * surprise[:3, CHANGE]
    assert found[:3] == pytest.approx((raw - raw.mean()) / raw.std(), abs=1e-5)
    assert found[3:] == pytest.approx([-1.0, 1.0], abs=1e-5)


def test_explained_variance_punishes_forecasts_that_are_too_high():
    results = np.array([0.0, 1.0, 2.0, 3.0], np.float32)
    assert explained_variance(results, results) == 1.0
    assert explained_variance(np.full(4, results.mean()), results) == 0.0
    assert explained_variance(results + 2.0, results) < -2.0


def test_the_ppo_in_one_file_takes_the_same_advantages(monkeypatch):
    """The recipe docs/libraries/cleanrl_ppo.py."""
    recipe = recipes.run(monkeypatch, "cleanrl_ppo", "--decisions", "0")
    games, seats = recipe["games"], registry.game("shakespeare").max_seats
    shape = recipe["STEPS"], games.n
    chance = np.random.default_rng(0)
    rewards = chance.normal(size=(*shape, seats)).astype(np.float32)
    values = chance.normal(size=shape).astype(np.float32)
    movers = chance.integers(seats, size=shape)
    dones = chance.random(shape) < 0.05
    gain, closed = recipe["advantages"](rewards, values, movers, dones)
    assert recipe["GAMMA"] == 1.0
    known = own(movers, values, rewards, dones, recipe["LAMBDA"])
    assert (closed.numpy() == known[3]).all()
    assert np.allclose(gain.numpy(), known[0][known[3]], atol=1e-4)
