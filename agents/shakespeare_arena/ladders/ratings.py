"""Plackett-Luce ratings, their uncertainty, and the goodness of their fit."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl
import scipy.optimize
import scipy.sparse
import scipy.special
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from shakespeare_arena.intervals import by_group, student_interval
from shakespeare_arena.ladders.summaries import meetings, seat_rows

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
ELO = 400 / math.log(10)
"""Elo points in a natural unit of strength."""
PENALTY = 0.5
"""The games that every agent wins, and also loses, against a virtual agent."""
FIT_LEVEL = 0.01
"""The model is taken to be false if the p-value of its fit is below this level."""
_FEWEST = 1.0
"""A pair with fewer expected victories or defeats than this is left out of chi-square."""


@dataclass(frozen=True)
class Choices:
    """Games as a Plackett-Luce model sees them: choices of agents from sets of agents.

    Attributes:
        digests: The n agents.
        sets: float[s, n + 1], how many copies of each agent each choice set holds. The last column
            is the virtual agent of the penalty.
        chosen: sparse float[m, n + 1], how often the games of each match chose each agent.
        offered: sparse float[m, s], how often the games of each match chose from each set.
    """

    digests: tuple[str, ...]
    sets: Floats
    chosen: scipy.sparse.csr_array
    offered: scipy.sparse.csr_array


def choices(results: pl.DataFrame, penalty: float = PENALTY) -> Choices:
    """Return the choices of all games at two seats or more.

    The first place is a choice from all seats, the second from the others, and so on. Tied seats
    count like the mean over all orders of them. A forfeited game is a choice between its loser and
    each other seat.

    Each agent wins `penalty` games against a virtual agent of rating 0 and loses as many, so that
    an agent that has never lost has a finite rating. The virtual victories count as one match, and
    the virtual defeats as another. The covariance (see `fit_ratings`) grows with the differences
    between an agent's matches. As these two differ, it is large even for an agent whose own few
    matches all ended alike.
    """
    # Sorting makes figures equal to the last digit if results are merged in another order.
    games = results.filter(pl.col("players") > 1).sort("key")
    digests = tuple(games["digests"].explode().unique().sort().drop_nulls().to_list())
    matches = games["match"].unique().sort()
    games = games.with_columns(row=pl.col("match").replace_strict(matches, range(len(matches))))
    number = {digest: i for i, digest in enumerate(digests)}
    stages: list[_Stage] = []
    for _, table in games.group_by("players", maintain_order=True):
        agents = table["digests"].explode().replace_strict(number, return_dtype=pl.Int64)
        seats = agents.to_numpy().reshape(len(table), -1)
        rows = table["row"].to_numpy().astype(np.int64)
        loser = table["forfeited_by"].fill_null(-1).to_numpy().astype(np.int64)
        places = table["places"].explode().to_numpy().astype(np.int64).reshape(seats.shape)
        is_finished = loser < 0
        stages += _stages_of_orders(rows[is_finished], seats[is_finished], places[is_finished])
        stages += _stages_of_forfeits(rows[~is_finished], seats[~is_finished], loser[~is_finished])
    n = len(digests)
    played = len(matches)
    every_agent = np.arange(n)
    against_virtual = np.stack([every_agent, np.full(n, n)], 1)
    # Add a match that each agent wins (column 0), and one that the virtual agent wins (column 1).
    stages.append(_Stage(played + every_agent, against_virtual, [0], penalty))
    stages.append(_Stage(played + n + every_agent, against_virtual, [1], penalty))
    return _aggregated(digests, played + 2 * n, stages)


@dataclass(frozen=True)
class _Stage:
    """One choice in each of g games, each from a set of k agents.

    Attributes:
        rows: int[g], the number of each game's match.
        held: int[g, k], the agents of each set.
        chosen: The columns of `held` that are chosen, each equally often.
        weight: How often the choice counts.
    """

    rows: Integers
    held: Integers
    chosen: Sequence[int]
    weight: float


def _stages_of_forfeits(rows: Integers, seats: Integers, loser: Integers) -> Iterator[_Stage]:
    losing_agent = np.take_along_axis(seats, loser[:, None], axis=1)[:, 0]
    for seat in range(seats.shape[1]):
        is_other = loser != seat
        held = np.stack([seats[is_other, seat], losing_agent[is_other]], 1)
        yield _Stage(rows[is_other], held, [0], 1.0)


def _stages_of_orders(rows: Integers, seats: Integers, places: Integers) -> Iterator[_Stage]:
    order = np.argsort(places, axis=1, kind="stable")
    agents = np.take_along_axis(seats, order, axis=1)
    sorted_places = np.take_along_axis(places, order, axis=1)
    # Games with ties at the same places have the same stages.
    patterns, pattern_of = np.unique(sorted_places, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        has_pattern = pattern_of.reshape(-1) == number
        for place in np.unique(pattern):
            tied = np.flatnonzero(pattern == place).tolist()
            behind = np.flatnonzero(pattern > place).tolist()
            # Before each choice among tied seats, `size` of them have already been chosen. Over all
            # orders of the tied seats, these are each subset of that size equally often.
            for size in range(len(tied)):
                for chosen_before in itertools.combinations(tied, size):
                    left = [column for column in tied if column not in chosen_before]
                    if len(left) + len(behind) > 1:
                        held = agents[has_pattern][:, left + behind]
                        weight = 1 / math.comb(len(tied), size)
                        yield _Stage(rows[has_pattern], held, range(len(left)), weight)


def _aggregated(digests: tuple[str, ...], matches: int, stages: Sequence[_Stage]) -> Choices:
    """Count equal choice sets once, and sum up choices by match."""
    n = len(digests)
    # Encode each choice set as one integer in base n + 2. Its digits are the sorted agents,
    # counted from 1, so that the digit 0 means that there is no further agent.
    codes = [
        np.sort(stage.held + 1, axis=1) @ (n + 2) ** np.arange(stage.held.shape[1])
        for stage in stages
    ]
    distinct, set_numbers = np.unique(np.concatenate(codes), return_inverse=True)
    sets = np.zeros((len(distinct), n + 1))
    rest = distinct.copy()
    while rest.any():
        rest, member = np.divmod(rest, n + 2)
        np.add.at(sets, (np.flatnonzero(member), member[member > 0] - 1), 1)

    rows = np.concatenate([stage.rows for stage in stages])
    weights = np.concatenate([np.full(len(stage.rows), stage.weight) for stage in stages])
    offered = scipy.sparse.coo_array((weights, (rows, set_numbers)), shape=(matches, len(distinct)))

    chosen_rows = []
    chosen_agents = []
    chosen_shares = []
    for stage in stages:
        share = np.full(len(stage.rows), stage.weight / len(stage.chosen))
        for column in stage.chosen:
            chosen_rows.append(stage.rows)
            chosen_agents.append(stage.held[:, column])
            chosen_shares.append(share)
    at = np.concatenate(chosen_rows), np.concatenate(chosen_agents)
    chosen = scipy.sparse.coo_array((np.concatenate(chosen_shares), at), shape=(matches, n + 1))
    return Choices(digests, sets, chosen.tocsr(), offered.tocsr())


def fit_strengths(sets: Floats, chosen: Floats, offered: Floats) -> Floats:
    """Return the most likely strengths, float[n], in natural units; the virtual agent's is 0.

    Args:
        sets: float[s, n + 1], the choice sets (see `Choices`).
        chosen: float[n + 1], how often each agent was chosen.
        offered: float[s], how often each set was chosen from.
    """
    n = sets.shape[1] - 1
    free = sets[:, :n]

    def loss_and_slope(strengths: Floats) -> tuple[float, Floats]:
        """Return the negative log-likelihood and its gradient."""
        worths = np.exp(strengths)
        total = free @ worths + sets[:, n]
        loss = offered @ np.log(total) - chosen[:n] @ strengths
        return float(loss), worths * (free.T @ (offered / total)) - chosen[:n]

    # The loss is convex. Steps are bounded, which keeps exp within its range.
    best = scipy.optimize.minimize(
        loss_and_slope,
        np.zeros(n),
        jac=True,
        hess=partial(_curvature, sets, offered),
        method="trust-exact",
        options={"initial_trust_radius": 2.0, "max_trust_radius": 8.0, "gtol": 1e-6},
    )
    return np.asarray(best.x)


def _curvature(sets: Floats, offered: Floats, strengths: Floats) -> Floats:
    shares = _shares(sets, strengths)[:, : len(strengths)]
    weighted = shares * offered[:, None]
    return np.asarray(np.diag(weighted.sum(axis=0)) - weighted.T @ shares)


def _shares(sets: Floats, strengths: Floats) -> Floats:
    """Return the probability of each agent to be chosen from each set, float[s, n + 1]."""
    worths = sets * np.exp(np.append(strengths, 0.0))
    return np.asarray(worths / worths.sum(axis=1)[:, None])


class Lead(NamedTuple):
    """One agent's lead over another.

    Attributes:
        value: The lead; NaN if no games connect the two.
        error: Its standard error; not finite if it is unknown.
        matches: The number of matches that it rests on: those of the agent that has played fewer.
    """

    value: float
    error: float
    matches: int


@dataclass(frozen=True)
class Ratings:
    """Estimates of the strengths of n agents, strongest first.

    Attributes:
        digests: The agents.
        points: float[n], in Elo points; the mean of the middle half of the agents is 0, since the
            plain mean would move with an agent that never wins.
        covariance: float[n, n], the covariance of the points.
        parts: int[n], a number shared by agents that games connect, directly or through others.
        matches: int[n], the number of matches that each has played.
    """

    digests: tuple[str, ...]
    points: Floats
    covariance: Floats
    parts: Integers
    matches: Integers

    def errors(self) -> Floats:
        """Return the standard errors of the points, float[n]."""
        return np.sqrt(np.diag(self.covariance))

    def columns(self) -> list[dict[str, float | None]]:
        """Return each agent's columns of a ladder: `rating` and its interval, `low` and `high`."""
        ladder: list[dict[str, float | None]] = []
        for points, error, matches in zip(
            self.points.tolist(), self.errors().tolist(), self.matches.tolist(), strict=True
        ):
            low, high = student_interval(points, error, matches)
            ladder.append({"rating": points, "low": low, "high": high})
        return ladder

    def lead(self, first: int, second: int) -> Lead:
        """Return the lead of the first agent over the second, given their numbers."""
        matches = int(self.matches[[first, second]].min())
        if self.parts[first] != self.parts[second]:
            return Lead(math.nan, math.inf, matches)
        variances = self.covariance[[first, second], [first, second]].sum()
        variance = variances - 2 * self.covariance[first, second]
        lead = float(self.points[first] - self.points[second])
        return Lead(lead, float(np.sqrt(max(variance, 0))), matches)


