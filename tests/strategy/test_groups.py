"""Means by group, whose intervals count deals, and differences within a position."""

import numpy as np
import polars as pl
import pytest

from shakespeare_arena.intervals import mean_interval, share_interval
from shakespeare_research.groups import against, against_others, means, shares


def test_groups_are_in_order_and_those_of_few_deals_have_no_figures():
    days = [2] * 35 + [1] * 35
    rare = [0] * 60 + [1] * 10
    scores = [5, None] + [5] * 33 + [3] * 35
    rows = pl.DataFrame({"deal": range(70), "day": days, "score": scores, "rare": rare})
    groups = means(rows, "day", of="score")
    assert groups.columns == ["day", "mean", "low", "high", "rows", "deals"]
    assert groups.rows() == [(1, 3, 3, 3, 35, 35), (2, 5, 5, 5, 34, 34)]
    few = means(rows, ["rare", "day"], of="score")
    assert few.select("rare", "day", "low", "deals").row(2) == (1, 1, None, 10)


def test_rows_of_one_deal_count_once_and_by_their_weight():
    deals = np.random.default_rng(0).normal(size=200)
    rows = pl.DataFrame({"deal": np.repeat(range(200), 4), "all": 1, "score": np.repeat(deals, 4)})
    (found,) = means(rows, "all", of="score").rows(named=True)
    assert (found["mean"], found["low"], found["high"]) == pytest.approx(mean_interval(deals))
    (found,) = means(rows.with_columns(weight=pl.col("score") > 0), "all", of="score")["mean"]
    assert found == pytest.approx(deals[deals > 0].mean())


@pytest.mark.parametrize("won", [0.0, 0.5, 1.0])
def test_shares_lie_within_their_intervals_and_these_between_0_and_1(won):
    for deals in range(30, 130, 33):
        rows = pl.DataFrame({"deal": [*range(deals)] * 2, "all": 1, "won": won})
        (found,) = shares(rows, "all", of="won").rows(named=True)
        assert 0 <= found["low"] <= found["share"] == won <= found["high"] <= 1
        expected = share_interval(np.full(deals, won))[1:]
        assert (found["low"], found["high"]) == pytest.approx(expected)


def test_differences_are_to_the_baseline_of_the_position():
    trials = pl.DataFrame(
        {
            "position": [0, 0, 1, 1, 2],
            "deal": [3, 3, 3, 3, 5],
            "move": ["a", "b", "a", "b", "b"],
            "score": [1.0, 4.0, 10.0, 9.0, 7.0],
            "lead": [None] * 5,
            "won": 0.0,
        }
    )
    is_a = against(trials, pl.col("move") == "a")
    assert is_a.select("position", "score").rows() == [(0, 0.0), (0, 3.0), (1, 0.0), (1, -1.0)]
    every = against(trials, pl.lit(True))
    assert every["score"].to_list() == [-1.5, 1.5, 0.5, -0.5, 0.0]
    others = against_others(trials)
    assert others["score"].to_list() == [-3.0, 3.0, 1.0, -1.0], "one alone in its position"
    together = pl.concat([trials, trials.with_columns(deal=pl.col("deal") + 1)])
    for compare in (against_others, lambda trials: against(trials, pl.lit(True))):
        with pytest.raises(ValueError, match="position 0 is of several deals"):
            compare(together)


def test_intervals_of_means_hold_together():
    """One table in 20 without an effect, or fewer, has an interval without 0 among its 20."""
    rng = np.random.default_rng(3)
    wrong = 0
    table = pl.DataFrame({"deal": [*range(60)] * 20, "group": np.repeat(range(20), 60)})
    for _ in range(200):
        found = means(table.with_columns(score=rng.normal(size=1200)), "group", of="score")
        wrong += not ((found["low"] < 0) & (found["high"] > 0)).all()
    assert wrong / 200 < 0.09
