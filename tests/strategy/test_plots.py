"""Pictures of groups: what is drawn, and what is said where nothing can be."""

from __future__ import annotations

from shakespeare_agents.strategy.groups import Group, Groups
from shakespeare_agents.strategy.plots import plot_lines, plot_rows

FOUND = Groups("day", "won", tuple(Group(day, 9, 9, 0.2, 0.1, 0.4) for day in (1, 2)), True)
NOTHING = Groups("day", "score", ())


def test_lines_are_named_and_shares_are_percent():
    figure = plot_lines({"a": FOUND, "b": FOUND}, title="T", x="day", y="won", reference=0.25)
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("day", "won")
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]
    assert axes.yaxis.get_major_formatter()(20.0, 0) == "20 %"
    assert figure.png().startswith(b"\x89PNG")


def test_rows_stand_in_the_order_given():
    figure = plot_rows(FOUND, title="T", x="won", name=lambda day: f"day {day}")
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["day 1", "day 2"]
    bottom, top = figure.axes[0].get_ylim()
    assert bottom > top


def test_nothing_is_said_to_be_nothing():
    for figure in (
        plot_lines(NOTHING, title="T", x="x", y="y"),
        plot_rows(NOTHING, title="T", x="x"),
    ):
        assert "too few deals" in figure.axes[0].texts[0].get_text()
        figure.png()
