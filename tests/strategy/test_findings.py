"""Findings in words carry their intervals."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shakespeare_agents.arena.result import agent_results
from shakespeare_agents.arena.seat_orders import SeatPlan
from shakespeare_agents.strategy.findings import change, figure, ranking, win_rate

GROUPS = pl.DataFrame(
    {"card": ["a", "b"], "mean": [0.5, None], "low": [-0.25, None], "high": [1.25, None]}
)


def test_a_figure_stands_with_its_interval():
    assert figure(GROUPS, card="a") == "0.50 (-0.25 to 1.25)"
    assert figure(GROUPS.rename({"mean": "share"}), card="a") == "50.0 % (-25.0 to 125.0 %)"


def test_a_change_has_signs():
    assert change(GROUPS, card="a") == change(GROUPS[:1]) == "+0.50 (-0.25 to +1.25)"


@pytest.mark.parametrize("card", ["b", "c"])
def test_what_has_no_interval_is_unknown(card):
    assert figure(GROUPS, card=card) == change(GROUPS, card=card) == "unknown (too few deals)"


def test_one_group_is_meant():
    both = GROUPS.with_columns(low=0.0, card=pl.lit("a"))
    with pytest.raises(ValueError, match=r"2 groups fit \{'card': 'a'\}; name one"):
        figure(both, card="a")


def test_a_ranking_says_what_it_leaves_out():
    groups = pl.DataFrame(
        {
            "card": ["a", "b", "c", "d"],
            "mean": [1.0, None, 3.0, 2.0],
            "low": [0.5, None, 2.5, 1.5],
            "high": [1.5, None, 3.5, 2.5],
            "deals": [40, 7, 50, 60],
        }
    )
    assert ranking(groups, "card").splitlines() == [
        "Best of 3: c, +3.00 (+2.50 to +3.50)",
        "Worst of 3: a, +1.00 (+0.50 to +1.50)",
        "Left out, with the deals they were tried in: b 7",
    ]
    assert ranking(groups[1:2], "card").startswith("Unknown")


def test_a_win_rate_stands_with_its_interval():
    scores = np.array([[[2, 1], [1, 2]], [[2, 1], [2, 1]]])
    (first, second), _ = agent_results(
        ["a", "b"], SeatPlan(("a", "b"), "fixed", 0).of(range(len(scores))), scores, scores == 2
    )
    assert win_rate(first).startswith("75.0 % (")
    assert win_rate(second).startswith("25.0 % (")


def test_alone_nobody_wins():
    (alone,), _ = agent_results(
        ["a"],
        SeatPlan(("a",), "fixed", 0).of(range(2)),
        np.ones((2, 1, 1), int),
        np.ones((2, 1, 1), bool),
    )
    with pytest.raises(ValueError, match="played alone"):
        win_rate(alone)
