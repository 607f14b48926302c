"""Verdicts on findings, and the facts that carry them, found again where the truth is known."""

import math
import statistics
import tomllib

import numpy as np
import pytest

from shakespeare_env.boxes import facts_by_group, groups, sample_box
from shakespeare_env.core import registry
from shakespeare_research.facts import DrawnBoxes, carried_by_groups, carried_by_units, matrices
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

GAME = "shakespeare"
QUESTIONS = questions_of(GAME)
BOXES = {
    "bundled": 0.0,
    **{f"all{i}": float(x) for i, x in enumerate(np.random.default_rng(5).normal(0, 1, 32))},
    **{f"pay{i}": float(i - 2) for i in range(5)},
    **{f"costs{i}": 0.0 for i in range(5)},
}


def kinds_of(boxes):
    return {name: "own" if name == "bundled" else name.rstrip("0123456789") for name in boxes}


def finding(truth, **options):
    rows = answers({("wager", "5"): truth}, BOXES, **options)
    (found,) = findings(rows, kinds_of(BOXES), QUESTIONS)
    return found


@pytest.mark.parametrize(
    ("truth", "verdict", "words"),
    [
        (lambda who, x: 0.7 + 0.05 * x, HOLDS, "Holds at four seats: a wager of 5, against"),
        (lambda who, x: -0.7, HOLDS, "costs something in at least 91 % of boxes (heuristic -0.7"),
        (lambda who, x: 0.0, HOLDS, "makes no difference of note (heuristic"),
        (lambda who, x: 0.3 * x, BY_BOX, "Depends on the box, on pay at four seats: a wager"),
        (lambda who, x: 0.3 if who == "network" else -0.3, BY_PLAYER, "Depends on the player at"),
        (lambda who, x: 1 + x if who == "network" else 0, BY_BOTH, "and the player, on pay at"),
    ],
)
def test_a_verdict_is_what_is_true(truth, verdict, words):
    found = finding(truth)
    assert found.verdict == verdict
    assert words in sentence(found)
    for seen in found.by_player.values():
        assert seen.over.boxes == 32
        assert seen.bundled is not None
        assert {*seen.moved_by} <= {"pay"}


def test_one_player_settles_nothing():
    assert finding(lambda who, x: 0.7, players=["network"]).verdict == OPEN


def test_levels_are_of_all_findings_together():
    """Of 150 questions without an answer none gets one."""
    truths = {("wager", str(item)): lambda who, x: 0.3 * x for item in range(150)}
    several = findings(answers(truths, BOXES, seed=3), kinds_of(BOXES), QUESTIONS)
    assert len(several) == 150
    for found in several:
        assert found.verdict == BY_BOX
        assert all(seen.over.low < 0 < seen.over.high for seen in found.by_player.values())


def test_known_values():
    assert share_bound(32, 32) == pytest.approx(0.05 ** (1 / 32))
    assert share_bound(0, 5) == 0.0
    share = share_bound(30, 32)  # at which 30 or more are seen one time in 20
    chances = [math.comb(32, n) * share**n * (1 - share) ** (32 - n) for n in (30, 31, 32)]
    assert sum(chances) == pytest.approx(0.05)
    estimates, errors = np.array([1.0, 2.0, 3.0]), np.full(3, 0.5)
    over = ensemble(estimates, errors)
    assert (over.mean, over.same_sign, over.least, over.most) == (2.0, 3, 1.0, 3.0)
    assert over.between == pytest.approx(0.75**0.5)
    assert over.p_spread == pytest.approx(math.exp(-4))  # Q = 8 with two degrees of freedom
    half = 4.30265 / 3**0.5
    assert (over.low, over.high) == pytest.approx((2 - half, 2 + half), abs=1e-4)
    assert ensemble(estimates, errors, tests=10).low < over.low


def test_the_spread_is_unbiased_where_errors_go_with_effects():
    """Weighted estimators are not: here large effects are measured worst."""
    rng = np.random.default_rng(0)
    spreads, covered = [], 0
    for _ in range(1000):
        effects = rng.normal(1.0, 0.5, 16)
        errors = np.where(effects > 1, 0.6, 0.3)
        estimates = rng.normal(effects, errors)
        spreads.append(variance_between(estimates, errors))
        over = ensemble(estimates, errors)
        covered += over.low < 1.0 < over.high
    assert np.mean(spreads) == pytest.approx(0.25, abs=0.01)
    assert covered / 1000 == pytest.approx(0.95, abs=0.02)


def test_facts_that_findings_hang_on_come_first():
    """Lengths carry half the variance and Romeo's cost the other; other findings are noise."""
    own = tomllib.loads(registry.own_box(GAME).read_text("utf-8"))
    boxes = {"bundled": own} | {f"all{i}": tomllib.loads(sample_box(GAME, 0, i)) for i in range(32)}
    for group in ("costs", "lengths", "objectives"):
        boxes |= {f"{group}{i}": tomllib.loads(sample_box(GAME, 1, i, [group])) for i in range(16)}
    drawn = DrawnBoxes(GAME, own, boxes)
    assert drawn.kinds == kinds_of(boxes)
    assert {*facts_by_group(GAME).values()} == {*groups(GAME)}

    def queen(box):
        return 0.3 * sum(box["acts"]["length"])

    def romeo(box):
        return -0.5 * box["character"][7]["cost"]

    def spread(truth, kind):
        return statistics.variance(truth(boxes[name]) for name in boxes if name.startswith(kind))

    truths = {
        ("queen", "objectives"): lambda who, box: queen(box),
        ("recruit", "Romeo"): lambda who, box: romeo(box),
        **{("wager", str(n)): lambda who, box: 0.7 for n in range(20)},
    }
    values, errors, names = matrices(answers(truths, boxes))
    by_group = carried_by_groups(values, errors, [drawn.kinds[name] for name in names])
    shares = {carried.name: carried.share for carried in by_group}
    for group, truth in (("lengths", queen), ("costs", romeo)):
        assert shares[group] == pytest.approx(
            spread(truth, group) / spread(truth, "all") / 2, abs=0.1
        )
    assert shares["objectives"] == pytest.approx(0, abs=0.05)
    first, second, *others = carried_by_units(values, errors, names, drawn)
    hung_on = {(carried.name, carried.group) for carried in (first, second)}
    assert hung_on == {("acts", "lengths"), ("Romeo", "costs")}
    assert max(carried.share for carried in others) < second.share / 2
