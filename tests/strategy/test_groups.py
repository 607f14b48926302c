"""Means by group: the intervals count deals, and differences stay within a position."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shakespeare_agents.intervals import mean_interval, wilson_interval
from shakespeare_agents.strategy.groups import against, means, shares

ROWS = pl.DataFrame(
    {
        "deal": range(70),
        "day": [2] * 35 + [1] * 35,
        "score": [5, None] + [5] * 33 + [3] * 35,
        "rare": [0] * 60 + [1] * 10,
    }
)
TRIALS = pl.DataFrame(
    {
        "position": [0, 0, 1, 1, 2],
        "card": ["x", "y", "x", "x", "x"],
        "move": ["a", "b", "a", "b", "b"],
        "score": [1.0, 4.0, 10.0, 9.0, 7.0],
        "lead": [None] * 5,
    }
)


def test_groups_are_in_order_and_count_what_has_a_value():
    found = means(ROWS, "day", of="score")
    assert found.columns == ["day", "mean", "low", "high", "rows", "deals"]
    assert found.rows() == [(1, 3, 3, 3, 35, 35), (2, 5, 5, 5, 34, 34)]


def test_groups_of_few_deals_are_counted_without_figures():
    few = means(ROWS, "rare", of="score")
    assert few["mean"].is_null().to_list() == [False, True]
    assert few.select("rare", "low", "high", "rows", "deals").row(1) == (1, None, None, 10, 10)
    assert not means(ROWS, "rare", of="score", fewest_deals=10)["mean"].has_nulls()
    one = means(ROWS[:1], "rare", of="score", fewest_deals=1)
    assert one.rows() == [(0, None, None, None, 1, 1)], "one deal has no interval"


def test_groups_by_several_columns():
    found = means(ROWS, ["rare", "day"], of="score", fewest_deals=2)
    assert found.select("rare", "day").rows() == [(0, 1), (0, 2), (1, 1)]


def test_rows_of_one_deal_count_once():
    deals = np.random.default_rng(0).normal(size=200)
    rows = pl.DataFrame({"deal": np.repeat(range(200), 4), "all": 1, "score": np.repeat(deals, 4)})
    (found,) = means(rows, "all", of="score").rows(named=True)
    assert (found["mean"], found["low"], found["high"]) == pytest.approx(mean_interval(deals))
    assert (found["rows"], found["deals"]) == (800, 200)


def test_shares_stay_between_0_and_1():
    rows = pl.DataFrame({"deal": range(100), "all": 1, "won": [0.0] * 100})
    (found,) = shares(rows, "all", of="won").rows(named=True)
    assert (found["share"], found["low"]) == (0, pytest.approx(0))
    assert found["high"] == pytest.approx(wilson_interval(0, 100)[1])


@pytest.mark.parametrize("deals", range(30, 130))
@pytest.mark.parametrize("won", [0.0, 1.0])
def test_shares_lie_within_their_intervals(deals, won):
    rows = pl.DataFrame({"deal": range(deals), "all": 1, "won": won})
    (found,) = shares(rows, "all", of="won").rows(named=True)
    assert found["low"] <= found["share"] <= found["high"]


def test_differences_are_to_the_baseline_of_the_position():
    found = against(TRIALS, pl.col("move") == "a", of=["score"])
    assert found["score"].to_list() == [0.0, 3.0, 0.0, -1.0]
    assert found["position"].to_list() == [0, 0, 1, 1]


def test_differences_to_the_mean_of_all():
    found = against(TRIALS, pl.lit(True), of=["score", "lead"])
    assert found["score"].to_list() == [-1.5, 1.5, 0.5, -0.5, 0.0]
    assert found["lead"].null_count() == 5


def test_differences_within_several_columns():
    found = against(TRIALS, pl.col("move") == "a", within=["position", "card"], of=["score"])
    assert found.select("move", "score").rows() == [("a", 0), ("a", 0), ("b", -1)]
