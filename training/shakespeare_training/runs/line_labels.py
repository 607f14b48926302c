"""Words beside the ends of lines and on horizontal ones, placed to be readable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

_LABEL_HEIGHT = 0.047
"""Of a line of words, as a share of the panel's height."""


class LineEnd(NamedTuple):
    """Where a line ends, and what is said of it there.

    Attributes:
        x: In the units of the axis.
        y: In the units of the axis.
        colour: Of the line and the words.
        words: What stands beside it.
    """

    x: float
    y: float
    colour: str
    words: str


def label_ends(axes: Axes, ends: Sequence[LineEnd]) -> None:
    """Write right of a panel, whose heights are fixed, what each line is."""
    bottom, top = axes.get_ylim()
    # Of lines that end at the same height the first is labelled highest.
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
            arrowprops={
                "arrowstyle": "-",
                "color": end.colour,
                "linewidth": 0.7,
                "alpha": 0.6,
                "relpos": (0.0, 0.5),
                "shrinkA": 1,
                "shrinkB": 4,
            },
        )


def note(axes: Axes, height: float, words: str, colour: str, back: float = 0.0) -> None:
    """Write on a horizontal line what it stands for.

    Args:
        axes: Drawn on.
        height: Of the line, in the units of the axis.
        words: What is said.
        colour: Of the line.
        back: How far before its right end, as a share of its length.
    """
    axes.annotate(
        words,
        xy=(1.0 - back, height),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 2),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=8,
        color=colour,
        zorder=5,
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
    )


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Move heights apart as little as that takes, within 0 to 1.

    Args:
        heights: Each 0 to 1.
        gap: Least distance between two; less if there are too many for it.

    Returns:
        The new heights, in the order given.
    """
    gap = min(gap, 1.0 / max(len(heights) - 1, 1))
    # Neighbours that are too close become one block about the mean of what they want.
    blocks: list[list[int]] = []
    middles: list[float] = []
    for index in sorted(range(len(heights)), key=lambda index: heights[index]):
        blocks.append([index])
        middles.append(heights[index])
        while True:
            half = gap * (len(blocks[-1]) - 1) / 2
            middles[-1] = min(max(middles[-1], half), 1.0 - half)
            if len(blocks) == 1:
                break
            apart = gap * (len(blocks[-2]) + len(blocks[-1])) / 2
            if middles[-1] - middles[-2] >= apart - 1e-12:
                break
            merged = blocks.pop(-2) + blocks.pop()
            blocks.append(merged)
            middles[-2:] = [float(np.mean([heights[member] for member in merged]))]
    places = [0.0] * len(heights)
    for block, middle in zip(blocks, middles, strict=True):
        for rank, index in enumerate(block):
            places[index] = middle + gap * (rank - (len(block) - 1) / 2)
    return places
