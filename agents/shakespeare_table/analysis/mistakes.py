"""Forecasts and mistakes of a recorded game: graphs, lists, and a page with all of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.seat_names import with_names
from shakespeare_env.film import Film, film_page
from shakespeare_env.film.graphs import graph, score_graph, template
from shakespeare_env.play.named import capitalised, gerund
from shakespeare_table.analysis.evaluation import (
    POINTS_PER_PLACE,
    SHARE_PER_UNIT,
    SMALLEST_LOSS,
    Difference,
)
from shakespeare_table.analysis.lessons import cost_in_words, lessons, shown_numbers
from shakespeare_table.analysis.reasons import (
    NO_REASONS,
    Reasons,
    figures_in_words,
    reasons_in_words,
)


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
        played: The move that was played, in notation.
        best: The best move.
        loss: How much better the best move is.
        reasons: Why the best move is better, if it was a mistake.
    """

    number: int
    seat: int
    played: str
    best: str
    loss: Difference
    reasons: Reasons = NO_REASONS


class MistakeKind(NamedTuple):
    """A kind of mistake.

    Attributes:
        name: Its name.
        sign: Its sign, as in chess.
        colour: Its colour in graphs.
        min_loss: The smallest loss of this kind, in shares of the victory.
    """

    name: str
    sign: str
    colour: str
    min_loss: float


MISTAKE_KINDS = (
    MistakeKind("blunder", "??", "#b3261e", 0.10),
    MistakeKind("mistake", "?", "#b45309", 0.03),
    MistakeKind("inaccuracy", "?!", "#1f6fa8", SMALLEST_LOSS),
)
"""The kinds of mistakes, the worst first."""


class _Mistake(NamedTuple):
    decision: JudgedDecision
    kind: MistakeKind


def mistake_kind(judged: JudgedDecision, score_scale: float) -> MistakeKind | None:
    """Return the kind of mistake that a decision was; None if it was no mistake.

    A decision is no mistake if its loss is too small for every kind, or uncertain.

    Args:
        judged: The decision.
        score_scale: `Game.score_scale`, the unit of losses in points.
    """
    if not judged.loss.is_mistake(score_scale):
        return None
    loss = judged.loss.in_shares(score_scale)
    return next(kind for kind in MISTAKE_KINDS if loss >= kind.min_loss)


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
    """Return the mistakes as lists in HTML, the worst first, with better moves and reasons.

    Mistakes that cost chances of victory have one list, and those that cost points another one.
    Mistakes that are much alike share an entry, under the worst of them.
    """
    entries: list[list[dict[str, Any]]] = [[], []]  # by whether losses are in points
    for alike in _alike(film, judged):
        alike.sort(key=lambda mistake: -mistake.decision.loss.amount)
        worst, *others = (_row(film, mistake) for mistake in alike)
        entries[alike[0].decision.loss.in_points].append({**worst, "alike": others})
    for listed in entries:
        listed.sort(key=lambda entry: -entry["mistake"].loss.amount)
    points_per_place = f"{POINTS_PER_PLACE * float(film.game.score_scale):g}"
    module = template("graphs.html").module
    return str(module.mistakes(*entries, link, film.players == 1, points_per_place))


def _row(film: Film, mistake: _Mistake) -> dict[str, Any]:
    """Return what the list says of a mistake."""
    decision = mistake.decision
    before = decision.number - 1  # the index of the move, and of the position before it
    return {
        "mistake": decision,
        "kind": mistake.kind,
        "title": _title(film, mistake),
        "played": film.describe_move(before, decision.played),
        "better": film.describe_move(before, decision.best),
        "reasons": reasons_in_words(film.game, decision.reasons, decision.loss, film.labels),
        "figures": figures_in_words(film.game, decision.reasons, decision.loss),
        "alike": [],
    }


