"""Ratings, compared with those of choix and with known strengths."""

import itertools
import math

import choix
import numpy as np
import polars as pl
import pytest

from shakespeare_arena.games.seating import Match
from shakespeare_arena.ladders.ratings import ELO, PENALTY, choices, fit_ratings, fit_strengths
from tests.arena.simulated_results import digest_of, played, simulated

STRENGTHS = {"a": -100.0, "b": 0.0, "c": 20.0, "d": 80.0, "e": 150.0}


def lineup(names):
    return tuple(map(digest_of, names))


def unpenalised(results):
    """Return strengths by digest without a penalty. Their mean is 0."""
    data = choices(results, penalty=0)
    ones = np.ones(data.chosen.shape[0])
    strengths = fit_strengths(data.sets, data.chosen.T @ ones, data.offered.T @ ones)
    return dict(zip(data.digests, strengths - strengths.mean(), strict=True))


def orders_of(agents, places):
    """Yield all orders of the agents, given by seat, that agree with their places."""
    tied: dict[int, list[int]] = {}
    for agent, place in sorted(zip(agents, places, strict=True), key=lambda pair: pair[1]):
        tied.setdefault(place, []).append(agent)
    for parts in itertools.product(*map(itertools.permutations, tied.values())):
        yield tuple(itertools.chain(*parts))


@pytest.mark.parametrize("points", [500.0, 3.0], ids=["no ties", "ties"])
def test_strengths_are_those_of_choix_over_all_orders_of_ties(points):
    results = simulated(dict.fromkeys("abcd", 0.0), tables=(3,), matches=8, points=points)
    found = unpenalised(results)
    number = {digest: i for i, digest in enumerate(found)}
    orders = [
        list(orders_of([number[digest] for digest in digests], places))
        for digests, places in results.select("digests", "places").iter_rows()
    ]
    # choix has no weights, so orders are repeated until every game has equally many.
    times = math.lcm(*map(len, orders))
    assert (times > 1) == (points < 100)
    rankings = [order for game in orders for order in game * (times // len(game))]
    reference = choix.opt_rankings(len(found), rankings, alpha=1e-9, tol=1e-7)
    np.testing.assert_allclose(list(found.values()), reference - reference.mean(), atol=1e-4)


def test_a_copy_is_as_likely_to_be_chosen_as_any_other_seat():
    """If b is first in one of five games of a, a and b, it is half as strong: 2·2 / (2·2 + 1)."""
    results = played([Match(3, d, lineup("aab"), (0,)) for d in range(5)], {"a": 0.0, "b": 0.0})
    places = [[1, 3, 2], [2, 1, 3], [1, 2, 3], [2, 1, 3], [2, 3, 1]]
    results = results.with_columns(places=pl.Series(places, dtype=pl.List(pl.Int8)))
    found = unpenalised(results)
    ratio = math.exp(found[digest_of("a")] - found[digest_of("b")])
    # Where a and b were left for second place, a had it in three of four games.
    choices_of_a = 5 * 2 * ratio / (2 * ratio + 1) + 4 * ratio / (ratio + 1)
    assert choices_of_a == pytest.approx(4 + 3, abs=1e-4)


def test_an_agent_that_never_lost_has_the_rating_that_the_penalty_allows():
    matches = [Match(2, deal, lineup("ab"), (0, 1)) for deal in range(20)]
    rated = fit_ratings(played(matches, {"a": 5000.0, "b": 0.0}))
    lead, error, _ = rated.lead(*map(rated.digests.index, lineup("ab")))
    # There the slope of the likelihood of 40 victories balances that of the penalty.
    logit = lead / ELO
    penalty_slope = PENALTY * (2 / (1 + math.exp(-logit / 2)) - 1)
    assert 40 / (1 + math.exp(logit)) == pytest.approx(penalty_slope, rel=1e-3)
    assert 100 < error < 400


def test_known_strengths_are_found():
    results = simulated(STRENGTHS, tables=(2, 4, 6), matches=150, points=500.0)
    rated = fit_ratings(results)
    truth = np.array([*STRENGTHS.values()]) - np.mean([STRENGTHS[name] for name in "bcd"])
    found = [rated.digests.index(digest_of(name)) for name in STRENGTHS]
    assert np.sort(rated.points)[1:4].mean() == pytest.approx(0, abs=1e-9)
    off = (rated.points[found] - truth) / rated.errors()[found]
    assert np.abs(off).max() < 3
    assert 3 < rated.errors().mean() < 12
    assert fit_ratings(results.head(0)).digests == ()


def test_games_of_a_match_count_as_dependent():
    """Games that repeat each other add no information, so with four copies errors stay as wide."""
    results = simulated({"a": 0.0, "b": 50.0, "c": 90.0}, tables=(3,), matches=200, seed=1)
    one = results.filter(rotation=0)
    again = pl.concat([one.with_columns(key=pl.col("key") + f"{i}") for i in range(4)])
    errors = fit_ratings(one).errors()
    np.testing.assert_allclose(fit_ratings(again).errors(), errors, rtol=0.15)
    assert fit_ratings(results).errors().max() < 0.75 * errors.max()
