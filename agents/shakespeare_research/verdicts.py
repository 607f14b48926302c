"""Which findings hold whatever the box and whoever plays, and which do not.

The boxes are draws of a prior, so the target is the mean over boxes and their standard deviation
beyond sampling errors. Its square is estimated by Hedges (1983, "A random effects model for effect
sizes"): the variance of the estimates less the mean of their squared errors. Weights, as of
DerSimonian and Laird, would favour boxes whose play varies little, which are not like the others;
this estimator is unbiased however errors and effects go together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from shakespeare_research.questions import Question

Floats = NDArray[np.float64]
Figures = tuple[float, float, int]
"""An estimate, its standard error and the deals behind it; `Estimates` are those by box."""
Estimates = Mapping[str, Figures]
LEVEL = 0.95
"""Of all intervals and tests of a report together, and of every bound by itself."""
HOLDS, OPEN, BY_BOX = "holds", "open", "depends on the box"
BY_PLAYER, BY_BOTH = "depends on the player", "depends on the box and the player"
MOST_BOXES = 0.8
"""The share of boxes that must have the sign of a finding that holds: four of five at least."""
FEWEST_BOXES = 4
"""Findings with estimates in fewer drawn boxes are left out."""


@dataclass(frozen=True)
class Ensemble:
    """One finding in k >= 2 boxes."""

    boxes: int  # k
    mean: float  # over boxes, each counting once
    mean_error: float  # its standard error, from how boxes differ, sampling included
    low: float  # the ends of its interval, Student's over boxes with Bonferroni's correction
    high: float
    between: float  # the standard deviation between boxes, sampling errors removed
    sampling: float  # the root mean square of the sampling errors
    least: float  # the smallest estimate
    most: float  # the largest
    same_sign: int  # how many estimates have the sign of the mean
    sign_bound: float  # the least share of all boxes that have it (`share_bound`)
    p_spread: float  # the p-value of no difference between boxes, by Cochran's Q


def ensemble(estimates: Floats, errors: Floats, tests: int = 1) -> Ensemble:
    """Combine estimates of different boxes, float[k], k >= 2, with independent errors above 0.

    The mean's interval is one of `tests` that hold together at `LEVEL`.
    """
    k, mean, mean_error = len(estimates), float(estimates.mean()), float(stats.sem(estimates))
    half = float(stats.t.ppf(1 - (1 - LEVEL) / (2 * tests), k - 1)) * mean_error
    weights = errors**-2
    off = estimates - np.average(estimates, weights=weights)
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
        p_spread=float(stats.chi2.sf((weights * off**2).sum(), k - 1)),
    )


def variance_between(estimates: Floats, errors: Floats) -> float:
    """Hedges' unbiased estimate of the variance between k >= 2 boxes; it may be below 0.

    Of several findings, float64[findings, k], it is the sum.
    """
    return float((estimates.var(ddof=1, axis=-1) - (errors**2).mean(axis=-1)).sum())


def share_bound(successes: int, boxes: int) -> float:
    """The one-sided lower bound of a share at `LEVEL`, by Clopper and Pearson.

    All of 32 say at least 91 %.
    """
    test = stats.binomtest(successes, boxes, alternative="greater")
    return float(test.proportion_ci(LEVEL, method="exact").low)


@dataclass(frozen=True)
class PlayerFinding:
    """A finding with one player."""

    bundled: Figures | None  # in the package's own box
    drawn: Estimates  # in the boxes in which all groups of facts were drawn
    over: Ensemble  # these boxes together
    direction: int | None
    """1 or -1, the sign of the mean; 0 if too small to matter in any box; None if unknown."""
    moved_by: dict[str, float]
    """Groups of facts that move it beyond sampling errors, the largest first, and their shares of
    what all groups move."""

    @property
    def same_everywhere(self) -> bool:
        """Whether at least `MOST_BOXES` of all boxes have its direction."""
        most = self.over.sign_bound >= MOST_BOXES
        return self.direction == 0 or (self.direction is not None and most)


@dataclass(frozen=True)
class Finding:
    """An answer to a question about an item at a table of some players, by who plays there."""

    question: Question
    item: str
    players: int
    by_player: Mapping[str, PlayerFinding]
    verdict: str
    """`HOLDS` if the direction is known, the same with two players or more, and the same in most
    boxes; `BY_BOX` if boxes differ, and not in size alone; `BY_PLAYER` if players differ, and not
    in size alone; else `OPEN`."""


def findings(
    answers: pl.DataFrame, kinds: Mapping[str, str], questions: Mapping[str, Question]
) -> list[Finding]:
    """What answers amount to, in the order of the questions.

    All intervals of means, all tests for a spread between boxes and all comparisons of players hold
    together at `LEVEL` (Bonferroni). `answers` have a column `box`, whose kinds are those of
    `facts.DrawnBoxes`.
    """
    tree: dict[tuple[Any, ...], dict[str, dict[str, dict[str, Figures]]]] = {}
    names, figures = ["question", "item", "players", "player", "box"], ["estimate", "error", "n"]
    for row in answers.select(*names, *figures).sort("player", "box").iter_rows():
        key, (player, box) = row[:3], row[3:5]
        of_player = tree.setdefault(key, {}).setdefault(player, {})
        of_player.setdefault(kinds[box], {})[box] = row[5:]
    kept = {}
    for key, by_player in tree.items():
        enough = {who: a for who, a in by_player.items() if len(a.get("all", ())) >= FEWEST_BOXES}
        if enough:
            kept[key] = enough
    tests = sum(2 * k + k * (k - 1) // 2 for k in map(len, kept.values()))
    order = list(questions)
    listed = []
    for name, item, players in sorted(kept, key=lambda key: (order.index(key[0]), *key[1:])):
        by_player = kept[name, item, players]
        seen = {who: _seen(questions[name], rows, tests) for who, rows in by_player.items()}
        listed.append(Finding(questions[name], item, players, seen, _verdict(seen, tests)))
    return listed


def _seen(question: Question, by_kind: Mapping[str, Estimates], tests: int) -> PlayerFinding:
    columns = {kind: np.array([*boxes.values()])[:, :2].T for kind, boxes in by_kind.items()}
    estimates, errors = columns["all"]
    over = ensemble(estimates, errors, tests)
    direction = None
    if over.low > 0 or over.high < 0:
        direction = 1 if over.low > 0 else -1
    elif max(-over.low, over.high, over.between) <= question.matters:
        direction = 0
    groups = {
        kind: figures
        for kind, figures in columns.items()
        if kind not in ("own", "all") and len(by_kind[kind]) > 1
    }
    moved = {group: max(variance_between(*figures), 0.0) for group, figures in groups.items()}
    shares = {
        group: moved[group] / sum(moved.values())
        for group in sorted(groups, key=lambda group: -moved[group])
        if moved[group] and ensemble(*groups[group]).p_spread * len(groups) * tests < 1 - LEVEL
    }
    bundled = next(iter(by_kind.get("own", {}).values()), None)
    return PlayerFinding(bundled, by_kind["all"], over, direction, shares)


def _verdict(seen: Mapping[str, PlayerFinding], tests: int) -> str:
    every = list(seen.values())
    alike = len(every) > 1 and len({player.direction for player in every}) == 1
    if alike and all(player.same_everywhere for player in every):
        return HOLDS
    vary = (player for player in every if player.over.p_spread * tests < 1 - LEVEL)
    by_box = not all(player.same_everywhere for player in vary)
    by_player = any(
        first.direction != second.direction and _differ(first.drawn, second.drawn, tests)
        for first, second in combinations(every, 2)
    )
    verdicts = {(True, True): BY_BOTH, (True, False): BY_BOX, (False, True): BY_PLAYER}
    return verdicts.get((by_box, by_player), OPEN)


def _differ(first: Estimates, second: Estimates, tests: int) -> bool:
    differences = np.array([first[box][0] - second[box][0] for box in first if box in second])
    if len(differences) < FEWEST_BOXES:
        return False
    return bool(stats.ttest_1samp(differences, 0).pvalue * tests < 1 - LEVEL)
