"""Checks of the arguments of `Batch` and `Position`, since compiled code checks nothing itself.

A value that is not an integer raises TypeError. A wrong shape or a value out of range raises
ValueError. A record that passes can be played to the end, whether it comes from text, from saved
records or from a pickle: every index stays inside its array, and the seat to move has a legal move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env.checks.values import is_integer, short_repr
from shakespeare_env.core.game import Game, PositionFault, Record, Records
from shakespeare_env.core.kernels import NO_MOVE, kernels_of
from shakespeare_env.core.rng import check_seed
from shakespeare_env.core.row_rules import StepSettings, reward_code
from shakespeare_env.errors import IllegalMove, PositionError

Integers = npt.NDArray[np.integer] | Sequence[int]

_INT32 = np.iinfo(np.int32)
_INT64 = np.iinfo(np.int64)


def checked_count(name: str, count: int, most: int = 2**31, least: int = 1) -> int:
    """Return a count as an int; it must be an integer from `least` to `most`."""
    if not is_integer(count):
        raise TypeError(f"{name}={short_repr(count)} must be an integer")
    if not least <= count <= most:
        raise ValueError(f"{name}={short_repr(count)} must be from {least} to {most}")
    return int(count)


def integers(
    name: str, given: object, shape: tuple[int, ...], high: Any = _INT64.max, low: int = 0
) -> npt.NDArray[np.int64]:
    """Return an array of integers from `low` to `high`, int64 of the given shape.

    Args:
        name: The argument's name, for errors.
        given: The argument's value.
        shape: The shape that it must have.
        high: The greatest value that is allowed, or an array with the greatest for each place.
        low: The least value that is allowed.
    """
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
    if array.dtype.kind not in "iu":
        if array.size:
            raise TypeError(f"{name}={short_repr(given)}: give integers")
        array = np.empty(array.shape, np.int64)  # NumPy turns an empty list into floats
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; give an array of shape {shape}")
    return array


def checked_settings(
    game: Game,
    n: int,
    players: int | Integers,
    autoreset: bool,
    reward: str,
    variants: Mapping[str, bool],
) -> tuple[npt.NDArray[np.int8], StepSettings]:
    """Return the seat counts of n games, int8[n], and the settings of their steps.

    Args:
        game: The game.
        n: The number of games.
        players: One seat count for all games, or one for each.
        autoreset: Whether the step that ends a game starts the next.
        reward: The name of the reward.
        variants: The variants by name, each switched on or off.
    """
    seats = checked_players(game, n, players)
    if not isinstance(autoreset, bool | np.bool_):
        raise TypeError(f"autoreset={short_repr(autoreset)} must be True or False")
    bits = game.option_bits(variants, map(int, np.unique(seats)))
    settings = StepSettings(
        options=bits,
        autoreset=bool(autoreset),
        reward=reward_code(reward),
        scale=float(game.score_scale),
        target=game.solo_target or 0.0,
    )
    return seats, settings


def checked_players(game: Game, n: int, players: int | Integers) -> npt.NDArray[np.int8]:
    """Return the seat counts of n games, int8[n], from one for all games or one for each."""
    shape = () if is_integer(players) else (n,)
    given = integers("players", players, shape, high=game.max_seats, low=game.min_seats)
    return np.full(n, given, np.int8)


def checked_rows(n: int, rows: Integers) -> npt.NDArray[np.int64]:
    """Return indices of games, int64[m]; they must increase."""
    chosen = checked_selection(n, rows, "rows")
    if (chosen[1:] <= chosen[:-1]).any():
        raise ValueError(f"rows={short_repr(rows)}: give the indices of games in increasing order")
    return chosen


def checked_selection(
    n: int, indices: Integers | slice, name: str = "indices", once: bool = False
) -> npt.NDArray[np.int64]:
    """Return indices of games, int64[m], from a slice or in any order.

    Args:
        n: The number of games.
        indices: The indices or the slice.
        name: The argument's name, for errors.
        once: Whether repeated indices are refused.
    """
    if isinstance(indices, slice):
        return np.arange(n)[indices]
    rows = integers(name, indices, (np.size(indices),), high=n - 1)
    if once and len(np.unique(rows)) != len(rows):
        raise ValueError(f"{name}={short_repr(indices)}: name every game once")
    return rows


def checked_seats(seats: Integers, players: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return one seat of each game, int8[m]; `players`, int8[m], are the games' seat counts."""
    return integers("seats", seats, players.shape, high=players - 1).astype(np.int8)


