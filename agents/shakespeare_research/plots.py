"""Plots of means and shares with their intervals, of a network's calibration, and of findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from shakespeare_arena.evaluation import EvaluationResult
from shakespeare_research import plot_style as style
from shakespeare_research.calibration import brier_scores, chance_bins, score_bins, score_errors

if TYPE_CHECKING:
    from shakespeare_research.verdicts import Finding

_WIDTH, _HEIGHT = 760, 380
_MARGIN, _ROW = 155, 29  # pixels around the rows of a plot, and per row
_BARS = "bars: 95 % intervals"
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
    """Means or shares, from `groups.means` or `groups.shares`, over the numeric column `x`.

    Each value of the column `lines` has a line of its own. `reference` is where to draw a dashed
    line, explained below as `reference_name`; labels include units. Groups of too few deals are
    counted below.
    """
    drawn = _drawn(groups)
    figure, axes = _panel(title, x_label, y_label, _notes(reference_name, groups), _HEIGHT)
    _prepare(axes, groups, "y", reference)
    parts = drawn.partition_by(lines, maintain_order=True) if lines else [drawn]
    for place, part in enumerate(parts):
        # Intervals of neighbouring lines do not hide each other.
        beside = part[x] + 0.07 * (place - (len(parts) - 1) / 2)
        _bars(axes, part, beside, place, str(part[lines][0]) if lines else None)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(x=0.08)
    if lines and len(drawn):
        beside_axes: Any = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
        axes.legend(title=lines, fontsize=9.5, **beside_axes, **_LEGEND)
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
    drawn = _drawn(groups)
    height = _MARGIN + _ROW * len(drawn)
    figure, axes = _panel(title, x_label, "", _notes(reference_name, groups), height)
    _prepare(axes, groups, "x", reference)
    _rows(axes, drawn[y].cast(pl.String).to_list())
    _bars(axes, drawn, pl.Series(range(len(drawn))), 0, along="x", linestyle="none")
    return figure


def plot_table(result: EvaluationResult, *, title: str) -> style.Picture:
    """The win rates of agents at one table, with 95 % intervals and parity.

    Raises:
        ValueError: the table has one seat.
    """
    if result.players == 1:
        raise ValueError("nobody wins at a table of one seat; look at the scores")
    cells = []
    for agent in result.agents:
        name = f"{agent.name} ×{agent.copies}" if agent.copies > 1 else agent.name
        cells.append((name, agent.win_rate, agent.low, agent.high))
    figure = plot_rows(
        pl.DataFrame(cells, ["agent", "share", "low", "high"], orient="row"),
        "agent",
        title=title,
        x_label=f"games won by a copy, of {result.games}",
        reference=1 / result.players,
        reference_name="parity",
    )
    figure.axes[0].set_xlim(left=min(0.0, figure.axes[0].get_xlim()[0]))
    return figure


def plot_calibration(rows: pl.DataFrame, *, title: str) -> style.Picture:
    """Chances to win (of more than one seat) and final scores, by forecast and by stage.

    Calibrated forecasts lie on the diagonal; useful ones stay below the dashed error of a constant.
    Bins and stages of too few deals are left out. `rows` are those of `calibration.forecasts`.

    Raises:
        ValueError: tables differ in their seats, or there are no rows.
    """
    tables = rows["players"].unique().sort().to_list()
    if len(tables) != 1:
        raise ValueError(f"forecasts of tables of {tables} seats: draw one number of seats")
    players, deals = tables[0], rows["deal"].n_unique()
    lines = 1 if players == 1 else 2
    figure = style.picture(820, 50 + 330 * lines, layout="constrained")
    heading: Any = {"fontsize": 12, "fontweight": "bold", "color": style.INK, "parse_math": False}
    figure.suptitle(title, x=0.01, ha="left", **heading)
    panels = figure.subplots(lines, 2, squeeze=False)
    notes = [f"{len(rows):,} forecasts of {deals:,} games", _BARS]
    if players > 1:
        _draw_forecasts(panels[0, 0], chance_bins(rows), "chance", "Chance to win, %", "found")
        panels[0, 0].axhline(100 / players, color=style.INK, linestyle=":", linewidth=1.2)
        words = "Error of chances, by stage", "Brier score", "1 / seats"
        _draw_forecasts(panels[0, 1], brier_scores(rows, "stage"), "stage", *words)
        notes.insert(1, "dotted: parity")
    _draw_forecasts(panels[-1, 0], score_bins(rows), "expected", "Final score, points", "found")
    words = "Error of scores, by stage", "root mean square, points", "mean score"
    _draw_forecasts(panels[-1, 1], score_errors(rows, "stage"), "stage", *words)
    _say_below(figure, "; ".join(notes))
    return figure


def plot_findings(findings: Sequence[Finding]) -> style.Picture:
    """All findings of a question at a table, a row each, in the colours of the players."""
    question = findings[0].question
    ordered = sorted(findings, key=lambda f: -max(s.over.mean for s in f.by_player.values()))
    who = list(dict.fromkeys(player for finding in ordered for player in finding.by_player))
    figure, axes = _panel(
        f"{question.name.replace('_', ' ').capitalize()}, {ordered[0].players} seats",
        question.unit,
        "",
        "dots: boxes; bars: simultaneous 95 % intervals of the mean over boxes",
        _MARGIN + _ROW * len(ordered) * (1 + len(who)) // 2,
    )
    axes.axvline(0, **_DASHED)
    _rows(axes, [f"{finding.item}\n{finding.verdict}" for finding in ordered])
    for number, player in enumerate(who):
        shift, colour = 0.26 * (number - (len(who) - 1) / 2), style.bars(number)["color"]
        heights, means = [], []
        for row, finding in enumerate(ordered):
            if seen := finding.by_player.get(player):
                dots = [estimate for estimate, *_ in seen.drawn.values()]
                at = row + shift
                axes.scatter(dots, [at] * len(dots), s=16, color=colour, alpha=0.35, linewidths=0)
                heights.append(at)
                means.append((seen.over.mean, seen.over.low, seen.over.high))
                if seen.bundled:
                    axes.scatter(seen.bundled[0], at, marker="*", s=95, color=style.INK, zorder=4)
        intervals = pl.DataFrame(means, ["mean", "low", "high"], orient="row")
        _bars(axes, _drawn(intervals), pl.Series(heights), number, player, "x", linestyle="none")
    axes.scatter([], [], marker="*", s=95, color=style.INK, label="bundled box")
    figure.legend(loc="outside right upper", fontsize=9, **_LEGEND)
    return figure


def _panel(title: str, x: str, y: str, notes: str, height: int) -> tuple[style.Picture, Axes]:
    figure = style.picture(_WIDTH, height, layout="constrained")
    axes = figure.add_subplot()
    style.prepare(axes, title, x, y)
    _say_below(figure, notes)
    return figure, axes


def _say_below(figure: style.Picture, notes: str) -> None:
    figure.supxlabel(notes, x=0.99, ha="right", fontsize=8, color=style.GREY)


def _notes(dashed: str, groups: pl.DataFrame) -> str:
    missing = groups.filter(pl.col("low").is_null())
    notes = [f"dashed: {dashed}"] if dashed else []
    if count := len(missing):
        counted = f"{count} group{'s' * (count > 1)}, {missing['rows'].sum():,} rows"
        notes.append(f"left out for too few deals: {counted}")
    together = "mean" in groups.columns and len(groups) > 1
    return "; ".join([*notes, _BARS.replace("95", "simultaneous 95") if together else _BARS])


def _unit(groups: pl.DataFrame) -> float:
    return 100.0 if "share" in groups.columns else 1.0


def _drawn(groups: pl.DataFrame) -> pl.DataFrame:
    """The groups with a figure; `value`, `below` and `above` as drawn, shares in percent."""
    value = pl.col("share" if "share" in groups.columns else "mean")
    ends = {"below": value - pl.col("low"), "above": pl.col("high") - value}
    scaled = {name: _unit(groups) * column for name, column in {"value": value, **ends}.items()}
    return groups.filter(pl.col("low").is_not_null()).with_columns(**scaled)


def _bars(
    axes: Axes,
    drawn: pl.DataFrame,
    at: pl.Series,
    place: int,
    label: str | None = None,
    along: Literal["x", "y"] = "y",
    **look: Any,
) -> None:
    """Values of `_drawn` and their intervals along an axis, at places on the other."""
    both: Any = {along: drawn["value"], "y" if along == "x" else "x": at}
    errors: Any = {f"{along}err": drawn.select("below", "above").to_numpy().T}
    axes.errorbar(**both, **errors, label=label, **{**style.bars(place), **look})


def _rows(axes: Axes, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), names, fontsize=9.5)
    axes.set_ylim(len(names) - 0.4, -0.6)


def _prepare(
    axes: Axes, groups: pl.DataFrame, along: Literal["x", "y"], reference: float | None
) -> None:
    unit = _unit(groups)
    if groups["low"].count() == 0:
        style.say_nothing(axes, "too few deals for an interval")
    elif reference is not None:
        (axes.axvline if along == "x" else axes.axhline)(unit * reference, **_DASHED)
    if unit != 1.0:
        axis: Any = axes.xaxis if along == "x" else axes.yaxis
        axis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate:g} %"))


def _draw_forecasts(
    axes: Axes, groups: pl.DataFrame, x: str, title: str, y_label: str, constant: str = ""
) -> None:
    """Bins beside the diagonal of calibrated forecasts, or errors by stage beside a constant's."""
    style.prepare(axes, title, "stage of the game, 1 to 5" if constant else "forecast", y_label)
    drawn = _drawn(groups)
    if drawn.is_empty():
        style.say_nothing(axes, "too few games for an interval")
        return
    at = drawn[x] * (1.0 if constant else _unit(groups))
    if constant:
        axes.plot(drawn[x], drawn["constant"], label=f"always {constant}", **_DASHED)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    else:
        on_it = at[0], at[0]  # within the picture, which it would else reach beyond
        axes.axline(on_it, slope=1, color=style.GREY, linestyle="--", label="calibrated")
    _bars(axes, drawn, at, 2 if constant else 0, "forecast" if constant else "found")
    if constant:
        axes.set_ylim(bottom=0)
    axes.legend(fontsize=8.5, **_LEGEND)
