"""Intervals: published values, a textbook's example, and how often they hold the truth."""

import math

import numpy as np
import polars as pl
import pytest

from shakespeare_arena.intervals import (
    by_group,
    mean_interval,
    score_interval,
    share_interval,
    student_interval,
    student_quantile,
    wilson_interval,
)


def over_clusters(ends, values, clusters):
    """The mean and the ends of its interval of values, each of some cluster."""
    rows = pl.DataFrame({"group": 0, "cluster": clusters, "value": values})
    found = by_group(rows, ["group"], "cluster", pl.col("value").sum(), pl.len(), ends)
    return found.select("mean", "low", "high").row(0)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (160, 200, 0.7391, 0.8495),
        (10, 10, 0.7225, 1.0),
    ],
)
def test_wilson_interval(wins, games, low, high):
    """Against published values of the score interval."""
    found = wilson_interval(wins, games)
    assert found == pytest.approx((low, high), abs=1e-4)
    assert (found[0] == 0) == (wins == 0)
    assert (found[1] == 1) == (wins == games)


def test_the_interval_of_a_mean():
    """Mean 5, standard deviation sqrt(32 / 7) over 8; t is 2.364624 with 7 degrees of freedom."""
    mean, low, high = mean_interval(np.array([2, 4, 4, 4, 5, 5, 7, 9]))
    half = 2.364624 * math.sqrt(32 / 7) / math.sqrt(8)
    assert (mean, low, high) == pytest.approx((5, 5 - half, 5 + half))
    assert mean_interval(np.array([3.0])) == (3.0, None, None)
    assert mean_interval(np.array([3.0, 3.0])) == (3.0, 3.0, 3.0)


@pytest.mark.parametrize(
    ("freedom", "level", "published"),
    [
        (1, 0.05, 12.706),
        (9, 0.05, 2.262),
        (29, 0.05, 2.045),
        (9, 0.01, 3.250),
        (10**6, 0.01, 2.576),
    ],
)
def test_student_quantile(freedom, level, published):
    assert student_quantile(freedom, level) == pytest.approx(published, abs=5e-4)


def test_few_clusters_have_the_interval_of_as_many_deals():
    for deals in (2, 5, 40):
        values = np.random.default_rng(1).random(deals)
        every = np.arange(deals)
        mean = mean_interval(values)
        share = share_interval(values)
        assert over_clusters(student_interval, values, every) == pytest.approx(mean)
        assert over_clusters(score_interval, values, every) == pytest.approx(share)
    assert share_interval(np.full(9, 1 / 3))[1:] == pytest.approx((0.1014, 0.6891), abs=1e-4)


def test_clusters_of_different_sizes_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(250):
        cluster = np.repeat(np.arange(60), rng.integers(1, 6, 60))
        values = rng.exponential(size=60)[cluster] + rng.normal(size=len(cluster))
        _, low, high = over_clusters(student_interval, values, cluster)
        held += low < 1.0 < high
    assert 0.91 < held / 250 < 0.98
