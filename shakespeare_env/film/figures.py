"""What somebody thinks of a film: forecasts, judged decisions, and the figures that show them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.drawing.shapes import INK, MUTED
from shakespeare_env.extras import needing

if TYPE_CHECKING:
    from shakespeare_env.film import Film

FOLDER = Path(__file__).parent
_LEFT, _RIGHT, _HIGH, _LOW = 40, 412, 8, 200
"""Edges of a graph's ground."""
_LETTER = 7
"""The width of a letter."""
_DASHES = ("none", "7 3", "2 2.5", "10 3 2 3", "4 4", "1 4")
"""Dashes by seat, which distinguish the lines without colour."""


@dataclass(frozen=True)
class Forecasts:
    """What every seat could expect in n + 1 positions, NaN where unknown."""

    chances: NDArray[np.floating[Any]]  # [n + 1, P], shares of the victory; none in solo games
    scores: NDArray[np.floating[Any]]  # [n + 1, P], final scores
    by: str  # the name of the forecaster


@dataclass(frozen=True)
class Judged:
    """A decision, compared with the best move that somebody knows.

    The loss is how much more that move is worth to the decider, in shares of the victory or, alone,
    in points; below 0 where it looks worse than the move played.
    """

    number: int  # of the move, from 1
    seat: int  # that decided
    best: str  # the best move, in notation
    loss: float
    margin: float  # half the 95 % interval of the loss


class Kind(NamedTuple):
    """A kind of mistake, from a least loss in shares of the victory or `Game.score_scale` on."""

    name: str
    sign: str
    colour: str
    least: float


KINDS = (
    Kind("blunder", "??", "#b3261e", 0.15),
    Kind("mistake", "?", "#b45309", 0.10),
    Kind("inaccuracy", "?!", "#1f6fa8", 0.05),
)
"""The worst first."""


def kind_of(judged: Judged, unit: float = 1.0) -> Kind | None:
    """The kind of mistake that a decision was; None if it was none, or is not certain to be one.

    Args:
        judged: The decision.
        unit: `Game.score_scale` for a game played alone, otherwise 1.
    """
    if judged.loss <= judged.margin:
        return None
    return next((kind for kind in KINDS if judged.loss >= kind.least * unit), None)


@cache
def template(name: str) -> Any:
    """A template of this folder.

    Raises:
        ModuleNotFoundError: Jinja is missing.
    """
    with needing("table", "a page of a game is made with"):
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
    """Every seat's score over the game."""
    return _graph(film, "Score", np.array(film.scores, float), link)


def chances_graph(
    film: Film, forecasts: Forecasts, judged: Sequence[Judged] = (), link: str = "#"
) -> str:
    """Every seat's chance to win over the game, or expected solo score, with mistakes marked.

    `film.js` shows its values as a bar beside the board, too.
    """
    alone = film.players == 1
    title = f"{'Expected final score' if alone else 'Chance to win'}, as {forecasts.by} sees it"
    values = forecasts.scores if alone else 100 * forecasts.chances
    drawn = _graph(film, title, values, link, judged, "" if alone else "%")
    return f'<div class="film-chances">{drawn}</div>'


def mistakes_list(film: Film, judged: Sequence[Judged], link: str = "#") -> str:
    """The mistakes, the worst first, each with what was better."""
    rows = [
        {
            "mistake": mistake,
            "kind": kind,
            "title": _title(film, mistake, kind),
            "played": film.in_words(mistake.number - 1, film.told[mistake.number - 1].move),
            "better": film.in_words(mistake.number - 1, mistake.best),
        }
        for mistake, kind in sorted(_mistakes(film, judged), key=lambda row: -row[0].loss)
    ]
    return str(template("figures.html").module.mistakes(rows, link))


def summary(film: Film, judged: Sequence[Judged]) -> str:
    """For each seat what a decision lost on average, and its mistakes by kind."""
    rows: list[tuple[str, str, str, list[int]]] = []
    for seat in range(film.players):
        own = [decision for decision in judged if decision.seat == seat]
        kinds = [kind for _, kind in _mistakes(film, own)]
        lost = margin = ""
        if own:
            mean = max(sum(decision.loss for decision in own) / len(own), 0.0)
            lost = f"{mean * _scale(film):.1f}"
            margin = f"{math.hypot(*(d.margin for d in own)) / len(own) * _scale(film):.1f}"
        rows.append((film.label(seat), lost, margin, [kinds.count(kind) for kind in KINDS]))
    least = [(kind, _amount(film, kind.least * _unit(film))) for kind in KINDS]
    return str(template("figures.html").module.summary(rows, least, film.players == 1))


def _mistakes(film: Film, judged: Iterable[Judged]) -> list[tuple[Judged, Kind]]:
    kinds = ((decision, kind_of(decision, _unit(film))) for decision in judged)
    return [(decision, kind) for decision, kind in kinds if kind is not None]


def _title(film: Film, mistake: Judged, kind: Kind) -> str:
    within = f" ± {_amount(film, mistake.margin)}" if mistake.margin else ""
    what = "points" if film.players == 1 else "% chance to win"
    cost = f"{_amount(film, mistake.loss)}{within} {what}"
    return f"Move {mistake.number}, {kind.name}: cost {film.label(mistake.seat)} {cost}"


def _amount(film: Film, loss: float) -> str:
    return f"{loss * _scale(film):.{1 if film.players == 1 else 0}f}"


def _scale(film: Film) -> float:
    return 1.0 if film.players == 1 else 100.0


def _unit(film: Film) -> float:
    return float(film.game.score_scale) if film.players == 1 else 1.0


def _graph(
    film: Film,
    title: str,
    values: NDArray[np.floating[Any]],
    link: str,
    judged: Sequence[Judged] = (),
    unit: str = "",
) -> str:
    """A line for each seat over the positions, with a cursor that `film.js` moves."""
    lowest = min(0.0, np.nanmin(values, initial=0.0))
    half = max(1, math.ceil((np.nanmax(values, initial=100.0 if unit else 0.0) - lowest) / 2))
    step = (_RIGHT - _LEFT) / max(len(film), 1)

    def at(number: int, value: float) -> tuple[float, float]:
        """A value's place, at the bottom if it is unknown."""
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
    marks = [
        (it, kind, _title(film, it, kind), *at(it.number, values[it.number, it.seat]))
        for it, kind in _mistakes(film, judged)
    ]
    # JSON has no NaN.
    lines = [[None if math.isnan(v) else round(float(v), 1) for v in row] for row in values.T]
    ticks = [(_LOW - n / 2 * (_LOW - _HIGH), f"{lowest + n * half:.0f}") for n in range(3)]
    edges = {"left": _LEFT, "right": _RIGHT, "high": _HIGH, "low": _LOW, "step": step}
    inks = {"line": INK, "muted": MUTED}
    graph = template("figures.html").module.graph
    return str(graph(title, lines, ticks, edges, inks, unit, link, chapters, seats, marks))
