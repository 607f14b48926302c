"""Arrays from outside given to a `Batch`: refused, or used; the batch can always be played on."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from shakespeare_env import Batch, Position
from shakespeare_env.errors import IllegalMove
from tests.contract.random_games import TABLES, Table
from tests.fuzz.json_mutations import value
from tests.fuzz.odd_arrays import BrokenError, odd
from tests.fuzz.play import refused

_SIZES = (1, 2, 3, 8, 300)
_PATIENCE = 3.0
_PUBLIC = ("mask", "to_move", "players", "obs", "rewards", "done", "final_scores", "final_winners")
_READ_ONLY = "assignment destination is read-only"


def prepare() -> None:
    for table in TABLES:
        batch = table.batch(3, seed=0)
        _play_on(batch)
        # All that compiles does so now, since cases have little time.
        batch.determinize([0], [0], [0])
        batch.load([0], batch.save([0]))


def check(case: random.Random) -> str:
    batch = _batch(case, case.choice(TABLES))
    _play_on(batch)
    try:
        case.choice(_WAYS)(case, batch)
        word = "used"
    except BrokenError:
        word = "refused"
    except (ValueError, TypeError) as error:
        word = "refused" if str(error) == _READ_ONLY else refused(error)
    _play_on(batch)
    return word


def _batch(case: random.Random, table: Table) -> Batch:
    threads = case.choice((1, 1, 1, 2, 3))
    n = case.choice(_SIZES) if threads > 1 or case.random() < 0.1 else case.randint(1, 4)
    seed, auto = case.randrange(2**64), case.random() < 0.5
    return table.batch(n, seed, threads=threads, autoreset=auto)


def _play_on(batch: Batch) -> None:
    for _ in range(3):
        batch.step(batch.random_actions())
    batch.observe(np.zeros(batch.n, np.int8))
    batch.scores()


# ---- what takes arrays ----------------------------------------------------------------------


def _rows(case: random.Random, batch: Batch) -> list[int]:
    return sorted(case.sample(range(batch.n), case.randint(0, min(batch.n, 5))))


def _numbers(case: random.Random, batch: Batch) -> None:
    """What takes lists of numbers: some of them odd, at least the only one."""
    rows, actions = _rows(case, batch), batch.random_actions().tolist()
    seats = [case.randrange(int(batch.players[row])) for row in rows]
    seeds = [case.randrange(2**64) for _ in rows]
    takes: tuple[tuple[Callable[..., Any], tuple[list[int], ...]], ...] = (
        *((batch.step, (actions,)), (batch.step, ([actions[row] for row in rows], rows))),
        *((batch.observe, (seats, rows)), (batch.determinize, (rows, seats, seeds))),
        *((method, (rows,)) for method in (batch.restart, batch.scores, batch.save)),
    )
    method, lists = case.choice(takes)
    method(*(odd(case, one) if case.random() < 0.6 or not lists[1:] else one for one in lists))


def _load(case: random.Random, batch: Batch) -> None:
    """Good records into odd places, or odd arrays of them into good places."""
    rows = _rows(case, batch)
    records: Any = batch.save(rows)
    if case.random() < 0.5:
        places = odd(case, rows)
        if isinstance(places, np.ndarray) and places.dtype == bool and case.random() < 0.5:
            records = batch.save(slice(None))
        batch.load(places, records)
        return
    odd_records: tuple[Callable[[], Any], ...] = (
        lambda: records[:1],
        lambda: records[::-1],
        lambda: records[None],
        lambda: np.repeat(records, 2)[::2],
        lambda: np.concatenate([records, records]),
        lambda: records.tolist(),
        lambda: records.tobytes(),
        lambda: list(records),
        lambda: records.astype(object),
        lambda: records.view(np.uint8),
        lambda: records.astype(records.dtype.newbyteorder()),
        lambda: records.view(np.recarray),
        lambda: records.view(np.ma.MaskedArray),
        lambda: records["players"],
        lambda: records[0] if len(records) else None,
        lambda: value(case),
    )
    batch.load(rows, case.choice(odd_records)())


def _scalar(case: random.Random) -> Any:
    return case.choice((value(case), odd(case, [case.randrange(4)]), odd(case, [3])))


def _new(case: random.Random, batch: Batch) -> None:
    arguments: dict[str, Any] = {"game": batch.game.name, "n": 2, "players": batch.game.max_seats}
    odd_ones: dict[str, Callable[[], Any]] = {
        "players": lambda: odd(case, [batch.game.max_seats] * 2),
        "n": lambda: case.choice((0, -1, 2**40, 2**62, 2**63, 10**30, 1.5, "3", True, None)),
        "threads": lambda: case.choice((0, -1, 2, 5000, 2**31, 10**30, 1.0, "2", None, True)),
        "seed": lambda: _scalar(case),
        "reward": lambda: value(case),
        "autoreset": lambda: value(case),
        "game": lambda: value(case),
        "box": lambda: case.choice((value(case), "/dev/null", "/", b"box.toml")),
        "strategic_rest": lambda: value(case),
        "no_such_option": lambda: value(case),
    }
    for name in case.sample(sorted(odd_ones), case.randint(1, 2)):
        arguments[name] = odd_ones[name]()
    _play_on(Batch(**arguments))


def _position(case: random.Random, batch: Batch) -> None:
    """The same arguments of a single game."""
    seats = batch.game.max_seats
    position = Position.new(batch.game.name, players=seats, seed=case.randrange(2**64))
    calls: tuple[Callable[[], Any], ...] = (
        lambda: position.observation(_scalar(case)),
        lambda: position.determinize(_scalar(case), _scalar(case)),
        lambda: position.seen_by(_scalar(case)),
        lambda: position.reseed(_scalar(case)),
        lambda: Position.new(batch.game.name, players=_scalar(case), seed=_scalar(case)),
        lambda: Position.of_record(batch.game, value(case)),
        lambda: Position.from_dict(value(case), seed=_scalar(case)),
    )
    case.choice(calls)()


# ---- what can be got hold of ----------------------------------------------------------------


def _write(case: random.Random, batch: Batch) -> None:
    """Public arrays are views that cannot be written, or writing them does no harm.

    Whoever sets their flag first knows what it is for.
    """
    array: Any = getattr(batch, case.choice(_PUBLIC))
    array[...] = case.choice((0, 1, -1, 100))


def _share(case: random.Random, batch: Batch) -> None:
    """Several threads use one batch, or one position, at once."""
    position = Position.new(batch.game.name, players=batch.game.max_seats, seed=0)
    before = position.record()
    rows = _rows(case, batch) or [0]
    calls: tuple[Callable[[], Any], ...] = (
        lambda: batch.step(batch.random_actions()),
        lambda: batch.random_actions(),
        lambda: batch.observe(np.zeros(batch.n, np.int8)),
        lambda: batch.load(rows, batch.save(rows)),
        lambda: batch.restart(rows),
        lambda: batch.reset(1),
        lambda: batch.determinize(rows, [0] * len(rows), [1] * len(rows)),
        lambda: batch.copies(rows),
        lambda: position.push(position.moves()[0]),
        lambda: position.to_dict(),
        lambda: position.determinize(0, 1),
        lambda: position.copy().moves(),
    )
    faults: list[Exception] = []
    chosen = [case.choices(calls, k=8) for _ in range(case.randint(2, 4))]
    threads = [threading.Thread(target=_call, args=(part, faults), daemon=True) for part in chosen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_PATIENCE)
        assert not thread.is_alive(), "threads wait for each other"
    for fault in faults:
        refused(fault)
    assert Position.of_record(batch.game, before).moves()
    position.moves()


def _call(calls: list[Callable[[], Any]], faults: list[Exception]) -> None:
    for call in calls:
        try:
            call()
        except (IllegalMove, IndexError):  # another thread has moved in between
            continue
        except Exception as error:
            faults.append(error)


def _seeded(case: random.Random, batch: Batch) -> None:
    seed = case.randrange(2**64) if case.random() < 0.7 else _scalar(case)
    if case.random() < 0.5:
        batch.reset(seed, odd(case, [case.randrange(9) for _ in range(batch.n)]))
    else:
        _play_on(batch.copies(odd(case, _rows(case, batch)), seed))


_WAYS = (*(_numbers,) * 7, *(_seeded, _load, _new) * 2, _position, _write, _share)
