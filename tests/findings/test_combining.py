"""Estimates of several boxes together: known values, and simulations whose truth is known."""

import math

import numpy as np
import pytest

from shakespeare_agents.findings.combining import ensemble, share_bound, variance_between


def test_known_values():
    assert share_bound(32, 32) == pytest.approx(0.05 ** (1 / 32))
    assert share_bound(0, 5) == 0.0
    share = share_bound(30, 32)  # at which 30 or more are seen one time in 20
    chances = [math.comb(32, n) * share**n * (1 - share) ** (32 - n) for n in (30, 31, 32)]
    assert sum(chances) == pytest.approx(0.05)
    found = ensemble(np.array([1.0, 2.0, 3.0]), np.full(3, 0.5))
    assert (found.mean, found.same_sign, found.least, found.most) == (2.0, 3, 1.0, 3.0)
    assert found.between == pytest.approx(0.75**0.5)
    assert found.p_spread == pytest.approx(math.exp(-4))  # Q = 8 with two degrees of freedom
    low, high = found.interval()
    assert (low, high) == pytest.approx((2 - 4.30265 / 3**0.5, 2 + 4.30265 / 3**0.5), abs=1e-4)
    assert found.interval(tests=10)[0] < low
    with pytest.raises(ValueError, match="give two or more"):
        ensemble(np.ones(3), np.array([1.0, 0.0, 1.0]))


def test_the_spread_is_unbiased_where_errors_go_with_effects():
    """Weighted estimators are not: here large effects are measured worst."""
    rng = np.random.default_rng(0)
    found, covered = [], 0
    for _ in range(2000):
        effects = rng.normal(1.0, 0.5, 16)
        errors = np.where(effects > 1, 0.6, 0.3)
        estimates = rng.normal(effects, errors)
        found.append(variance_between(estimates, errors))
        low, high = ensemble(estimates, errors).interval()
        covered += low < 1.0 < high
    assert np.mean(found) == pytest.approx(0.25, abs=0.01)
    assert covered / 2000 == pytest.approx(0.95, abs=0.02)


def test_no_spread_is_found_by_chance_alone():
    rng = np.random.default_rng(1)
    tests = [ensemble(rng.normal(0, 0.3, 12), np.full(12, 0.3)).p_spread for _ in range(2000)]
    assert np.mean(np.array(tests) < 0.05) == pytest.approx(0.05, abs=0.02)
