"""`Batch`: its arrays, the games that its rows play, and what happens when one ends.

It is played, begun anew and looked at in all of its games or in some.
"""

import numpy as np
import pytest

from shakespeare_env import IllegalMove, Position
from tests.contract.batches import (
    ARRAYS,
    MANY,
    assert_same,
    assert_unchanged,
    batch_in_play,
    batch_of_all_seat_counts,
    games,
    sizes,
    snapshot,
    some_rows,
)
from tests.contract.each_table import full_tables
from tests.contract.random_games import actions_by_rule, differing_fields, record_of

DEALS = [6, 0, 6, 3, 3]


@full_tables
def test_arrays_are_written_in_place(table):
    batch = table.batch(6, seed=41)
    before = {name: getattr(batch, name) for name in ARRAYS}
    rewards, done = batch.step(actions_by_rule(batch.mask, 0))
    assert (rewards is batch.rewards, done is batch.done) == (True, True)
    batch.reset(1)
    batch.load([0], batch.save([1]))
    batch.determinize([0], [0], [0])
    assert all(getattr(batch, name) is array for name, array in before.items())


@full_tables
def test_what_is_written_into_its_arrays_is_refused_or_changes_no_game(table):
    """Compiled code reads some again; the next step overwrites the others."""
    batch = table.batch(6, seed=41)
    untouched = table.batch(6, seed=41)
    for name in ("players", "to_move", "mask"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(batch, name)[0] = 0
    for step in range(5):
        for name in ("obs", "rewards", "done"):
            getattr(batch, name)[...] = 1
        for one in (batch, untouched):
            one.step(actions_by_rule(one.mask, step))
        assert_same(batch, untouched)


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
    whole = table.batch(7, seed=9)
    some = table.batch(len(DEALS), seed=1)
    some.reset(9, deals=DEALS)
    assert some.random_actions().tolist() == whole.random_actions()[DEALS].tolist()
    for step in range(150):
        assert differing_fields(some.save(slice(None)), whole.save(DEALS)) == []
        for view in ("obs", "mask", "to_move", "final_scores"):
            assert (getattr(some, view) == getattr(whole, view)[DEALS]).all()
        actions = actions_by_rule(whole.mask, step)
        whole.step(actions)
        some.step(actions[DEALS])
    records = whole.save(slice(None))
    assert len({int(record["random"]) for record in records}) == 7
    some.reset(9)
    whole.reset(9, deals=range(7))
    assert differing_fields(some.save(slice(None)), whole.save(range(5))) == []


@full_tables
def test_without_autoreset_finished_games_wait_for_the_others(table):
    batch = table.batch(4, seed=45, autoreset=False)
    step = 0
    while (batch.to_move >= 0).any():
        batch.step(actions_by_rule(batch.mask, step))
        step += 1
    assert not batch.mask.any()
    assert not batch.obs.any()
    assert (batch.random_actions() == -1).all()
    before = batch.save(slice(None))
    scores = batch.final_scores.copy()
    winners = batch.final_winners.copy()
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


@games
@pytest.mark.parametrize(
    ("n", "threads", "autoreset", "reward"), [(8, 1, False, "score"), (MANY, 3, True, "margin")]
)
def test_a_step_in_some_games_is_a_step_of_these_games_alone(name, n, threads, autoreset, reward):
    """All of them among others; games of every seat count."""
    batch = batch_of_all_seat_counts(name, n, threads=threads, autoreset=autoreset, reward=reward)
    ended = 0
    for step in range(200):
        rows = some_rows(n, step, share=(0.6, 0.9, 1.0)[step % 3])
        others = np.setdiff1d(np.arange(n), rows)
        alone = batch_of_all_seat_counts(name, len(rows), autoreset=autoreset, reward=reward)
        alone.load(slice(None), batch.save(rows))
        shown, records = snapshot(batch)
        actions = actions_by_rule(batch.mask, step)[rows]
        batch.step(actions, rows)
        alone.step(actions)
        shown["rewards"] = 0
        shown["done"] = False
        for view in shown:
            now = getattr(batch, view)
            before = np.broadcast_to(shown[view], now.shape)
            np.testing.assert_array_equal(now[others], before[others], view)
            new = alone.done if view.startswith("final") else np.ones(len(rows), bool)
            np.testing.assert_array_equal(now[rows[new]], getattr(alone, view)[new], view)
            np.testing.assert_array_equal(now[rows[~new]], before[rows[~new]], view)
        assert differing_fields(batch.save(others), records[others]) == []
        assert differing_fields(batch.save(rows), alone.save(slice(None))) == []
        ended += int(batch.done.sum())
        if (batch.to_move < 0).all():
            break
    assert ended


@full_tables
@sizes
def test_views_of_some_games_are_rows_of_the_views_of_all(table, n, threads):
    batch = batch_in_play(table, n, threads=threads)
    before = snapshot(batch)
    seats = np.arange(n) % table.players
    seen = batch.observe(seats)
    scores = batch.scores()
    for game in (0, n - 1):
        position = Position.of_record(batch.game, record_of(batch, game))
        assert scores[game].tolist() == position.scores()
    for rows in ([], np.array([], complex), [n - 1], range(n)):
        np.testing.assert_array_equal(batch.observe(seats[list(rows)], rows), seen[list(rows)])
        np.testing.assert_array_equal(batch.scores(rows), scores[list(rows)])
    batch.restart([])
    assert_unchanged(batch, before)
