"""Advantages along each seat's own decisions, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from shakespeare_env import registry
from shakespeare_training.ppo.advantages import NO_SEAT, seat_advantages
from tests.ecosystem import recipes


def rows(seats, values, rewards, dones, gamma=0.5, gae_lambda=0.5):
    """One game: seats, values, dones as lists over rows, rewards as one tuple a row."""
    column = lambda array, dtype: np.asarray(array, dtype)[:, None]  # noqa: E731
    found = seat_advantages(
        np.asarray(rewards, np.float32)[:, None, :],
        column(values, np.float32),
        column(seats, np.int8),
        column(dones, np.bool_),
        gamma,
        gae_lambda,
    )
    return [part[:, 0].tolist() for part in found]


def test_two_seats_one_finished_game():
    # Seat 0 decides in rows 0 and 2, seat 1 in rows 1 and 3; seat 0 loses by seat 1's last move.
    advantages, returns, gained, closed = rows(
        seats=[0, 1, 0, 1],
        values=[1.0, 2.0, 3.0, 4.0],
        rewards=[(0, 0), (0, 0), (0, 0), (-1, 1)],
        dones=[0, 0, 0, 1],
    )
    # Row 3: 1 - 4 = -3.                 Row 1: 0 + .5*4 - 2 + .25*-3 = -.75.
    # Row 2: -1 - 3 = -4 (by row 3).     Row 0: 0 + .5*3 - 1 + .25*-4 = -.5.
    assert advantages == [-0.5, -0.75, -4.0, -3.0]
    assert returns == [0.5, 1.25, -1.0, 1.0]
    assert gained == [0.0, 0.0, -1.0, 1.0]
    assert closed == [True] * 4


def test_two_seats_rewards_between_own_decisions_belong_to_the_earlier_one():
    # Seat 0 decides once, then seat 1 twice; seat 0 receives something by each move.
    advantages, _, gained, closed = rows(
        seats=[0, 1, 1, 0],
        values=[0.0, 0.0, 0.0, 0.0],
        rewards=[(1, 0), (2, 8), (4, 16), (0, 0)],
        dones=[0, 0, 0, 1],
        gamma=1.0,
        gae_lambda=0.0,
    )
    assert gained == [7.0, 8.0, 16.0, 0.0]
    assert advantages == [7.0, 8.0, 16.0, 0.0]
    assert closed == [True] * 4


def test_the_same_seat_moving_twice_in_a_row_is_its_own_successor():
    advantages, *_ = rows(
        seats=[0, 0, 1], values=[1.0, 2.0, 8.0], rewards=[(3, 0), (0, 0), (5, 7)], dones=[0, 0, 1]
    )
    # Row 2: 7 - 8 = -1.  Row 1: 5 - 2 = 3.  Row 0: 3 + .5*2 - 1 + .25*3 = 3.75.
    assert advantages == [3.75, 3.0, -1.0]


def test_unfinished_game_bootstraps_from_the_seats_own_open_decision():
    advantages, returns, gained, closed = rows(
        seats=[0, 1, 0, 1, 0],
        values=[1.0, 2.0, 3.0, 4.0, 5.0],
        rewards=[(0, 0), (6, 0), (0, 0), (0, 1), (9, 2)],
        dones=[0] * 5,
    )
    # Open: rows 4 (seat 0) and 3 (seat 1).  Row 2: .5*5 - 3 = -.5.  Row 1: .5*4 - 2 = 0.
    # Row 0: 6 + .5*3 - 1 + .25*-.5 = 6.375.
    assert closed == [True, True, True, False, False]
    assert advantages == [6.375, 0.0, -0.5, 0.0, 0.0]
    assert returns == [7.375, 2.0, 2.5, 0.0, 0.0]
    assert gained == [6.0, 0.0, 0.0, 3.0, 9.0]


def test_a_game_that_ends_inside_hands_nothing_to_the_next_one():
    # The first game ends with row 1; the second goes on past the last row.
    advantages, _, gained, closed = rows(
        seats=[0, 1, 1, 0, 1],
        values=[0.0, 0.0, 100.0, 200.0, 50.0],
        rewards=[(0, 0), (1, -1), (0, 0), (64, 32), (0, 0)],
        dones=[0, 1, 0, 0, 0],
        gamma=1.0,
        gae_lambda=1.0,
    )
    assert gained[:2] == [1.0, -1.0]
    assert advantages[:2] == [1.0, -1.0]
    # Row 2 (seat 1): 32 + 50 - 100; rows 3 and 4 are open.
    assert advantages[2:] == [-18.0, 0.0, 0.0]
    assert closed == [True, True, True, False, False]
    assert gained[3] == 64.0


def test_three_seats_every_seat_gets_its_terminal_reward():
    # Seat 1 drops out early: its last decision is row 1, the game ends with row 5.
    advantages, _, gained, _ = rows(
        seats=[0, 1, 2, 0, 2, 0],
        values=[0.0] * 6,
        rewards=[(0, 0, 0)] * 5 + [(1, -1, -2)],
        dones=[0] * 5 + [1],
        gamma=1.0,
        gae_lambda=0.5,
    )
    assert gained == [0.0, -1.0, 0.0, 0.0, -2.0, 1.0]
    # Seat 0: rows 5, 3, 0 = 1, .5, .25.  Seat 2: rows 4, 2 = -2, -1.
    assert advantages == [0.25, -1.0, -1.0, 0.5, -2.0, 1.0]


def test_four_seats_across_a_carried_prefix():
    # Rows 0 to 3 are carried decisions of seats 0 to 3 with what came in before; seat 2 has none.
    advantages, _, gained, closed = rows(
        seats=[0, 1, NO_SEAT, 3, 1, 0],
        values=[1.0, 2.0, 0.0, 4.0, 6.0, 8.0],
        rewards=[
            (10, 0, 0, 0),
            (0, 20, 0, 0),
            (0, 0, 0, 0),
            (0, 0, 0, 40),
            (1, 0, 0, 0),
            (0, 3, 5, 7),
        ],
        dones=[0, 0, 0, 0, 0, 1],
        gamma=1.0,
        gae_lambda=0.0,
    )
    # Seat 0: 10 + 1, then V=8.  Seat 1: 20, then V=6; then 3.  Seat 3: 40 + 7 to the end.  Seat 2
    # never decided.
    assert gained == [11.0, 20.0, 0.0, 47.0, 3.0, 0.0]
    assert advantages == [11 + 8 - 1, 20 + 6 - 2, 0.0, 47 - 4, 3 - 6, 0 - 8]
    assert closed == [True, True, False, True, True, True]


def test_games_are_independent_of_each_other():
    rng = np.random.default_rng(5)
    n_rows, n, n_seats = 40, 7, 4
    rewards = rng.normal(size=(n_rows, n, n_seats)).astype(np.float32)
    values = rng.normal(size=(n_rows, n)).astype(np.float32)
    seats = rng.integers(NO_SEAT, n_seats, size=(n_rows, n)).astype(np.int8)
    dones = rng.random((n_rows, n)) < 0.1
    together = seat_advantages(rewards, values, seats, dones, 0.9, 0.8)
    for game in range(n):
        part = slice(game, game + 1)
        alone = seat_advantages(
            rewards[:, part], values[:, part], seats[:, part], dones[:, part], 0.9, 0.8
        )
        for whole, single in zip(together, alone, strict=True):
            np.testing.assert_array_equal(whole[:, part], single)


@pytest.mark.parametrize("n_seats", [1, 2, 3, 4])
def test_against_the_textbook_recursion_seat_by_seat(n_seats):
    """Take each seat's decisions of each game out, and run the ordinary recursion on that list."""
    rng = np.random.default_rng(n_seats)
    n_rows, gamma, lam = 200, 0.97, 0.9
    rewards = rng.normal(size=(n_rows, 1, n_seats)).astype(np.float32)
    values = rng.normal(size=(n_rows, 1)).astype(np.float32)
    seats = rng.integers(0, n_seats, size=(n_rows, 1)).astype(np.int8)
    dones = rng.random((n_rows, 1)) < 0.05
    found = seat_advantages(rewards, values, seats, dones, gamma, lam)
    ends = [*np.flatnonzero(dones[:, 0]), n_rows - 1]
    first = 0
    for end in dict.fromkeys(ends):
        over = bool(dones[end, 0])
        for seat in range(n_seats):
            own = [t for t in range(first, end + 1) if seats[t, 0] == seat]
            advantage, next_value = 0.0, 0.0
            for place in reversed(range(len(own))):
                last = place == len(own) - 1
                until = end + 1 if last else own[place + 1]
                if last and not over:
                    assert not found.closed[own[place], 0]
                    next_value = values[own[place], 0]
                    continue
                gain = rewards[own[place] : until, 0, seat].sum()
                value = values[own[place], 0]
                advantage = gain + gamma * next_value - value + gamma * lam * advantage
                next_value = value
                assert found.advantages[own[place], 0] == pytest.approx(advantage, abs=1e-4)
                assert found.returns[own[place], 0] == pytest.approx(advantage + value, abs=1e-4)
        first = end + 1


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
    known = seat_advantages(rewards, values, movers, dones, recipe["GAMMA"], recipe["LAMBDA"])
    assert (closed.numpy() == known.closed).all()
    assert np.allclose(gain.numpy(), known.advantages[known.closed], atol=1e-4)
