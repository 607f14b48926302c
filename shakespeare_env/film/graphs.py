"""Graphs to show beside a film, which is a page that replays a recorded game."""

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
_TOP = 8
_BOTTOM = 200
"""The edges of a graph's plotting area, in units of its SVG picture."""
_LETTER_WIDTH = 8.3
_DASHES = ("none", "7 3", "2 2.5", "10 3 2 3", "4 4", "1 4")
"""Line dashes by seat, which distinguish the lines without colour."""


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
    """Draw every seat's score over the game, as people read it on the board."""
    sign = film.game.presentation.score_sign
    title = "Score" if sign > 0 else "Score: the lowest wins"
    return graph(film, title, sign * np.array(film.scores, float), link)


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
        film: The recorded game.
        title: The caption of the graph.
        values: float[n + 1, P], by position and seat, NaN where unknown.
        link: The start of the address of every position, which ends with the position's number.
        marks: Marks on moves: the number of the move, from 1, its seat, the colour and the text.
        unit: The unit after a value, `%` or nothing. With `%` the scale reaches 100.
    """
    lowest = min(0.0, np.nanmin(values, initial=0.0))
    highest = np.nanmax(values, initial=100.0 if unit else 0.0)
    tick_step = max(1, math.ceil((highest - lowest) / 2))  # between three ticks
    move_width = (_RIGHT - _LEFT) / max(len(film), 1)

    def point(number: int, value: float) -> tuple[float, float]:
        """Return the coordinates of a position's value, at the bottom if it is unknown."""
        share = 0.0 if math.isnan(value) else (value - lowest) / (2 * tick_step)
        x = _LEFT + number * move_width
        y = _BOTTOM - share * (_BOTTOM - _TOP)
        return round(x, 1), round(y, 1)

    chapters = []
    # A chapter ends where the next one begins, and the last one ends with the game.
    for (number, name), (end, _) in pairwise([*film.chapters, (len(film), "")]):
        width = (end - number) * move_width
        left = _LEFT + number * move_width
        name = _fitting_name(name, width)
        chapters.append((round(left, 1), round(left + width / 2, 1), name))
    seats = []
    lines = []
    for seat, line in enumerate(values.T):
        known = [number for number, value in enumerate(line) if not math.isnan(value)]
        seats.append(
            {
                "label": film.label(seat),
                "colour": film.game.presentation.seat_colours[seat][0],
                "dashes": _DASHES[seat % len(_DASHES)],
                "points": [point(number, line[number]) for number in known],
            }
        )
        # JSON has no NaN.
        lines.append([None if math.isnan(value) else round(float(value), 1) for value in line])
    marked = [
        (number, colour, text, *point(number, values[number, seat]))
        for number, seat, colour, text in marks
    ]
    ticks = []
    for tick in range(3):
        y = _BOTTOM - tick / 2 * (_BOTTOM - _TOP)
        ticks.append((y, f"{lowest + tick * tick_step:.0f}"))
    edges = {"left": _LEFT, "right": _RIGHT, "high": _TOP, "low": _BOTTOM, "step": move_width}
    inks = {"line": INK, "muted": MUTED}
    render = template("graphs.html").module.graph
    return str(render(title, lines, ticks, edges, inks, unit, link, chapters, seats, marked))


def _fitting_name(name: str, width: float) -> str:
    """Return a chapter's name, or its number alone, or nothing, whichever fits a width."""
    number = name.rpartition(" ")[2]
    for text in (name, number):
        if width > _LETTER_WIDTH * len(text):
            return text
    return ""
