"""The style of all plots, and figures that become PNG files without pyplot."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

DPI = 100
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#AA4A88", "#B07900", "#333333")
"""Okabe and Ito's palette for the colour-blind, with two colours darkened for white paper."""
MARKERS = ("o", "s", "^", "D", "v", "P")
INK = "#333333"
"""The colour of text."""
GREY = "#777777"
FAINT = "#d9d9d9"
"""The colour of the grid."""
SPINE = "#999999"


class Picture(Figure):
    """A Matplotlib figure that displays itself in notebooks.

    It avoids pyplot, which would keep the figure alive and share state with all other drawing in
    the process.
    """

    def png(self) -> bytes:
        """Return the content of a PNG file."""
        content = io.BytesIO()
        FigureCanvasAgg(self).print_png(content)  # type: ignore[no-untyped-call]
        return content.getvalue()

    _repr_png_ = png


def picture(width: int, height: int, *, layout: str = "none") -> Picture:
    """Return an empty picture, sized in pixels, with one of Matplotlib's layout engines."""
    size = width / DPI, height / DPI
    return Picture(figsize=size, dpi=DPI, facecolor="white", layout=layout)  # type: ignore[arg-type]


def prepare(axes: Axes, title: str, x: str, y: str = "") -> None:
    """Give axes a left-aligned title, labels and a faint grid."""
    axes.set_title(
        title, fontsize=11, fontweight="bold", color=INK, loc="left", pad=10, parse_math=False
    )
    axes.set_xlabel(x, fontsize=9.5, color=INK)
    axes.set_ylabel(y, fontsize=9.5, color=INK)
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9, colors=INK)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(SPINE)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def errorbar_style(series: int) -> dict[str, Any]:
    """Return arguments of `Axes.errorbar` for the series with a number, counted from 0."""
    return {
        "color": COLOURS[series % len(COLOURS)],
        "marker": MARKERS[series % len(MARKERS)],
        "markersize": 5,
        "linewidth": 1.5,
        "elinewidth": 1.2,
        "capsize": 3,
    }


def mark_empty(axes: Axes, reason: str) -> None:
    """Write on an empty panel why it is empty."""
    axes.grid(visible=False)
    axes.set_yticks([])
    axes.text(0.5, 0.5, reason, transform=axes.transAxes, ha="center", fontsize=10, color=GREY)
