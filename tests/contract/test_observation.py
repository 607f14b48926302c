"""The layout of observations: names, places and ranges, the same for every number of seats."""

import re

import numpy as np
import pytest

from shakespeare_env import observation_layout, registry
from shakespeare_env.game import Field
from tests.contract import knowledge
from tests.contract.random_games import TABLES, sampled

games = pytest.mark.parametrize("name", registry.names())
tables = pytest.mark.parametrize("table", TABLES, ids=str)
SEAT_FIELD = re.compile(r"seat(\d+)\.(\w+)")


def blocks(layout):
    """Seat number -> the fields of its block, without the seat's number."""
    found: dict[int, dict[str, Field]] = {}
    for field in layout:
        if match := SEAT_FIELD.fullmatch(field.name):
            found.setdefault(int(match[1]), {})[match[2]] = field
    return found


def block_of(observation, layout, seat):
    """The numbers of one seat's block."""
    return np.concatenate([observation[field.slice] for field in blocks(layout)[seat].values()])


def own_places(name):
    """Where in a block stands what its seat alone may know."""
    own = knowledge.of(name, "facts").OWN_FIELDS
    block = blocks(observation_layout(name))[0]
    assert own <= set(block)
    return np.flatnonzero(np.repeat([f in own for f in block], [f.size for f in block.values()]))


@games
def test_described_fields_cover_the_observation_within_int8(name):
    layout = observation_layout(name)
    covered = np.zeros(layout.size, int)
    for field in layout:
        assert field.slice == slice(field.start, field.start + field.size)
        covered[field.slice] += 1
        assert -128 <= field.low < field.high <= 127
        assert field.description
        assert (layout.low[field.slice] == field.low).all()
        assert (layout.high[field.slice] == field.high).all()
        assert layout[field.name] == field
    assert (covered == 1).all()
    assert layout.low.dtype == layout.high.dtype == np.int8
    assert layout.low.shape == layout.high.shape == (layout.size,)


@games
def test_every_seat_has_a_block_of_the_same_fields(name):
    found = blocks(observation_layout(name))
    assert list(found) == list(range(registry.game(name).max_seats))
    shapes = [
        [(key, f.size, f.low, f.high, f.description) for key, f in block.items()]
        for block in found.values()
    ]
    assert all(shape == shapes[0] for shape in shapes)


@tables
def test_blocks_of_absent_seats_are_zero_and_of_present_ones_are_not(table):
    """The layout is the same for every number of seats."""
    for position in sampled(table, seed=60, every=10):
        layout = observation_layout(table.game)
        for seat in range(table.players):
            seen = position.observation(seat)
            assert seen.shape == (layout.size,)
            present = [block_of(seen, layout, block).any() for block in blocks(layout)]
            expected = [block < table.players for block in blocks(layout)]
            assert present == expected


@tables
def test_the_observer_is_the_first_block_and_the_others_follow_in_seat_order(table):
    """What all may know of a seat is the same in every block that shows it."""
    hidden = own_places(table.game)
    for position in sampled(table, seed=61, every=10):
        layout = observation_layout(table.game)
        seen = [position.observation(seat) for seat in range(table.players)]
        for seat in range(table.players):
            own = block_of(seen[seat], layout, 0)
            for observer in range(table.players):
                shown = block_of(seen[observer], layout, (seat - observer) % table.players)
                np.testing.assert_array_equal(
                    np.delete(shown, hidden), np.delete(own, hidden), f"{seat} by {observer}"
                )


@tables
def test_what_is_on_the_table_is_the_same_for_everyone(table):
    """Fields outside the blocks are public but for those that begin with `own_` or `known_`."""
    for position in sampled(table, seed=62, every=20):
        seen = [position.observation(seat) for seat in range(table.players)]
        for field in observation_layout(table.game):
            if not field.name.startswith(("seat", "own_", "known_")):
                assert len({observation[field.slice].tobytes() for observation in seen}) == 1
    for seat in (-1, table.players, 256):
        for ask in (position.observation, position.seen_by, lambda seat: position.determinize(seat, 0)):
            with pytest.raises(ValueError, match=f"seat {seat}"):
                ask(seat)
