"""Records from outside: what cannot occur is refused, what can is played to the end."""

import pickle
import random
import threading
from contextlib import suppress

import numpy as np
import pytest

from shakespeare_env import Batch, Position, registry
from shakespeare_env.errors import IllegalMove, PositionError
from tests.contract.random_games import LONGEST

games = pytest.mark.parametrize(
    ("name", "players"), [(name, registry.seats(name)[-1]) for name in registry.names()]
)
tables = pytest.mark.parametrize(
    ("name", "players"),
    [(name, seats) for name in registry.names() for seats in registry.seats(name)],
)
FIELDS = [(name, field) for name in registry.names() for field in registry.game(name).ranges.fields]


def in_mid_game(name, players, n=64, steps=60, seed=3):
    batch = Batch(name, n, players=players, seed=seed)
    for step in range(steps):
        # Games that differ in how far they are.
        batch.step(batch.random_actions()[step % 2 :: 2], np.arange(step % 2, n, 2))
    return batch


def play_to_the_end(batch):
    for _ in range(LONGEST):
        if (batch.to_move < 0).all():
            return
        batch.step(batch.random_actions())
    raise AssertionError(f"games that do not end: {np.flatnonzero(batch.to_move >= 0)}")


@tables
def test_every_record_that_play_leads_to_can_be_loaded(name, players):
    batch = Batch(name, 32, players=players, seed=5, autoreset=False)
    while (batch.to_move >= 0).any():
        records = batch.save(slice(None))
        batch.load(slice(None), records)
        assert batch.save(slice(None)).tobytes() == records.tobytes()
        batch.step(batch.random_actions())
    batch.load(slice(None), batch.save(slice(None)))


@games
def test_what_lies_between_the_fields_of_loaded_records_is_never_saved(name, players):
    batch = in_mid_game(name, players, n=4)
    clean = batch.save(slice(None))
    dirty = np.full(clean.nbytes, 0xFF, np.uint8).view(clean.dtype)
    for field in clean.dtype.names:
        dirty[field] = clean[field]
    assert dirty.tobytes() != clean.tobytes()
    batch.load(slice(None), dirty)
    assert batch.save(slice(None)).tobytes() == clean.tobytes()
    assert batch.copies(np.arange(4)).save(slice(None)).tobytes() == clean.tobytes()


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_a_number_out_of_its_range_is_refused_and_named(name, field):
    batch = in_mid_game(name, registry.seats(name)[-1], n=4)
    before = batch.save(slice(None))
    limits = np.iinfo(field.kind)
    for wrong in (field.low - 1, field.high + 1, limits.min, limits.max):
        if not limits.min <= wrong <= limits.max or field.low <= wrong <= field.high:
            continue
        records = before.copy()
        records[field.name].reshape(4, -1)[2, -1] = wrong
        with pytest.raises(PositionError, match=rf"records\[2\]: {field.name}: .*{wrong}"):
            batch.load(slice(None), records)
        with pytest.raises(PositionError, match=field.name):
            Position.of_record(batch.game, records[2])
    assert batch.save(slice(None)).tobytes() == before.tobytes()


@tables
def test_a_changed_record_is_refused_or_played_to_the_end(name, players):
    """Numbers within their ranges that may be at odds with the others."""
    chance = random.Random(players)
    saved = in_mid_game(name, players).save(slice(None))
    fields = registry.game(name).ranges.fields
    batch = Batch(name, 64, players=players, autoreset=False)
    let_in = []
    for index in range(len(saved) * 10):
        records = saved[[index % 64]].copy()
        for _ in range(chance.choice((1, 1, 2))):
            field = chance.choice(fields)
            numbers = records[field.name].reshape(-1)
            numbers[chance.randrange(len(numbers))] = chance.randint(field.low, field.high)
        try:
            batch.load([0], records)
        except (PositionError, ValueError):
            continue
        let_in.append(records[0])
    assert let_in, "every change was refused"
    assert len(let_in) < len(saved) * 10, "no change was refused"
    batch = Batch(name, len(let_in), players=players, autoreset=False)
    batch.load(slice(None), np.array(let_in))
    play_to_the_end(batch)


@games
def test_a_pickle_whose_record_was_changed_is_refused(name, players):
    batch = in_mid_game(name, players, n=3)
    position = Position.of_record(batch.game, batch.save([1])[0])
    record = position.record().tobytes()
    wrong = position.record()
    wrong["players"] = 100
    text = pickle.dumps(position)
    assert pickle.loads(text) == position
    with pytest.raises(PositionError, match="players"):
        pickle.loads(text.replace(record, wrong.tobytes()))
    records = batch.save(slice(None))
    wrong = records.copy()
    wrong["to_move"][1] = registry.seats(name)[-1]
    text = pickle.dumps(batch)
    assert text.count(records.tobytes()) == 1
    with pytest.raises(PositionError, match=r"records\[1\]: to_move"):
        pickle.loads(text.replace(records.tobytes(), wrong.tobytes()))


@pytest.mark.parametrize("given", [b"1234", np.zeros(1), None])
def test_what_is_no_record_of_the_game_is_refused(given):
    with pytest.raises(TypeError, match="not of figaro"):
        Position.of_record(registry.game("figaro"), given)


def in_threads(play):
    threads = [threading.Thread(target=play, args=(random.Random(i),)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)


@games
def test_threads_that_share_a_batch_wait_for_one_another(name, players):
    batch = Batch(name, 300, players=players, threads=2)
    faults = []

    def play(chance):
        for _ in range(40):
            try:
                batch.step(batch.random_actions())
                batch.observe(np.zeros(300, np.int64))
                batch.load([7], batch.save([chance.randrange(300)]))
            except IllegalMove:
                pass  # the other has moved since
            except Exception as fault:
                faults.append(fault)

    in_threads(play)
    assert not faults
    batch.load(slice(None), batch.save(slice(None)))


@games
def test_threads_that_share_a_position_wait_for_one_another(name, players):
    position = Position.new(name, players=players, seed=1)

    def play(chance):
        while position.to_move is not None:
            if moves := position.moves():
                with suppress(IllegalMove):
                    position.push(chance.choice(moves))

    in_threads(play)
    assert position.to_move is None
    assert Position.from_dict(position.to_dict()) == position
