"""Input from outside that was changed is refused with an error, or played to its end.

`make fuzz` draws more examples, and others each time; with SHAKESPEARE_BOUNDS=1 compiled rules
check every index, too.
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
    """Positions of every game, seat count, variant and phase."""
    return tuple(position.copy() for table in TABLES for position in sample_positions(table, 0, 9))


positions = st.deferred(lambda: st.sampled_from(starts()))


@st.composite
def changed(draw: Any, root: Any) -> Any:
    """A copy of JSON in which one to four values are others, misspelt, gone, or changed places."""
    root = copy.deepcopy(root)
    for _ in range(draw(st.integers(1, 4))):
        places = list(inside(root))
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


def inside(root: Any) -> Any:
    """The places of values inside lists and tables: the container and the key or index."""
    for key in range(len(root)) if isinstance(root, list) else list(root):
        yield root, key
        if isinstance(root[key], list | dict):
            yield from inside(root[key])


def play_out(position: Position, seed: int) -> None:
    """Ask a position everything, and play random legal moves to the end in one row of two."""
    assert Position.from_dict(position.to_dict(), seed=seed) == position
    seat = seed % position.players
    layout = position.game.layout
    seen = position.observation(seat)
    assert ((seen >= layout.low) & (seen <= layout.high)).all(), "observed out of range"
    position.seen_by(seat)
    np.testing.assert_array_equal(position.determinize(seat, seed).observation(seat), seen)
    batch = Batch(position.game.name, 2, players=position.players, seed=seed, autoreset=False)
    batch.load([1], np.array([position.record()], position.game.state))
    for _ in range(LONGEST):
        if (batch.to_move < 0).all():
            return
        assert batch.mask[batch.to_move >= 0].any(axis=1).all(), "nothing to decide"
        batch.step(batch.random_actions())
    raise AssertionError(f"not over after {LONGEST} decisions")


@fuzzed
@given(st.data(), positions, seeds)
def test_positions_in_text(data, start, seed):
    try:
        position = Position.from_dict(data.draw(changed(start.to_dict())), seed=seed)
    except PositionError:
        return
    play_out(position, seed)


@st.composite
def changed_records(draw: Any, start: Position) -> Any:
    """A record in which numbers are others, move within their field or come from another game."""
    record = np.array(start.record())
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(record.dtype.names or ()))
        flat = record[name].reshape(-1)
        limits = np.iinfo(flat.dtype)
        at = draw(st.integers(0, len(flat) - 1))
        other = draw(st.integers(0, len(flat) - 1))
        whole = st.integers(int(limits.min), int(limits.max))
        near = st.integers(max(int(limits.min), -3), 33)
        match draw(st.integers(0, 3)):
            case 0:
                flat[at] = draw(near | whole)
            case 1:
                flat[at], flat[other] = flat[other], flat[at]
            case 2:
                flat[:] = flat[at]
            case 3:
                others = [one for one in starts() if one.game is start.game]
                flat[:] = np.ravel(draw(st.sampled_from(others)).record()[name])
        record[name] = flat.reshape(record[name].shape)
    return record[()]


@fuzzed
@given(st.data(), positions, seeds)
def test_games_as_records(data, start, seed):
    """Loaded into a batch, read as one game, and inside a pickle."""
    record = data.draw(changed_records(start))
    packed = pickle.dumps(start).replace(start.record().tobytes(), record.tobytes())
    batch = Batch(start.game.name, 1, players=start.players)
    readers: list[Callable[[], Any]] = [
        lambda: Position.of_record(start.game, record),
        lambda: batch.load([0], np.array([record], start.game.state)),
        lambda: pickle.loads(packed),
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


numbers = arrays.arrays(
    arrays.scalar_dtypes(), arrays.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4)
)


@fuzzed
@given(st.data(), positions, st.lists(numbers | values, min_size=3, max_size=3))
def test_arrays_given_to_batches(data, start, given_ones):
    """The batch can be played on whatever it was given."""
    batch = Batch(start.game.name, 3, players=start.players, seed=1)
    batch.load([0, 1, 2], np.array([start.record()] * 3, start.game.state))
    calls = ("step", "observe", "scores", "save", "load", "restart", "determinize", "copies")
    name = data.draw(st.sampled_from(calls))
    count = {"step": 2, "observe": 2, "load": 2, "determinize": 3}.get(name, 1)
    with suppress(ValueError, TypeError):
        getattr(batch, name)(*given_ones[:count])
    batch.step(batch.random_actions())
