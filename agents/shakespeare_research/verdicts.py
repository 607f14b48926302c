"""Verdicts on findings: which hold in any box and for any player, and which depend on them.

A box is one set of a game's cards and numbers. Boxes are drawn from a prior. Two quantities are
estimated: the mean over boxes, and the standard deviation between boxes that sampling errors do not
explain. The variance between boxes is estimated as in Hedges (1983, "A random effects model for
effect sizes"): the variance of the estimates less the mean of their squared errors. This estimator
is unbiased however errors and effects are related. Weights like those of DerSimonian and Laird
would favour boxes whose play varies little, and such boxes are not like the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from shakespeare_research.questions import Question

Floats = NDArray[np.float64]
LEVEL = 0.95
"""The confidence level. All intervals and tests of a report hold together at this level; each bound
of `share_bound` holds at it by itself."""
HOLDS = "holds"
OPEN = "open"
BY_BOX = "depends on the box"
BY_PLAYER = "depends on the player"
BY_BOTH = "depends on the box and the player"
MOST_BOXES = 0.8
"""A finding holds only if at least this share of all boxes has its sign."""
FEWEST_BOXES = 4
"""Findings with estimates in fewer drawn boxes are left out."""


class Estimate(NamedTuple):
    """An estimate in one box."""

    value: float
    error: float  # its standard error
    deals: int  # the number of deals that it is made from


Estimates = Mapping[str, Estimate]
"""Estimates by the name of the box."""
_ByKind = dict[str, dict[str, Estimate]]
"""Estimates by the kind of the box and its name. The kind is `own` for the package's own box, `all`
if several groups of facts were drawn, else the name of the one group that was drawn."""


class _FindingKey(NamedTuple):
    question: str  # the question's name
    item: str
    players: int  # the number of seats


@dataclass(frozen=True)
class Ensemble:
    """The estimates of one finding in k >= 2 boxes, combined."""

    boxes: int  # k
    mean: float  # over boxes, each counting once
    mean_error: float  # its standard error, from how boxes differ, sampling included
    low: float  # the ends of the mean's interval, Student's over boxes with Bonferroni's correction
    high: float
    between: float  # the standard deviation between boxes, sampling errors removed
    sampling: float  # the root mean square of the sampling errors
    least: float  # the smallest estimate
    most: float  # the largest
    same_sign: int  # the number of estimates with the mean's sign
    sign_bound: float  # the least share of all boxes with that sign (`share_bound`)
    p_spread: float  # the p-value of no difference between boxes, by Cochran's Q


def ensemble(estimates: Floats, errors: Floats, tests: int = 1) -> Ensemble:
    """Combine estimates of different boxes, float[k], k >= 2, with independent errors above 0.

    The mean's interval is one of `tests` intervals and tests that hold simultaneously at `LEVEL`.
    """
    k = len(estimates)
    mean = float(estimates.mean())
    mean_error = float(stats.sem(estimates))
    half = float(stats.t.ppf(1 - (1 - LEVEL) / (2 * tests), k - 1)) * mean_error
    weights = errors**-2
    deviations = estimates - np.average(estimates, weights=weights)
    same_sign = int((np.sign(estimates) == np.sign(mean)).sum())
    return Ensemble(
        boxes=k,
        mean=mean,
        mean_error=mean_error,
        low=mean - half,
        high=mean + half,
        between=max(variance_between(estimates, errors), 0.0) ** 0.5,
        sampling=float((errors**2).mean()) ** 0.5,
        least=float(estimates.min()),
        most=float(estimates.max()),
        same_sign=same_sign,
        sign_bound=share_bound(same_sign, k),
        p_spread=float(stats.chi2.sf((weights * deviations**2).sum(), k - 1)),
    )


def variance_between(estimates: Floats, errors: Floats) -> float:
    """Return Hedges' unbiased estimate of the variance between k >= 2 boxes.

    It may be below 0. For several findings, float64[findings, k], their estimates are added.
    """
    return float((estimates.var(ddof=1, axis=-1) - (errors**2).mean(axis=-1)).sum())


def share_bound(successes: int, boxes: int) -> float:
    """Return the one-sided lower bound of a share at `LEVEL`, by Clopper and Pearson.

    If all of 32 boxes succeed, the bound is 91 %.
    """
    test = stats.binomtest(successes, boxes, alternative="greater")
    return float(test.proportion_ci(LEVEL, method="exact").low)


@dataclass(frozen=True)
class PlayerFinding:
    """A finding as one player shows it."""

    bundled: Estimate | None  # the estimate in the package's own box
    drawn: Estimates  # the estimates in boxes in which all groups of facts were drawn
    over: Ensemble  # the estimates of `drawn`, combined
    direction: int | None
    """The sign of the mean, 1 or -1; 0 if it is too small to matter in any box; None if unknown."""
    moved_by: dict[str, float]
    """Groups of facts that change the finding beyond sampling errors, the largest share first. A
    group's share is that of the variance between boxes, summed over groups."""

    @property
    def same_everywhere(self) -> bool:
        """Whether the direction is that of at least the share `MOST_BOXES` of all boxes."""
        if self.direction is None:
            return False
        return self.direction == 0 or self.over.sign_bound >= MOST_BOXES


