"""Seats that choose at the same time know nothing of each other's choices."""

import random

import numpy as np
import pytest

from shakespeare_env import Position
from shakespeare_env.play.simultaneous import simultaneous_choices
from tests.contract.each_table import full_tables
from tests.contract.games import small_games

_MOVES = 150
_GAMES = 3


def positions(game, players):
    """Yield the positions of random games."""
    for seed in range(_GAMES):
        rng = random.Random(seed)
        position = Position.new(game, players=players, seed=seed)
        for _ in range(_MOVES):
            if position.to_move is None:
                break
            yield position
            position = position.copy()
            position.push(rng.choice(position.moves()))


def check_later_seats(position, rng):
    """Check that later seats are asked the same whatever the seats before them choose."""
    asked = position.copy()
    for seat, expected in simultaneous_choices(position).items():
        assert asked.to_move == seat == expected.to_move
        assert asked.moves() == expected.moves()
        assert asked.seen_by(seat) == expected.seen_by(seat)
        assert np.array_equal(asked.observation(seat), expected.observation(seat))
        asked.push(rng.choice(asked.moves()))


@full_tables
def test_later_seats_cannot_tell_what_earlier_ones_have_chosen(table):
    for position in positions(table.game, table.players):
        check_later_seats(position, random.Random(0))


def test_a_game_of_ones_own_says_by_rewind_who_chooses_at_the_same_time():
    with small_games.registered():
        position = Position.new("bids", players=3, seed=0)
        assert list(simultaneous_choices(position)) == [0, 1, 2]
        check_later_seats(position, random.Random(0))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_seats_wager_at_the_same_time_and_take_their_turns_one_by_one(seats):
    by_phase: dict[str, set[int]] = {}
    for position in positions("shakespeare", seats):
        by_phase.setdefault(position.phase, set()).add(len(simultaneous_choices(position)))
    assert max(by_phase["wager"]) == seats
    assert by_phase["turn"] == by_phase["craft"] == {1}


def test_nobody_chooses_once_the_game_is_over():
    position = Position.new("figaro", players=3, seed=0)
    while position.to_move is not None:
        position.push(position.moves()[0])
    assert simultaneous_choices(position) == {}
