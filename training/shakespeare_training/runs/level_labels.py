"""Words on horizontal lines, where no curve runs through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

_WIDTH, _HEIGHT = 0.2, 0.05
"""The size of the words, as shares of the panel's."""
_ENOUGH = 0.02
"""Enough room between words and curves, as a share of the panel's height."""
_GRID = np.linspace(0.0, 1.0, 201)
_ENDS = np.linspace(1.0, _WIDTH, 17)
"""Places where words may end, the best first."""


class Level(NamedTuple):
    """A horizontal line in data units, and the words on it."""

    y: float
    colour: str
    words: str


class Place(NamedTuple):
    """Where words end, as a share of the panel's width, and whether they are above their line."""

    end: float
    is_above: bool


Curve = tuple[Sequence[float], Sequence[float]]


def label_levels(axes: Axes, levels: Sequence[Level], curves: Sequence[Curve]) -> None:
    """Name each horizontal line of a panel whose limits are set, clear of curves in data units."""
    left, right = axes.get_xlim()
    bottom, top = axes.get_ylim()
    heights = [np.interp(left + _GRID * (right - left), *curve, np.nan, np.nan) for curve in curves]
    heights += [np.full(len(_GRID), level.y) for level in levels]
    found = places(
        [(level.y - bottom) / (top - bottom) for level in levels],
        (np.array(heights).reshape(-1, len(_GRID)) - bottom) / (top - bottom),
    )
    for level, place in zip(levels, found, strict=True):
        axes.annotate(
            level.words,
            xy=(place.end, level.y),
            xycoords=("axes fraction", "data"),
            xytext=(-4, 2 if place.is_above else -3),
            textcoords="offset points",
            ha="right",
            va="bottom" if place.is_above else "top",
            fontsize=8,
            color=level.colour,
            zorder=5,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )


def places(levels: Sequence[float], heights: NDArray[np.float64]) -> list[Place]:
    """The first place for each level's words with enough room, or the one with the most.

    Args:
        levels: Heights as shares of the panel's.
        heights: float64[k, 201], of curves and the levels, evenly from left to right; NaN where
            there is none.
    """
    taken: list[tuple[float, float]] = []
    found = []
    for level in levels:
        best, most = Place(1.0, True), -np.inf
        for end in _ENDS:
            for is_above in (True, False):
                middle = level + (_HEIGHT / 2 if is_above else -_HEIGHT / 2)
                room = _room(end, middle, level, heights, taken)
                if room > most and most < _ENOUGH:
                    best, most = Place(float(end), is_above), room
        found.append(best)
        taken.append((best.end, level + (_HEIGHT / 2 if best.is_above else -_HEIGHT / 2)))
    return found


def _room(
    end: float,
    middle: float,
    level: float,
    heights: NDArray[np.float64],
    taken: Sequence[tuple[float, float]],
) -> float:
    """The height between words and the nearest curve or other words; negative if they meet."""
    within = np.abs(_GRID - (end - _WIDTH / 2)) <= _WIDTH / 2
    beside = heights[:, within]
    beside = beside[~(beside == level).all(axis=1)]  # all but the line that the words are on
    room = min(middle - _HEIGHT / 2, 1.0 - middle - _HEIGHT / 2) + _ENOUGH  # edges may be touched
    if (known := beside[~np.isnan(beside)]).size:
        room = min(room, float(np.abs(known - middle).min()) - _HEIGHT / 2)
    for other, height in taken:
        if abs(other - end) < _WIDTH:
            room = min(room, abs(height - middle) - _HEIGHT)
    return room
