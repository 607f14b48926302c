"""Draws the learning curves of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, MaxNLocator

from shakespeare_agents.storage import write_atomically
from shakespeare_arena.reports import counted
from shakespeare_arena.scale import RUNGS, place_of
from shakespeare_research import plot_style as style
from shakespeare_training.config import SCALE
from shakespeare_training.runs.evaluation import ITSELF, SOLO, Kind, Result

SIZE = (650, 560)
"""Width and height of each part of the picture in pixels."""

Estimate = Callable[[Any], tuple[float | None, float | None, float | None]]
"""Returns the number that a curve shows of a result, and both ends of its 95 % interval.

All three are None if the result has no such number.
"""


def draw_curves(
    history: Sequence[Result],
    path: Path,
    *,
    title: str = "",
    targets: Mapping[int, float] | None = None,
) -> None:
    """Write the picture of `curves_figure` to a PNG file atomically, and make the file's folder."""
    content = curves_figure(history, title=title, targets=targets).png()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, content)


def curves_figure(
    history: Sequence[Result], *, title: str = "", targets: Mapping[int, float] | None = None
) -> style.Picture:
    """Draw strength, win rates if there are any, and winning scores with their targets.

    Bands show 95 % intervals, dotted lines the first bundled network and parity, and dashed lines
    targets.

    Args:
        history: The results of a run's evaluations.
        title: The title of the picture.
        targets: Target scores by seat count.
    """
    kinds = sorted({(result.players, result.opponent) for result in history})
    on_scale = [kind for kind in kinds if kind[1] == SCALE]
    against_itself_or_solo = [kind for kind in kinds if kind[1] in (ITSELF, SOLO)]
    against_others = [kind for kind in kinds if kind not in on_scale + against_itself_or_solo]

    parts = 1 + bool(on_scale) + bool(against_others or not on_scale)
    width, height = SIZE
    figure = style.picture(parts * width, height, layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, weight="bold", parse_math=False)
    axes = iter(figure.subplots(1, parts))
    if on_scale:
        _draw_strength(next(axes), history, on_scale)
    if against_others or not on_scale:
        _draw_win_rates(next(axes), history, against_others)
    scores = next(axes)
    _draw(
        scores,
        history,
        against_itself_or_solo,
        lambda result: (result.mean_winning_score, result.winning_low, result.winning_high),
        "Mean winning score against itself",
    )
    for players, target in (targets or {}).items():
        if players in {seats for seats, _ in against_itself_or_solo}:
            scores.axhline(target, color=_colour(players), linestyle="--", linewidth=1.1)
    return figure


def _draw_strength(axes: Axes, history: Sequence[Result], kinds: Sequence[Kind]) -> None:
    title = "Strength: 0 random, 1 network 1, above 1 playouts of search"
    _draw(axes, history, kinds, lambda result: result.places, title)
    axes.axhline(place_of(1), color=style.GREY, linestyle=":", linewidth=1.2)
    low, high = axes.get_ylim()
    rungs = [rung for rung in RUNGS if low <= place_of(rung) <= high]
    axes.set_yticks([place_of(rung) for rung in rungs], [f"{rung:,}" for rung in rungs])


def _draw_win_rates(axes: Axes, history: Sequence[Result], kinds: Sequence[Kind]) -> None:
    title = "Games won, %, by seats and opponent"
    _draw(axes, history, kinds, lambda result: result.percents or (None, None, None), title)
    for players in sorted({players for players, _ in kinds}):
        axes.axhline(100 / players, color=_colour(players), linestyle=":", linewidth=1.2)


def _draw(
    axes: Axes, history: Sequence[Result], kinds: Sequence[Kind], estimate: Estimate, title: str
) -> None:
    """Draw one curve with its band for each kind of game."""
    style.prepare(axes, title, "decisions learned from")
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    if not kinds:
        style.mark_empty(axes, "nothing was measured")
        return
    opponents = list(dict.fromkeys(opponent for _, opponent in kinds))
    for players, opponent in kinds:
        results = [
            result for result in history if (result.players, result.opponent) == (players, opponent)
        ]
        decisions = [result.decisions for result in results]
        # As floats, None becomes NaN, which leaves a gap.
        middle, low, high = np.array([estimate(result) for result in results], float).T
        marker = style.MARKERS[opponents.index(opponent) % len(style.MARKERS)]
        where = {SOLO: " solo", SCALE: ""}.get(opponent, f" against {opponent}")
        label = f"{counted(players, 'seat')}{where}"
        colour = _colour(players)
        axes.fill_between(decisions, low, high, color=colour, alpha=0.14, linewidth=0)
        axes.plot(decisions, middle, color=colour, marker=marker, markersize=4, label=label)
    legend = axes.legend(fontsize=9, frameon=False, labelcolor=style.INK, ncols=2)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _colour(players: int) -> str:
    return style.COLOURS[(players - 2) % len(style.COLOURS)]