def _alike(film: Film, judged: Iterable[JudgedDecision]) -> list[list[_Mistake]]:
    """Return the mistakes, each together with those that are much alike.

    Mistakes of a seat that follow each other are alike if the same move was played, or if they were
    made in one turn for the same reason.
    """
    found: list[list[_Mistake]] = []
    latest: dict[int, list[_Mistake]] = {}  # the mistakes by seat that the latest one is alike to
    for mistake in sorted(_mistakes(film, judged), key=lambda mistake: mistake.decision.number):
        decision = mistake.decision
        others = latest.get(decision.seat)
        if others is None or not _are_alike(film, others[-1].decision, decision):
            others = []
            found.append(others)
        others.append(mistake)
        latest[decision.seat] = others
    return found


def _are_alike(film: Film, earlier: JudgedDecision, later: JudgedDecision) -> bool:
    """Return whether two mistakes of a seat, one of which follows the other, are much alike."""
    if earlier.loss.in_points != later.loss.in_points:
        return False
    if earlier.played == later.played:
        return True
    if not earlier.reasons.findings or not later.reasons.findings:
        return False
    first, second = (one.reasons.findings[0].topic for one in (earlier, later))
    between = [film.positions[number].to_move for number in range(earlier.number, later.number)]
    return first == second and {*between} == {later.seat}


def lessons_list(
    film: Film, judged: Sequence[JudgedDecision], seat: int = 0, link: str = "#"
) -> str:
    """Return the lessons of a seat as a list in HTML; empty if it made no mistake."""
    own = [mistake.decision for mistake in _mistakes(film, judged) if mistake.decision.seat == seat]
    label = film.labels[seat]
    rows = []
    for lesson in lessons(own, float(film.game.score_scale)):
        shown = shown_numbers(lesson)
        others = len(lesson.numbers) - len(shown)
        rows.append((lesson.advice, shown, others, cost_in_words(lesson, label)))
    return str(template("lessons.html").module.lessons(rows, link, label))


class LostPoints(NamedTuple):
    """The cost of the mistakes of a seat, in one phase of the game or with one kind of move.

    Attributes:
        name: The phase or the kind of move.
        decisions: The number of judged decisions.
        mistakes: The number of mistakes among them.
        chance: The chance of victory that they cost, in per cent.
        points: The points that they cost where the chance of victory no longer changed.
    """

    name: str
    decisions: int
    mistakes: int
    chance: float
    points: float


def lost_points(
    film: Film, judged: Sequence[JudgedDecision], seat: int
) -> tuple[list[LostPoints], list[LostPoints]]:
    """Return what a seat's mistakes cost by phase of the game and by kind of move.

    Phases are in the game's order. The kind that cost most comes first.
    """
    starts = [start for start, _ in film.chapters]
    by_phase: dict[str, list[JudgedDecision]] = {}
    by_kind: dict[str, list[JudgedDecision]] = {}
    own = sorted((one for one in judged if one.seat == seat), key=lambda one: one.number)
    for decision in own:
        chapter = bisect_right(starts, decision.number - 1) - 1
        by_phase.setdefault(film.chapters[chapter][1], []).append(decision)
        action = film.positions[decision.number - 1].action_id(decision.played)
        by_kind.setdefault(film.game.actions.kind(action), []).append(decision)
    scale = float(film.game.score_scale)
    phases = [_lost(film, name, some) for name, some in by_phase.items()]
    kinds = [_lost(film, name, some) for name, some in by_kind.items()]
    kinds.sort(key=lambda lost: -(lost.chance / 100 + SHARE_PER_UNIT * lost.points / scale))
    return phases, kinds


def _lost(film: Film, name: str, judged: Sequence[JudgedDecision]) -> LostPoints:
    losses = [mistake.decision.loss for mistake in _mistakes(film, judged)]
    chance = 100 * sum(loss.amount for loss in losses if not loss.in_points)
    points = sum(loss.amount for loss in losses if loss.in_points)
    return LostPoints(name, len(judged), len(losses), chance, points)


