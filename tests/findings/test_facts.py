"""Which facts carry findings: found again where it is known."""

import statistics
import tomllib

import pytest

from shakespeare_env.boxes import facts_by_group, groups, sample_box
from shakespeare_env.core import registry
from shakespeare_research.facts import DrawnBoxes, carried_by_groups, carried_by_units, matrices
from tests.findings.made_up import answers

GAME = "shakespeare"


@pytest.fixture(scope="module")
def drawn():
    own = tomllib.loads(registry.own_box(GAME).read_text("utf-8"))
    boxes = {f"all{i}": tomllib.loads(sample_box(GAME, 0, i)) for i in range(32)}
    for group in ("costs", "lengths", "objectives"):
        boxes |= {f"{group}{i}": tomllib.loads(sample_box(GAME, 1, i, [group])) for i in range(16)}
    return DrawnBoxes(GAME, own, {"bundled": own, **boxes}), {"bundled": own, **boxes}


def test_a_box_tells_what_was_drawn(drawn):
    found, boxes = drawn
    kinds = {name: name.rstrip("0123456789") for name in boxes} | {"bundled": "own"}
    assert found.kinds() == kinds
    assert {*facts_by_group(GAME).values()} == {*groups(GAME)}


def test_facts_that_findings_hang_on_come_first(drawn):
    """Lengths carry half the variance and Romeo's cost the other; other findings are noise."""
    found, boxes = drawn

    def queen(box):
        return 0.3 * sum(box["acts"]["length"])

    def romeo(box):
        return -0.5 * box["character"][7]["cost"]

    truths = {
        ("queen", "objectives"): lambda who, box: queen(box),
        ("recruit", "Romeo"): lambda who, box: romeo(box),
        **{("wager", str(n)): lambda who, box: 0.7 for n in range(20)},
    }
    values, errors, names = matrices(answers(truths, boxes))
    by_group = carried_by_groups(values, errors, [found.kind(name) for name in names])
    shares = {one.name: one.share for one in by_group}
    for group, truth in (("lengths", queen), ("costs", romeo)):
        true = spread(truth, boxes, group) / spread(truth, boxes, "all")
        assert shares[group] == pytest.approx(true / 2, abs=0.1)
    assert shares["objectives"] == pytest.approx(0, abs=0.05)
    first, second, *others = carried_by_units(values, errors, names, found)
    assert {(first.name, first.group), (second.name, second.group)} == {
        ("acts", "lengths"),
        ("Romeo", "costs"),
    }
    assert max(one.share for one in others) < second.share / 2


def spread(truth, boxes, kind):
    return statistics.variance(truth(box) for name, box in boxes.items() if name.startswith(kind))
