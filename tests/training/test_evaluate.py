"""Seats rotated over the same deals, everybody at every seat, figures that add up."""

from __future__ import annotations

import numpy as np
import pytest

from agents import RandomAgent
from tests.training.toy_game import LAYOUT, make_toy
from training.evaluate import deal_in_rotation, evaluate, play_out, wilson_interval


class Fixed:
    """Plays the legal action of the least or the greatest id, and keeps what it was shown."""

    def __init__(self, order):
        self.order = order
        self.seen = 0

    def act(self, observations, masks, rng):
        assert observations.shape == (len(masks), LAYOUT.size)
        assert masks.any(axis=1).all()
        self.seen += len(masks)
        if self.order < 0:
            return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return masks.argmax(axis=1)


class Perfect:
    """The winning strategy of the toy at two seats: leave 1 when divided by 4."""

    def act(self, observations, masks, rng):
        pile = observations[:, LAYOUT["pile"].slice].argmax(axis=1)
        take = np.maximum((pile - 1) % 4, 1)
        return take - 1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_deal_is_dealt_once_for_each_seat(players):
    batch = make_toy(5 * players, players=players, seed=3, autoreset=False)
    deal_in_rotation(batch, players)
    piles = batch.pile.reshape(players, 5)
    first = batch.to_move.reshape(players, 5)
    assert (piles == piles[0]).all()
    assert (first == first[0]).all()
    assert len(set(piles[0])) > 1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_table_moves_on_by_one_seat_from_part_to_part(players):
    """Each agent sits at every seat, in the same order around the table."""

    class Named:
        def __init__(self, name):
            self.name = name

        def act(self, observations, masks, rng):
            for game in np.flatnonzero(batch.to_move >= 0):
                seat = int(batch.to_move[game])
                if expected[game, seat] == self.name:
                    asked.add((self.name, int(rotation[game]), seat))
            return masks.argmax(axis=1)

    batch = make_toy(6 * players, players=players, seed=1, autoreset=False)
    rotation = np.arange(batch.n) // 6
    expected = (np.arange(players) - rotation[:, None]) % players
    asked: set[tuple[int, int, int]] = set()
    play_out(batch, [Named(k) for k in range(players)], rotation, seed=0)
    assert asked == {(k, r, (k + r) % players) for k in range(players) for r in range(players)}


def test_equal_agents_win_their_share():
    same = Fixed(1)
    found = evaluate(same, [same, same, same], make_toy, games=40, seed=5)
    # Same deals, same play: of each deal's four games the agent loses exactly one and shares three.
    assert found.wins == pytest.approx(40 / 4)
    assert found.games == 40
    assert sum(found.seat_wins) == pytest.approx(found.wins)


def test_a_perfect_player_beats_random():
    found = evaluate(Perfect(), [RandomAgent()], make_toy, games=200, seed=5)
    assert found.win_rate > 0.85
    assert found.low < found.win_rate < found.high
    assert found.mean_score == pytest.approx(found.win_rate)
    assert found.mean_opponent_score == pytest.approx(1 - found.win_rate)
    assert found.mean_winning_score == 1.0


def test_the_same_seed_gives_the_same_figures():
    first, again, other = (
        evaluate(RandomAgent(), [RandomAgent()], make_toy, games=60, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_seats_with_the_same_agent_are_asked_together():
    calls = []

    class Counting(Fixed):
        def act(self, observations, masks, rng):
            calls.append(len(masks))
            return super().act(observations, masks, rng)

    other = Counting(1)
    evaluate(Fixed(1), [other, other, other], make_toy, games=40, seed=5)
    assert max(calls) > 20


@pytest.mark.parametrize("games", [0, -4, 10])
def test_games_must_fill_every_seat_equally(games):
    with pytest.raises(ValueError, match="give a multiple of 4"):
        evaluate(RandomAgent(), [RandomAgent()] * 3, make_toy, games=games, seed=0)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (160, 200, 0.7391, 0.8495),
        (10, 10, 0.7225, 1.0),
    ],
)
def test_wilson_interval(wins, games, low, high):
    """Against published values of the score interval."""
    assert wilson_interval(wins, games) == pytest.approx((low, high), abs=1e-4)
