"""What comes from outside for `Batch` and `Position`: compiled code checks nothing itself.

Values other than integers raise TypeError, wrong shapes or values ValueError.  A record that passes
(from text, saved records, pickles) can be played to the end: no index leaves its array, and the
seat to move can move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env.checks.values import is_whole, short_repr
from shakespeare_env.core.game import Game, Record, Records
from shakespeare_env.core.kernels import NO_MOVE, kernels_of
from shakespeare_env.core.rng import check_seed
from shakespeare_env.core.row_rules import Terms, reward_code
from shakespeare_env.errors import IllegalMove, PositionError

Integers = npt.NDArray[np.integer] | Sequence[int]

_INT32, _INT64 = np.iinfo(np.int32), np.iinfo(np.int64)


def checked_count(name: str, count: int, most: int = 2**31) -> int:
    """A number of things from 1 to `most`."""
    if not is_whole(count):
        raise TypeError(f"{name}={short_repr(count)} must be an integer")
    if not 1 <= count <= most:
        raise ValueError(f"{name}={short_repr(count)} must be from 1 to {most}")
    return int(count)


def integers(
    name: str, given: object, shape: tuple[int, ...], high: Any = _INT64.max, low: int = 0
) -> npt.NDArray[np.int64]:
    """An array of integers from `low` to `high`, which may be one for each."""
    array = _any_integers(name, given, shape)
    if ((array < low) | (array > high)).any():
        raise ValueError(
            f"{name}={short_repr(given)}: give integers from {low} to {short_repr(high)}"
        )
    return array.astype(np.int64)


def _any_integers(name: str, given: object, shape: tuple[int, ...]) -> npt.NDArray[np.integer]:
    try:
        array = np.asarray(given)
    except Exception as fault:  # whatever an object's own conversion raises
        raise TypeError(f"{name}={short_repr(given)}: give integers") from fault
    if array.dtype.kind not in "iu" and (array.size or array.ndim == 0):
        raise TypeError(f"{name}={short_repr(given)}: give integers")
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; give one of {shape}")
    return array


def checked_terms(
    game: Game,
    n: int,
    players: int | Integers,
    autoreset: bool,
    reward: str,
    variants: Mapping[str, bool],
) -> tuple[npt.NDArray[np.int8], Terms]:
    """The seats of n games, int8[n], from one number or n, and their variants and rewards."""
    shape = () if is_whole(players) else (n,)
    given = integers("players", players, shape, game.max_seats, game.min_seats)
    seats = np.full(n, given, np.int8)
    if not isinstance(autoreset, bool | np.bool_):
        raise TypeError(f"autoreset={short_repr(autoreset)} must be True or False")
    bits = game.option_bits(variants, map(int, np.unique(seats)))
    code, scale, target = reward_code(reward), float(game.score_scale), game.solo_target or 0.0
    return seats, Terms(bits, bool(autoreset), code, scale, target)


def checked_rows(n: int, rows: Integers) -> npt.NDArray[np.int64]:
    """Increasing indices of games, int64[m]."""
    chosen = checked_selection(n, rows, "rows")
    if (chosen[1:] <= chosen[:-1]).any():
        raise ValueError(f"rows={short_repr(rows)}: give the indices of games in increasing order")
    return chosen


def checked_selection(
    n: int, indices: Integers | slice, name: str = "indices", once: bool = False
) -> npt.NDArray[np.int64]:
    """Games by indices, in any order, or by a slice, int64[m]; with repeats, unless `once`."""
    if isinstance(indices, slice):
        return np.arange(n)[indices]
    rows = integers(name, indices, (np.size(indices),), n - 1)
    if once and len(np.unique(rows)) != len(rows):
        raise ValueError(f"{name}={short_repr(indices)}: name every game once")
    return rows


def checked_seats(seats: Integers, players: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """One seat for each game, int8[m], at tables of `players` seats, int8[m]."""
    return integers("seats", seats, players.shape, players - 1).astype(np.int8)


def checked_seeds(n: int, seeds: Integers) -> npt.NDArray[np.uint64]:
    """One seed per game, uint64[n]."""
    words = np.array([check_seed(seed) for seed in seeds], np.uint64)
    if words.shape != (n,):
        raise ValueError(f"seeds of shape {words.shape} for {n} games; give one for each")
    return words


def as_actions(actions: Integers, n: int) -> npt.NDArray[np.int32]:
    """Action ids, legal or not, int32[n]; a copy, so that nobody changes what is checked."""
    if type(actions) is np.ndarray and actions.dtype == np.int32 and actions.shape == (n,):
        return actions.astype(np.int32)  # the common case of every step, kept fast
    given = _any_integers("actions", actions, (n,))
    # Numbers beyond int32 are not actions either, and must not wrap into one.
    if given.dtype == np.uint64:
        given = np.minimum(given, np.uint64(_INT32.max))
    return np.clip(given.astype(np.int64), _INT32.min, _INT32.max).astype(np.int32)


def checked_games(
    game: Game, n: int, indices: Integers | slice, records: Records, variants: Mapping[str, Any]
) -> tuple[npt.NDArray[np.int64], Records]:
    """Which of n games records replace, int64[m], and copies of them, [m]; see `Batch.load`."""
    kind = getattr(records, "dtype", None)
    # Comparing types field by field takes longer than all else.
    of_game = kind is game.state or kind == game.state
    if not isinstance(records, np.ndarray | np.void) or not of_game:
        raise TypeError(f"this is of {kind or type(records).__name__}, not of {game.name}")
    rows = checked_selection(n, indices, once=True)
    if np.shape(records) not in ((), (1,), rows.shape):
        raise ValueError(f"records of shape {np.shape(records)} for {len(rows)} games")
    # Copies, so that nobody changes what has been checked, with nothing between their fields.
    games: Records = np.zeros(rows.shape, game.state)
    games[...] = records
    if fault := first_fault(game, games):
        raise PositionError(f"records[{fault[0]}]: {fault[1]}")
    game.option_bits(variants, [int(count) for count in np.unique(games["players"])])
    return rows, games


def illegal_move(
    game: Game, record: Record, mask: npt.NDArray[np.bool_], action: int, index: int
) -> IllegalMove:
    """The refusal of an action in game `index` of a batch, whose legal ones are bool[A]."""
    seat = int(record["to_move"])
    texts = game.actions.texts_for(max(seat, 0), int(record["players"]))
    return IllegalMove(
        texts[action] if 0 <= action < len(texts) else action,
        seat=None if seat < 0 else seat,
        phase=game.phase(record),
        legal=[texts[i] for i in np.flatnonzero(mask)],
        game_index=index,
    )


def first_fault(game: Game, records: Records) -> tuple[int, str] | None:
    """The first of records[n] that cannot occur, and place, fault and remedy."""
    for name, field in game.ranges.items():
        numbers = records[name].reshape(len(records), -1)
        outside = (numbers < field.low) | (numbers > field.high)
        if outside.any():
            index = int(outside.any(axis=1).argmax())
            wrong = numbers[index][outside[index]][0]
            return index, f"{name}: {wrong} is not within {field.low} to {field.high}"
    faults = np.zeros(1, np.int64)
    mask = np.zeros(game.actions.size, np.bool_)
    index = int(kernels_of(game).first_fault(records, mask, faults))
    if index < 0:
        return None
    record, fault = records[index], int(faults[0])
    if fault == NO_MOVE:
        mover, phase = record["to_move"], game.phase(record)
        return index, f"to_move: seat {mover} has no legal move in phase {phase!r}"
    found = game.explain(record, fault)
    return index, f"{found.place}: {short_repr(found.value)} cannot be; {found.says}"
