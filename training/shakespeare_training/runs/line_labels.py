"""Text beside the ends of lines, placed to be readable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

_LABEL_HEIGHT = 0.047
"""The height of a label as a share of the panel's."""
_LINE = {"arrowstyle": "-", "lw": 0.7, "alpha": 0.6, "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 4}


class LineEnd(NamedTuple):
    """Where a line ends, in data units, and the words beside it."""

    x: float
    y: float
    colour: str
    words: str


def label_ends(axes: Axes, ends: Sequence[LineEnd]) -> None:
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


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Move heights, 0 to 1, as little as it takes to be `gap` apart, or less if they do not fit.

    The sum of squared moves is least: an isotonic regression, once the gaps are subtracted.
    """
    last = len(heights) - 1
    offsets = min(gap, 1.0 / max(last, 1)) * np.arange(len(heights))
    order = np.argsort(heights, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(np.asarray(heights)[order] - offsets)])
    # The max-min formula of isotonic regression, over the means of all stretches with an entry.
    fitted = [
        max(
            min((sums[end] - sums[start]) / (end - start) for end in range(i + 1, len(sums)))
            for start in range(i + 1)
        )
        for i in range(len(heights))
    ]
    places = np.empty(len(heights))
    places[order] = np.clip(fitted, 0.0, 1.0 - offsets.max(initial=0.0)) + offsets
    found: list[float] = places.tolist()
    return found
