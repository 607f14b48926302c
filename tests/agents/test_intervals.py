"""Intervals match published values and a textbook's example, and cover the truth as they claim."""

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


def clustered_interval(method, values, clusters):
    """Return the mean of values and the ends of its interval, given each value's cluster."""
    rows = pl.DataFrame({"group": 0, "cluster": clusters, "value": values})
    table = by_group(rows, ["group"], "cluster", pl.col("value").sum(), pl.len(), method)
    return table.select("mean", "low", "high").row(0)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (160, 200, 0.7391, 0.8495),
        (10, 10, 0.7225, 1.0),
    ],
)
def test_wilson_intervals_are_the_published_ones(wins, games, low, high):
    interval = wilson_interval(wins, games)
    assert interval == pytest.approx((low, high), abs=1e-4)
    assert (interval[0] == 0) == (wins == 0)
    assert (interval[1] == 1) == (wins == games)


def test_the_interval_of_a_mean_is_student_s():
    """The 8 values have mean 5 and variance 32 / 7; t is 2.364624 at 7 degrees of freedom."""
    mean, low, high = mean_interval(np.array([2, 4, 4, 4, 5, 5, 7, 9]))
    half = 2.364624 * math.sqrt(32 / 7) / math.sqrt(8)
    assert (mean, low, high) == pytest.approx((5, 5 - half, 5 + half))
    assert mean_interval(np.array([3.0])) == (3.0, None, None)
    assert mean_interval(np.array([3.0, 3.0])) == (3.0, 3.0, 3.0)


@pytest.mark.parametrize(
    ("degrees_of_freedom", "level", "published"),
    [
        (1, 0.05, 12.706),
        (9, 0.05, 2.262),
        (29, 0.05, 2.045),
        (9, 0.01, 3.250),
        (10**6, 0.01, 2.576),
    ],
)
def test_student_quantiles_are_the_published_ones(degrees_of_freedom, level, published):
    assert student_quantile(degrees_of_freedom, level) == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize("deals", [2, 5, 40])
def test_clusters_of_one_value_have_the_interval_of_independent_values(deals):
    values = np.random.default_rng(1).random(deals)
    clusters = np.arange(deals)
    mean = mean_interval(values)
    share = share_interval(values)
    assert clustered_interval(student_interval, values, clusters) == pytest.approx(mean)
    assert clustered_interval(score_interval, values, clusters) == pytest.approx(share)


def test_the_interval_of_a_share_is_the_score_interval():
    assert share_interval(np.full(9, 1 / 3))[1:] == pytest.approx((0.1014, 0.6891), abs=1e-4)


def test_intervals_over_clusters_of_different_sizes_cover_the_truth_in_95_percent():
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(250):
        clusters = np.repeat(np.arange(60), rng.integers(1, 6, 60))
        values = rng.exponential(size=60)[clusters] + rng.normal(size=len(clusters))
        _, low, high = clustered_interval(student_interval, values, clusters)
        covered += low < 1.0 < high
    assert 0.91 < covered / 250 < 0.98
