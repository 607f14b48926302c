"""Means by group: the intervals count deals; their words and pictures show them."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from shakespeare_arena.evaluation import agent_results
from shakespeare_arena.games.seating import SeatPlan
from shakespeare_arena.intervals import mean_interval, share_interval
from shakespeare_research.groups import (
    against,
    against_others,
    change,
    figure,
    means,
    ranking,
    shares,
    win_rate,
)
from shakespeare_research.plots import plot_lines, plot_rows

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
        "move": ["a", "b", "a", "b", "b"],
        "score": [1.0, 4.0, 10.0, 9.0, 7.0],
        "lead": [None] * 5,
        "won": 0.0,
    }
)


def test_groups_are_in_order_and_those_of_few_deals_have_no_figures():
    groups = means(ROWS, "day", of="score")
    assert groups.columns == ["day", "mean", "low", "high", "rows", "deals"]
    assert groups.rows() == [(1, 3, 3, 3, 35, 35), (2, 5, 5, 5, 34, 34)]
    few = means(ROWS, "rare", of="score")
    assert few["mean"].is_null().to_list() == [False, True]
    assert few.select("rare", "low", "high", "rows", "deals").row(1) == (1, None, None, 10, 10)
    two = means(ROWS, ["rare", "day"], of="score")
    assert two.select("rare", "day").rows() == [(0, 1), (0, 2), (1, 1)]


def test_rows_of_one_deal_count_once():
    deals = np.random.default_rng(0).normal(size=200)
    rows = pl.DataFrame({"deal": np.repeat(range(200), 4), "all": 1, "score": np.repeat(deals, 4)})
    (found,) = means(rows, "all", of="score").rows(named=True)
    assert (found["mean"], found["low"], found["high"]) == pytest.approx(mean_interval(deals))
    assert (found["rows"], found["deals"]) == (800, 200)
    (found,) = means(rows.with_columns(weight=pl.col("score") > 0), "all", of="score")["mean"]
    assert found == pytest.approx(deals[deals > 0].mean()), "rows count by their weight"


@pytest.mark.parametrize("won", [0.0, 0.5, 1.0])
def test_shares_lie_within_their_intervals_and_these_between_0_and_1(won):
    for deals in range(30, 130, 11):
        rows = pl.DataFrame({"deal": [*range(deals)] * 2, "all": 1, "won": won})
        (found,) = shares(rows, "all", of="won").rows(named=True)
        assert 0 <= found["low"] <= found["share"] == won <= found["high"] <= 1
        expected = share_interval(np.full(deals, won))[1:]
        assert (found["low"], found["high"]) == pytest.approx(expected)


def test_differences_are_to_the_baseline_of_the_position():
    is_a = against(TRIALS, pl.col("move") == "a")
    assert is_a.select("position", "score").rows() == [(0, 0.0), (0, 3.0), (1, 0.0), (1, -1.0)]
    every = against(TRIALS, pl.lit(True))
    assert every["score"].to_list() == [-1.5, 1.5, 0.5, -0.5, 0.0]
    assert every["lead"].null_count() == 5
    others = against_others(TRIALS)
    assert others["score"].to_list() == [-3.0, 3.0, 1.0, -1.0], "one alone in its position"


def test_intervals_of_means_hold_together():
    """One table in 20 without an effect, or fewer, has an interval without 0 among its 20."""
    rng, wrong = np.random.default_rng(3), 0
    table = pl.DataFrame({"deal": [*range(60)] * 20, "group": np.repeat(range(20), 60)})
    for _ in range(200):
        found = means(table.with_columns(score=rng.normal(size=1200)), "group", of="score")
        wrong += not ((found["low"] < 0) & (found["high"] > 0)).all()
    assert wrong / 200 < 0.09


FIGURES = [("a", 1.0, -0.25, 1.5, 40), ("b", None, None, None, 7)]
FIGURES += [("c", 3.0, 2.5, 3.5, 50), ("d", 2.0, 1.5, 2.5, 60)]
GROUPS = pl.DataFrame(FIGURES, ["card", "mean", "low", "high", "deals"], orient="row")


def test_findings_in_words_carry_their_intervals():
    assert figure(GROUPS, card="a") == "1.00 (-0.25 to 1.50)"
    assert figure(GROUPS.rename({"mean": "share"}), card="a") == "100.0 % (-25.0 to 150.0 %)"
    assert change(GROUPS, card="a") == change(GROUPS[:1]) == "+1.00 (-0.25 to +1.50)"
    for card in ("b", "e"):
        assert figure(GROUPS, card=card) == change(GROUPS, card=card) == "unknown (too few deals)"
    with pytest.raises(ValueError, match="3 groups"):
        figure(GROUPS)
    assert ranking(GROUPS, "card").splitlines() == [
        "Best of 3 of 4: c, +3.00 (+2.50 to +3.50)",
        "Worst of 3 of 4: a, +1.00 (-0.25 to +1.50)",
        "Left out, with the deals they were tried in: b 7",
    ]
    assert ranking(GROUPS[1:2], "card").startswith("Unknown")


def test_a_win_rate_stands_with_its_interval():
    def results(names, scores):
        orders = SeatPlan(names, 0).of(range(len(scores)))
        won = scores == scores.max(axis=2)[..., None]
        return agent_results(list(names), orders, scores, won)[0]

    first, second = results(("a", "b"), np.array([[[2, 1], [1, 2]], [[2, 1], [2, 1]]]))
    assert win_rate(first).startswith("75.0 % (")
    assert win_rate(second).startswith("25.0 % (")
    with pytest.raises(ValueError, match="alone"):
        win_rate(results(("a",), np.ones((2, 1, 1), int))[0])


FOUND = pl.DataFrame(
    {"day": [1, 2] * 2, "seat": ["a", "a", "b", "b"], "share": 0.2, "low": 0.1, "high": 0.4}
)
LABELS: Any = {"title": "T", "x_label": "day"}


def test_lines_are_named_and_groups_without_figures_counted():
    few = FOUND.with_columns(
        low=pl.Series([0.1, None, 0.1, 0.1]), rows=pl.Series([400, 1200, 9, 9])
    )
    drawn = plot_lines(
        few, "day", lines="seat", y_label="won", reference=0.25, reference_name="parity", **LABELS
    )
    (axes,) = drawn.axes
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]
    said = "dashed: parity; left out for too few deals: 1 group, 1,200 rows; bars: 95 % intervals"
    assert drawn.get_supxlabel() == said
    (axes,) = plot_rows(FOUND[:2].reverse(), "day", **LABELS).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["2", "1"]
    assert plot_rows(FOUND.clear(), "day", **LABELS).png()
