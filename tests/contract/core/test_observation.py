"""The layout of observations: names, places and ranges, the same for every number of seats."""

import re

import numpy as np
import pytest

from shakespeare_env import observation_layout
from shakespeare_env.core import registry
from shakespeare_env.core.game import Field
from tests.contract import knowledge
from tests.contract.batches import games
from tests.contract.each_table import plain_tables
from tests.contract.random_games import sampled


def blocks(layout):
    """Seat number -> the fields of its block, without the seat's number."""
    found: dict[int, dict[str, Field]] = {}
    for field in layout:
        if match := re.fullmatch(r"seat(\d+)\.(\w+)", field.name):
            found.setdefault(int(match[1]), {})[match[2]] = field
    return found


@games
def test_described_fields_cover_the_observation_and_seats_have_equal_blocks(name):
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
    found = blocks(layout)
    assert list(found) == list(range(registry.game(name).max_seats))
    shapes = [
        [(key, f.size, f.low, f.high, f.description) for key, f in block.items()]
        for block in found.values()
    ]
    assert all(shape == shapes[0] for shape in shapes)


@plain_tables
def test_all_seats_see_the_same_table_each_from_its_own_place(table):
    """What all may know of a seat is the same in every block that shows it; the first is the
    observer's, and those of absent seats are zero. Fields outside are public but for those that
    begin with `own_` or `known_`."""
    layout, own = observation_layout(table.game), knowledge.of(table.game, "facts").OWN_FIELDS
    found = blocks(layout)
    assert own <= set(found[0])
    for position in sampled(table, seed=61, every=10):
        seen = [position.observation(seat) for seat in range(table.players)]
        for field in layout:
            if not field.name.startswith(("seat", "own_", "known_")):
                assert len({observation[field.slice].tobytes() for observation in seen}) == 1
        for observer, observation in enumerate(seen):
            for place, block in found.items():
                shown = {name: observation[field.slice] for name, field in block.items()}
                present = any(numbers.any() for numbers in shown.values())
                assert present == (place < table.players)
                if present:
                    owner = seen[(observer + place) % table.players]
                    for name in shown.keys() - own:
                        field = found[0][name]
                        np.testing.assert_array_equal(shown[name], owner[field.slice], name)
    for seat in (-1, table.players, 256):
        with pytest.raises(ValueError, match=f"seat {seat}"):
            position.observation(seat)
        with pytest.raises(ValueError, match="seat"):
            position.seen_by(seat)
