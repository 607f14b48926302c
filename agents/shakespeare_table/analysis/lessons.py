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
    """Return at most three lessons of a seat's mistakes, the most important first.

    A lesson is what findings of one topic advise, if they explain a good part of what their
    mistakes cost. The first lesson is the topic whose mistakes cost most. The next one is the topic
    whose other mistakes cost most, and so on. A mistake counts by half for its second finding,
    since a cause, which is told first, teaches more than its effect. Each decision of a lesson
    thus shows by itself what the lesson says, and no cost is counted twice. After the lessons come
    all other mistakes together, if there are any, without an advice, so that nothing that was lost
    is left out.

    Args:
        mistakes: The mistakes of one seat.
        score_scale: `Game.score_scale`, the unit of losses in points.
    """
    left = list(mistakes)
    found: list[Lesson] = []
    while len(found) < MOST_LESSONS:
        examples: dict[tuple[str, str], list[ExplainedMistake]] = {}  # by topic and advice
        weights: dict[tuple[str, str], float] = {}
        for mistake in left:
            weight = mistake.loss.in_shares(score_scale)
            for finding in _teaching_findings(mistake.reasons):
                key = finding.topic, finding.advice
                examples.setdefault(key, []).append(mistake)
                weights[key] = weights.get(key, 0.0) + weight
                weight /= 2
        if not weights:
            break
        most = max(weights, key=lambda key: weights[key])
        found.append(_lesson(*most, examples[most], score_scale))
        left = [mistake for mistake in left if mistake not in examples[most]]
    if left:
        found.append(_lesson("", "", left, score_scale))
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


def _teaching_findings(reasons: Reasons) -> list[Finding]:
    """Return the findings with an advice that explain a good part of what a mistake cost."""
    total = sum(row.gain for row in reasons.rows)
    least = max(_LEAST_SHARE * total, _LEAST_POINTS)
    return [each for each in reasons.findings if each.advice and each.explained >= least]


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
