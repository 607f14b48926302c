"""Every number of an observation against the position in text (Rules D2, layout in the package)."""

import numpy as np
import pytest

from shakespeare_env import Position, observation_layout
from tests.contract.random_games import game_from
from tests.figaro.cards import KINDS
from tests.figaro.observed import MOST_SEATS, expected
from tests.figaro.samples import OURS, SAMPLES, position, turn

LAYOUT = observation_layout("figaro")
tables = pytest.mark.parametrize("table", OURS, ids=str)


def assert_as_expected(reached, seat):
    """Every field holds what plain Python makes of the text; absent seats hold zeros."""
    seen = reached.observation(seat)
    assert seen.dtype == np.int8
    fields = expected(reached.to_dict(), seat)
    for field in LAYOUT:
        numbers = fields.pop(field.name, None)
        if numbers is None:
            absent = [f"seat{place}." for place in range(reached.players, MOST_SEATS)]
            assert field.name.startswith(tuple(absent)), field.name
            numbers = [0] * field.size
        assert seen[field.slice].tolist() == numbers, (field.name, seat)
        assert field.low <= min(numbers) <= max(numbers) <= field.high
    assert not fields


@tables
@pytest.mark.parametrize("seed", [70, 71])
def test_played_games_are_observed_number_by_number(table, seed):
    """Every decision of a game, seen by every seat, and its end."""
    for reached in game_from(table.position(seed), salt=seed):
        for seat in range(table.players):
            assert_as_expected(reached, seat)


@tables
def test_positions_read_from_text_are_observed_number_by_number(table):
    for reached in [p.to_dict() for p in game_from(table.position(3), salt=3)][::7]:
        read = Position.from_dict(reached, seed=9)
        for seat in range(table.players):
            assert_as_expected(read, seat)


@pytest.mark.parametrize("make", SAMPLES)
def test_positions_written_by_hand_are_observed_number_by_number(make):
    read = Position.from_dict(make())
    for seat in range(read.players):
        assert_as_expected(read, seat)


def decoded(seen, name):
    return seen[LAYOUT[name].slice].tolist()


def test_the_fields_of_a_known_position():
    """Seat 2 of four looks on: seat 3, the next one, has green 3 and a jester before it."""
    seen = Position.from_dict(turn()).observation(2)
    assert decoded(seen, "seat0.to_move") == [1]
    assert decoded(seen, "seat3.king") == [1]
    assert decoded(seen, "seat1.total") == [0, 0, 0, 0, 1, 0]
    assert decoded(seen, "seat1.colour") == [0, 0, 1, 0, 0]
    assert decoded(seen, "seat3.colour") == [0, 0, 0, 0, 0]  # a jester has none (B3)
    assert decoded(seen, "seat2.hand_size") == [4]
    assert decoded(seen, "seat0.front")[KINDS.index("ring")] == 1
    assert decoded(seen, "seat0.road") == [13, 0, 0]
    assert decoded(seen, "players") == [0, 1, 0, 0]
    assert decoded(seen, "round") == [0, 1, 0]
    assert decoded(seen, "pieces") == [12, 11, 10, 0, 0, 9, 8, 7, 0, 0, 0, 0, 0, 0, 0]
    assert decoded(seen, "face_up") == [6]
    assert decoded(seen, "own_hand")[KINDS.index("ring")] == 1
    assert decoded(seen, "own_unseen")[KINDS.index("ring")] == 1
    assert decoded(seen, "own_unseen")[KINDS.index("orange-2")] == 3
    assert decoded(seen, "seat4.present") == [0]


def test_a_colour_without_cards_is_not_taken_for_the_first():
    """A pile that is empty has no colour; red is number 0."""
    hands = [{"red-1": 1}, {"red-1": 1}, {"red-2": 1}]
    seen = Position.from_dict(position(hands, [["red-2"], [], ["ring"]])).observation(0)
    assert decoded(seen, "seat0.colour") == [1, 0, 0, 0, 0]
    assert decoded(seen, "seat1.colour") == decoded(seen, "seat2.colour") == [0] * 5
    assert decoded(seen, "seat1.total") == [1, 0, 0, 0, 0, 0]


def test_the_layout_names_every_number_once_and_says_what_it_is():
    names = [field.name for field in LAYOUT]
    blocks = {
        place: [n.partition(".")[2] for n in names if n.startswith(f"seat{place}.")]
        for place in range(MOST_SEATS)
    }
    assert all(fields == blocks[0] for fields in blocks.values())
    assert LAYOUT.size == sum(field.size for field in LAYOUT)
    assert all(field.description for field in LAYOUT)
    for field in LAYOUT:
        if field.name in ("own_hand", "own_unseen") or field.name.endswith((".front", ".taken")):
            assert field.size == len(KINDS)
            assert ", ".join(KINDS) in field.description
