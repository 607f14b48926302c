"""Positions at the limits of the record's arrays are refused or can be played."""

import random

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from tests.contract.playing import play
from tests.contract.random_games import LONGEST
from tests.shakespeare.positions import COLOURS, ready_to_pass, seat, turn_position


def played_out(d, seed):
    """Play a random game to its end, and read every position on the way from its text."""
    position = Position.from_dict(d, seed=seed)
    chance = random.Random(seed)
    for _ in range(LONGEST):
        if position.to_move is None:
            return position
        position.push(chance.choice(position.moves()))
        assert Position.from_dict(position.to_dict()) == position
    raise AssertionError("the game does not end")


def without_bags(d):
    """Put everything that is still in the bags of a position out of the game."""
    for kind, bag in d["bags"].items():
        for colour in COLOURS:
            d["discarded"][kind][colour] += bag[colour]
            bag[colour] = 0
    return d


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_u2_empty_bags_yield_nothing(players):
    d = without_bags(Position.new(players=players, seed=1).to_dict())
    assert played_out(d, players).phase == "over"


def test_u1_a_game_with_an_empty_deck_can_be_played():
    assert played_out(turn_position(deck=[]), 0).phase == "over"


@pytest.mark.parametrize(("day", "most"), [(1, 1), (2, 2), (3, 3), (6, 6)])
def test_t2_a_troupe_has_room_for_every_character_still_to_come(day, most):
    hired = ["lady_macbeth", "hamlet", "viola", "romeo", "juliet", "beatrice", "iago"]
    full = turn_position(day=day, players=2, seats={0: seat(hired[:most])})
    assert played_out(full, day).phase == "over"
    with pytest.raises(PositionError, match="troupe_len"):
        Position.from_dict(turn_position(day=day, players=2, seats={0: seat(hired[: most + 1])}))


def test_t2_extras_are_hired_one_a_day():
    extras = ["extra:hamlet", "extra:viola"]
    Position.from_dict(turn_position(day=3, seats={0: seat(extras)}))
    with pytest.raises(PositionError, match="extra"):
        Position.from_dict(turn_position(day=2, seats={0: seat(extras)}))


def test_v2_a_neutral_disc_that_stands_on_its_later_space_already_stays_on_top_there():
    """A fault found by the fuzzer: the disc counted itself, and lay one place too high."""
    d = turn_position(players=1, day=4, acts={"I": {8: ["neutral"]}}, seats={0: ready_to_pass()})
    position = Position.from_dict(d)
    while position.to_dict()["day"] == 4:
        position.push(position.moves()[0])
    assert position.to_dict()["piles"]["I"]["8"] == ["neutral"]
    assert Position.from_dict(position.to_dict()) == position


@pytest.mark.parametrize("counter", ["prestige", "pounds"])
def test_counters_stop_where_the_record_ends(counter):
    d = turn_position(seats={0: seat() | {counter: 10_000}})
    after = play(d, "activate:queen", "queen:money")
    assert after["seats"][0][counter] == 10_000
    assert played_out(d, 1).phase == "over"
