"""Which findings hold whatever the box and whoever plays, and which do not.

The boxes are draws of a prior, so the target is the mean over boxes and their standard deviation
beyond sampling errors. Its square is estimated by Hedges (1983, "A random effects model for effect
sizes"): the variance of the estimates less the mean of their squared errors. Weights, as of
DerSimonian and Laird, would favour boxes whose play varies little, which are not like the others;
this estimator is unbiased however errors and effects go together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from shakespeare_research.questions import Question

Floats = NDArray[np.float64]
LEVEL = 0.95
"""Of all intervals and tests of a report together, and of every bound by itself."""
HOLDS, OPEN, BY_BOX, BY_PLAYER, BY_BOTH = (
    "holds",
    "open",
    "depends on the box",
    "depends on the player",
    "depends on the box and the player",
)
MOST_BOXES = 0.8
"""The share of boxes that must have the sign of a finding that holds: four of five at least."""
FEWEST_BOXES = 4
"""Findings with estimates in fewer drawn boxes are left out."""


@dataclass(frozen=True)
class Ensemble:
    """One finding in k boxes, k >= 2.

    Attributes:
        boxes: k.
        mean: The mean over boxes, each counting once.
        mean_error: Its standard error, from how boxes differ, sampling included.
        between: The standard deviation between boxes, sampling errors removed; 0 if there is none.
        sampling: The root mean square of the sampling errors.
        least: The smallest estimate.
        most: The largest.
        same_sign: How many estimates have the sign of the mean.
        p_spread: The p-value of no difference between boxes, by Cochran's Q.
    """

    boxes: int
    mean: float
    mean_error: float
    between: float
    sampling: float
    least: float
    most: float
    same_sign: int
    p_spread: float

    def interval(self, tests: int = 1) -> tuple[float, float]:
        """The ends of the mean's interval, one of so many at `LEVEL` together.

        Student's over boxes, with Bonferroni's correction.
        """
        return _ends(self.mean, self.mean_error, self.boxes, tests)

    @property
    def sign_bound(self) -> float:
        """The least share of all boxes that have the mean's sign (see `share_bound`)."""
        return share_bound(self.same_sign, self.boxes)


def ensemble(estimates: Floats, errors: Floats) -> Ensemble:
    """Combine estimates of different boxes, float[k], k >= 2, with independent errors above 0.

    Raises:
        ValueError: there are fewer than two, or an error is not above 0.
    """
    k = len(estimates)
    if k < 2 or not (errors > 0).all():
        raise ValueError(f"{k} estimates, smallest error {errors.min(initial=1)}: give two or more")
    mean, spread = float(estimates.mean()), float(estimates.var(ddof=1))
    weights = errors**-2
    off = estimates - np.average(estimates, weights=weights)
    return Ensemble(
        boxes=k,
        mean=mean,
        mean_error=(spread / k) ** 0.5,
        between=max(variance_between(estimates, errors), 0.0) ** 0.5,
        sampling=float((errors**2).mean()) ** 0.5,
        least=float(estimates.min()),
        most=float(estimates.max()),
        same_sign=int((np.sign(estimates) == np.sign(mean)).sum()),
        p_spread=float(stats.chi2.sf((weights * off**2).sum(), k - 1)),
    )


def variance_between(estimates: Floats, errors: Floats) -> float:
    """Hedges' unbiased estimate of the variance between k >= 2 boxes; it may be below 0."""
    return float(estimates.var(ddof=1) - (errors**2).mean())


def share_bound(successes: int, boxes: int) -> float:
    """The one-sided lower bound of a share at `LEVEL`, by Clopper and Pearson.

    All of 32 say at least 91 %.
    """
    if not successes:
        return 0.0
    return float(stats.beta.ppf(1 - LEVEL, successes, boxes - successes + 1))


def mean_interval_of(differences: Floats, tests: int) -> tuple[float, float]:
    """The ends of the interval of a mean over boxes, like `Ensemble.interval`."""
    k = len(differences)
    return _ends(float(differences.mean()), float(differences.std(ddof=1)) / k**0.5, k, tests)


def _ends(mean: float, error: float, boxes: int, tests: int) -> tuple[float, float]:
    half = float(stats.t.ppf(1 - (1 - LEVEL) / (2 * tests), boxes - 1)) * error
    return mean - half, mean + half


@dataclass(frozen=True)
class Seen:
    """A finding with one player.

    Attributes:
        bundled: The estimate in the package's own box and its standard error, if there is one.
        over: The boxes in which all groups of facts were drawn, together.
        low: The lower end of the mean's interval, simultaneous with all others.
        high: The upper end.
        direction: 1 or -1, the sign of the mean; 0 if it is too small to matter in any box; None if
            it is unknown.
        moved_by: Groups of facts and their shares of what all groups move, the largest first; only
            those that move it beyond sampling errors.
    """

    bundled: tuple[float, float] | None
    over: Ensemble
    low: float
    high: float
    direction: int | None
    moved_by: tuple[tuple[str, float], ...]

    @property
    def same_everywhere(self) -> bool:
        """Whether at least `MOST_BOXES` of all boxes have its direction."""
        known = self.direction is not None
        return known and (self.direction == 0 or self.over.sign_bound >= MOST_BOXES)


