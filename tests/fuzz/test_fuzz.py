"""Damaged input is refused with an error, or gives a game that can be played to its end.

`make fuzz` draws more examples, which differ each time. With SHAKESPEARE_BOUNDS=1, compiled rules
also check every index.
"""

import copy
import math
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import hypothesis.extra.numpy as arrays
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shakespeare_env import Batch, Position
from shakespeare_env.errors import PositionError
from tests.contract.random_games import LONGEST, TABLES, sample_positions

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", 0))
fuzzed = settings(
    max_examples=EXAMPLES or 50,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
NUMBERS = (0, 1, -1, 2, 127, -129, 255, 2**31, 2**63, -(2**63) - 1, 2**64, 10**400)
OTHERS = (None, True, 0.5, 1e300, math.inf, math.nan, "", "?", "x" * 300, "\0", "\ud800", "é")
scalars = st.sampled_from(NUMBERS + OTHERS) | st.integers() | st.floats() | st.text(max_size=9)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
seeds = st.integers(0, 2**64 - 1)


@cache
def starts() -> tuple[Position, ...]:
    """Return positions of every game, number of seats, variant and phase."""
    return tuple(position.copy() for table in TABLES for position in sample_positions(table, 0, 9))


positions = st.deferred(lambda: st.sampled_from(starts()))


@st.composite
def changed(draw: Any, root: Any) -> Any:
    """Draw a copy of JSON in which one to four values are changed, deleted, moved or repeated."""
    root = copy.deepcopy(root)
    for _ in range(draw(st.integers(1, 4))):
        places = list(places_inside(root))
        if not places:
            break
        container, key = draw(st.sampled_from(places))
        other, other_key = draw(st.sampled_from(places))
        match draw(st.integers(0, 4)):
            case 0:
                del container[key]
            case 1:
                container[key] = draw(values)
            case 2 if isinstance(container[key], int):
                container[key] += draw(st.integers(-3, 3))
            case 3 if isinstance(container, list):
                container.append(copy.deepcopy(container[key]))
            case _:
                container[key] = copy.deepcopy(other[other_key])
    return root


def places_inside(root: Any) -> Any:
    """Yield the place of every value in nested lists and dictionaries: a container and a key."""
    keys = range(len(root)) if isinstance(root, list) else list(root)
    for key in keys:
        yield root, key
        if isinstance(root[key], list | dict):
            yield from places_inside(root[key])


def play_out(position: Position, seed: int) -> None:
    """Call the methods of a position, and play it to the end by random moves in a batch."""
    assert Position.from_dict(position.to_dict(), seed=seed) == position
    seat = seed % position.players
    layout = position.game.layout
    observation = position.observation(seat)
    is_in_range = (observation >= layout.low) & (observation <= layout.high)
    assert is_in_range.all(), "an observed number is out of range"
    position.seen_by(seat)
    possible = position.determinize(seat, seed)
    np.testing.assert_array_equal(possible.observation(seat), observation)
    batch = Batch(position.game.name, 2, players=position.players, seed=seed, autoreset=False)
    batch.load([1], np.array([position.record()], position.game.state))
    for _ in range(LONGEST):
        if (batch.to_move < 0).all():
            return
        assert batch.mask[batch.to_move >= 0].any(axis=1).all(), "a seat has no legal action"
        batch.step(batch.random_actions())
    raise AssertionError(f"the game is not over after {LONGEST} decisions")


@fuzzed
@given(st.data(), positions, seeds)
def test_a_changed_position_as_json(data, start, seed):
    try:
        position = Position.from_dict(data.draw(changed(start.to_dict())), seed=seed)
    except PositionError:
        return
    play_out(position, seed)


@st.composite
def changed_records(draw: Any, start: Position) -> Any:
    """Draw a copy of a record with one to four changes to its fields.

    A change sets a number, swaps two numbers of a field, sets all of them to one number, or copies
    the field from another game.
    """
    record = np.array(start.record())
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(record.dtype.names or ()))
        numbers_of_field = record[name].reshape(-1)
        limits = np.iinfo(numbers_of_field.dtype)
        at = draw(st.integers(0, len(numbers_of_field) - 1))
        other = draw(st.integers(0, len(numbers_of_field) - 1))
        any_number = st.integers(int(limits.min), int(limits.max))
        small_number = st.integers(max(int(limits.min), -3), 33)
        match draw(st.integers(0, 3)):
            case 0:
                numbers_of_field[at] = draw(small_number | any_number)
            case 1:
                numbers_of_field[[at, other]] = numbers_of_field[[other, at]]
            case 2:
                numbers_of_field[:] = numbers_of_field[at]
            case 3:
                games = [position for position in starts() if position.game is start.game]
                numbers_of_field[:] = np.ravel(draw(st.sampled_from(games)).record()[name])
        record[name] = numbers_of_field.reshape(record[name].shape)
    return record[()]


@fuzzed
@given(st.data(), positions, seeds)
def test_a_changed_record(data, start, seed):
    """A position, a batch and a pickle accept the same records."""
    record = data.draw(changed_records(start))
    pickled = pickle.dumps(start).replace(start.record().tobytes(), record.tobytes())
    batch = Batch(start.game.name, 1, players=start.players)
    readers: list[Callable[[], Any]] = [
        lambda: Position.of_record(start.game, record),
        lambda: batch.load([0], np.array([record], start.game.state)),
        lambda: pickle.loads(pickled),
    ]
    refused = 0
    for read in readers:
        with suppress(ValueError, TypeError):
            read()
            continue
        refused += 1
    assert refused in (0, len(readers))
    if not refused:
        play_out(readers[0](), seed)


small_arrays = arrays.arrays(
    arrays.scalar_dtypes(), arrays.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4)
)


@fuzzed
@given(st.data(), positions, st.lists(small_arrays | values, min_size=3, max_size=3))
def test_a_batch_can_be_played_on_after_a_call_with_any_arguments(data, start, arguments):
    batch = Batch(start.game.name, 3, players=start.players, seed=1)
    batch.load([0, 1, 2], np.array([start.record()] * 3, start.game.state))
    methods = ("step", "observe", "scores", "save", "load", "restart", "determinize", "copies")
    method = data.draw(st.sampled_from(methods))
    count = {"step": 2, "observe": 2, "load": 2, "determinize": 3}.get(method, 1)
    with suppress(ValueError, TypeError):
        getattr(batch, method)(*arguments[:count])
    batch.step(batch.random_actions())
