"""Means by group: the intervals count deals, and differences stay within a position."""

from __future__ import annotations

import numpy as np
import pytest

from shakespeare_agents.strategy.groups import Sample, against, clustered_interval, group
from shakespeare_agents.arena.result import mean_interval, wilson_interval


def test_rows_of_one_deal_count_once():
    deals = np.random.default_rng(0).normal(size=200)
    mean, low, high = clustered_interval(np.repeat(deals, 4), np.repeat(np.arange(200), 4))
    assert (mean, low, high) == pytest.approx(mean_interval(deals))


def test_independent_wins_get_wilsons_interval():
    won = np.array([1.0] * 30 + [0.0] * 70)
    _, low, high = clustered_interval(won, np.arange(100), share=True)
    assert (low, high) == pytest.approx(wilson_interval(30, 100), abs=0.002)


def test_a_share_of_nothing_has_an_interval():
    mean, low, high = clustered_interval(np.zeros(50), np.arange(50), share=True)
    assert (mean, low) == (0, 0)
    assert 0.05 < high < 0.1


def test_groups_are_in_order_and_small_ones_left_out():
    sample = Sample(
        {
            "deal": np.arange(70),
            "day": np.repeat([2, 1], 35),
            "score": np.repeat([5.0, 3.0], 35),
            "rare": np.arange(70) // 60,
        }
    )
    assert [(one.key, one.mean, one.deals) for one in group(sample, "day", "score")] == [
        (1, 3.0, 35),
        (2, 5.0, 35),
    ]
    assert [one.key for one in group(sample, "day", "score").best_first()] == [2, 1]
    assert [one.key for one in group(sample, "rare", "score")] == [0]
    assert "| 2 | 5.00 | 5.00 to 5.00 | 35 | 35 |" in str(group(sample, "day", "score"))


def test_differences_are_to_the_baseline_of_the_position():
    sample = Sample(
        {
            "deal": np.array([0, 0, 1, 1, 2]),
            "position": np.array([0, 0, 1, 1, 2]),
            "move": np.array(["a", "b", "a", "b", "b"]),
            "score": np.array([1.0, 4.0, 10.0, 9.0, 7.0]),
        }
    )
    found = against(sample, sample["move"] == "a", of=["score"])
    assert found["score"].tolist() == [0.0, 3.0, 0.0, -1.0]
    assert found["position"].tolist() == [0, 0, 1, 1]


def test_a_column_that_is_missing_is_named():
    with pytest.raises(ValueError, match="column 'deal'"):
        Sample({"score": np.zeros(1)})
    with pytest.raises(ValueError, match="different lengths"):
        Sample({"deal": np.zeros(2), "score": np.zeros(1)})
    with pytest.raises(KeyError, match="there are deal"):
        Sample({"deal": np.zeros(1)})["score"]
