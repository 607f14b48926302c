"""Pictures of means with their intervals, in the style of the learning curves."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from shakespeare_agents.arena.result import AgentResult, TableResult
from shakespeare_agents.strategy.groups import Group, Groups

_DPI = 100
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#AA4A88", "#B07900", "#333333")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_INK, _FAINT, _GREY = "#333333", "#d9d9d9", "#777777"
_WIDTH = 7.6
_HEIGHT = 3.8
_ROW = 0.29


class Picture(Figure):
    """A figure that a notebook shows by itself, without pyplot and its global state."""

    def png(self) -> bytes:
        """The picture as a PNG file."""
        content = io.BytesIO()
        FigureCanvasAgg(self).print_png(content)  # type: ignore[no-untyped-call]
        return content.getvalue()

    _repr_png_ = png


def plot_lines(
    lines: Groups | Mapping[str, Groups],
    *,
    title: str,
    x: str,
    y: str,
    reference: float | None = None,
    reference_name: str = "",
) -> Picture:
    """Means against a number, with 95 % intervals; several lines stand beside each other.

    Args:
        lines: Groups whose keys are numbers, by the name of their line.
        title: Printed above.
        x: What the keys are, and their unit.
        y: What the means are, and their unit.
        reference: A value that a dashed line is drawn at.
        reference_name: What it is.
    """
    named = {"": lines} if isinstance(lines, Groups) else dict(lines)
    figure, axes = _panel(title, x, y, _HEIGHT)
    scale = _scale(named.values())
    points = [point.key for groups in named.values() for point in groups]
    if not points:
        return _say_nothing(figure, axes)
    if reference is not None:
        axes.axhline(scale * reference, color=_GREY, linestyle="--", linewidth=1.1, zorder=1)
        axes.annotate(
            reference_name,
            (1.0, scale * reference),
            xycoords=("axes fraction", "data"),
            xytext=(-2, 4),
            textcoords="offset points",
            ha="right",
            fontsize=9,
            color=_GREY,
        )
    for place, (name, groups) in enumerate(named.items()):
        # Intervals of neighbouring lines do not hide each other.
        shift = 0.07 * (place - (len(named) - 1) / 2)
        found = list(groups)
        axes.errorbar(
            [point.key + shift for point in found],
            [scale * point.mean for point in found],
            yerr=_margins(found, scale),
            color=_COLOURS[place % len(_COLOURS)],
            marker=_MARKERS[place % len(_MARKERS)],
            markersize=5,
            linewidth=1.5,
            elinewidth=1.2,
            capsize=3,
            label=name,
        )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlim(min(points) - 0.4, max(points) + 0.4)
    _percent(axes.yaxis, named.values())
    if len(named) > 1:
        axes.legend(
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            frameon=False,
            fontsize=9.5,
            labelcolor=_INK,
            borderaxespad=0.0,
        )
    _say_intervals(figure)
    return figure


def plot_rows(
    groups: Groups,
    *,
    title: str,
    x: str,
    reference: float | None = None,
    reference_name: str = "",
    name: Callable[[Any], str] = str,
) -> Picture:
    """One row a group, the first on top: its mean and 95 % interval.

    Args:
        groups: The groups, in the order of the rows.
        title: Printed above.
        x: What the means are, and their unit.
        reference: A value that a dashed line is drawn at.
        reference_name: What it is.
        name: What a key is called.
    """
    found = list(groups)
    if not found:
        return _say_nothing(*_panel(title, x, "", _HEIGHT))
    scale = _scale([groups])
    rows = [(name(one.key), scale * one.mean, *_both(one, scale)) for one in found]
    figure = _rows(rows, title, x, None if reference is None else scale * reference, reference_name)
    _percent(figure.axes[0].xaxis, [groups])
    return figure


def plot_table(result: TableResult, *, title: str) -> Picture:
    """The win rates of agents at one table, with 95 % intervals and parity.

    Args:
        result: What came out there; at least two seats.
        title: Printed above.

    Raises:
        ValueError: one seat alone wins against nobody.
    """
    rows = [_win_row(agent) for agent in result.agents]
    x = f"games won by a copy, % of {result.games}"
    figure = _rows(rows, title, x, 100.0 / result.players, "parity")
    figure.axes[0].set_xlim(left=min(0.0, figure.axes[0].get_xlim()[0]))
    return figure


def _win_row(agent: AgentResult) -> tuple[str, float, float, float]:
    if agent.win_rate is None or agent.low is None or agent.high is None:
        raise ValueError("nobody wins at a table of one seat; look at the scores")
    copies = f" ×{agent.copies}" if agent.copies > 1 else ""
    return agent.name + copies, 100 * agent.win_rate, 100 * agent.low, 100 * agent.high


def _rows(
    rows: Sequence[tuple[str, float, float, float]],
    title: str,
    x: str,
    reference: float | None,
    reference_name: str,
) -> Picture:
    figure, axes = _panel(title, x, "", 1.55 + _ROW * len(rows))
    heights = range(len(rows))
    if reference is not None:
        axes.axvline(reference, color=_GREY, linestyle="--", linewidth=1.1, zorder=1)
        axes.annotate(
            reference_name,
            (reference, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(4, -3),
            textcoords="offset points",
            va="top",
            fontsize=9,
            color=_GREY,
        )
    means = [mean for _, mean, _, _ in rows]
    axes.errorbar(
        means,
        list(heights),
        xerr=(
            [mean - low for _, mean, low, _ in rows],
            [high - mean for _, mean, _, high in rows],
        ),
        color=_COLOURS[0],
        marker="o",
        markersize=5.5,
        linestyle="none",
        elinewidth=1.5,
        capsize=3,
    )
    axes.set_yticks(list(heights), [row[0] for row in rows], fontsize=9.5)
    axes.set_ylim(len(rows) - 0.4, -0.6 - 0.35 * (reference is not None))
    _say_intervals(figure)
    return figure


def _panel(title: str, x: str, y: str, height: float) -> tuple[Picture, Axes]:
    figure = Picture(figsize=(_WIDTH, height), dpi=_DPI, facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(
        title, fontsize=11.5, fontweight="bold", color=_INK, loc="left", pad=10, parse_math=False
    )
    axes.set_xlabel(x, fontsize=9.5, color=_INK)
    axes.set_ylabel(y, fontsize=9.5, color=_INK)
    axes.grid(color=_FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9, colors=_INK)
    for side in ("left", "bottom"):
        axes.spines[side].set_color("#999999")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _say_nothing(figure: Picture, axes: Axes) -> Picture:
    """Say why there is nothing to see."""
    axes.grid(visible=False)
    axes.set_xticks([])
    axes.set_yticks([])
    words = "too few deals for an interval"
    axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", fontsize=10, color=_GREY)
    return figure


def _say_intervals(figure: Picture) -> None:
    figure.supxlabel(
        "bars: 95 % intervals",
        x=0.99,
        ha="right",
        fontsize=8,
        color=_GREY,
    )


def _scale(all_groups: Any) -> float:
    return 100.0 if all(groups.percent for groups in all_groups) else 1.0


def _percent(axis: Any, all_groups: Any) -> None:
    if _scale(all_groups) > 1:
        axis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate:g} %"))


def _both(one: Group, scale: float) -> tuple[float, float]:
    return scale * one.low, scale * one.high


def _margins(found: Sequence[Group], scale: float) -> tuple[list[float], list[float]]:
    return (
        [scale * (point.mean - point.low) for point in found],
        [scale * (point.high - point.mean) for point in found],
    )