def mistakes_summary(film: Film, judged: Sequence[JudgedDecision], seat: int = 0) -> str:
    """Return tables in HTML: every seat's mistakes, and where those of one seat were made."""
    rows: list[tuple[str, LostPoints, list[int]]] = []
    for each in range(film.players):
        own = [decision for decision in judged if decision.seat == each]
        kinds = [mistake.kind for mistake in _mistakes(film, own)]
        counts = [kinds.count(kind) for kind in MISTAKE_KINDS]
        rows.append((film.label(each), _lost(film, "", own), counts))
    scale = float(film.game.score_scale)
    min_losses = []
    for kind in MISTAKE_KINDS:
        points = scale * kind.min_loss / SHARE_PER_UNIT
        min_losses.append((kind, f"{100 * kind.min_loss:.0f}", f"{points:g}"))
    by_phase, by_kind = lost_points(film, judged, seat)
    whose = capitalised(with_names(f"{{seat {seat}'s}} mistakes", film.labels))
    where = [
        (f"{whose} by {film.game.presentation.chapter}", by_phase),
        (f"{whose} by kind of move", by_kind),
    ]
    module = template("graphs.html").module
    most = _most_lost(by_kind)
    return str(module.summary(rows, min_losses, film.players == 1, where, most))


def _most_lost(kinds: Sequence[LostPoints]) -> str:
    """Return a sentence on the kind of move that cost most; empty if there were no mistakes."""
    if not kinds or not kinds[0].mistakes:
        return ""
    most = kinds[0]
    costs = []
    if most.chance:
        costs.append(f"{most.chance:.0f} %")
    if most.points:
        costs.append(f"{most.points:.1f} points")
    decisions = f"{most.decisions} decision{'s' * (most.decisions != 1)}"
    lost = f"{' and '.join(costs)} in {most.mistakes} of {decisions}"
    return f"Most was lost when {gerund(most.name)}: {lost}."


def annotated_page(
    film: Film,
    forecasts: Forecasts,
    judged: Sequence[JudgedDecision],
    title: str = "",
    seat: int = 0,
) -> str:
    """Return a `film_page` with graphs of forecasts and scores, lessons, and mistakes marked.

    Args:
        film: The game.
        forecasts: The forecasts to draw.
        judged: The judged decisions.
        title: The title of the page, by default the game and its players.
        seat: The seat whose lessons are shown, and whose mistakes are added up by phase and kind
            of move.

    Raises:
        ValueError: The film shows what one seat saw, but forecasts reveal other seats' secrets.
    """
    if film.seat is not None:
        raise ValueError(
            f"seat={film.seat}: forecasts reveal other seats' secrets; give a film without a seat"
        )
    extras = chances_graph(film, forecasts, judged) + score_graph(film)
    if judged:
        extras += lessons_list(film, judged, seat)
        extras += mistakes_list(film, judged) + mistakes_summary(film, judged, seat)
    return film_page(film, title=title, extras=extras)


def _mistakes(film: Film, judged: Iterable[JudgedDecision]) -> list[_Mistake]:
    mistakes = []
    for decision in judged:
        kind = mistake_kind(decision, float(film.game.score_scale))
        if kind is not None:
            mistakes.append(_Mistake(decision, kind))
    return mistakes


def _title(film: Film, mistake: _Mistake) -> str:
    decision = mistake.decision
    cost = difference_in_words(decision.loss)
    whom = film.labels[decision.seat]
    return f"Move {decision.number}, {mistake.kind.name}: cost {whom} {cost}"


def difference_in_words(difference: Difference) -> str:
    """Return a difference with its margin and its unit."""
    if difference.in_points:
        return f"{difference.amount:.1f} ± {difference.margin:.1f} points"
    return f"{100 * difference.amount:.1f} ± {100 * difference.margin:.1f} % chance to win"