def checked_seeds(n: int, seeds: Integers) -> npt.NDArray[np.uint64]:
    """Return one seed for each game, uint64[n]."""
    words = np.array([check_seed(seed) for seed in seeds], np.uint64)
    if words.shape != (n,):
        raise ValueError(f"seeds has shape {words.shape} for {n} games; give one seed for each")
    return words


def as_actions(actions: Integers, n: int) -> npt.NDArray[np.int32]:
    """Return a copy of action ids, int32[n], legal or not.

    The caller cannot change the copy after it has been checked.
    """
    if type(actions) is np.ndarray and actions.dtype == np.int32 and actions.shape == (n,):
        return actions.astype(np.int32)  # the common case of every step, kept fast
    given = _any_integers("actions", actions, (n,))
    # Numbers beyond int32 are illegal, too. They are clipped, since a cast could make them legal.
    if given.dtype == np.uint64:
        given = np.minimum(given, np.uint64(_INT32.max))
    return np.clip(given.astype(np.int64), _INT32.min, _INT32.max).astype(np.int32)


def checked_games(
    game: Game, n: int, indices: Integers | slice, records: Records, variants: Mapping[str, Any]
) -> tuple[npt.NDArray[np.int64], Records]:
    """Return the indices of the games to replace, int64[m], and copies of their new records, [m].

    Errors are those of `Batch.load`.
    """
    dtype = getattr(records, "dtype", None)
    # Comparing dtypes field by field takes longer than the other checks, so identity comes first.
    is_of_game = dtype is game.state or dtype == game.state
    if not isinstance(records, np.ndarray | np.void) or not is_of_game:
        kind = type(records).__name__ if dtype is None else dtype
        raise TypeError(
            f"the records are of {kind}, not of {game.name}; give records that `save` returned"
        )
    rows = checked_selection(n, indices, once=True)
    if np.shape(records) not in ((), (1,), rows.shape):
        raise ValueError(
            f"records has shape {np.shape(records)} for {len(rows)} games; give one record for each"
        )
    # Copy the fields, so that the caller cannot change the records after the checks, and so that
    # the bytes between fields are 0.
    games: Records = np.zeros(rows.shape, game.state)
    games[...] = records
    found = first_fault(game, games)
    if found is not None:
        index, fault = found
        raise PositionError(f"records[{index}]: {fault}")
    game.option_bits(variants, [int(count) for count in np.unique(games["players"])])
    return rows, games


def illegal_move(
    game: Game, record: Record, mask: npt.NDArray[np.bool_], action: int, index: int
) -> IllegalMove:
    """Return the error for an illegal action in game `index` of a batch.

    Args:
        game: The game.
        record: The record of the position.
        mask: bool[A], the legal actions.
        action: The action id, which may be out of range.
        index: The game's index in the batch.
    """
    seat = int(record["to_move"])  # -1 when the game is over; texts are then those of seat 0
    texts = game.actions.texts_for(max(seat, 0), int(record["players"]))
    return IllegalMove(
        texts[action] if 0 <= action < len(texts) else action,
        seat=None if seat < 0 else seat,
        phase=game.phase(record),
        legal=[texts[i] for i in np.flatnonzero(mask)],
        game_index=index,
    )


def first_fault(game: Game, records: Records) -> tuple[int, PositionFault] | None:
    """Return the index and the fault of the first record that cannot occur, or None.

    Args:
        game: The game.
        records: The records, [n], whose numbers may be out of range.
    """
    for name, field in game.ranges.items():
        numbers = records[name].reshape(len(records), -1)
        outside = (numbers < field.low) | (numbers > field.high)
        if outside.any():
            index = int(outside.any(axis=1).argmax())
            wrong = numbers[index][outside[index]][0].item()
            says = f"it must be from {field.low} to {field.high}"
            return index, PositionFault("out_of_range", name, wrong, says)

    faults = np.zeros(1, np.int64)
    mask = np.zeros(game.actions.size, np.bool_)
    index = int(kernels_of(game).first_fault(records, mask, faults))
    if index < 0:
        return None
    record = records[index]
    if faults[0] == NO_MOVE:
        says = f"that seat has no legal move in phase {game.phase(record)!r}"
        return index, PositionFault("no_legal_move", "to_move", int(record["to_move"]), says)
    return index, game.explain(record, int(faults[0]))
