"""Graphs beside a film."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.drawing.shapes import INK, MUTED
from shakespeare_env.extras import requires_extra

if TYPE_CHECKING:
    from shakespeare_env.film import Film

FOLDER = Path(__file__).parent
_LEFT = 40
_RIGHT = 412
_HIGH = 8
_LOW = 200
"""Edges of a graph's ground."""
_LETTER = 7
"""The width of a letter."""
_DASHES = ("none", "7 3", "2 2.5", "10 3 2 3", "4 4", "1 4")
"""Dashes by seat, which distinguish the lines without colour."""


@cache
def template(name: str) -> Any:
    """Return a template of this folder.

    Raises:
        ModuleNotFoundError: Jinja is missing.
    """
    with requires_extra("table", "a page of a game is made with"):
        import jinja2
    loader = jinja2.FileSystemLoader(FOLDER)
    return jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    ).get_template(name)


def score_graph(film: Film, link: str = "#") -> str:
    """Draw every seat's score over the game."""
    return graph(film, "Score", np.array(film.scores, float), link)


def graph(
    film: Film,
    title: str,
    values: NDArray[np.floating[Any]],
    link: str,
    marks: Iterable[tuple[int, int, str, str]] = (),
    unit: str = "",
) -> str:
    """Draw a line for each seat over the positions, with a cursor that `film.js` moves.

    Args:
        film: The film.
        title: What is drawn.
        values: float[n + 1, P], NaN where unknown.
        link: The start of a position's address.
        marks: Moves, numbered from 1, by number, seat, colour and words.
        unit: What follows a value, `%` or nothing.
    """
    lowest = min(0.0, np.nanmin(values, initial=0.0))
    half = max(1, math.ceil((np.nanmax(values, initial=100.0 if unit else 0.0) - lowest) / 2))
    step = (_RIGHT - _LEFT) / max(len(film), 1)

    def at(number: int, value: float) -> tuple[float, float]:
        """Return a value's place, at the bottom if it is unknown."""
        share = 0.0 if math.isnan(value) else (value - lowest) / (2 * half)
        return round(_LEFT + number * step, 1), round(_LOW - share * (_LOW - _HIGH), 1)

    chapters = []
    for (number, name), (end, _) in pairwise([*film.chapters, (len(film), "")]):
        room = (end - number) * step
        fitting = [text for text in (name, name.rpartition(" ")[2]) if room > _LETTER * len(text)]
        left = _LEFT + number * step
        chapters.append((round(left, 1), round(left + room / 2, 1), next(iter(fitting), "")))
    seats = [
        {
            "label": film.label(seat),
            "colour": film.game.presentation.seat_colours[seat][0],
            "dashes": _DASHES[seat % len(_DASHES)],
            "points": [at(n, value) for n, value in enumerate(line) if not math.isnan(value)],
        }
        for seat, line in enumerate(values.T)
    ]
    marked = [
        (number, colour, text, *at(number, values[number, seat]))
        for number, seat, colour, text in marks
    ]
    # JSON has no NaN.
    lines = [[None if math.isnan(v) else round(float(v), 1) for v in row] for row in values.T]
    ticks = [(_LOW - n / 2 * (_LOW - _HIGH), f"{lowest + n * half:.0f}") for n in range(3)]
    edges = {"left": _LEFT, "right": _RIGHT, "high": _HIGH, "low": _LOW, "step": step}
    inks = {"line": INK, "muted": MUTED}
    drawn = template("graphs.html").module.graph
    return str(drawn(title, lines, ticks, edges, inks, unit, link, chapters, seats, marked))
