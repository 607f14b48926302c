"""Records from outside: what cannot occur is refused, what can is played to the end."""

import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest

from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_env.errors import BoxError, IllegalMove, PositionError
from tests.contract.each_table import full_tables, plain_tables


def in_mid_game(table, n=64, steps=60):
    batch = table.batch(n, seed=3)
    for step in range(steps):
        # Games that differ in how far they are.
        batch.step(batch.random_actions()[step % 2 :: 2], np.arange(step % 2, n, 2))
    return batch


@plain_tables
def test_every_record_that_play_leads_to_can_be_loaded(table):
    """Memory between the fields of a record is never saved."""
    batch = table.batch(8, seed=5, autoreset=False)
    dirty = table.batch(8, seed=5)
    while (batch.to_move >= 0).any():
        batch.step(batch.random_actions())
        clean = batch.save(slice(None))
        filled = np.full(clean.nbytes, 0xFF, np.uint8).view(clean.dtype)
        for field in clean.dtype.names:
            filled[field] = clean[field]
        assert filled.tobytes() != clean.tobytes()
        batch.load(slice(None), clean)
        dirty.load(slice(None), filled)
        for one in (batch, dirty, dirty.copies(np.arange(8))):
            assert one.save(slice(None)).tobytes() == clean.tobytes()


@full_tables
def test_a_number_out_of_its_range_is_refused_and_named(table):
    batch = in_mid_game(table, n=4)
    before = batch.save(slice(None))
    for field in batch.game.ranges.values():
        limits = np.iinfo(field.kind)
        for wrong in {field.low - 1, field.high + 1, limits.min, limits.max}:
            if not limits.min <= wrong <= limits.max or field.low <= wrong <= field.high:
                continue
            records = before.copy()
            records[field.name].reshape(4, -1)[2, -1] = wrong
            with pytest.raises(PositionError, match=rf"records\[2\]: {field.name}: .*{wrong}"):
                batch.load(slice(None), records)
            with pytest.raises(PositionError, match=field.name):
                Position.of_record(batch.game, records[2])
    assert batch.save(slice(None)).tobytes() == before.tobytes()


@full_tables
def test_a_pickle_whose_record_was_changed_or_that_is_of_another_box_is_refused(table):
    """With another box arrays may be of other sizes, which compiled code would not notice."""
    batch = in_mid_game(table, n=3)
    position = Position.of_record(batch.game, batch.save([1])[0])
    digest = registry.box_digest(table.game).encode()
    for thing, records in ((position, batch.save([1])), (batch, batch.save(slice(None)))):
        wrong = records.copy()
        text = pickle.dumps(thing)
        wrong["to_move"][-1] = table.players
        assert text.count(records.tobytes()) == text.count(digest) == 1
        with pytest.raises(PositionError, match="to_move"):
            pickle.loads(text.replace(records.tobytes(), wrong.tobytes()))
        with pytest.raises(BoxError, match=f"comes from {table.game}, made with another box"):
            pickle.loads(text.replace(digest, b"0" * 64))
    with pytest.raises(TypeError, match=f"not of {table.game}"):
        Position.of_record(batch.game, b"1234")


@full_tables
def test_threads_that_share_a_batch_or_a_position_wait_for_one_another(table):
    batch = table.batch(300, seed=0, threads=2)
    position = table.position(seed=1)

    def step(chance):
        for _ in range(40):
            with suppress(IllegalMove):  # another has moved since
                batch.step(batch.random_actions())
                batch.observe(np.zeros(300, np.int64))
                batch.load([7], batch.save([chance.randrange(300)]))

    def push(chance):
        while position.to_move is not None:
            if moves := position.moves():
                with suppress(IllegalMove):
                    position.push(chance.choice(moves))

    with ThreadPoolExecutor(4) as pool:
        for work in (step, push):
            list(pool.map(work, map(random.Random, range(4))))
    batch.load(slice(None), batch.save(slice(None)))
    assert Position.from_dict(position.to_dict()) == position
