"""Means by group with intervals over deals, and differences between moves of a position."""

import numpy as np
import polars as pl
import pytest

from shakespeare_arena.intervals import mean_interval, share_interval
from shakespeare_research.groups import against, against_others, means, shares


def test_groups_are_sorted_and_groups_of_few_deals_have_no_interval():
    days = [2] * 35 + [1] * 35
    rare = [0] * 60 + [1] * 10
    scores = [5, None] + [5] * 33 + [3] * 35
    rows = pl.DataFrame({"deal": range(70), "day": days, "score": scores, "rare": rare})
    by_day = means(rows, "day", of="score")
    assert by_day.columns == ["day", "mean", "low", "high", "rows", "deals"]
    assert by_day.rows() == [(1, 3, 3, 3, 35, 35), (2, 5, 5, 5, 34, 34)]
    by_both = means(rows, ["rare", "day"], of="score")
    assert by_both.select("rare", "day", "low", "deals").row(2) == (1, 1, None, 10)


def test_intervals_count_deals_and_not_rows():
    scores = np.random.default_rng(0).normal(size=200)
    rows = pl.DataFrame({"deal": np.repeat(range(200), 4), "all": 1, "score": np.repeat(scores, 4)})
    (group,) = means(rows, "all", of="score").rows(named=True)
    assert (group["mean"], group["low"], group["high"]) == pytest.approx(mean_interval(scores))


def test_rows_count_by_their_weight():
    scores = np.random.default_rng(0).normal(size=200)
    rows = pl.DataFrame({"deal": range(200), "all": 1, "score": scores, "weight": scores > 0})
    (mean,) = means(rows, "all", of="score")["mean"]
    assert mean == pytest.approx(scores[scores > 0].mean())


@pytest.mark.parametrize("won", [0.0, 0.5, 1.0])
def test_shares_lie_within_their_intervals_and_these_between_0_and_1(won):
    for deals in range(30, 130, 33):
        rows = pl.DataFrame({"deal": [*range(deals)] * 2, "all": 1, "won": won})
        (group,) = shares(rows, "all", of="won").rows(named=True)
        assert 0 <= group["low"] <= group["share"] == won <= group["high"] <= 1
        expected = share_interval(np.full(deals, won))[1:]
        assert (group["low"], group["high"]) == pytest.approx(expected)


TRIALS = pl.DataFrame(
    {
        "position": [0, 0, 1, 1, 2],
        "deal": [3, 3, 3, 3, 5],
        "move": ["a", "b", "a", "b", "b"],
        "score": [1.0, 4.0, 10.0, 9.0, 7.0],
        "lead": [None] * 5,
        "won": 0.0,
    }
)


def test_differences_are_to_the_mean_of_the_baseline_in_the_same_position():
    to_move_a = against(TRIALS, pl.col("move") == "a")
    assert to_move_a.select("position", "score").rows() == [(0, 0.0), (0, 3.0), (1, 0.0), (1, -1.0)]
    to_all_moves = against(TRIALS, pl.lit(True))
    assert to_all_moves["score"].to_list() == [-1.5, 1.5, 0.5, -0.5, 0.0]


def test_moves_are_compared_with_the_other_moves_of_their_position():
    """The only move of position 2 has no others, and is left out."""
    assert against_others(TRIALS)["score"].to_list() == [-3.0, 3.0, 1.0, -1.0]


@pytest.mark.parametrize("compare", [against_others, lambda trials: against(trials, pl.lit(True))])
def test_a_position_of_several_deals_is_refused(compare):
    mixed = pl.concat([TRIALS, TRIALS.with_columns(deal=pl.col("deal") + 1)])
    with pytest.raises(ValueError, match="position 0 is of several deals"):
        compare(mixed)


def test_intervals_of_a_table_cover_all_its_means_together():
    """Without an effect, at most 1 table in 20 has an interval that does not include 0."""
    rng = np.random.default_rng(3)
    wrong_tables = 0
    rows = pl.DataFrame({"deal": [*range(60)] * 20, "group": np.repeat(range(20), 60)})
    for _ in range(200):
        table = means(rows.with_columns(score=rng.normal(size=1200)), "group", of="score")
        wrong_tables += not ((table["low"] < 0) & (table["high"] > 0)).all()
    assert wrong_tables / 200 < 0.09
