"""Games as records: changed ones are refused by all that takes them, or played to the end."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from shakespeare_env import Batch, Position
from tests.contract.random_games import LONGEST
from tests.fuzz.json_mutations import bytes_mutated
from tests.fuzz.play import ask, attempted, play_out, start, starts


def prepare() -> None:
    case = random.Random(0)
    for chosen in starts()[:: len(starts()) // 20]:
        record = chosen.record()
        ask(case, chosen)
        for way in _WAYS:
            way(case, chosen, record)


def check(case: random.Random) -> str:
    position = start(case)
    record = np.array(position.record())
    case.choice((_change_fields, _change_fields, _change_bytes))(case, record)
    return attempted(case.choices(_WAYS, _WEIGHTS)[0], case, position, record[()])


# ---- what is changed --------------------------------------------------------------------------


def _change_bytes(case: random.Random, record: Any) -> None:
    data = bytes_mutated(case, record.tobytes())[: record.dtype.itemsize]
    record[()] = np.frombuffer(data.ljust(record.dtype.itemsize, b"\xff"), record.dtype)[0]


def _change_fields(case: random.Random, record: Any) -> None:
    """Numbers become others, move within their field or come from another game."""
    for _ in range(case.choice((1, 1, 2, 4))):
        name = case.choice(record.dtype.names)
        flat = record[name].reshape(-1)
        limits = np.iinfo(flat.dtype)
        at, change = case.randrange(len(flat)), case.randrange(5)
        if change == 0:
            near = case.choice((-2, -1, 0, 1, 2, 3, 5, 6, 7, 15, 32, limits.min, limits.max))
            flat[at] = max(near, limits.min)
        elif change == 1:
            flat[at] = np.clip(int(flat[at]) + case.choice((-1, 1)), limits.min, limits.max)
        elif change == 2:
            other = case.randrange(len(flat))
            flat[at], flat[other] = flat[other], flat[at]
        elif change == 3:
            flat[:] = flat[at]
        else:
            other = case.choice(starts()).record()
            if other.dtype == record.dtype:
                flat[:] = np.ravel(other[name])
        record[name] = flat.reshape(record[name].shape)


# ---- who takes it -------------------------------------------------------------------------------


def _load(case: random.Random, position: Position, record: Any) -> None:
    """Into one row of a batch of two, which then play to the end."""
    batch = _batch(case, position)
    batch.load([1], np.array([record], position.game.state))
    _play_batch(batch)


def _batch(case: random.Random, position: Position) -> Batch:
    seed = case.randrange(2**64)
    return Batch(position.game.name, 2, players=position.players, seed=seed, autoreset=False)


def _play_batch(batch: Batch) -> None:
    for _ in range(LONGEST):
        if (batch.to_move < 0).all():
            return
        assert batch.mask[batch.to_move >= 0].any(axis=1).all(), "nothing to decide"
        batch.step(batch.random_actions())
    raise AssertionError(f"not over after {LONGEST} decisions")


def _of_record(case: random.Random, position: Position, record: Any) -> None:
    play_out(case, Position.of_record(position.game, record))


def _unpickle_position(case: random.Random, position: Position, record: Any) -> None:
    given = pickle.dumps(position)
    changed = given.replace(position.record().tobytes(), record.tobytes())
    play_out(case, pickle.loads(changed))


def _unpickle_batch(case: random.Random, position: Position, record: Any) -> None:
    batch = _batch(case, position)
    batch.load([0], np.array([position.record()], position.game.state))
    given, whole = pickle.dumps(batch), batch.save([0]).tobytes()
    _play_batch(pickle.loads(given.replace(whole, record.tobytes())))


_Way = Callable[[random.Random, Position, Any], None]
_WAYS: tuple[_Way, ...] = (_load, _of_record, _unpickle_position, _unpickle_batch)
_WEIGHTS = (6, 3, 2, 2)