@dataclass(frozen=True)
class Finding:
    """An answer to a question at one table, with every player.

    Attributes:
        question: The question.
        item: What of it.
        players: The number of seats.
        by_player: What was seen, by player.
        verdict: `HOLDS` if the direction is known, the same with two players or more, and the same
            in most boxes; `BY_BOX` if boxes differ, and not in size alone; `BY_PLAYER` if players
            differ, and not in size alone; else `OPEN`.
    """

    question: Question
    item: str
    players: int
    by_player: Mapping[str, Seen]
    verdict: str

    @property
    def label(self) -> str:
        """What is found, in words."""
        return self.question.label(self.item)

    @property
    def facts(self) -> list[str]:
        """The groups of facts that move it with any player."""
        moved = [group for seen in self.by_player.values() for group, _ in seen.moved_by]
        return list(dict.fromkeys(moved))


def findings(
    answers: pl.DataFrame, kinds: Mapping[str, str], questions: Mapping[str, Question]
) -> list[Finding]:
    """What answers amount to, in the order of the questions.

    All intervals of means, all tests for a spread between boxes and all comparisons of players hold
    together at `LEVEL` (Bonferroni).

    Args:
        answers: `ESTIMATES` with the columns `box`, `player` and `players`.
        kinds: By box, see `facts.DrawnBoxes.kind`.
        questions: By name.
    """
    keys = ["question", "item", "players"]
    found = {
        key: by_player
        for key, rows in answers.group_by(keys, maintain_order=True)
        if (by_player := dict(_by_player(rows, kinds)))
    }
    pairs = sum(len(one) * (len(one) - 1) // 2 for one in found.values())
    tests = 2 * sum(map(len, found.values())) + pairs
    order = list(questions)
    return [
        _finding(questions[name], item, players, found[name, item, players], tests)
        for name, item, players in sorted(found, key=lambda key: (order.index(key[0]), *key[1:]))
    ]


@dataclass(frozen=True)
class _Rows:
    """The estimates of a finding with one player, and their errors, by box of every kind."""

    by_kind: Mapping[str, Mapping[str, tuple[float, float]]]

    def of(self, kind: str) -> tuple[Floats, Floats]:
        found = np.array(list(self.by_kind.get(kind, {}).values())).reshape(-1, 2)
        return found[:, 0], found[:, 1]


def _by_player(rows: pl.DataFrame, kinds: Mapping[str, str]) -> Iterator[tuple[str, _Rows]]:
    for (player,), part in rows.sort("player").group_by("player", maintain_order=True):
        by_kind: dict[str, dict[str, tuple[float, float]]] = {}
        for box, estimate, error in part.select("box", "estimate", "error").sort("box").rows():
            by_kind.setdefault(kinds[box], {})[box] = (estimate, error)
        if len(by_kind.get("all", ())) >= FEWEST_BOXES:
            yield str(player), _Rows(by_kind)


def _finding(
    question: Question, item: str, players: int, by_player: Mapping[str, _Rows], tests: int
) -> Finding:
    seen = {player: _seen(question, rows, tests) for player, rows in by_player.items()}
    return Finding(question, item, players, seen, _verdict(seen, by_player, tests))


def _seen(question: Question, rows: _Rows, tests: int) -> Seen:
    own, over = rows.by_kind.get("own"), ensemble(*rows.of("all"))
    low, high = over.interval(tests)
    direction = None
    if low > 0 or high < 0:
        direction = 1 if low > 0 else -1
    elif max(-low, high, over.between) <= question.matters:
        direction = 0
    bundled = None if own is None else next(iter(own.values()))
    return Seen(bundled, over, low, high, direction, _moved_by(rows, tests))


def _moved_by(rows: _Rows, tests: int) -> tuple[tuple[str, float], ...]:
    groups = [
        kind
        for kind, boxes in rows.by_kind.items()
        if kind not in ("own", "all") and len(boxes) > 1
    ]
    moved = {group: max(variance_between(*rows.of(group)), 0.0) for group in groups}
    beyond = [g for g in groups if ensemble(*rows.of(g)).p_spread * len(groups) * tests < 1 - LEVEL]
    shares = [(group, moved[group] / sum(moved.values())) for group in beyond if moved[group]]
    return tuple(sorted(shares, key=lambda one: -one[1]))


def _verdict(seen: Mapping[str, Seen], rows: Mapping[str, Any], tests: int) -> str:
    directions = {one.direction for one in seen.values()}
    alike = len(directions) == 1
    if len(seen) > 1 and alike and all(one.same_everywhere for one in seen.values()):
        return HOLDS
    by_box = any(
        one.over.p_spread * tests < 1 - LEVEL and not one.same_everywhere for one in seen.values()
    )
    by_player = any(
        seen[one].direction != seen[other].direction and _differ(rows[one], rows[other], tests)
        for one, other in combinations(seen, 2)
    )
    verdicts = {(True, True): BY_BOTH, (True, False): BY_BOX, (False, True): BY_PLAYER}
    return verdicts.get((by_box, by_player), OPEN)


def _differ(one: _Rows, other: _Rows, tests: int) -> bool:
    """Whether two players' means differ over the boxes in which both were asked."""
    first, second = one.by_kind["all"], other.by_kind["all"]
    both = [box for box in first if box in second]
    if len(both) < FEWEST_BOXES:
        return False
    low, high = mean_interval_of(np.array([first[box][0] - second[box][0] for box in both]), tests)
    return low > 0 or high < 0
