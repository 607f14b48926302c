"""The worth of a playout to the seat that searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import meant


class Ends(NamedTuple):
    """How k playouts ended, or are expected to.

    Attributes:
        win: float32[k, S], shares of the victory.
        score: float32[k, S], final scores in units of the game's scale.
        seats: int64[k], the seats that search.
        players: int64[k].
    """

    win: NDArray[np.float32]
    score: NDArray[np.float32]
    seats: NDArray[np.int64]
    players: NDArray[np.int64]


def margin(ends: Ends) -> NDArray[np.float64]:
    """float64[k]: the own score less the best of the others; alone, the own score."""
    every = np.arange(len(ends.seats))
    seats = np.arange(ends.score.shape[1])
    others = (seats < ends.players[:, None]) & (seats != ends.seats[:, None])
    best = np.where(others, ends.score, -np.inf).max(axis=1)
    own = ends.score[every, ends.seats].astype(np.float64)
    return own - np.where(ends.players > 1, best, 0.0)


def lead(ends: Ends) -> NDArray[np.float64]:
    """float64[k]: the own score less the mean of the others; alone, the own score."""
    own = score(ends)
    seats = np.arange(ends.score.shape[1])
    present = np.where(seats < ends.players[:, None], ends.score.astype(np.float64), 0.0)
    others = (present.sum(axis=1) - own) / np.maximum(ends.players - 1, 1)
    ahead: NDArray[np.float64] = own - others
    return ahead


def score(ends: Ends) -> NDArray[np.float64]:
    """float64[k]: the own score."""
    return ends.score[np.arange(len(ends.seats)), ends.seats].astype(np.float64)


def win(ends: Ends) -> NDArray[np.float64]:
    """float64[k]: the own share of the victory; alone, the own score."""
    shares = ends.win[np.arange(len(ends.seats)), ends.seats].astype(np.float64)
    return np.where(ends.players > 1, shares, score(ends))


UTILITIES: dict[str, Callable[[Ends], NDArray[np.float64]]] = {
    "lead": lead,
    "margin": margin,
    "score": score,
    "win": win,
}


def utility_named(name: str) -> Callable[[Ends], NDArray[np.float64]]:
    """A utility; ValueError if there is none of that name."""
    if name not in UTILITIES:
        known = ", ".join(UTILITIES)
        raise ValueError(f"utility={name!r}{meant(name, UTILITIES)}: choose one of {known}")
    return UTILITIES[name]
