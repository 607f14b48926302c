"""What a report's figures are made of: axes, bars, places for names, colours."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from shakespeare_agents.arena.report import palette
from shakespeare_agents.arena.report.axes import linear, logarithmic
from shakespeare_agents.arena.report.histograms import histograms
from shakespeare_agents.arena.report.speed import planes
from tests.arena.made_standings import made_standings


def shown_plane(standings, names) -> Any:
    """Of the smallest table."""
    return planes(standings, names)[0]


def test_linear_axes_hold_all_values_and_have_round_ticks():
    axis = linear([-430, None, float("nan"), 310])
    assert [text for _, text in axis.ticks] == ["−400", "−200", "0", "200"]
    assert axis.low < -430
    assert axis.high > 310
    assert (axis.at(axis.low), axis.at(axis.high), axis.at(9999)) == ("0.00%", "100.00%", "100.00%")
    assert [text for _, text in linear([0.21, 0.33], unit=0.01).ticks] == ["25", "30"]
    assert [text for _, text in linear([1.0, 1.9]).ticks] == ["1.0", "1.2", "1.4", "1.6", "1.8"]


@pytest.mark.parametrize("values", [[], [3.0], [None]])
def test_axes_of_hardly_any_values(values):
    for axis in (linear(values), logarithmic(values)):
        assert axis.low < axis.high
        assert len(axis.ticks) >= 2


def test_logarithmic_axes_have_powers_of_ten():
    axis = logarithmic([0.02, 35.0, 0.0, None])
    assert [text for _, text in axis.ticks] == ["0.01", "0.1", "1", "10", "100"]
    steps = [axis.share(value) for value, _ in axis.ticks]
    widths = [after - before for before, after in itertools.pairwise(steps)]
    assert widths == pytest.approx([widths[0]] * 4)


def test_bars_are_as_high_as_scores_are_frequent():
    rows = {"players": [1] * 3, "agent": ["a"] * 3, "score": [-1, 0, 2], "count": [2, 4, 1]}
    (table,) = histograms(pl.DataFrame(rows), {1: ["b", "a"]})
    (found,) = table.each
    assert (found.games, found.mean) == (7, 0.0)
    # Four scores from -1.5 to 2.5, and 3 % of that at both ends.
    assert table.width == pytest.approx(4 * 1.06)
    assert found.path == "M0.12 100v-50.0h1v50.0zM1.12 100v-100.0h1v100.0zM3.12 100v-25.0h1v25.0z"


def test_many_scores_share_bars():
    rows = {"players": 1, "agent": "a", "score": range(-100, 200), "count": 1}
    (table,) = histograms(pl.DataFrame(rows), {1: ["a"]})
    assert table.each[0].path.count("M") <= 65


def test_nobody_stands_above_the_frontier():
    names = [f"agent {number}" for number in range(9)]
    standings, shown = made_standings(names), {name: name for name in names}
    # The strongest is the fastest: nobody else is worth waiting for.
    assert [point.agent for point in shown_plane(standings, shown).frontier] == ["agent 0"]
    slow = standings.times.with_columns(milliseconds=1 / pl.col("milliseconds"))
    found = shown_plane(replace(standings, times=slow), shown)
    assert [point.agent for point in found.frontier] == names[::-1]
    assert all(point.side for point in found.points)


def test_names_without_room_are_left_to_the_list():
    names = [f"agent {number}" for number in range(9)]
    standings = made_standings(names)
    alike = standings.times.with_columns(milliseconds=1.0)
    found = shown_plane(replace(standings, times=alike), {name: name * 20 for name in names})
    assert [point.side for point in found.points] == [""] * 9


def test_what_was_not_timed_has_no_plane():
    standings = made_standings(["a", "b"])
    names = {"a": "a", "b": "b"}
    assert planes(replace(standings, times=standings.times.clear()), names) == []
    assert [one.players for one in planes(standings, names)] == [2, 4, 1]


@pytest.mark.parametrize(("theme", "colours"), [("light", palette.LIGHT), ("dark", palette.DARK)])
def test_texts_and_marks_are_seen_on_their_grounds(theme, colours):
    for ground in ("page", "panel", "shade"):
        for ink in ("ink", "muted", "accent", "warn"):
            assert palette.contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    for mark in ("interval", "bars", "accent"):
        for ground in ("page", "panel"):
            assert palette.contrast(colours[mark], colours[ground]) >= 3, mark
    for ground, ink in palette.heat(theme):
        assert palette.contrast(ink, ground) >= 4.5, ground
    declared = palette.custom_properties(theme)
    assert f"--page: {colours['page']};" in declared
    assert declared.count("--heat-ink-") == palette.STEPS


def test_contrast_is_that_of_the_guidelines():
    assert palette.contrast("#000000", "#ffffff") == pytest.approx(21)
    # The darkest grey that fails on white, as often quoted.
    assert palette.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_heat_runs_from_worst_to_best():
    assert [palette.heat_step(value) for value in (-9, -1, 0, 0.5, 1, 9)] == [0, 0, 4, 6, 8, 8]
