"""Estimates of several boxes together, and verdicts on findings whose truth is known."""

import math

import numpy as np
import pytest

from shakespeare_research.questions import questions_of
from shakespeare_research.report import sentence
from shakespeare_research.verdicts import (
    BY_BOTH,
    BY_BOX,
    BY_PLAYER,
    HOLDS,
    OPEN,
    ensemble,
    findings,
    share_bound,
    variance_between,
)
from tests.findings.made_up import answers

QUESTIONS = {one.name: one for one in questions_of("shakespeare")}
BOXES = {
    "bundled": 0.0,
    **{f"all{i}": float(x) for i, x in enumerate(np.random.default_rng(5).normal(0, 1, 32))},
    **{f"pay{i}": float(i - 2) for i in range(5)},
    **{f"costs{i}": 0.0 for i in range(5)},
}
KINDS = {name: "own" if name == "bundled" else name.rstrip("0123456789") for name in BOXES}


def found(truth, **options):
    (one,) = findings(answers({("wager", "5"): truth}, BOXES, **options), KINDS, QUESTIONS)
    return one


@pytest.mark.parametrize(
    ("truth", "verdict", "said"),
    [
        (lambda who, x: 0.7 + 0.05 * x, HOLDS, "Holds at four seats: a wager of 5, against"),
        (lambda who, x: -0.7, HOLDS, "costs something in at least 91 % of boxes (heuristic -0.7"),
        (lambda who, x: 0.0, HOLDS, "makes no difference of note (heuristic"),
        (lambda who, x: 0.3 * x, BY_BOX, "Depends on the box, on pay at four seats: a wager"),
        (lambda who, x: 0.3 if who == "network" else -0.3, BY_PLAYER, "Depends on the player at"),
        (lambda who, x: 1 + x if who == "network" else 0, BY_BOTH, "and the player, on pay at"),
    ],
)
def test_a_verdict_is_what_is_true(truth, verdict, said):
    one = found(truth)
    assert one.verdict == verdict
    assert said in sentence(one)
    for seen in one.by_player.values():
        assert seen.over.boxes == 32
        assert seen.bundled is not None
        assert {group for group, _ in seen.moved_by} <= {"pay"}


def test_one_player_settles_nothing():
    assert found(lambda who, x: 0.7, players=["network"]).verdict == OPEN


def test_levels_are_of_all_findings_together():
    """Of 150 questions without an answer none gets one."""
    truths = {("wager", str(item)): lambda who, x: 0.3 * x for item in range(150)}
    several = findings(answers(truths, BOXES, seed=3), KINDS, QUESTIONS)
    assert len(several) == 150
    assert {one.verdict for one in several} == {BY_BOX}
    assert all(seen.low < 0 < seen.high for one in several for seen in one.by_player.values())


def test_known_values():
    assert share_bound(32, 32) == pytest.approx(0.05 ** (1 / 32))
    assert share_bound(0, 5) == 0.0
    share = share_bound(30, 32)  # at which 30 or more are seen one time in 20
    chances = [math.comb(32, n) * share**n * (1 - share) ** (32 - n) for n in (30, 31, 32)]
    assert sum(chances) == pytest.approx(0.05)
    found = ensemble(np.array([1.0, 2.0, 3.0]), np.full(3, 0.5))
    assert (found.mean, found.same_sign, found.least, found.most) == (2.0, 3, 1.0, 3.0)
    assert found.between == pytest.approx(0.75**0.5)
    assert found.p_spread == pytest.approx(math.exp(-4))  # Q = 8 with two degrees of freedom
    low, high = found.interval()
    assert (low, high) == pytest.approx((2 - 4.30265 / 3**0.5, 2 + 4.30265 / 3**0.5), abs=1e-4)
    assert found.interval(tests=10)[0] < low
    with pytest.raises(ValueError, match="two or more"):
        ensemble(np.ones(3), np.array([1.0, 0.0, 1.0]))


def test_the_spread_is_unbiased_where_errors_go_with_effects():
    """Weighted estimators are not: here large effects are measured worst."""
    rng = np.random.default_rng(0)
    found, covered = [], 0
    for _ in range(1000):
        effects = rng.normal(1.0, 0.5, 16)
        errors = np.where(effects > 1, 0.6, 0.3)
        estimates = rng.normal(effects, errors)
        found.append(variance_between(estimates, errors))
        low, high = ensemble(estimates, errors).interval()
        covered += low < 1.0 < high
    assert np.mean(found) == pytest.approx(0.25, abs=0.01)
    assert covered / 1000 == pytest.approx(0.95, abs=0.02)
