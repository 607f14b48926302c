"""The learning curve of a training run as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from shakespeare_agents.plot_style import (
    COLOURS,
    INK,
    MARKERS,
    SPINE,
    Picture,
    picture,
    prepare,
    say_nothing,
)
from shakespeare_agents.storage import write_atomically
from shakespeare_training.runs.history import ITSELF, SOLO, History, seats_text, short_count
from shakespeare_training.runs.line_labels import LineEnd, label_ends, note

SIZE = (1400, 560)
"""Pixels of the picture, width and height."""

_MOST_MARKERS = 24
_LONGEST_NAME = 14
_STEPS = (1, 2, 2.5, 5, 10)


def draw_curves(
    history: History, path: Path, *, title: str = "", targets: Mapping[int, float] | None = None
) -> None:
    """Write the learning curve as a PNG of `SIZE`; the file is there as a whole or not at all.

    Args:
        history: What was measured.
        path: The file; its folder is made if it does not exist.
        title: Printed above.
        targets: Winning scores worth reaching, by seat count.

    Raises:
        ValueError: nothing was measured.
    """
    content = curves_figure(history, title=title, targets=targets).png()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, content)


def curves_figure(
    history: History, *, title: str = "", targets: Mapping[int, float] | None = None
) -> Picture:
    """The learning curve before it becomes a picture: win rates left, winning scores right.

    Args:
        history: What was measured.
        title: Printed above.
        targets: Winning scores worth reaching, by seat count.

    Raises:
        ValueError: nothing was measured.
    """
    if not len(history):
        raise ValueError("the history is empty: measure once before drawing its curves")
    figure = picture(*SIZE)
    figure.text(
        0.045,
        0.955,
        title,
        fontsize=13,
        fontweight="bold",
        color=INK,
        va="center",
        parse_math=False,
    )
    rates = figure.add_axes((0.045, 0.185, 0.37, 0.605))
    scores = figure.add_axes((0.605, 0.185, 0.255, 0.605))
    _prepare(rates, history, "Games won, by seats and opponent")
    _prepare(scores, history, "Mean winning score against itself")
    _draw_win_rates(rates, history)
    _draw_scores(scores, history, targets or {})
    _draw_legend(figure, history, targets=any(_is_target(line) for line in scores.get_lines()))
    return figure


def _prepare(axes: Axes, history: History, title: str) -> None:
    """Lay out what both panels share: decisions below, time above, a faint grid."""
    prepare(axes, title, "decisions learnt from", pad=34.0)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=_STEPS, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda count, _: short_count(count)))
    first, last = history[0].decisions, history[-1].decisions
    if first < last:
        # A curve that begins far from nothing does not get the empty way there.
        begin = 0 if first < last / 2 else first
        margin = 0.015 * (last - begin)
        axes.set_xlim(begin - margin, last + margin)
        _draw_time(axes, history)
    else:
        # Nothing to span: the one moment stands at the right, where its labels are.
        axes.set_xlim(first - 1.0, first + 0.015)
        axes.set_xticks([first])


def _draw_time(axes: Axes, history: History) -> None:
    """Mark round times above, each at the decisions that had been learnt from by then."""
    seconds = np.array([0.0, *(found.seconds for found in history)])
    decisions = np.array([0.0, *(found.decisions for found in history)])
    unit, name = (3600.0, "hours") if seconds[-1] >= 3600 else (60.0, "minutes")
    begin = float(np.interp(max(axes.get_xlim()[0], 0.0), decisions, seconds)) / unit
    end = float(seconds[-1]) / unit
    if begin >= end:
        return
    top = axes.secondary_xaxis("top")
    top.set_xlabel(f"{name} of training", fontsize=9.5, color=INK)
    top.tick_params(labelsize=9, colors=INK)
    top.spines["top"].set_color(SPINE)
    ticks = MaxNLocator(6, steps=_STEPS).tick_values(begin, end)
    shown = [float(tick) for tick in ticks if begin <= tick <= end]
    top.set_xticks(
        np.interp([tick * unit for tick in shown], seconds, decisions),
        [f"{tick:g}" for tick in shown],
    )


def _draw_win_rates(axes: Axes, history: History) -> None:
    axes.set_ylim(-2, 102)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate:g} %"))
    pairs, rivals = history.keys(), history.rivals()
    ends: list[LineEnd] = []
    for index, opponent in enumerate(rivals):
        for players in sorted(seats for seats, other in pairs if other == opponent):
            found = history.series(players, opponent)
            x = [one.decisions for one in found]
            y = [_percent(one.win_rate) for one in found]
            low, high = [_percent(one.low) for one in found], [_percent(one.high) for one in found]
            colour, name = _colour(players), f"{seats_text(players)}, {_short(opponent)}"
            if len(found) > 1:
                axes.fill_between(x, low, high, color=colour, alpha=0.14, linewidth=0)
            else:
                axes.vlines(x, low, high, color=colour, alpha=0.3, linewidth=5)
            _draw_line(axes, x, y, colour, name, marker=index)
            ends.append(LineEnd(x[-1], y[-1], colour, f"{name}  {y[-1]:.0f} %"))
    for place, players in enumerate(sorted({seats for seats, other in pairs if other in rivals})):
        words = f"parity at {seats_text(players)}"
        axes.axhline(
            100 / players, color=_colour(players), linestyle=":", linewidth=1.2, label=words
        )
        # The end of a run is where it has left parity behind; side by side they do not touch.
        note(axes, 100 / players, words, _colour(players), back=0.2 * place)
    if not ends:
        say_nothing(axes, "no win rate was measured")
    label_ends(axes, ends)


def _draw_scores(axes: Axes, history: History, targets: Mapping[int, float]) -> None:
    ends: list[LineEnd] = []
    heights: list[float] = []
    sharing: dict[float, list[int]] = {}
    for players, opponent in sorted(history.keys()):
        if opponent not in (SOLO, ITSELF):
            continue
        found = history.series(players, opponent)
        y = [one.mean_winning_score for one in found]
        heights += y
        colour, name = _colour(players), seats_text(players)
        _draw_line(axes, [one.decisions for one in found], y, colour, name)
        words = f"{name}  {y[-1]:.1f}"
        if players in targets:
            words += f" (target {targets[players]:g})"
        ends.append(LineEnd(found[-1].decisions, y[-1], colour, words))
        if players in targets:
            sharing.setdefault(targets[players], []).append(players)
    for target, seats in sharing.items():
        heights.append(target)
        colour = _colour(seats[0]) if len(seats) == 1 else INK
        words = f"target {target:g} at {', '.join(map(str, seats[:-1]))}"
        words += f"{' and ' if seats[1:] else ''}{seats_text(seats[-1])}"
        axes.axhline(target, color=colour, linestyle="--", linewidth=1.1, label=words)
    if not ends:
        say_nothing(axes, "no game of the learner with itself was measured")
        return
    margin = max(0.06 * (max(heights) - min(heights)), 0.5)
    axes.set_ylim(min(heights) - margin, max(heights) + margin)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda score, _: f"{score:g}"))
    label_ends(axes, ends)


def _draw_line(
    axes: Axes, x: Sequence[float], y: Sequence[float], colour: str, name: str, *, marker: int = 0
) -> None:
    """One series; the markers of a long one are thinned out, but its last point has one."""
    step = -(-len(x) // _MOST_MARKERS)
    axes.plot(
        x,
        y,
        color=colour,
        linewidth=1.4 if marker % 2 else 1.9,
        marker=MARKERS[marker % len(MARKERS)],
        markersize=4.5,
        markerfacecolor="white" if marker % 2 else colour,
        markevery=list(range((len(x) - 1) % step, len(x), step)),
        label=name,
        clip_on=False,
        zorder=3,
    )


def _draw_legend(figure: Picture, history: History, *, targets: bool) -> None:
    """Say below what the signs mean; which line is which stands beside the lines."""
    rivals = history.rivals()
    signs: list[Line2D | Patch] = [
        Line2D(
            [],
            [],
            color=INK,
            marker=MARKERS[index % len(MARKERS)],
            markerfacecolor="white" if index % 2 else INK,
            markersize=5,
            label=f"against {_short(opponent)}",
        )
        for index, opponent in enumerate(rivals)
    ]
    if rivals:
        signs.append(Patch(color=INK, alpha=0.2, linewidth=0, label="95 % interval"))
        signs.append(Line2D([], [], color=INK, linestyle=":", label="parity, 1 / seats"))
    if targets:
        signs.append(Line2D([], [], color=INK, linestyle="--", label="target"))
    if signs:
        legend = figure.legend(
            handles=signs,
            loc="lower left",
            bbox_to_anchor=(0.038, 0.005),
            ncols=8,
            fontsize=9.5,
            frameon=False,
            labelcolor=INK,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)


def _is_target(line: Line2D) -> bool:
    return line.get_linestyle() == "--"


def _percent(rate: float | None) -> float:
    assert rate is not None, "the rates of an opponent that can be beaten"
    return 100.0 * rate


def _colour(players: int) -> str:
    """Alone in the colour of the words, two seats in the first one."""
    return COLOURS[(players - 2) % len(COLOURS)]


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
