"""`Batch.reset(seed, deals)`: which game of a seed each row plays."""

from __future__ import annotations

import numpy as np
import pytest

from tests.contract.batches import assert_unchanged, snapshot
from tests.contract.each_table import full_tables, plain_tables
from tests.contract.random_games import chosen, differing_fields

DEALS = [6, 0, 6, 3, 3]


@plain_tables
def test_a_row_plays_the_deal_it_is_given(table):
    """Chance to come included, in this game and in those that follow in its row."""
    whole, some = table.batch(7, seed=9), table.batch(len(DEALS), seed=1)
    some.reset(9, deals=DEALS)
    for step in range(150):
        assert differing_fields(some.save(slice(None)), whole.save(DEALS)) == []
        for view in ("obs", "mask", "to_move", "final_scores"):
            assert (getattr(some, view) == getattr(whole, view)[DEALS]).all()
        actions = chosen(whole.mask, step)
        whole.step(actions)
        some.step(actions[DEALS])


@full_tables
def test_deals_of_one_number_are_the_same_game(table):
    batch = table.batch(3, seed=9)
    batch.reset(4, deals=np.array([2, 2, 5]))
    records = batch.save(slice(None))
    assert differing_fields(records[0], records[1]) == []
    assert differing_fields(records[0], records[2])


@full_tables
def test_random_actions_follow_the_deal(table):
    whole, some = table.batch(7, seed=9), table.batch(len(DEALS), seed=9)
    some.reset(9, deals=DEALS)
    assert some.random_actions().tolist() == whole.random_actions()[DEALS].tolist()


@full_tables
def test_without_deals_row_i_plays_deal_i(table):
    batch, twin = table.batch(5, seed=9), table.batch(5, seed=9)
    batch.reset(9, deals=DEALS)
    batch.reset(9)
    twin.reset(9, deals=range(5))
    assert differing_fields(batch.save(slice(None)), twin.save(slice(None))) == []


@pytest.mark.parametrize(
    ("deals", "fault"),
    [
        ([0.0, 1.0, 2.0], TypeError),
        ([0, 1], ValueError),
        ([[0, 1, 2]], ValueError),
        ([0, -1, 2], ValueError),
    ],
)
@full_tables
def test_what_is_no_deal_for_each_game_is_refused(table, deals, fault):
    batch = table.batch(3, seed=9)
    before = snapshot(batch)
    with pytest.raises(fault, match="deals"):
        batch.reset(1, deals=deals)
    assert_unchanged(batch, before)
