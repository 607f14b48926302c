"""Pictures of groups: what is drawn, and what is said where nothing can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shakespeare_agents.strategy.plots import plot_lines, plot_rows

FOUND = pl.DataFrame(
    {"day": [1, 2] * 2, "seat": ["a", "a", "b", "b"], "share": 0.2, "low": 0.1, "high": 0.4}
)
LABELS: Any = {"title": "T", "x_label": "day"}


def test_lines_are_named_and_shares_are_percent():
    figure = plot_lines(FOUND, "day", lines="seat", y_label="won", **LABELS)
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("day", "won")
    legend = axes.get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == "seat"
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]
    assert axes.yaxis.get_major_formatter()(20.0, 0) == "20 %"
    assert figure.png().startswith(b"\x89PNG")


def test_bars_reach_from_low_to_high():
    means = FOUND[:2].rename({"share": "mean"})
    (axes,) = plot_lines(means, "day", y_label="score", **LABELS).axes
    drawn: Any = axes.containers[0]
    (bars,) = drawn.lines[2]
    ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
    assert ends == [pytest.approx([0.1, 0.4])] * 2
    assert axes.get_legend() is None


def test_the_reference_is_drawn_in_percent_and_named_below():
    figure = plot_lines(
        FOUND, "day", y_label="won", reference=0.25, reference_name="parity", **LABELS
    )
    (dashed,) = (line for line in figure.axes[0].lines if line.get_linestyle() == "--")
    assert np.asarray(dashed.get_ydata()).tolist() == [25.0, 25.0]
    assert figure.get_supxlabel() == "dashed: parity; bars: 95 % intervals"


def test_rows_stand_in_the_order_given():
    figure = plot_rows(FOUND[:2].reverse(), "day", **LABELS)
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["2", "1"]
    bottom, top = figure.axes[0].get_ylim()
    assert bottom > top


def test_groups_without_figures_are_not_drawn_but_counted():
    few = FOUND[:2].with_columns(low=pl.Series([0.1, None]), rows=pl.Series([400, 1200]))
    left_out = "left out for too few deals: 1 group, 1,200 rows; bars: 95 % intervals"
    rows, lines = plot_rows(few, "day", **LABELS), plot_lines(few, "day", y_label="won", **LABELS)
    assert [text.get_text() for text in rows.axes[0].get_yticklabels()] == ["1"]
    assert rows.get_supxlabel() == lines.get_supxlabel() == left_out


def test_nothing_is_said_to_be_nothing():
    nothing = FOUND.clear()
    for figure in (
        plot_lines(nothing, "day", y_label="won", **LABELS),
        plot_rows(nothing, "day", **LABELS),
    ):
        assert "too few deals" in figure.axes[0].texts[0].get_text()
        figure.png()
