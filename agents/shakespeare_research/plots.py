"""Plots of means and shares with their intervals, and of a network's calibration."""

from __future__ import annotations

from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from shakespeare_arena import plot_style as style
from shakespeare_arena.evaluation import AgentResult, EvaluationResult
from shakespeare_research.calibration import (
    STAGES,
    brier_scores,
    chance_bins,
    score_bins,
    score_errors,
)

_WIDTH, _HEIGHT = 760, 380
_MARGIN, _ROW = 155, 29
"""Pixels around the rows of a plot, and per row."""
_BARS = "bars: 95 % intervals"
_CALIBRATION_WIDTH, _PANEL_HEIGHT, _HEADING = 820, 330, 50


def plot_lines(
    groups: pl.DataFrame,
    x: str,
    *,
    title: str,
    x_label: str,
    y_label: str,
    lines: str | None = None,
    reference: float | None = None,
    reference_name: str = "",
) -> style.Picture:
    """Means or shares, from `groups.means` or `groups.shares`, over the numeric column `x`.

    Each value of the column `lines` has a line of its own. `reference` is where to draw a dashed
    line, explained below as `reference_name`; labels include units. Groups of too few deals are
    counted below.
    """
    found, unit = _scaled(groups)
    notes = _notes(reference_name, groups)
    figure, axes = _panel(title, x_label, y_label, notes, _HEIGHT)
    if found.is_empty():
        return _say_nothing(figure, axes)
    if reference is not None:
        axes.axhline(unit * reference, color=style.GREY, linestyle="--", linewidth=1.1, zorder=1)
    parts = found.partition_by(lines, maintain_order=True) if lines else [found]
    for place, part in enumerate(parts):
        axes.errorbar(
            # Intervals of neighbouring lines do not hide each other.
            part[x] + 0.07 * (place - (len(parts) - 1) / 2),
            part["value"],
            yerr=part.select("below", "above").to_numpy().T,
            label=str(part[lines][0]) if lines else None,
            **style.bars(place),
        )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlim(float(found[x].min()) - 0.4, float(found[x].max()) + 0.4)  # type: ignore[arg-type]
    _as_percent(axes.yaxis, unit)
    if lines:
        legend = axes.legend(
            title=lines,
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            frameon=False,
            fontsize=9.5,
            title_fontsize=9.5,
            labelcolor=style.INK,
            alignment="left",
            borderaxespad=0.0,
        )
        legend.get_title().set_color(style.INK)
    return figure


def plot_rows(
    groups: pl.DataFrame,
    y: str,
    *,
    title: str,
    x_label: str,
    reference: float | None = None,
    reference_name: str = "",
) -> style.Picture:
    """One row per group, the first on top; `y` names them (see `plot_lines`)."""
    found, unit = _scaled(groups)
    notes = _notes(reference_name, groups)
    figure, axes = _panel(title, x_label, "", notes, _MARGIN + _ROW * len(found))
    if found.is_empty():
        return _say_nothing(figure, axes)
    if reference is not None:
        axes.axvline(unit * reference, color=style.GREY, linestyle="--", linewidth=1.1, zorder=1)
    heights = range(len(found))
    axes.errorbar(
        found["value"],
        heights,
        xerr=found.select("below", "above").to_numpy().T,
        linestyle="none",
        **style.bars(0),
    )
    axes.set_yticks(heights, [str(name) for name in found[y]], fontsize=9.5)
    axes.set_ylim(len(found) - 0.4, -0.6)
    _as_percent(axes.xaxis, unit)
    return figure


def plot_table(result: EvaluationResult, *, title: str) -> style.Picture:
    """The win rates of agents at one table, with 95 % intervals and parity.

    Raises:
        ValueError: the table has one seat.
    """
    if result.players == 1:
        raise ValueError("nobody wins at a table of one seat; look at the scores")
    cells = [(_name(agent), agent.win_rate, agent.low, agent.high) for agent in result.agents]
    rows = pl.DataFrame(cells, ["agent", "share", "low", "high"], orient="row")
    figure = plot_rows(
        rows,
        "agent",
        title=title,
        x_label=f"games won by a copy, of {result.games}",
        reference=1 / result.players,
        reference_name="parity",
    )
    axes = figure.axes[0]
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
    return figure


def _name(agent: AgentResult) -> str:
    return f"{agent.name} ×{agent.copies}" if agent.copies > 1 else agent.name


def _notes(dashed: str, groups: pl.DataFrame) -> str:
    """The notes below a plot."""
    missing = groups.filter(pl.col("low").is_null())
    notes = [f"dashed: {dashed}"] if dashed else []
    if not missing.is_empty():
        counted = "1 group" if len(missing) == 1 else f"{len(missing)} groups"
        notes.append(f"left out for too few deals: {counted}, {missing['rows'].sum():,} rows")
    together = "mean" in groups.columns and len(groups) > 1
    return "; ".join([*notes, _BARS.replace("95", "simultaneous 95") if together else _BARS])


