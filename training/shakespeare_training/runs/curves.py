"""The learning curve of a run as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from shakespeare_agents import plot_style as style
from shakespeare_agents.storage import write_atomically
from shakespeare_env.drawing.chart import spread
from shakespeare_training.runs.history import (
    ITSELF,
    SOLO,
    History,
    seats_text,
    short_count,
    short_name,
)

SIZE = (1400, 560)
"""The picture's width and height in pixels."""

_LABEL_HEIGHT = 0.047  # as a share of the panel's
_LINE = {"arrowstyle": "-", "lw": 0.7, "alpha": 0.6, "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 4}
_MOST_MARKERS = 24
_STEPS = (1, 2, 2.5, 5, 10)


class _End(NamedTuple):
    """Where a line ends, in data units, and the words beside it."""

    x: float
    y: float
    colour: str
    words: str


def draw_curves(
    history: History, path: Path, *, title: str = "", targets: Mapping[int, float] | None = None
) -> None:
    """Write a `curves_figure` as a PNG of `SIZE` atomically, and make its folder.

    Raises:
        ValueError: nothing was measured.
    """
    content = curves_figure(history, title=title, targets=targets).png()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, content)


def curves_figure(
    history: History, *, title: str = "", targets: Mapping[int, float] | None = None
) -> style.Picture:
    """Win rates on the left, winning scores and their targets by seat count on the right.

    Bands are 95 % intervals; a mean of a single deal has none.

    Raises:
        ValueError: nothing was measured.
    """
    if not len(history):
        raise ValueError("the history is empty: measure once before drawing its curves")
    figure = style.picture(*SIZE)
    figure.text(
        0.045, 0.955, title, size=13, weight="bold", color=style.INK, va="center", parse_math=False
    )
    rates = figure.add_axes((0.045, 0.185, 0.37, 0.605))
    scores = figure.add_axes((0.605, 0.185, 0.255, 0.605))
    _prepare(rates, history, "Games won, by seats and opponent")
    _prepare(scores, history, "Mean winning score against itself")
    _draw_win_rates(rates, history)
    _draw_scores(scores, history, targets or {})
    dashed = any(line.get_linestyle() == "--" for line in scores.get_lines())
    _draw_legend(figure, history, targets=dashed)
    return figure


def _prepare(axes: Axes, history: History, title: str) -> None:
    style.prepare(axes, title, "decisions learned from", pad=34.0)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=_STEPS, integer=True))
    axes.xaxis.set_major_formatter(lambda count, _: short_count(count))
    first, last = history[0].decisions, history[-1].decisions
    if first < last:
        # The axis skips the empty stretch before a curve that begins far from 0.
        begin = 0 if first < last / 2 else first
        margin = 0.015 * (last - begin)
        axes.set_xlim(begin - margin, last + margin)
        _draw_time(axes, history)
    else:
        # A single moment is drawn at the right, beside its labels.
        axes.set_xlim(first - 1.0, first + 0.015)
        axes.set_xticks([first])


def _draw_time(axes: Axes, history: History) -> None:
    """Mark round times above, at the decisions learned from by then."""
    seconds = np.array([0.0, *(found.seconds for found in history)])
    decisions = np.array([0.0, *(found.decisions for found in history)])
    unit, name = (3600.0, "hours") if seconds[-1] >= 3600 else (60.0, "minutes")
    begin = float(np.interp(max(axes.get_xlim()[0], 0.0), decisions, seconds)) / unit
    end = float(seconds[-1]) / unit
    if begin >= end:
        return
    top = axes.secondary_xaxis("top")
    top.set_xlabel(f"{name} of learning and evaluating", fontsize=9.5, color=style.INK)
    top.tick_params(labelsize=9, colors=style.INK)
    top.spines["top"].set_color(style.SPINE)
    ticks = MaxNLocator(6, steps=_STEPS).tick_values(begin, end)
    shown = [float(tick) for tick in ticks if begin <= tick <= end]
    top.set_xticks(
        np.interp([tick * unit for tick in shown], seconds, decisions),
        [f"{tick:g}" for tick in shown],
    )


def _draw_win_rates(axes: Axes, history: History) -> None:
    axes.set_ylim(-2, 102)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(lambda rate, _: f"{rate:g} %")
    pairs, rivals = history.keys(), history.rivals()
    ends: list[_End] = []
    for index, opponent in enumerate(rivals):
        for players in sorted(seats for seats, other in pairs if other == opponent):
            found = history.series(players, opponent)
            x = [one.decisions for one in found]
            y, low, high = np.array([one.percents for one in found], float).T.tolist()
            colour, name = _colour(players), f"{seats_text(players)}, {short_name(opponent)}"
            _draw_intervals(axes, x, low, high, colour)
            _draw_line(axes, x, y, colour, name, marker=index)
            ends.append(_End(x[-1], y[-1], colour, f"{name}  {y[-1]:.0f} %"))
    last = axes.get_xlim()[1]
    for players in sorted({seats for seats, other in pairs if other in rivals}):
        y, colour, words = 100 / players, _colour(players), f"parity at {seats_text(players)}"
        axes.axhline(y, color=colour, linestyle=":", linewidth=1.2, label=words)
        ends.append(_End(last, y, colour, words))
    if not ends:
        style.say_nothing(axes, "no win rate was measured")
    _label_ends(axes, ends)


