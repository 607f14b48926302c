"""What an agent thinks of a film: forecasts, judged decisions, and the figures that show them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.film import Film, film_page
from shakespeare_env.film.graphs import graph, score_graph, template


@dataclass(frozen=True)
class Forecasts:
    """What every seat could expect in n + 1 positions, NaN where unknown."""

    chances: NDArray[np.floating[Any]]  # [n + 1, P], shares of the victory; none in solo games
    scores: NDArray[np.floating[Any]]  # [n + 1, P], final scores
    by: str  # the name of the forecaster


@dataclass(frozen=True)
class JudgedDecision:
    """A decision, compared with the best move that somebody knows.

    The loss is how much more that move is worth to the decider, in shares of the victory or, alone,
    in points; below 0 where it looks worse than the move played.
    """

    number: int  # of the move, from 1
    seat: int  # that decided
    best: str  # the best move, in notation
    loss: float
    margin: float  # half the 95 % interval of the loss


class MistakeKind(NamedTuple):
    """A kind of mistake, from a least loss in shares of the victory or `Game.score_scale` on."""

    name: str
    sign: str
    colour: str
    least: float


MISTAKE_KINDS = (
    MistakeKind("blunder", "??", "#b3261e", 0.15),
    MistakeKind("mistake", "?", "#b45309", 0.10),
    MistakeKind("inaccuracy", "?!", "#1f6fa8", 0.05),
)
"""The worst first."""


def mistake_kind(judged: JudgedDecision, unit: float = 1.0) -> MistakeKind | None:
    """The kind of mistake that a decision was; None if it was none, or is not certain to be one.

    Args:
        judged: The decision.
        unit: `Game.score_scale` for a game played alone, otherwise 1.
    """
    if judged.loss <= judged.margin:
        return None
    return next((kind for kind in MISTAKE_KINDS if judged.loss >= kind.least * unit), None)


def chances_graph(
    film: Film, forecasts: Forecasts, judged: Sequence[JudgedDecision] = (), link: str = "#"
) -> str:
    """Every seat's chance to win over the game, or expected solo score, with mistakes marked.

    `film.js` shows its values as a bar beside the board, too.
    """
    alone = film.players == 1
    title = f"{'Expected final score' if alone else 'Chance to win'}, as {forecasts.by} sees it"
    values = forecasts.scores if alone else 100 * forecasts.chances
    marks = [
        (mistake.number, mistake.seat, kind.colour, _title(film, mistake, kind))
        for mistake, kind in _mistakes(film, judged)
    ]
    drawn = graph(film, title, values, link, marks, "" if alone else "%")
    return f'<div class="film-chances">{drawn}</div>'


def mistakes_list(film: Film, judged: Sequence[JudgedDecision], link: str = "#") -> str:
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
    return str(template("graphs.html").module.mistakes(rows, link))


def mistakes_summary(film: Film, judged: Sequence[JudgedDecision]) -> str:
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
        rows.append((film.label(seat), lost, margin, [kinds.count(kind) for kind in MISTAKE_KINDS]))
    least = [(kind, _amount(film, kind.least * _unit(film))) for kind in MISTAKE_KINDS]
    return str(template("graphs.html").module.summary(rows, least, film.players == 1))


def annotated_page(
    film: Film, forecasts: Forecasts, judged: Sequence[JudgedDecision], title: str = ""
) -> str:
    """`film_page` with forecasts as graphs, and mistakes marked.

    ValueError for a film of what one seat saw: they tell of other seats' secrets.
    """
    if film.seat is not None:
        raise ValueError(f"seat={film.seat}: forecasts tell of other seats' secrets; show the game")
    extras = chances_graph(film, forecasts, judged) + score_graph(film)
    extras += mistakes_list(film, judged) + mistakes_summary(film, judged) if judged else ""
    return film_page(film, title=title, extras=extras)


def _mistakes(
    film: Film, judged: Iterable[JudgedDecision]
) -> list[tuple[JudgedDecision, MistakeKind]]:
    kinds = ((decision, mistake_kind(decision, _unit(film))) for decision in judged)
    return [(decision, kind) for decision, kind in kinds if kind is not None]


def _title(film: Film, mistake: JudgedDecision, kind: MistakeKind) -> str:
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
