"""`Batch`: its arrays, the games that its rows play, and what happens when one ends."""

import numpy as np
import pytest

from shakespeare_env import IllegalMove
from shakespeare_env.core import registry
from tests.contract.batches import arrays_of, games, mixed
from tests.contract.each_table import full_tables
from tests.contract.random_games import chosen, differing_fields

DEALS = [6, 0, 6, 3, 3]


@full_tables
def test_arrays_have_their_shapes_and_types_and_are_written_in_place(table):
    batch = table.batch(6, seed=41)
    before = arrays_of(batch)
    for name, (array, shape, dtype) in before.items():
        assert array.shape == (6, *shape), name
        assert array.dtype == dtype, name
    for step in range(30):
        rewards, done = batch.step(chosen(batch.mask, step))
        assert rewards is batch.rewards
        assert done is batch.done
    batch.reset(1)
    batch.load([0], batch.save([1]))
    batch.determinize([0], [0], [0])
    for name, (array, _, _) in before.items():
        assert getattr(batch, name) is array, name


@games
def test_seats_can_differ_from_game_to_game(name):
    batch = mixed(name, 8)
    seats = batch.save(slice(None))["players"]
    assert batch.players.tolist() == seats.tolist() == np.resize(registry.seats(name), 8).tolist()
    absent = np.arange(batch.game.max_seats) >= batch.players[:, None]
    for step in range(200):
        assert (batch.to_move < batch.players).all()
        batch.step(chosen(batch.mask, step))
        assert not batch.rewards[absent].any()
        assert not batch.final_winners[absent].any()


@full_tables
def test_random_actions_are_legal_and_reach_every_legal_action(table):
    batch = table.batch(1, seed=44)
    for _ in range(3):
        legal = set(np.flatnonzero(batch.mask[0]).tolist())
        drawn = [batch.random_actions() for _ in range(60 * len(legal))]
        assert {int(actions[0]) for actions in drawn} == legal
        batch.step(drawn[0])


@full_tables
def test_a_row_plays_the_deal_it_is_given(table):
    """Chance to come included, in this game and in those that follow in its row."""
    whole, some = table.batch(7, seed=9), table.batch(len(DEALS), seed=1)
    some.reset(9, deals=DEALS)
    assert some.random_actions().tolist() == whole.random_actions()[DEALS].tolist()
    for step in range(150):
        assert differing_fields(some.save(slice(None)), whole.save(DEALS)) == []
        for view in ("obs", "mask", "to_move", "final_scores"):
            assert (getattr(some, view) == getattr(whole, view)[DEALS]).all()
        actions = chosen(whole.mask, step)
        whole.step(actions)
        some.step(actions[DEALS])
    records = whole.save(slice(None))
    assert len({int(record["random"]) for record in records}) == 7
    some.reset(9)
    whole.reset(9, deals=range(7))
    assert differing_fields(some.save(slice(None)), whole.save(range(5))) == []


# ---- the end of a game ---------------------------------------------------------------------------


@full_tables
def test_without_autoreset_finished_games_wait_for_the_others(table):
    batch, step = table.batch(4, seed=45, autoreset=False), 0
    while (batch.to_move >= 0).any():
        batch.step(chosen(batch.mask, step))
        step += 1
    assert not batch.mask.any()
    assert not batch.obs.any()
    assert (batch.random_actions() == -1).all()
    before = batch.save(slice(None))
    scores, winners = batch.final_scores.copy(), batch.final_winners.copy()
    rewards, done = batch.step([-1] * 4)
    assert not rewards.any()
    assert not done.any()
    assert differing_fields(batch.save(slice(None)), before) == []
    np.testing.assert_array_equal(batch.final_scores, scores)
    np.testing.assert_array_equal(batch.final_winners, winners)
    for action in (0, batch.actions.size):
        with pytest.raises(IllegalMove, match="over") as caught:
            batch.step([-1, -1, action, -1])
        assert (caught.value.game_index, caught.value.seat) == (2, None)
    batch.reset(46)
    assert (batch.to_move >= 0).all()
