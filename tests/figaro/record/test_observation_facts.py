"""Every number of an observation against the position in text (Rules D2, layout in the package)."""

import numpy as np
import pytest

from shakespeare_env import Position, observation_layout
from tests.contract.random_games import game_from
from tests.figaro.observed import MOST_SEATS, expected
from tests.figaro.samples import OURS, SAMPLES

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
def test_played_games_are_observed_number_by_number(table):
    """Every decision of a game, seen by every seat, and its end."""
    for reached in game_from(table.position(70), salt=70):
        for seat in range(table.players):
            assert_as_expected(reached, seat)


@pytest.mark.parametrize("make", SAMPLES)
def test_positions_written_by_hand_are_observed_number_by_number(make):
    read = Position.from_dict(make())
    for seat in range(read.players):
        assert_as_expected(read, seat)
