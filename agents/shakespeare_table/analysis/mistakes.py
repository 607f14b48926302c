"""Forecasts and mistakes of a recorded game: graphs, lists, and a page with all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.seat_names import YOU
from shakespeare_env.film import Film, film_page
from shakespeare_env.film.graphs import graph, score_graph, template


@dataclass(frozen=True)
class Forecasts:
    """Forecasts of every seat's result in n + 1 positions, NaN where unknown.

    Attributes:
        chances: float[n + 1, P], shares of the victory, which say nothing in solo games.
        scores: float[n + 1, P], final scores.
        forecaster: The name of the agent that forecasts.
    """

    chances: NDArray[np.floating[Any]]
    scores: NDArray[np.floating[Any]]
    forecaster: str


@dataclass(frozen=True)
class JudgedDecision:
    """A decision, compared with the best move that an analyst has found.

    Attributes:
        number: The number of the move, from 1.
        seat: The seat that decided.
        best: The best move, in notation.
        loss: The value of the best move for the seat minus that of the move played, in shares of
            the victory or, in a solo game, in points. It is below 0 if the best move looks worse.
        margin: Half the width of the loss's 95 % interval.
    """

    number: int
    seat: int
    best: str
    loss: float
    margin: float


class MistakeKind(NamedTuple):
    """A kind of mistake.

    Attributes:
        name: Its name.
        sign: Its sign, as in chess.
        colour: Its colour in graphs.
        min_loss: The smallest loss of this kind, in shares of the victory or, in a solo game, in
            units of `Game.score_scale`.
    """

    name: str
    sign: str
    colour: str
    min_loss: float


MISTAKE_KINDS = (
    MistakeKind("blunder", "??", "#b3261e", 0.15),
    MistakeKind("mistake", "?", "#b45309", 0.10),
    MistakeKind("inaccuracy", "?!", "#1f6fa8", 0.05),
)
"""The kinds of mistakes, the worst first."""


class _Mistake(NamedTuple):
    decision: JudgedDecision
    kind: MistakeKind


def mistake_kind(judged: JudgedDecision, unit: float = 1.0) -> MistakeKind | None:
    """Return the kind of mistake that a decision was; None if it was no mistake.

    A decision is no mistake if its loss is within its margin, or too small for every kind.

    Args:
        judged: The decision.
        unit: `Game.score_scale` for a solo game, otherwise 1.
    """
    if judged.loss <= judged.margin:
        return None
    return next((kind for kind in MISTAKE_KINDS if judged.loss >= kind.min_loss * unit), None)


def chances_graph(
    film: Film, forecasts: Forecasts, judged: Sequence[JudgedDecision] = (), link: str = "#"
) -> str:
    """Draw a graph of every seat's chance to win, or of the expected solo score, with mistakes.

    `film.js` shows the graph's values as a bar beside the board as well.

    Args:
        film: The game.
        forecasts: The forecasts to draw.
        judged: The judged decisions; the mistakes among them are marked.
        link: The start of the address of every position, which ends with the position's number.
    """
    is_solo = film.players == 1
    quantity = "Expected final score" if is_solo else "Chance to win"
    title = f"{quantity}, as {forecasts.forecaster} sees it"
    values = forecasts.scores if is_solo else 100 * forecasts.chances
    marks = [
        (mistake.decision.number, mistake.decision.seat, mistake.kind.colour, _title(film, mistake))
        for mistake in _mistakes(film, judged)
    ]
    drawn = graph(film, title, values, link, marks, unit="" if is_solo else "%")
    return f'<div class="film-chances">{drawn}</div>'


def mistakes_list(film: Film, judged: Sequence[JudgedDecision], link: str = "#") -> str:
    """Return the mistakes as a list in HTML, the worst first, each with the better move."""
    worst_first = sorted(_mistakes(film, judged), key=lambda mistake: -mistake.decision.loss)
    rows = []
    for mistake in worst_first:
        decision = mistake.decision
        before = decision.number - 1  # the index of the move, and of the position before it
        rows.append(
            {
                "mistake": decision,
                "kind": mistake.kind,
                "title": _title(film, mistake),
                "played": film.describe_move(before, film.told[before].move),
                "better": film.describe_move(before, decision.best),
            }
        )
    return str(template("graphs.html").module.mistakes(rows, link))


def mistakes_summary(film: Film, judged: Sequence[JudgedDecision]) -> str:
    """Return a table in HTML with the mean loss and the number of mistakes of each seat."""
    rows: list[tuple[str, str, str, list[int]]] = []
    for seat in range(film.players):
        own = [decision for decision in judged if decision.seat == seat]
        kinds = [mistake.kind for mistake in _mistakes(film, own)]
        lost = ""
        margin = ""
        if own:
            # A mean below 0 would say that the moves were better than the best ones.
            mean = max(sum(decision.loss for decision in own) / len(own), 0.0)
            # The decisions' errors are independent, so their squares add up.
            error = math.hypot(*[decision.margin for decision in own]) / len(own)
            lost = f"{mean * _percent(film):.1f}"
            margin = f"{error * _percent(film):.1f}"
        counts = [kinds.count(kind) for kind in MISTAKE_KINDS]
        rows.append((film.label(seat), lost, margin, counts))
    min_losses = [(kind, _amount(film, kind.min_loss * _unit(film))) for kind in MISTAKE_KINDS]
    return str(template("graphs.html").module.summary(rows, min_losses, film.players == 1))


def annotated_page(
    film: Film, forecasts: Forecasts, judged: Sequence[JudgedDecision], title: str = ""
) -> str:
    """Return a `film_page` with graphs of forecasts and scores, and with the mistakes marked.

    Raises:
        ValueError: The film shows what one seat saw, but forecasts reveal other seats' secrets.
    """
    if film.seat is not None:
        raise ValueError(
            f"seat={film.seat}: forecasts reveal other seats' secrets; give a film without a seat"
        )
    extras = chances_graph(film, forecasts, judged) + score_graph(film)
    if judged:
        extras += mistakes_list(film, judged) + mistakes_summary(film, judged)
    return film_page(film, title=title, extras=extras)


def _mistakes(film: Film, judged: Iterable[JudgedDecision]) -> list[_Mistake]:
    mistakes = []
    for decision in judged:
        kind = mistake_kind(decision, _unit(film))
        if kind is not None:
            mistakes.append(_Mistake(decision, kind))
    return mistakes


def _title(film: Film, mistake: _Mistake) -> str:
    decision = mistake.decision
    margin = f" ± {_amount(film, decision.margin)}" if decision.margin else ""
    unit = "points" if film.players == 1 else "% chance to win"
    cost = f"{_amount(film, decision.loss)}{margin} {unit}"
    label = film.label(decision.seat)
    whom = label.lower() if label.lower() == YOU else label
    return f"Move {decision.number}, {mistake.kind.name}: cost {whom} {cost}"


def _amount(film: Film, loss: float) -> str:
    digits = 1 if film.players == 1 else 0
    return f"{loss * _percent(film):.{digits}f}"


def _percent(film: Film) -> float:
    """Return the factor from losses to what people read: per cent, or points in a solo game."""
    return 1.0 if film.players == 1 else 100.0


def _unit(film: Film) -> float:
    """Return the unit of `MistakeKind.min_loss`."""
    return float(film.game.score_scale) if film.players == 1 else 1.0
