"""Plackett-Luce ratings and their uncertainty."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
import scipy.optimize
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
ELO = 400 / math.log(10)
"""Elo points in a natural unit of strength."""
PENALTY = 0.5
"""Games won against the virtual agent; the same number is lost."""
_READ = ("match", "players", "digests", "places", "forfeited_by")


@dataclass(frozen=True)
class Choices:
    """How often each agent was chosen from each set, by match, as a Plackett-Luce model needs it.

    Attributes:
        digests: The n agents.
        sets: float[s, n + 1]: the distinct choice sets: how many copies of each agent they hold;
            the last column is the virtual agent of the penalty (see `with_penalty`).
        chosen: sparse float[m, n + 1]: how often the games of a match chose each agent.
        shown: sparse float[m, s]: how often they chose from each set.
    """

    digests: tuple[str, ...]
    sets: Floats
    chosen: scipy.sparse.csr_array
    shown: scipy.sparse.csr_array

    def parts(self) -> Integers:
        """int[n], a number shared by agents that games connect, if only through others."""
        together = scipy.sparse.csr_array(self.sets.T @ self.sets)[:-1, :-1]
        return np.asarray(connected_components(together, directed=False)[1], np.int64)


def choices(results: pl.DataFrame) -> Choices:
    """The choices of all games at two seats or more.

    The first place is a choice from all seats, the second from the others, and so on. Seats that
    tie count as in the mean over all orders of them. Forfeited games are choices between their
    loser and each other seat.
    """
    # Sorting gives merged results the same figures to the last digit.
    games = results.filter(pl.col("players") > 1).select("key", *_READ).sort("key")
    digests = tuple(games["digests"].explode().unique().sort().drop_nulls().to_list())
    matches = games["match"].unique().sort()
    games = games.with_columns(row=pl.col("match").replace_strict(matches, range(len(matches))))
    number = {digest: i for i, digest in enumerate(digests)}
    found: list[_Stage] = []
    for _, table in games.group_by("players", maintain_order=True):
        agents = table["digests"].explode().replace_strict(number, return_dtype=pl.Int64)
        seats = agents.to_numpy().reshape(len(table), -1)
        rows = table["row"].to_numpy().astype(np.int64)
        loser = table["forfeited_by"].fill_null(-1).to_numpy().astype(np.int64)
        places = table["places"].explode().to_numpy().astype(np.int64).reshape(seats.shape)
        finished = loser < 0
        found += _orders(rows[finished], seats[finished], places[finished])
        found += _forfeits(rows[~finished], seats[~finished], loser[~finished])
    return _aggregated(digests, len(matches), found)


@dataclass(frozen=True)
class _Stage:
    """Choices of many games: from the agents `held`, one of the columns `taken`, equally often."""

    rows: Integers
    held: Integers
    taken: Sequence[int]
    weight: float


def _orders(rows: Integers, seats: Integers, places: Integers) -> Iterator[_Stage]:
    order = np.argsort(places, axis=1, kind="stable")
    agents = np.take_along_axis(seats, order, axis=1)
    patterns, which = np.unique(
        np.take_along_axis(places, order, axis=1), axis=0, return_inverse=True
    )
    for number, pattern in enumerate(patterns):
        here = which.reshape(-1) == number
        for place in np.unique(pattern):
            tied = np.flatnonzero(pattern == place).tolist()
            behind = np.flatnonzero(pattern > place).tolist()
            for size in range(len(tied)):
                for gone in itertools.combinations(tied, size):
                    left = [seat for seat in tied if seat not in gone]
                    if len(left) + len(behind) > 1:
                        held = agents[here][:, left + behind]
                        weight = 1 / math.comb(len(tied), size)
                        yield _Stage(rows[here], held, range(len(left)), weight)


def _forfeits(rows: Integers, seats: Integers, loser: Integers) -> Iterator[_Stage]:
    players = seats.shape[1]
    lost = np.take_along_axis(seats, loser[:, None], axis=1)[:, 0]
    for seat in range(players):
        others = loser != seat
        yield _Stage(rows[others], np.stack([seats[others, seat], lost[others]], 1), [0], 1.0)


def _aggregated(digests: Sequence[str], matches: int, stages: Sequence[_Stage]) -> Choices:
    n = len(digests)
    # A set's members, in order, as the digits of one number; 0 is nobody.
    codes = [
        np.sort(stage.held + 1, axis=1) @ (n + 1) ** np.arange(stage.held.shape[1])
        for stage in stages
    ]
    distinct, sets_of = np.unique(
        np.concatenate([*codes, np.zeros(0, np.int64)]), return_inverse=True
    )
    sets = np.zeros((len(distinct), n + 1))
    rest = distinct.copy()
    while rest.any():
        rest, member = np.divmod(rest, n + 1)
        np.add.at(sets, (np.flatnonzero(member), member[member > 0] - 1), 1)
    chosen_at: list[tuple[Integers, Integers, Floats]] = []
    for stage in stages:
        share = np.full(len(stage.rows), stage.weight / len(stage.taken))
        chosen_at += [(stage.rows, stage.held[:, column], share) for column in stage.taken]
    rows = np.concatenate([stage.rows for stage in stages] or [np.zeros(0, np.int64)])
    weights = np.concatenate(
        [np.full(len(stage.rows), stage.weight) for stage in stages] or [np.zeros(0)]
    )
    chosen = scipy.sparse.coo_array((matches, n + 1))
    if chosen_at:
        at_row, at_agent, at_share = (np.concatenate(part) for part in zip(*chosen_at, strict=True))
        chosen = scipy.sparse.coo_array((at_share, (at_row, at_agent)), shape=(matches, n + 1))
    shown = scipy.sparse.coo_array((weights, (rows, sets_of)), shape=(matches, len(distinct)))
    return Choices(tuple(digests), sets, chosen.tocsr(), shown.tocsr())


def with_penalty(found: Choices) -> Choices:
    """The choices and, as two more matches per agent, a game half won and half lost.

    The opponent is a virtual agent of rating 0, so that agents that never lost have finite ratings.
    Both halves are matches of their own: where nothing else varies, the covariance still shows how
    little is known.
    """
    n = len(found.digests)
    each = np.arange(n)
    sets = np.zeros((n, n + 1))
    sets[each, each] = sets[:, n] = 1
    half = np.full(n, PENALTY)
    shape = (n, n + 1)
    won = scipy.sparse.csr_array((half, (each, each)), shape=shape)
    lost = scipy.sparse.csr_array((half, (each, np.full(n, n))), shape=shape)
    shown = scipy.sparse.diags_array(half)
    return Choices(
        found.digests,
        np.concatenate([found.sets, sets]),
        scipy.sparse.vstack([found.chosen, won, lost], format="csr"),
        scipy.sparse.block_array([[found.shown, None], [None, shown], [None, shown]], format="csr"),
    )


def strengths(found: Choices, chosen: Floats, shown: Floats) -> Floats:
    """The most likely strengths, in natural units; the virtual agent's is 0.

    Args:
        found: Holds the `sets` that the choices are from, the penalty's included.
        chosen: float[n + 1], how often each agent was chosen.
        shown: float[s], how often each set was.

    Returns:
        float[n].
    """
    n = len(found.digests)
    sets, free = found.sets, found.sets[:, :n]

    def loss(at: Floats) -> tuple[float, Floats]:
        held = np.exp(at)
        total = free @ held + sets[:, n]
        value = shown @ np.log(total) - chosen[:n] @ at
        return float(value), held * (free.T @ (shown / total)) - chosen[:n]

    # Steps are bounded, which keeps exp within its range; the loss is convex.
    best = scipy.optimize.minimize(
        loss,
        np.zeros(n),
        jac=True,
        hess=partial(curvature, found, shown),
        method="trust-exact",
        options={"initial_trust_radius": 2.0, "max_trust_radius": 8.0, "gtol": 1e-6},
    )
    return np.asarray(best.x)


def curvature(found: Choices, shown: Floats, at: Floats) -> Floats:
    """float[n, n]: the second derivatives of the loss at float[n]."""
    n, held = len(at), np.exp(at)
    free = found.sets[:, :n]
    shares = free * held / (free @ held + found.sets[:, n])[:, None]
    weighted = shares * shown[:, None]
    return np.asarray(np.diag(weighted.sum(axis=0)) - weighted.T @ shares)


@dataclass(frozen=True)
class Ratings:
    """Estimates of all agents' strengths.

    Attributes:
        digests: The n agents.
        points: float[n], ratings in Elo points, the field's middle 0 (see `centring`).
        covariance: float[n, n], their covariance.
        parts: int[n], a number shared by agents that games connect, if only through others.
        matches: int[n], the matches that each has played.
    """

    digests: tuple[str, ...]
    points: Floats
    covariance: Floats
    parts: Integers
    matches: Integers

    @property
    def behind(self) -> dict[str, float]:
        """A number for each agent, the lower the stronger."""
        return dict(zip(self.digests, (-self.points).tolist(), strict=True))

    def errors(self) -> Floats:
        """Standard errors, float[n]."""
        return np.sqrt(np.diag(self.covariance))

    def lead(self, first: int, second: int) -> tuple[float, float, int]:
        """A difference of two ratings, its standard error, and the matches of who played fewer.

        NaN and an infinite error if no games connect the two.
        """
        matches = int(self.matches[[first, second]].min())
        if self.parts[first] != self.parts[second]:
            return math.nan, math.inf, matches
        variances = self.covariance[[first, second], [first, second]].sum()
        variance = variances - 2 * self.covariance[first, second]
        lead = float(self.points[first] - self.points[second])
        return lead, float(np.sqrt(max(variance, 0))), matches


def ratings(results: pl.DataFrame) -> Ratings:
    """Ratings by all of the games at two seats or more, and their covariance.

    Huber 1967, "The behavior of maximum likelihood estimates under nonstandard conditions"; White
    1982, "Maximum likelihood estimation of misspecified models": with H the loss's curvature and g
    the slope of each match's part of it, H^-1 (sum of g g^T) H^-1. It assumes only that matches are
    independent; a bootstrap over matches tends to the same.
    """
    observed = choices(results)
    found = with_penalty(observed)
    n = len(found.digests)
    if n == 0:
        nothing = np.zeros(0, np.int64)
        return Ratings((), np.zeros(0), np.zeros((0, 0)), nothing, nothing)
    everything = np.ones(found.chosen.shape[0])
    shown = found.shown.T @ everything
    best = strengths(found, found.chosen.T @ everything, shown)
    centre = ELO * centring(best)
    held = np.exp(np.append(best, 0.0))
    shares = found.sets * held / (found.sets @ held)[:, None]
    slopes = np.asarray((found.shown @ shares - found.chosen)[:, :n])
    spread = centre @ np.linalg.inv(curvature(found, shown, best))
    of_each = results.filter(pl.col("players") > 1).explode("digests").group_by("digests")
    matches = dict(of_each.agg(pl.col("match").n_unique()).iter_rows())
    return Ratings(
        found.digests,
        centre @ best,
        np.asarray(spread @ (slopes.T @ slopes) @ spread.T),
        observed.parts(),
        np.array([matches[digest] for digest in found.digests]),
    )


def centring(best: Floats) -> Floats:
    """float[n, n], the matrix that subtracts the field's interquartile mean from strengths.

    The plain mean would move with an agent that never wins, whose strength is known least.

    Args:
        best: float[n], strengths, which decide who is in the middle.
    """
    n = len(best)
    middle = np.argsort(best, kind="stable")[n // 4 : n - n // 4]
    weights = np.zeros(n)
    weights[middle] = 1 / len(middle)
    return np.eye(n) - weights
