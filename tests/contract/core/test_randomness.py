"""A game depends on its seed and its number in the batch alone.

That it is the same on every machine, `tests/golden` says.
"""

import json

import numpy as np
import pytest

from tests.contract.batches import assert_same, batch_of_all_seat_counts, games
from tests.contract.each_table import all_tables, full_tables
from tests.contract.random_games import actions_by_rule, differing_fields

STEPS = 300


@full_tables
@pytest.mark.parametrize(("few", "many"), [(1, 7), (7, 600)])
def test_a_game_does_not_depend_on_its_neighbours(table, few, many):
    one = table.batch(few, seed=21)
    other = table.batch(many, seed=21)
    begun = one.save([0])["random"].tolist()
    for step in range(STEPS):
        assert differing_fields(one.save(slice(few)), other.save(slice(few))) == [], step
        for view in ("to_move", "mask", "obs", "rewards", "done", "final_scores", "final_winners"):
            np.testing.assert_array_equal(getattr(one, view), getattr(other, view)[:few], view)
        actions = actions_by_rule(
            other.mask, step, salt=1
        )  # its other games are played in another way
        actions[:few] = actions_by_rule(one.mask, step)
        one.step(actions[:few])
        other.step(actions)
        begun += one.save(np.flatnonzero(one.done))["random"].tolist()
    assert len(set(begun)) == len(begun) > few  # so later games of a row are compared, too


@games
@pytest.mark.parametrize("n", [7, 1000])
def test_a_game_does_not_depend_on_the_number_of_threads(name, n):
    """Games of every seat count at once; random actions are the same, too."""
    one = batch_of_all_seat_counts(name, n, reward="score", threads=1)
    other = batch_of_all_seat_counts(name, n, reward="score", threads=2)
    for _ in range(100):
        actions = one.random_actions()
        np.testing.assert_array_equal(actions, other.random_actions())
        one.step(actions)
        other.step(actions)
        assert_same(one, other)


@all_tables
def test_seeds_and_games_of_a_batch_differ(table):
    """200 games from neighbouring seeds and numbers begin in 200 ways."""
    batches = [table.batch(20, seed=seed) for seed in range(10)]
    records = [record for batch in batches for record in batch.save(slice(None))]
    assert len({int(record["random"]) for record in records}) == 200
    assert len({json.dumps(batches[0].game.to_dict(record)) for record in records}) == 200
    assert table.position(2**64 - 1) != table.position(0)
