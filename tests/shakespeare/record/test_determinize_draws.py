"""`determinize` draws uniformly from everything that a seat cannot know (Rules D3).

Frequencies are tested by chi-square against the value exceeded once in 10 000 draws; seeds are
fixed, so a test that passes goes on passing.
"""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from shakespeare_env.compile.decorators import kernel
from shakespeare_env.core import registry
from tests.contract.random_games import (
    TABLES,
    Table,
    batch_of_copies,
    differing_fields,
    play_by_rule,
    stack_records,
)
from tests.shakespeare.hidden import activated

OURS = [table for table in TABLES if table.game == "shakespeare"]
all_tables = pytest.mark.parametrize("table", OURS, ids=str)


def drawn_anew(position, seat, seeds):
    """Determinize a position for a seat with each of many seeds."""
    batch = batch_of_copies(position, len(seeds))
    batch.determinize(slice(None), [seat] * len(seeds), seeds)
    return batch.save(slice(None))


DRAWS = 3000


def assert_uniform(values, expected):
    """Assert that each of the expected values was drawn about equally often, and no other."""
    counts = Counter(values)
    assert set(counts) == set(expected)
    mean = len(values) / len(counts)
    chi_square = sum((count - mean) ** 2 / mean for count in counts.values())
    freedom = len(counts) - 1
    spread = 2 / (9 * freedom)  # Wilson and Hilferty
    assert chi_square < freedom * (1 - spread + 3.72 * spread**0.5) ** 3, counts


def first_position(wanted):
    """Return the first wanted position of random games with four seats."""
    table = Table("shakespeare", 4)
    for seed in range(100):
        for position in play_by_rule(table.position(seed), salt=seed):
            if wanted(position):
                return position
    raise AssertionError("no such position")


def unseen_by(record, seat):
    """Return the objectives that a seat has not seen."""
    own = set(record["objectives"][seat][: record["objectives_len"][seat]])
    own |= set(record["objective_deck"][record["objective_known"] == seat])
    if record["to_move"] == seat:
        own |= set(record["drawn"])
    return sorted(int(objective) for objective in set(range(10)) - own)


def others_hold_objectives(position):
    record = position.record()
    return (record["objectives_len"][:3] > 0).all() and (record["objective_known"] == 0).any()


@pytest.mark.slow
def test_unseen_objectives_are_uniform_in_every_place_and_independent():
    position = first_position(others_hold_objectives)
    true = position.record()
    unseen = unseen_by(true, 0)
    assert 3 < len(unseen) < 10
    records = drawn_anew(position, 0, range(DRAWS))
    hands = records["objectives"][:, 1:3, 0].tolist()
    assert_uniform([*map(tuple, hands)], permutations(unseen, 2))
    for place in range(true["objective_deck_len"]):
        if true["objective_known"][place] != 0:
            assert_uniform(records["objective_deck"][:, place].tolist(), unseen)


@pytest.mark.slow
def test_a_draw_of_another_seat_is_uniform():
    position = first_position(lambda p: p.phase == "objective")
    true = position.record()
    observer = (position.to_move + 1) % 4
    drawn = drawn_anew(position, observer, range(DRAWS))["drawn"]
    for place in range(true["drawn_len"]):
        assert_uniform(drawn[:, place].tolist(), unseen_by(true, observer))


@pytest.mark.slow
def test_pending_wagers_and_rest_choices_of_others_are_uniform():
    """Choices not made yet stay open (D2), and copies of a card are one choice (P2)."""
    position = first_position(lambda p: (p.record()["wager"] > 0).sum() == 2)
    assert position.phase == "wager"
    wagers = position.record()["wager"]
    first, second = np.flatnonzero(wagers > 0).tolist()
    drawn = drawn_anew(position, first, range(DRAWS))["wager"]
    assert_uniform(drawn[:, second].tolist(), range(1, 6))
    assert (np.delete(drawn, second, axis=1) == np.delete(wagers, second)).all()
    position = first_position(lambda p: (p.record()["kept"] >= 0).any())
    true = position.record()
    (chooser,) = np.flatnonzero(true["kept"] >= 0).tolist()
    drawn = drawn_anew(position, (chooser + 1) % 4, range(DRAWS))["kept"]
    assert_uniform(drawn[:, chooser].tolist(), set(activated(true, chooser)))
    assert (np.delete(drawn, chooser, axis=1) == -1).all()


rules_rewind = registry.game("shakespeare").rules.rewind


@kernel("tests")
def rewind(games, found):
    """Rewind games, and write which of them changed into `found`, bool[n]."""
    for i in range(len(games)):
        found[i] = rules_rewind(games[i])


@all_tables
def test_rewinding_takes_back_the_secret_choices_of_the_others(table):
    """Rewinding gives the record before the first of the wagers, or rest choices, was made."""
    secret = {"wager"} if table.options.get("strategic_rest") else {"wager", "rest"}
    positions = [p.copy() for seed in (3, 4) for p in play_by_rule(table.position(seed), salt=seed)]
    true = stack_records(p.record() for p in positions)
    games = true.copy()
    found = np.zeros(len(true), bool)
    rewind(games, found)
    begun = 0
    for i, position in enumerate(positions):
        if position.phase not in secret or positions[i - 1].phase != position.phase:
            begun = i
        assert found[i] or begun == i
        assert differing_fields(games[i], true[begun]) == []
    assert found.any() == (table.players > 1)
