"""Means by group with intervals over deals, and differences between moves of a position."""

import re

import numpy as np
import polars as pl
import pytest

from shakespeare_agents.making import entrants_of
from shakespeare_arena.evaluation import evaluate
from shakespeare_arena.intervals import mean_interval, share_interval
from shakespeare_env.core import registry
from shakespeare_research.groups import (
    against,
    against_others,
    format_difference,
    format_mean,
    format_table,
    means,
    shares,
)
from shakespeare_research.plots import plot_lines, plot_rows, plot_table


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


def rows_of_two_agents():
    """Return rows in which what one agent gains the other loses, and a rare group of one agent."""
    values = np.random.default_rng(2).normal(1, 0.1, 40)
    parts = []
    for agent, sign in (("heuristic", 1), ("network", -1)):
        part = {"agent": agent, "deal": range(40), "move": "a", "score": sign * values}
        parts.append(pl.DataFrame(part))
    rare = {"agent": "network", "deal": range(9), "move": "b", "score": 5.0}
    return pl.concat([*parts, pl.DataFrame(rare)])


def test_rows_of_different_agents_are_never_averaged():
    groups = means(rows_of_two_agents(), "move", of="score")
    assert groups.select("agent", "move", "deals").rows() == [
        ("heuristic", "a", 40),
        ("network", "a", 40),
        ("network", "b", 9),
    ]
    assert groups["mean"][0] == pytest.approx(-groups["mean"][1])
    by_both = means(rows_of_two_agents(), ["move", "agent"], of="score")
    assert by_both.columns[:2] == ["move", "agent"]


def test_a_text_names_the_agent_that_a_mean_holds_for():
    groups = means(rows_of_two_agents(), "move", of="score")
    text = format_difference(groups, move="a")
    assert re.fullmatch(r"heuristic \+1\.0\d \(.*\), network -1\.0\d \(.*\)", text)
    assert format_mean(groups, move="b") == "network unknown (too few deals)"
    assert format_mean(groups.filter(agent="network").drop("agent"), move="a").startswith("-1.0")
    with pytest.raises(ValueError, match="2 groups fit"):
        format_mean(pl.concat([groups, groups.with_columns(move=pl.lit("c"))]))


def test_a_table_has_a_row_for_each_group_and_a_column_for_each_agent():
    groups = means(rows_of_two_agents(), "move", of="score")
    ranked = groups.sort("move", descending=True)
    heading, rare, common, note = format_table(ranked, "move").splitlines()
    assert heading.split() == ["move", "heuristic", "network"]
    assert re.split(r"  +", rare) == ["b", "not tried", "too few deals (9)"]
    assert re.fullmatch(r"a +\+1\.0\d \(.*\)  -1\.0\d \(.*\)", common)
    assert note.endswith("each column holds for the play of its agent")
    alone = format_table(groups.filter(agent="network").drop("agent"), "move").splitlines()
    assert alone[0] == "move"
    assert alone[-1] == "brackets: 95 % intervals, which hold together"


def test_plots_have_a_panel_for_each_agent():
    rows = rows_of_two_agents().with_columns(x=pl.col("move").replace_strict({"a": 1, "b": 2}))
    groups = means(rows, "x", of="score")
    drawn = plot_lines(groups, "x", title="Worth", x_label="x", y_label="points", lines="x")
    in_rows = plot_rows(groups, "x", title="Worth", x_label="points")
    for picture in (drawn, in_rows):
        panels = picture.axes
        assert [panel.get_title(loc="left") for panel in panels] == ["heuristic", "network"]
    found = [np.asarray(panel.lines[0].get_xdata()).tolist() for panel in in_rows.axes]
    assert found == [[mean] for mean in groups["mean"].drop_nulls()]
    without_agents = groups.filter(agent="network").drop("agent")
    (panel,) = plot_rows(without_agents, "x", title="Worth", x_label="points").axes
    assert panel.get_title(loc="left") == "Worth"


def test_a_plot_of_one_table_has_all_of_its_agents_in_one_panel():
    game = registry.game("figaro")
    result = evaluate(entrants_of(["random", "greedy", "random"], game), game.name, games=6)
    (panel,) = plot_table(result, title="Three seats").axes
    assert [label.get_text() for label in panel.get_yticklabels()] == ["random ×2", "greedy"]
