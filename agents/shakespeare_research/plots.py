"""Plots of means and shares with their intervals, of a network's calibration and of findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from shakespeare_arena.evaluation import EvaluationResult
from shakespeare_research import plot_style as style
from shakespeare_research.calibration import brier_scores, chance_bins, score_bins, score_errors
from shakespeare_research.groups import by_agent
from shakespeare_research.verdicts import Finding, players_of

_WIDTH = 760
_HEIGHT = 380
_MARGIN = 155  # pixels above and below the rows of a plot
_ROW = 29  # pixels per row
_BARS_NOTE = "bars: 95 % intervals"
_SIMULTANEOUS_NOTE = "bars: simultaneous 95 % intervals"
_TOO_FEW_GAMES = "too few games for an interval"
_DASHED: Any = {"color": style.GREY, "linestyle": "--", "linewidth": 1.1, "zorder": 1}
_LEGEND: Any = {"frameon": False, "labelcolor": style.INK}


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
    """Plot means or shares over a numeric column, with a panel for each agent.

    A note counts the groups of too few deals.

    Args:
        groups: The groups, from `groups.means` or `groups.shares`.
        x: The numeric column.
        title: The title.
        x_label: The label of the horizontal axis, with its unit.
        y_label: The label of the vertical axis, with its unit.
        lines: A column whose values have a line each.
        reference: Where to draw a dashed line.
        reference_name: What the dashed line means.
    """
    notes = _notes(reference_name, groups)
    figure, panels = _panels(groups, title, x_label, y_label, notes, _HEIGHT)
    for axes, part in panels:
        drawn = _drawn(part)
        _prepare(axes, part, "y", reference)
        series = drawn.partition_by(lines, maintain_order=True) if lines else [drawn]
        for place, of_line in enumerate(series):
            # A shift keeps intervals of neighbouring lines from hiding each other.
            shifted_x = of_line[x] + 0.07 * (place - (len(series) - 1) / 2)
            label = str(of_line[lines][0]) if lines else None
            _bars(axes, of_line, shifted_x, series=place, label=label)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.margins(x=0.08)
        if lines and len(drawn) and axes is panels[-1][0]:
            axes.legend(
                title=lines, fontsize=9.5, loc="upper left", bbox_to_anchor=(1.01, 1.0), **_LEGEND
            )
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
    """Plot groups in rows, named by the column `y`, with a panel for each agent.

    The group that comes first is on top. Other arguments are those of `plot_lines`.
    """
    names = _drawn(groups)[y].unique(maintain_order=True).to_list()
    height = _MARGIN + _ROW * len(names)
    notes = _notes(reference_name, groups)
    figure, panels = _panels(groups, title, x_label, "", notes, height)
    for axes, part in panels:
        drawn = _drawn(part)
        _prepare(axes, part, "x", reference)
        _rows(axes, list(map(str, names)))
        places = pl.Series([names.index(name) for name in drawn[y]], dtype=pl.Int64)
        _bars(axes, drawn, places, series=0, along="x", linestyle="none")
    return figure


def plot_table(result: EvaluationResult, *, title: str) -> style.Picture:
    """Plot the win rates of agents at one table, with 95 % intervals and a line at parity.

    Parity is the win rate of equal agents, 1 / seats.

    Raises:
        ValueError: The table has one seat.
    """
    if result.players == 1:
        raise ValueError("nobody wins at a table with one seat; look at the scores")
    cells = []
    for agent in result.agents:
        name = f"{agent.name} ×{agent.copies}" if agent.copies > 1 else agent.name
        cells.append((name, agent.win_rate, agent.low, agent.high))
    figure = plot_rows(
        pl.DataFrame(cells, ["name", "share", "low", "high"], orient="row"),
        "name",
        title=title,
        x_label=f"games won by a copy, of {result.games}",
        reference=1 / result.players,
        reference_name="parity",
    )
    figure.axes[0].set_xlim(left=min(0.0, figure.axes[0].get_xlim()[0]))
    return figure


def plot_calibration(rows: pl.DataFrame, *, title: str) -> style.Picture:
    """Plot chances to win (with several seats) and final scores, by forecast and by stage.

    Calibrated forecasts lie on the diagonal. The dashed line is the error of a constant forecast.
    Useful forecasts have smaller errors. Bins and stages of too few deals are left out.

    Args:
        rows: The rows of `calibration.forecasts`.
        title: The title.

    Raises:
        ValueError: Tables have different numbers of seats, or there are no rows.
    """
    tables = rows["players"].unique().sort().to_list()
    if len(tables) != 1:
        raise ValueError(
            f"the forecasts are of tables with {tables} seats; plot one number of seats at a time"
        )
    players = tables[0]
    deals = rows["deal"].n_unique()
    panel_rows = 1 if players == 1 else 2
    figure = style.picture(820, 50 + 330 * panel_rows, layout="constrained")
    _write_above(figure, title)
    panels = figure.subplots(panel_rows, 2, squeeze=False)
    notes = [f"{len(rows):,} forecasts of {deals:,} games", _BARS_NOTE]
    if players > 1:
        _draw_bins(panels[0, 0], chance_bins(rows), "chance", "Chance to win, %")
        panels[0, 0].axhline(100 / players, color=style.INK, linestyle=":", linewidth=1.2)
        _draw_errors(
            panels[0, 1],
            brier_scores(rows, "stage"),
            "Error of chances, by stage",
            "Brier score",
            constant="1 / seats",
        )
        notes.insert(1, "dotted: parity")
    _draw_bins(panels[-1, 0], score_bins(rows), "expected", "Final score, points")
    _draw_errors(
        panels[-1, 1],
        score_errors(rows, "stage"),
        "Error of scores, by stage",
        "root mean square, points",
        constant="mean score",
    )
    _write_below(figure, "; ".join(notes))
    return figure


def plot_findings(findings: Sequence[Finding]) -> style.Picture:
    """Plot all findings of a question at a table in rows, each player in a colour of its own."""
    question = findings[0].question
    ordered = sorted(findings, key=lambda finding: -_largest_mean(finding))
    players = players_of(ordered)
    heading = f"{question.name.replace('_', ' ').capitalize()}, {ordered[0].players} seats"
    figure, axes = _panel(
        f"{heading}, as played by {' and '.join(players)}",
        question.unit,
        "",
        "dots: boxes; bars: simultaneous 95 % intervals of the mean over boxes",
        _MARGIN + _ROW * len(ordered) * (1 + len(players)) // 2,
    )
    axes.axvline(0, **_DASHED)
    _rows(axes, [f"{finding.item}\n{finding.verdict}" for finding in ordered])
    for number, player in enumerate(players):
        shift = 0.26 * (number - (len(players) - 1) / 2)
        colour = style.errorbar_style(number)["color"]
        heights = []
        means = []
        for row, finding in enumerate(ordered):
            result = finding.by_player.get(player)
            if result is None:
                continue
            height = row + shift
            # A dot for each drawn box, and below a star for the box of the package.
            dots = [estimate.value for estimate in result.drawn.values()]
            axes.scatter(dots, [height] * len(dots), s=16, color=colour, alpha=0.35, linewidths=0)
            heights.append(height)
            means.append((result.over.mean, result.over.low, result.over.high))
            if result.bundled:
                axes.scatter(
                    result.bundled.value, height, marker="*", s=95, color=style.INK, zorder=4
                )
        intervals = pl.DataFrame(means, ["mean", "low", "high"], orient="row")
        _bars(
            axes,
            _drawn(intervals),
            pl.Series(heights),
            series=number,
            label=player,
            along="x",
            linestyle="none",
        )
    axes.scatter([], [], marker="*", s=95, color=style.INK, label="bundled box")
    figure.legend(loc="outside right upper", fontsize=9, **_LEGEND)
    return figure


def _largest_mean(finding: Finding) -> float:
    return max(result.over.mean for result in finding.by_player.values())


def _panel(title: str, x: str, y: str, notes: str, height: int) -> tuple[style.Picture, Axes]:
    figure = style.picture(_WIDTH, height, layout="constrained")
    axes = figure.add_subplot()
    style.prepare(axes, title, x, y)
    _write_below(figure, notes)
    return figure, axes


def _panels(
    groups: pl.DataFrame, title: str, x: str, y: str, notes: str, height: int
) -> tuple[style.Picture, list[tuple[Axes, pl.DataFrame]]]:
    """Return a figure and its panels, one for each agent, each with the groups to draw in it.

    Panels share their axes. Groups without agents have a single panel.
    """
    parts = by_agent(groups)
    if "" in parts:
        figure, axes = _panel(title, x, y, notes, height)
        return figure, [(axes, groups)]
    figure = style.picture(_WIDTH, height, layout="constrained")
    _write_above(figure, title)
    _write_below(figure, notes)
    row = figure.subplots(1, len(parts), squeeze=False, sharex=True, sharey=True)[0]
    panels = []
    for axes, (agent, part) in zip(row, parts.items(), strict=True):
        style.prepare(axes, agent, x, y)
        axes.label_outer()
        panels.append((axes, part))
    return figure, panels


def _write_above(figure: style.Picture, title: str) -> None:
    heading: Any = {"fontsize": 12, "fontweight": "bold", "color": style.INK, "parse_math": False}
    figure.suptitle(title, x=0.01, ha="left", **heading)


def _write_below(figure: style.Picture, notes: str) -> None:
    figure.supxlabel(notes, x=0.99, ha="right", fontsize=8, color=style.GREY)


def _notes(dashed: str, groups: pl.DataFrame) -> str:
    missing = groups.filter(pl.col("low").is_null())
    notes = [f"dashed: {dashed}"] if dashed else []
    if len(missing):
        groups_left_out = "1 group" if len(missing) == 1 else f"{len(missing)} groups"
        counted = f"{groups_left_out}, {missing['rows'].sum():,} rows"
        notes.append(f"left out for too few deals: {counted}")
    # The intervals of `groups.means` hold simultaneously, those of `groups.shares` one by one.
    hold_together = "mean" in groups.columns and len(groups) > 1
    notes.append(_SIMULTANEOUS_NOTE if hold_together else _BARS_NOTE)
    if "agent" in groups.columns:
        notes.append("a panel holds for the play of its agent")
    return "; ".join(notes)


def _unit(groups: pl.DataFrame) -> float:
    return 100.0 if "share" in groups.columns else 1.0


def _drawn(groups: pl.DataFrame) -> pl.DataFrame:
    """Return the groups that have a mean, with `value`, `below` and `above`, shares in percent."""
    value = pl.col("share" if "share" in groups.columns else "mean")
    unit = _unit(groups)
    return groups.filter(pl.col("low").is_not_null()).with_columns(
        value=unit * value,
        below=unit * (value - pl.col("low")),
        above=unit * (pl.col("high") - value),
    )


def _bars(
    axes: Axes,
    drawn: pl.DataFrame,
    at: pl.Series,
    series: int,
    label: str | None = None,
    along: Literal["x", "y"] = "y",
    **options: Any,
) -> None:
    """Draw values of `_drawn` and their intervals along an axis, at positions `at` on the other.

    The number of the series decides colour and marker.
    """
    across = "y" if along == "x" else "x"
    data: Any = {
        along: drawn["value"],
        across: at,
        f"{along}err": drawn.select("below", "above").to_numpy().T,
    }
    axes.errorbar(**data, label=label, **{**style.errorbar_style(series), **options})


def _rows(axes: Axes, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), names, fontsize=9.5)
    axes.set_ylim(len(names) - 0.4, -0.6)  # row 0 is on top


def _prepare(
    axes: Axes, groups: pl.DataFrame, along: Literal["x", "y"], reference: float | None
) -> None:
    """Draw the reference line, or say that the panel is empty, and write shares as percentages."""
    unit = _unit(groups)
    if groups["low"].count() == 0:
        style.mark_empty(axes, "too few deals for an interval")
    elif reference is not None:
        draw_line = axes.axvline if along == "x" else axes.axhline
        draw_line(unit * reference, **_DASHED)
    if unit != 1.0:
        axis: Any = axes.xaxis if along == "x" else axes.yaxis
        axis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate:g} %"))


def _draw_bins(axes: Axes, bins: pl.DataFrame, forecast: str, title: str) -> None:
    """Draw the mean outcome in each bin of forecasts, and the diagonal of calibrated forecasts."""
    style.prepare(axes, title, "forecast", "found")
    drawn = _drawn(bins)
    if drawn.is_empty():
        style.mark_empty(axes, _TOO_FEW_GAMES)
        return
    at = drawn[forecast] * _unit(bins)
    on_diagonal = at[0], at[0]  # a point outside the data would widen the picture
    axes.axline(on_diagonal, slope=1, color=style.GREY, linestyle="--", label="calibrated")
    _bars(axes, drawn, at, series=0, label="found")
    axes.legend(fontsize=8.5, **_LEGEND)


def _draw_errors(
    axes: Axes, stages: pl.DataFrame, title: str, y_label: str, *, constant: str
) -> None:
    """Draw errors by stage, beside those of a constant forecast."""
    style.prepare(axes, title, "stage of the game, 1 to 5", y_label)
    drawn = _drawn(stages)
    if drawn.is_empty():
        style.mark_empty(axes, _TOO_FEW_GAMES)
        return
    axes.plot(drawn["stage"], drawn["constant"], label=f"always {constant}", **_DASHED)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _bars(axes, drawn, drawn["stage"].cast(pl.Float64), series=2, label="forecast")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8.5, **_LEGEND)