def _panel(title: str, x: str, y: str, notes: str, height: int) -> tuple[style.Picture, Axes]:
    figure = style.picture(_WIDTH, height, layout="constrained")
    axes = figure.add_subplot()
    style.prepare(axes, title, x, y)
    # Notes inside the panel would cover what is drawn.
    figure.supxlabel(notes, x=0.99, ha="right", fontsize=8, color=style.GREY)
    return figure, axes


def _say_nothing(figure: style.Picture, axes: Axes) -> style.Picture:
    axes.set_xticks([])
    style.say_nothing(axes, "too few deals for an interval")
    return figure


def _scaled(groups: pl.DataFrame) -> tuple[pl.DataFrame, float]:
    """The groups with a figure, `value`, `below` and `above` as drawn, and the unit."""
    name, unit = ("share", 100.0) if "share" in groups.columns else ("mean", 1.0)
    value = unit * pl.col(name)
    drawn = groups.filter(pl.col("low").is_not_null()).with_columns(
        value=value, below=value - unit * pl.col("low"), above=unit * pl.col("high") - value
    )
    return drawn, unit


def _as_percent(axis: Any, unit: float) -> None:
    if unit != 1.0:
        axis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate:g} %"))


def plot_calibration(rows: pl.DataFrame, *, title: str) -> style.Picture:
    """Chances to win (of more than one seat) and final scores, by forecast and by stage.

    Calibrated forecasts lie on the diagonal; useful ones stay below the dashed error of a constant.
    Bins and stages of too few deals are left out.

    Args:
        rows: Rows of `calibration.forecasts`, all of one number of seats.
        title: The title above all panels.

    Raises:
        ValueError: tables differ in their seats, or there are no rows.
    """
    tables = rows["players"].unique().sort().to_list()
    if len(tables) != 1:
        raise ValueError(f"forecasts of tables of {tables} seats: draw one number of seats")
    players, deals = tables[0], rows["deal"].n_unique()
    lines = 1 if players == 1 else 2
    size = _CALIBRATION_WIDTH, _HEADING + lines * _PANEL_HEIGHT
    figure = style.picture(*size, layout="constrained")
    figure.suptitle(
        title, x=0.01, ha="left", fontsize=12, fontweight="bold", color=style.INK, parse_math=False
    )
    panels = figure.subplots(lines, 2, squeeze=False)
    if players > 1:
        _draw_bins(panels[0, 0], chance_bins(rows), "chance", "Chance to win, %")
        panels[0, 0].axhline(100 / players, color=style.INK, linestyle=":", linewidth=1.2)
        brier = brier_scores(rows, "stage")
        _draw_errors(panels[0, 1], brier, "Error of chances, by stage", "Brier score", "1 / seats")
    _draw_bins(panels[-1, 0], score_bins(rows), "expected", "Final score, points")
    off, measure = score_errors(rows, "stage"), "root mean square, points"
    _draw_errors(panels[-1, 1], off, "Error of scores, by stage", measure, "mean score")
    dotted = "dotted: parity" if players > 1 else ""
    notes = [f"{len(rows):,} forecasts of {deals:,} games", dotted, _BARS]
    said = "; ".join(filter(None, notes))
    figure.supxlabel(said, x=0.99, ha="right", fontsize=8, color=style.GREY)
    return figure


def _draw_bins(axes: Axes, groups: pl.DataFrame, forecast: str, title: str) -> None:
    """Bins beside the diagonal, on which calibrated forecasts lie."""
    style.prepare(axes, title, "forecast", "found")
    found, unit = _scaled(groups)
    if found.is_empty():
        style.say_nothing(axes, "too few games for an interval")
        return
    axes.axline((0, 0), slope=1, color=style.GREY, linestyle="--", label="calibrated")
    axes.errorbar(
        unit * found[forecast],
        found["value"],
        yerr=found.select("below", "above").to_numpy().T,
        label="found",
        **style.bars(0),
    )
    axes.legend(loc="upper left", frameon=False, fontsize=8.5, labelcolor=style.INK)


def _draw_errors(axes: Axes, groups: pl.DataFrame, title: str, measure: str, constant: str) -> None:
    style.prepare(axes, title, f"stage of the game, 1 to {STAGES}", measure)
    found, _ = _scaled(groups)
    if found.is_empty():
        style.say_nothing(axes, "too few games for an interval")
        return
    axes.plot(
        found["stage"], found["constant"], color=style.GREY, linestyle="--", linewidth=1.4,
        label=f"always {constant}",
    )  # fmt: skip
    axes.errorbar(
        found["stage"],
        found["value"],
        yerr=found.select("below", "above").to_numpy().T,
        label="forecast",
        **style.bars(2),
    )
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(loc="lower left", frameon=False, fontsize=8.5, labelcolor=style.INK)
