"""The quick covariance of ratings is that of the bootstrap, in the long run."""

from __future__ import annotations

import numpy as np

from shakespeare_agents.arena.standings.bootstrap import ratings
from shakespeare_agents.arena.standings.sandwich import quick_ratings
from tests.arena.simulated_results import simulated


def test_the_ratings_are_the_same_and_the_errors_alike():
    strengths = {"a": 0, "b": 60, "c": 150, "d": -200, "e": 20}
    results = simulated(strengths, tables=(2, 4), matches=400, seat_luck=1.0)
    quick, slow = quick_ratings(results), ratings(results)
    assert quick.digests == slow.digests
    np.testing.assert_allclose(quick.points, slow.points, atol=0.01)
    np.testing.assert_allclose(quick.errors(), slow.errors(), rtol=0.15)
    for pair in ((0, 1), (2, 3), (1, 4)):
        np.testing.assert_allclose(quick.lead(*pair), slow.lead(*pair), rtol=0.15)


def test_nothing_played_gives_nothing():
    results = simulated({"a": 0, "b": 0}, tables=(2,), matches=0)
    assert quick_ratings(results).digests == ()