@dataclass(frozen=True)
class Finding:
    """The answer to a question about one item at one number of seats, for each player asked."""

    question: Question
    item: str
    players: int
    by_player: Mapping[str, PlayerFinding]
    verdict: str
    """`HOLDS` if the direction is known, the same with two players or more, and the same in most
    boxes; `BY_BOX` if boxes differ and it is not known that most of them share a direction;
    `BY_PLAYER` if two players differ and have different directions; `BY_BOTH` if both is the case;
    else `OPEN`."""


def players_of(findings: Iterable[Finding]) -> list[str]:
    """Return the names of the players of some findings, in order of their first answer."""
    return list(dict.fromkeys(player for finding in findings for player in finding.by_player))


def findings(
    answers: pl.DataFrame, kinds: Mapping[str, str], questions: Mapping[str, Question]
) -> list[Finding]:
    """Combine answers into findings, in the order of the questions.

    All intervals of means, all tests for a spread between boxes and all comparisons of players hold
    simultaneously at `LEVEL` (Bonferroni's correction).

    Args:
        answers: The answers, with a column `box`.
        kinds: The kinds of the boxes (see `facts.DrawnBoxes.kinds`).
        questions: The questions by name.
    """
    kept = {}
    for key, by_player in _by_finding(answers, kinds).items():
        enough = {
            player: by_kind
            for player, by_kind in by_player.items()
            if len(by_kind.get("all", ())) >= FEWEST_BOXES
        }
        if enough:
            kept[key] = enough

    # Each player has a test of the mean and one of the spread, and each pair a comparison.
    counts = [len(by_player) for by_player in kept.values()]
    tests = sum(2 * count + math.comb(count, 2) for count in counts)
    order = list(questions)
    listed = []
    ordered = sorted(kept, key=lambda key: (order.index(key.question), key.item, key.players))
    for key in ordered:
        question = questions[key.question]
        found = {
            player: _player_finding(question, by_kind, tests)
            for player, by_kind in kept[key].items()
        }
        verdict = _verdict(found, tests)
        listed.append(Finding(question, key.item, key.players, found, verdict))
    return listed


def _by_finding(
    answers: pl.DataFrame, kinds: Mapping[str, str]
) -> dict[_FindingKey, dict[str, _ByKind]]:
    """Return estimates by finding, by player, by the box's kind, and by box."""
    tree: dict[_FindingKey, dict[str, _ByKind]] = {}
    for row in answers.sort("player", "box").iter_rows(named=True):
        key = _FindingKey(row["question"], row["item"], row["players"])
        box = row["box"]
        by_kind = tree.setdefault(key, {}).setdefault(row["player"], {})
        by_box = by_kind.setdefault(kinds[box], {})
        by_box[box] = Estimate(row["estimate"], row["error"], row["n"])
    return tree


def _player_finding(
    question: Question, by_kind: Mapping[str, Estimates], tests: int
) -> PlayerFinding:
    columns = {kind: _columns(boxes) for kind, boxes in by_kind.items()}
    over = ensemble(*columns["all"], tests=tests)
    direction = None
    if over.low > 0:
        direction = 1
    elif over.high < 0:
        direction = -1
    elif max(-over.low, over.high, over.between) <= question.matters:
        # The interval contains 0, and both it and the spread between boxes are too small to matter.
        direction = 0
    groups = {
        kind: pair
        for kind, pair in columns.items()
        if kind not in ("own", "all") and len(by_kind[kind]) > 1
    }
    moved = {group: max(variance_between(*pair), 0.0) for group, pair in groups.items()}
    # A group is listed if its test of a spread between boxes is significant (Bonferroni).
    shares = {
        group: moved[group] / sum(moved.values())
        for group in sorted(groups, key=lambda group: -moved[group])
        if moved[group] and ensemble(*groups[group]).p_spread * len(groups) * tests < 1 - LEVEL
    }
    bundled = next(iter(by_kind.get("own", {}).values()), None)
    return PlayerFinding(bundled, by_kind["all"], over, direction, shares)


def _columns(estimates: Estimates) -> tuple[Floats, Floats]:
    """Return the values and the standard errors of estimates, float64[k] each."""
    values = np.array([estimate.value for estimate in estimates.values()])
    errors = np.array([estimate.error for estimate in estimates.values()])
    return values, errors


def _verdict(by_player: Mapping[str, PlayerFinding], tests: int) -> str:
    players = list(by_player.values())
    # Players whose direction is not known (None) may agree, but are never `same_everywhere`.
    is_agreed = len(players) > 1 and len({player.direction for player in players}) == 1
    if is_agreed and all(player.same_everywhere for player in players):
        return HOLDS
    varying = [player for player in players if player.over.p_spread * tests < 1 - LEVEL]
    box_matters = not all(player.same_everywhere for player in varying)
    player_matters = any(
        first.direction != second.direction and _differ(first.drawn, second.drawn, tests)
        for first, second in combinations(players, 2)
    )
    verdicts = {(True, True): BY_BOTH, (True, False): BY_BOX, (False, True): BY_PLAYER}
    return verdicts.get((box_matters, player_matters), OPEN)


def _differ(first: Estimates, second: Estimates, tests: int) -> bool:
    shared = [box for box in first if box in second]
    differences = np.array([first[box].value - second[box].value for box in shared])
    if len(differences) < FEWEST_BOXES:
        return False
    return bool(stats.ttest_1samp(differences, 0).pvalue * tests < 1 - LEVEL)
