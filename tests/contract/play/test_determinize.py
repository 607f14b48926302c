"""`determinize` gives a position that the seat cannot tell from the true one.

An agent that looks ahead is given such positions, and no way to the true ones.
"""

from __future__ import annotations

import gc
import itertools
import random
import types
import weakref

import numpy as np
import pytest

from shakespeare_env import Batch, Position
from shakespeare_env.core.game import Game
from shakespeare_env.play.information_sets import InformationSets
from tests.contract import knowledge
from tests.contract.each_table import all_tables
from tests.contract.random_games import (
    PLAIN_TABLES,
    batch_of_copies,
    differing_fields,
    record_of,
    sample_positions,
    stack_records,
)
from tests.generators import generators


def positions(table, every):
    """Yield (number of the position, position, seat) from two games at a table."""
    games = (enumerate(sample_positions(table, seed, every)) for seed in (3, 4))
    for number, position in itertools.chain.from_iterable(games):
        yield from ((number, position, seat) for seat in range(table.players))


@all_tables
def test_determinizing_gives_a_legal_position_and_leaves_the_true_one_alone(table):
    """A batch draws the same. `test_secrecy.py` tests that the seat sees no difference."""
    for number, position, seat in positions(table, every=9):
        before = position.record()
        possible = position.determinize(seat, seed=number)
        assert differing_fields(position.record(), before) == []
        read = Position.from_dict(possible.to_dict())
        assert read == possible
        assert read.moves() == possible.moves()
        batch = batch_of_copies(position, 1)
        batch.determinize([0], [seat], [number])
        assert differing_fields(record_of(batch, 0), possible.record()) == []


@all_tables
def test_the_draw_depends_on_nothing_hidden(table):
    """From positions that differ only in what is hidden, the same seed draws the same."""
    hidden = knowledge.of(table.game, "hidden")
    rng = random.Random(8)
    different = 0
    for number, position, seat in positions(table, every=6):
        true = position.record()
        other = hidden.change_in_record(true, seat, rng)
        different += len(differing_fields(true, other)) > 1
        batch = batch_of_copies(position, 2)
        batch.load([1], stack_records([other]))
        batch.determinize([0, 1], [seat, seat], [number, number])
        one, two = batch.save([0, 1])
        assert differing_fields(one, two) == []
    assert different > 10


SHARED = (Game, type, types.ModuleType, types.BuiltinFunctionType)
"""Types of objects that every game of a kind shares."""


@pytest.fixture(scope="module", params=PLAIN_TABLES, ids=str)
def decisions(request):
    """Random positions of a table in which a seat is to move, several of each phase."""
    table = request.param
    positions = [p for seed in (1, 2) for p in sample_positions(table, seed, every=10)]
    batch = table.batch(len(positions), seed=0, reward="score")
    batch.load(slice(None), stack_records(p.record() for p in positions))
    return batch.copies(np.flatnonzero(batch.to_move >= 0))


def reached(start):
    """Return all objects that can be reached from one, apart from those that games share."""
    found = []
    seen = {}
    left = [start]
    while left:
        thing = left.pop()
        # A dead proxy raises when `isinstance` asks for its class.
        if type(thing) in weakref.ProxyTypes:
            continue
        if id(thing) in seen or isinstance(thing, SHARED):
            continue
        seen[id(thing)] = thing
        found.append(thing)
        if isinstance(thing, types.FunctionType):
            left += [cell.cell_contents for cell in thing.__closure__ or ()]
        elif isinstance(thing, np.ndarray):
            left.append(thing.base)
        else:
            left += gc.get_referents(thing)
    return found


def bytes_in(start):
    """Return the bytes of all arrays that can be reached from an object."""
    return b"".join(found.tobytes() for found in reached(start) if isinstance(found, np.ndarray))


def test_information_sets_draw_what_determinizing_the_true_games_draws(decisions):
    """The games are equal byte for byte, and the true games lose no chance by it."""
    rows = np.arange(decisions.n)[::-1]
    seats = decisions.to_move[::-1]
    before = decisions.save(slice(None)).tobytes()
    sets = InformationSets(decisions, rows)
    assert decisions.save(slice(None)).tobytes() == before
    assert len(sets) == len(rows)
    places = np.random.default_rng(5).integers(0, len(rows), 2 * len(rows))
    seeds = generators(len(rows)).words(places)
    expected = decisions.copies(rows[places], seed=int(seeds[0]))
    expected.determinize(slice(None), seats[places], seeds)
    found = sets.determinized(places, generators(len(rows)))
    assert found.save(slice(None)).tobytes() == expected.save(slice(None)).tobytes()
    for array in ("obs", "mask", "to_move", "players"):
        np.testing.assert_array_equal(getattr(found, array), getattr(expected, array))
    np.testing.assert_array_equal(found.random_actions(), expected.random_actions())
    assert (found.reward, found.autoreset) == (expected.reward, expected.autoreset)
    assert (found.obs == sets.observations[places]).all()
    assert (found.mask == sets.masks[places]).all()
    assert (found.to_move == sets.seats[places]).all()
    found.step(sets.masks[places].argmax(axis=1))
    assert decisions.save(slice(None)).tobytes() == before


def test_nothing_in_information_sets_depends_on_what_the_seats_may_not_know(decisions):
    hidden = knowledge.of(decisions.game.name, "hidden")
    rng = random.Random(6)
    true = decisions.save(slice(None))
    seats = decisions.to_move.copy()
    rows = np.arange(decisions.n)
    changed = [hidden.change_in_record(r, s, rng) for r, s in zip(true, seats, strict=True)]
    assert len(differing_fields(stack_records(changed), true)) > 1
    other = decisions.copies(rows)
    other.load(slice(None), stack_records(changed))
    one = InformationSets(decisions, rows)
    two = InformationSets(other, rows)
    assert bytes_in(one) == bytes_in(two)
    assert bytes_in((one, decisions)) != bytes_in((two, other)), "the search for arrays finds none"
    assert not any(isinstance(found, Batch) for found in reached(one))
    assert any(isinstance(found, Batch) for found in reached((one, decisions)))
