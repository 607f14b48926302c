"""Lessons of a game: what a seat should do differently, by what its mistakes have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from shakespeare_table.analysis.evaluation import Difference
from shakespeare_table.analysis.reasons import Finding, Reasons

MOST_LESSONS = 3
_MOST_NUMBERS = 6  # of decisions that show a lesson
_LEAST_SHARE = 0.2  # of the points that a mistake cost, which its lesson has to explain
_LEAST_POINTS = 0.05  # that a lesson has to explain, which is what figures show of them


class ExplainedMistake(Protocol):
    """A mistake, as a `JudgedDecision` describes it."""

    @property
    def number(self) -> int:
        """The number of the move, from 1."""

    @property
    def loss(self) -> Difference:
        """How much better the best move is."""

    @property
    def reasons(self) -> Reasons:
        """Why the best move is better."""


class Lesson(NamedTuple):
    """An advice that follows from one or more mistakes, or the mistakes that none follows from.

    Attributes:
        topic: What it is about; empty if it is about mistakes without an advice.
        advice: What to do in later games, in one sentence; empty if nothing follows.
        numbers: The numbers of the moves that were mistakes, from 1, the one that cost most first.
        chance: The chance of victory that they cost together, in per cent.
        points: The points that they cost where the chance of victory no longer changed.
    """

    topic: str
    advice: str
    numbers: tuple[int, ...]
    chance: float
    points: float


def lessons(mistakes: Iterable[ExplainedMistake], score_scale: float) -> list[Lesson]:
    """Return at most three lessons of a seat's mistakes, the one that cost most first.

    Chances of victory weigh more than points, whatever their sizes, as in evaluations.

    A mistake belongs to the first of its findings that has an advice and explains a good part of
    what it cost. Each decision of a lesson thus shows by itself what the lesson says, and no cost
    is counted twice. After the lessons come all other mistakes together, if there are any, without
    an advice, so that nothing that was lost is left out.

    Args:
        mistakes: The mistakes of one seat.
        score_scale: `Game.score_scale`, the unit of losses in points.
    """
    by_topic: dict[str, list[ExplainedMistake]] = {}
    advice: dict[str, str] = {}
    unexplained: list[ExplainedMistake] = []
    for mistake in mistakes:
        finding = _main_finding(mistake.reasons)
        if finding is None:
            unexplained.append(mistake)
        else:
            by_topic.setdefault(finding.topic, []).append(mistake)
            advice[finding.topic] = finding.advice
    found = [
        _lesson(topic, advice[topic], examples, score_scale) for topic, examples in by_topic.items()
    ]
    found.sort(key=lambda lesson: (-lesson.chance, -lesson.points))
    others = [each for lesson in found[MOST_LESSONS:] for each in by_topic[lesson.topic]]
    others += unexplained
    found = found[:MOST_LESSONS]
    if others:
        found.append(_lesson("", "", others, score_scale))
    return found


def _lesson(
    topic: str, advice: str, examples: Iterable[ExplainedMistake], score_scale: float
) -> Lesson:
    by_cost = sorted(examples, key=lambda mistake: -mistake.loss.in_shares(score_scale))
    losses = [mistake.loss for mistake in by_cost]
    return Lesson(
        topic=topic,
        advice=advice,
        numbers=tuple(mistake.number for mistake in by_cost),
        chance=100 * sum(loss.amount for loss in losses if not loss.in_points),
        points=sum(loss.amount for loss in losses if loss.in_points),
    )


def _main_finding(reasons: Reasons) -> Finding | None:
    """Return the finding that a mistake teaches; None if nothing explains it."""
    total = sum(row.gain for row in reasons.rows)
    least = max(_LEAST_SHARE * total, _LEAST_POINTS)
    for finding in reasons.findings:
        if finding.advice and finding.explained >= least:
            return finding
    return None


def shown_numbers(lesson: Lesson) -> list[int]:
    """Return the numbers of the moves that show a lesson best, in the order of the game."""
    return sorted(lesson.numbers[:_MOST_NUMBERS])


def cost_in_words(lesson: Lesson, label: str) -> str:
    """Return what the mistakes of a lesson cost a player, such as "cost you 2.5 points".

    Args:
        lesson: The lesson.
        label: The player's name, or `seat_names.YOU`.
    """
    costs = []
    if lesson.chance:
        costs.append(f"{lesson.chance:.1f} % chance to win")
    if lesson.points:
        costs.append(f"{lesson.points:.1f} points")
    return f"cost {label} {' and '.join(costs)}"