def fit_ratings(results: pl.DataFrame) -> Ratings:
    """Estimate ratings and their covariance from all games at two seats or more.

    The covariance is H^-1 (sum of g g^T) H^-1, with H the loss's curvature and g the slope of each
    match's part of the loss (Huber 1967, "The behavior of maximum likelihood estimates under
    nonstandard conditions"; White 1982, "Maximum likelihood estimation of misspecified models").
    It assumes only that matches are independent; a bootstrap over matches tends to the same.
    """
    data = choices(results)
    n = len(data.digests)
    if n == 0:
        nothing = np.zeros(0, np.int64)
        return Ratings((), np.zeros(0), np.zeros((0, 0)), nothing, nothing)
    all_matches = np.ones(data.chosen.shape[0])
    offered = data.offered.T @ all_matches
    best = fit_strengths(data.sets, data.chosen.T @ all_matches, offered)

    # `centre @ x` subtracts from x its mean over the middle half of the agents.
    middle = np.argsort(best, kind="stable")[n // 4 : n - n // 4]
    centre = np.eye(n)
    centre[:, middle] -= 1 / len(middle)
    points = ELO * centre @ best
    order = np.argsort(-points, kind="stable")
    digests = tuple(data.digests[i] for i in order)

    slopes = np.asarray((data.offered @ _shares(data.sets, best) - data.chosen)[:, :n])
    inverse = ELO * centre @ np.linalg.inv(_curvature(data.sets, offered, best))
    inverse = inverse[order]
    covariance = np.asarray(inverse @ (slopes.T @ slopes) @ inverse.T)

    # Agents are connected if a choice set holds both. The virtual agent connects none.
    together = scipy.sparse.csr_array(data.sets.T @ data.sets)[:-1, :-1]
    parts = np.asarray(connected_components(together, directed=False)[1], np.int64)
    by_agent = results.filter(pl.col("players") > 1).explode("digests").group_by("digests")
    matches = dict(by_agent.agg(pl.col("match").n_unique()).iter_rows())
    return Ratings(
        digests=digests,
        points=points[order],
        covariance=covariance,
        parts=parts[order],
        matches=np.array([matches[digest] for digest in digests]),
    )


@dataclass(frozen=True)
class Fit:
    """The goodness of fit of the ratings at one number of seats: Pearson's chi-square over pairs.

    Attributes:
        chi_square: The sum of z² over the pairs compared.
        compared: The number of pairs compared, those with enough expected victories and defeats.
        freedom: The degrees of freedom: these pairs less the ratings estimated from them.
        pairs: A row per ordered pair that met: `players`, `digest` and `other_digest`; `expected`,
            the share of games in which the first should be ahead; and `z`, by how many standard
            errors it was ahead more often than expected, null if the pair is not compared.
    """

    chi_square: float
    compared: int
    freedom: int
    pairs: pl.DataFrame

    @property
    def p(self) -> float:
        """The probability of a fit at least this bad if the model is true."""
        return float(scipy.special.chdtrc(self.freedom, self.chi_square)) if self.freedom else 1.0

    @property
    def widening(self) -> float:
        """The factor by which standard errors are multiplied, since the model may be false.

        It is the root of the overdispersion if the fit is bad (`FIT_LEVEL`), and otherwise 1.
        McCullagh and Nelder 1989, "Generalized Linear Models", chapter 4.5.
        """
        return max(1.0, (self.chi_square / self.freedom) ** 0.5) if self.p < FIT_LEVEL else 1.0


def ratings_and_fit(results: pl.DataFrame) -> tuple[Ratings, Fit]:
    """Return the ratings from the games at one number of seats, and their fit.

    The covariance is wider if the model is false.
    """
    narrow = fit_ratings(results)
    fit = _fit_of(narrow, results)
    return replace(narrow, covariance=narrow.covariance * fit.widening**2), fit


def _fit_of(ratings: Ratings, results: pl.DataFrame) -> Fit:
    """Return how well ratings fit the games that they were estimated from.

    Games of a match depend on each other, so all variances are multiplied by the design effect of
    the matches, averaged over pairs.
    """
    sides = ["digest", "other_digest"]
    by = ["players", *sides]
    met = meetings(seat_rows(results)).filter(pl.col("digest") < pl.col("other_digest"))
    pairs = by_group(met, by, "match", pl.col("ahead").sum(), pl.len())
    effect = _design_effect(pairs)

    number = {digest: i for i, digest in enumerate(ratings.digests)}
    edges = np.array([[number[digest] for digest in pairs[side]] for side in sides], np.int64)
    first, second = ratings.points[edges]
    pairs = pairs.with_columns(expected=scipy.special.expit((first - second) / ELO))
    expected = pl.col("expected")
    games = pl.col("rows") / effect
    z = (pl.col("mean") - expected) * (games / (expected * (1 - expected))).sqrt()
    is_enough = pl.min_horizontal(expected, 1 - expected) * games >= _FEWEST
    pairs = pairs.with_columns(z=pl.when(is_enough).then(z))

    edges = edges[:, pairs["z"].is_not_null().to_numpy()]
    compared = edges.shape[1]
    shape = (len(number), len(number))
    graph = scipy.sparse.coo_array((np.ones(compared), tuple(edges)), shape=shape)
    parts, _ = connected_components(graph, directed=False)
    # Only differences of ratings count, so each connected part has one rating less to estimate.
    freedom = compared - (len(number) - int(parts))

    mirrored = pairs.select(
        "players",
        digest="other_digest",
        other_digest="digest",
        expected=1 - expected,
        z=-pl.col("z"),
    )
    both = pairs.select(mirrored.columns).vstack(mirrored)
    return Fit(float((pairs["z"] ** 2).sum()), compared, freedom, both)


def _design_effect(pairs: pl.DataFrame) -> float:
    """Return the factor by which the variances of pairs exceed those of independent games."""
    with_error = pairs.drop_nulls("error")  # pairs that met in a single match have no error
    games = with_error["rows"]
    rate = with_error["mean"]
    if_independent = float((games * rate * (1 - rate)).sum())
    actual = float(((games * with_error["error"]) ** 2).sum())
    if if_independent == 0 or actual == 0:
        return 1.0
    return actual / if_independent
