"""Whether one number an agent tells who finishes ahead of whom, and ratings that admit it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl
import scipy.sparse
import scipy.special
from scipy.sparse.csgraph import connected_components

from shakespeare_arena.standings.figures import labels, meetings, seats
from shakespeare_arena.standings.ratings import ELO, Ratings, ratings

LEVEL = 0.01
"""A model whose fit is less probable is false."""
_FEWEST = 1.0
"""The fewest expected victories and defeats of a pair that counts; fewer have no chi-square."""


@dataclass(frozen=True)
class Fit:
    """The goodness of fit of a table's ratings: Pearson's chi-square over pairs.

    Attributes:
        chi_square: The sum of z² over pairs.
        freedom: Pairs less the ratings estimated from them; 0 if nothing is left to test.
        z: `agent`, `other`, `z`: how many standard errors each pair was ahead beyond expectation.
    """

    chi_square: float
    freedom: int
    z: pl.DataFrame

    @property
    def p(self) -> float:
        """The probability of so bad a fit where the model is true."""
        return float(scipy.special.chdtrc(self.freedom, self.chi_square)) if self.freedom else 1.0

    @property
    def widening(self) -> float:
        """The factor of standard errors: the root of the overdispersion where the model is false.

        McCullagh and Nelder 1989, "Generalized Linear Models", chapter 4.5.
        """
        return max(1.0, (self.chi_square / self.freedom) ** 0.5) if self.p < LEVEL else 1.0


class Rated(NamedTuple):
    """Ratings, and how well they fit."""

    ratings: Ratings
    fit: Fit


def rated(results: pl.DataFrame) -> Rated:
    """The ratings of one table's games, with a wider covariance if the model is false."""
    found = ratings(results)
    fit = fit_of(found, results)
    return Rated(replace(found, covariance=found.covariance * fit.widening**2), fit)


def fit_of(found: Ratings, results: pl.DataFrame) -> Fit:
    """How well ratings fit the games that they are of.

    Games of a match depend on each other, so all variances are multiplied by the design effect of
    the table's matches, the mean over pairs.
    """
    if not found.digests:
        columns = {"agent": pl.String, "other": pl.String, "z": pl.Float64}
        return Fit(0.0, 0, pl.DataFrame(schema=columns))
    called = labels(results)
    met = meetings(seats(results, called)).filter(pl.col("agent") < pl.col("other"))
    by = ["agent", "other"]
    matches = met.group_by(*by, "match").agg(n=pl.len().cast(pl.Float64), won=pl.col("ahead").sum())
    of_all = matches.join(
        matches.group_by(by).agg(rate=pl.col("won").sum() / pl.col("n").sum()), on=by
    )
    pairs = of_all.group_by(by).agg(
        pl.col("n").sum(),
        pl.col("rate").first(),
        spread=((pl.col("won") - pl.col("n") * pl.col("rate")) ** 2).sum()
        * (pl.len() / (pl.len() - 1.0)),
    )
    several = pairs.filter(pl.col("spread").is_finite())
    alone = float((several["n"] * several["rate"] * (1 - several["rate"])).sum())
    effect = float(several["spread"].sum()) / alone if alone > 0 else 1.0
    points = {called[digest]: at for digest, at in zip(found.digests, found.points, strict=True)}
    ahead, behind = (pl.col(name).replace_strict(points, return_dtype=pl.Float64) for name in by)
    expected = 1 / (1 + ((behind - ahead) / ELO).exp())
    pairs = pairs.with_columns(expected=expected, n=pl.col("n") / (effect or 1.0)).sort(by)
    e, n = pl.col("expected"), pl.col("n")
    pairs = pairs.filter(pl.min_horizontal(e, 1 - e) * n >= _FEWEST)
    pairs = pairs.with_columns(z=(pl.col("rate") - e) * (n / (e * (1 - e))).sqrt())
    return Fit(float((pairs["z"] ** 2).sum()), _freedom(pairs), pairs.select(*by, "z"))


def _freedom(pairs: pl.DataFrame) -> int:
    """Pairs less the differences of ratings that decide what is expected of them."""
    names = pl.concat([pairs["agent"], pairs["other"]]).unique(maintain_order=True).to_list()
    if not names:
        return 0
    one, other = (np.array([names.index(name) for name in pairs[by]]) for by in ("agent", "other"))
    shape = (len(names), len(names))
    graph = scipy.sparse.coo_array((np.ones(len(pairs)), (one, other)), shape=shape)
    parts, _ = connected_components(graph, directed=False)
    return len(pairs) - (len(names) - int(parts))
