"""The arguments of `Batch`, checked here because compiled code checks nothing.

What is not integers is a TypeError; the wrong shape or value is a ValueError.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from shakespeare_env.errors import shown
from shakespeare_env.game import Game
from shakespeare_env.rng import check_seed

Integers = npt.NDArray[np.integer] | Sequence[int]

_INT32 = np.iinfo(np.int32)


def checked_count(name: str, count: int, most: int = 2**31) -> int:
    """A number of things from 1 to `most`."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer):
        raise TypeError(f"{name}={shown(count)} must be an integer")
    if not 1 <= count <= most:
        raise ValueError(f"{name}={shown(count)} must be from 1 to {most}")
    return int(count)


def checked_players(game: Game, n: int, players: int | Integers) -> npt.NDArray[np.int8]:
    """The seats of every game, int8[n], from one number or n."""
    given = np.asarray(players)
    if given.ndim == 0:
        given = np.broadcast_to(given, (n,))
    if given.shape != (n,):
        raise ValueError(f"players has shape {given.shape}; give one number or {n}, one a game")
    for count in np.unique(given):
        game.check_players(count)
    return given.astype(np.int8)


def checked_deals(n: int, deals: Integers) -> npt.NDArray[np.int64]:
    """The deal that each game plays, int64[n], from 0."""
    given = np.asarray(deals)
    if given.dtype.kind not in "iu":
        raise TypeError(f"deals are {given.dtype}; give integers")
    if given.shape != (n,) or given.min() < 0:
        raise ValueError(f"deals={shown(deals)}: give {n} numbers of deals, 0 or more")
    return given.astype(np.int64)


def checked_rows(n: int, rows: Integers) -> npt.NDArray[np.int64]:
    """Increasing indices of games, int64[m]."""
    chosen = checked_indices(n, rows)
    if (chosen[1:] <= chosen[:-1]).any():
        raise ValueError(f"rows={shown(rows)}: give the indices of games in increasing order")
    return chosen


def checked_indices(n: int, rows: Integers) -> npt.NDArray[np.int64]:
    """Indices of games in any order, with repeats, int64[m]."""
    given = np.asarray(rows)
    if given.dtype.kind not in "iu" and given.size:
        raise TypeError(f"rows are {given.dtype}; give the indices of games")
    if given.ndim != 1:
        raise ValueError(f"rows={shown(rows)}: give a list of the indices of games")
    if given.size and (given.min() < 0 or given.max() >= n):
        raise ValueError(f"rows={shown(rows)}: the games of this batch are 0 to {n - 1}")
    return np.ascontiguousarray(given, np.int64)


def checked_selection(n: int, indices: Integers | slice) -> npt.NDArray[np.int64]:
    """Games by indices, in any order, with repeats, or by a slice, int64[m]."""
    if isinstance(indices, slice):
        return np.arange(n)[indices]
    return checked_indices(n, indices)


def checked_targets(n: int, indices: Integers | slice) -> npt.NDArray[np.int64]:
    """The same without repeats."""
    rows = checked_selection(n, indices)
    if len(np.unique(rows)) != len(rows):
        raise ValueError(f"indices={shown(indices)}: name every game once")
    return rows


def checked_seats(seats: Integers, players: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """One seat for each game, int8[m], at tables of `players` seats, int8[m]."""
    given = np.asarray(seats)
    fits = given.shape == players.shape and (given.dtype.kind in "iu" or not given.size)
    if not fits or (given < 0).any() or (given >= players).any():
        raise ValueError(f"seats={shown(seats)}: give one seat at the table for each of the games")
    return given.astype(np.int8)


def checked_seeds(n: int, seeds: Integers) -> npt.NDArray[np.uint64]:
    """One seed per game, uint64[n]."""
    if isinstance(seeds, np.ndarray) and seeds.dtype.kind in "iu":
        if seeds.size:
            check_seed(seeds.min())
        words = seeds.astype(np.uint64)
    else:
        words = np.array([check_seed(seed) for seed in seeds], np.uint64)
    if words.shape != (n,):
        raise ValueError(f"seeds of shape {words.shape} for {n} games; give one for each")
    return words


def as_actions(actions: Integers, n: int) -> npt.NDArray[np.int32]:
    """Action ids, legal or not, int32[n]."""
    given = np.asarray(actions)
    if given.dtype == object and all(isinstance(action, int) for action in given.ravel()):
        given = given.clip(_INT32.min, _INT32.max).astype(np.int64)  # integers beyond 64 bits
    if given.shape != (n,):
        raise ValueError(f"actions have shape {given.shape}; give one for each of the {n} games")
    if given.dtype.kind not in "iu" and n:
        raise TypeError(f"actions are {given.dtype}; give integers")
    chosen = np.ascontiguousarray(given, np.int32)
    if chosen is not given and (chosen != given).any():
        # Numbers beyond int32 are not actions either, and must not wrap into one.
        chosen = given.clip(_INT32.min, _INT32.max).astype(np.int32)
    return chosen