def _draw_scores(axes: Axes, history: History, targets: Mapping[int, float]) -> None:
    ends: list[_End] = []
    heights: list[float] = []
    sharing: dict[float, list[int]] = {}
    for players, opponent in sorted(history.keys()):
        if opponent not in (SOLO, ITSELF):
            continue
        found = history.series(players, opponent)
        x, y = [one.decisions for one in found], [one.mean_winning_score for one in found]
        heights += y
        colour, name = _colour(players), seats_text(players)
        known = [one for one in found if one.winning_low is not None]
        if known:
            low, high = np.array([(m.winning_low, m.winning_high) for m in known], float).T.tolist()
            heights += [*low, *high]
            _draw_intervals(axes, [one.decisions for one in known], low, high, colour)
        _draw_line(axes, x, y, colour, name)
        words = f"{name}  {y[-1]:.1f}"
        if players in targets:
            words += f" (target {targets[players]:g})"
            sharing.setdefault(targets[players], []).append(players)
        ends.append(_End(found[-1].decisions, y[-1], colour, words))
    for target, seats in sharing.items():
        heights.append(target)
        colour = _colour(seats[0]) if len(seats) == 1 else style.INK
        words = f"target {target:g} at {', '.join(map(str, seats[:-1]))}"
        words += f"{' and ' if seats[1:] else ''}{seats_text(seats[-1])}"
        axes.axhline(target, color=colour, linestyle="--", linewidth=1.1, label=words)
    if not ends:
        style.say_nothing(axes, "no game of the learner with itself was measured")
        return
    margin = max(0.06 * (max(heights) - min(heights)), 0.5)
    axes.set_ylim(min(heights) - margin, max(heights) + margin)
    axes.yaxis.set_major_formatter(lambda score, _: f"{score:g}")
    _label_ends(axes, ends)


def _label_ends(axes: Axes, ends: Sequence[_End]) -> None:
    """Name each line on the right of a panel whose limits are set."""
    bottom, top = axes.get_ylim()
    # The first of several lines that end at the same height is labelled highest.
    ends = ends[::-1]
    heights = [(end.y - bottom) / (top - bottom) for end in ends]
    for end, height in zip(ends, spread(heights, _LABEL_HEIGHT), strict=True):
        axes.annotate(
            end.words,
            xy=(end.x, end.y),
            xytext=(1.045, height),
            textcoords="axes fraction",
            va="center",
            fontsize=9.5,
            color=end.colour,
            annotation_clip=False,
            parse_math=False,
            arrowprops={**_LINE, "color": end.colour},
        )


def _draw_intervals(
    axes: Axes, x: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str
) -> None:
    """A band, or at a single moment a bar."""
    if len(x) > 1:
        axes.fill_between(x, low, high, color=colour, alpha=0.14, linewidth=0)
    else:
        axes.vlines(x, low, high, color=colour, alpha=0.3, linewidth=5)


def _draw_line(
    axes: Axes, x: Sequence[float], y: Sequence[float], colour: str, name: str, *, marker: int = 0
) -> None:
    """A series; a long one has fewer markers, but always one at its last point."""
    step = -(-len(x) // _MOST_MARKERS)
    marked = list(range((len(x) - 1) % step, len(x), step))
    look = {**_marker(marker, colour), "markersize": 4.5, "linewidth": 1.4 if marker % 2 else 1.9}
    axes.plot(x, y, label=name, markevery=marked, clip_on=False, zorder=3, **look)


def _draw_legend(figure: style.Picture, history: History, *, targets: bool) -> None:
    rivals = history.rivals()
    ink = style.INK
    signs: list[Line2D | Patch] = [
        Line2D([], [], markersize=5, label=f"against {name}", **_marker(index, ink))
        for index, name in enumerate(map(short_name, rivals))
    ]
    if any(one.low is not None or one.winning_low is not None for one in history):
        signs.append(Patch(color=ink, alpha=0.2, linewidth=0, label="95 % interval"))
    if rivals:
        signs.append(Line2D([], [], color=ink, linestyle=":", label="parity, 1 / seats"))
    if targets:
        signs.append(Line2D([], [], color=ink, linestyle="--", label="target"))
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.038, 0.005), "ncols": 8}
    legend = figure.legend(handles=signs, fontsize=9.5, frameon=False, labelcolor=ink, **place)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _marker(index: int, colour: str) -> dict[str, Any]:
    marker, face = style.MARKERS[index % len(style.MARKERS)], "white" if index % 2 else colour
    return {"color": colour, "marker": marker, "markerfacecolor": face}


def _colour(players: int) -> str:
    """The colour of a seat count; solo has the last one, that of the text."""
    return style.COLOURS[(players - 2) % len(style.COLOURS)]
